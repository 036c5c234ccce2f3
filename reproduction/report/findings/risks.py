"""Findings on the test risk: what weights and bagging do to it."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from reproduction.report.findings.evidence import Evidence, Finding, paper_means
from tandemvote.tables.errors import number_of

BAGGINGS = ("full", "reduced")

HARMLESS = 1.1
"""A mean test risk at most this many times the uniform one counts as not hurt."""

MINOR = 1.15
"""The largest median factor by which reduced bagging may raise the test risk."""

CLEAR = 3.0
"""A rise of so many standard errors of the paired difference is clear."""

FEWEST_PAIRS = 10
"""With fewer repetitions the standard error is not used."""

Vote = tuple[str, str]
Means = Callable[[str, str], pd.DataFrame]


def first_order_hurts(evidence: Evidence) -> Finding | None:
    """Weights that minimize FO raise the test risk on every set."""
    parts = []
    for bagging in BAGGINGS:
        factors = _factors(evidence.means, (bagging, "first_order"), (bagging, "uniform"))
        if factors.empty:
            continue
        up = factors > 1
        count = f"{up.sum()} of {number_of(len(up), 'set')}"
        parts.append((f"{bagging} bagging: up on {count}, {_spread(factors, evidence)}", up.all()))
    return Finding.of_parts(
        "FO-optimized weights hurt the test risk on all sets.",
        f"mean test risk above the uniform one on every set{_errless(evidence)}",
        parts,
    )


def tandem_does_not_hurt(evidence: Evidence) -> Finding | None:
    """Weights that minimize TND leave the test risk about where it was, or lower it."""
    parts = []
    for bagging in BAGGINGS:
        factors = _factors(evidence.means, (bagging, "tandem"), (bagging, "uniform"))
        if factors.empty:
            continue
        lower = factors.index[factors < 1]
        text = (
            f"{bagging} bagging: {_spread(factors, evidence)}; lower on {len(lower)} of "
            f"{number_of(len(factors), 'set')}: {evidence.listed(lower)}; a rise of more "
            f"than {CLEAR:g} standard errors, paired over repetitions, on "
            f"{evidence.listed(_clear_rises(evidence, bagging))}"
        )
        parts.append((text, (factors <= HARMLESS).all()))
    return Finding.of_parts(
        "TND-optimized weights do not, and sometimes help.",
        f"mean test risk at most {HARMLESS:g} times the uniform one on every "
        f"set{_errless(evidence)}",
        parts,
    )


def reduced_bagging_costs_little(evidence: Evidence) -> Finding | None:
    """Reduced bagging raises the test risk little."""
    parts = []
    for weighting, words in (("uniform", "uniform"), ("tandem", "TND-optimized")):
        votes = ("reduced", weighting), ("full", weighting)
        factors = _factors(evidence.means, *votes)
        if factors.empty:
            continue
        paper = _factors(paper_means, *votes)
        paper = paper[paper.index.isin(factors.index)]
        theirs = "" if paper.empty else f"; in the paper's tables {_spread(paper, evidence)}"
        text = f"{words} weights: {_spread(factors, evidence)}{theirs}"
        parts.append((text, factors.median() <= MINOR))
    return Finding.of_parts(
        "Reduced bagging has a minor effect on the test risk.",
        f"the median over sets of reduced / full mean test risk is at most {MINOR:g}, with either "
        f"weights{_errless(evidence)}",
        parts,
    )


def _factors(means: Means, above: Vote, below: Vote) -> pd.Series:
    """Return ratios of mean test risks; a set on which neither vote errs has none."""
    return (means(*above)["test_risk"] / means(*below)["test_risk"]).dropna()


def _spread(factors: pd.Series, evidence: Evidence) -> str:
    low, high = factors.idxmin(), factors.idxmax()
    return (
        f"factor {factors[low]:.2f} ({evidence.written(low)}) to {factors[high]:.2f} "
        f"({evidence.written(high)}), median {factors.median():.2f}"
    )


def _errless(evidence: Evidence) -> str:
    """Say which sets tell nothing, as no vote errs on them."""
    worst = evidence.forests.groupby("dataset")["test_risk"].max()
    names = worst.index[worst == 0]
    return f", but for {evidence.listed(names)} on which no vote errs" if len(names) else ""


def _clear_rises(evidence: Evidence, bagging: str) -> list[str]:
    optimized, uniform = (
        evidence.rows(bagging, weighting).set_index(["dataset", "repetition"])["test_risk"]
        for weighting in ("tandem", "uniform")
    )
    paired = (optimized - uniform).dropna().groupby("dataset")
    score = paired.mean() / paired.sem()
    return list(score.index[(score > CLEAR) & (paired.count() >= FEWEST_PAIRS)])
