"""The paper's qualitative findings, each checked by a number and a rule that is named."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd

from reproduction.datasets import CATALOG
from reproduction.report.findings import risks, tightness, unprinted
from reproduction.report.findings.evidence import Evidence, Finding

__all__ = ["Evidence", "Finding", "all_findings"]

CHECKS: tuple[Callable[[Evidence], Finding | None], ...] = (
    partial(tightness.tandem_tightest, bagging="full"),
    partial(tightness.tandem_tightest, bagging="reduced"),
    tightness.tandem_against_c_bounds,
    tightness.disagreement_helps_tandem,
    tightness.optimizing_tightens,
    risks.first_order_hurts,
    risks.tandem_does_not_hurt,
    tightness.reduced_bagging_tightens,
    risks.reduced_bagging_costs_little,
    tightness.disagreement_leads,
    *unprinted.CHECKS,
)
"""In the order of the paper, then those that its text does not state or only in words."""


def all_findings(
    forests: pd.DataFrame, unlabeled: pd.DataFrame, weights: pd.DataFrame, names: dict[str, str]
) -> list[Finding]:
    """Check every finding on which there are rows of the paper's data sets, and of no other."""
    evidence = Evidence(
        forests[forests["dataset"].isin(CATALOG)],
        unlabeled[unlabeled["dataset"].isin(CATALOG)],
        weights[weights["dataset"].isin(CATALOG)],
        names,
    )
    found = [check(evidence) for check in CHECKS]
    return [finding for finding in found if finding is not None]
