"""The paper's qualitative findings, each checked by a number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from tandemvote.experiments.frames import forest_summary, unlabelled_summary
from tandemvote.experiments.paper_numbers import paper_csv

UNIFORM_BOUNDS = ("first_order", "c1", "c2", "c_tandem", "tandem")
TRIVIAL_SETS = ("Mushroom",)
"""Sets on which no vote errs, so that no weights can hurt."""

HARMLESS = 1.1
"""A test risk at most this many times the uniform one counts as not hurt."""


@dataclass(frozen=True)
class Finding:
    """A claim of the paper, what the rows say, and whether they agree."""

    claim: str
    measured: str
    holds: bool


def all_findings(forests: pd.DataFrame, unlabelled: pd.DataFrame) -> list[Finding]:
    """Check every finding for which there are rows."""
    means = forest_summary(forests).xs("mean", axis=1, level=1)
    found = [check(means) for check in FOREST_CHECKS] if _complete(means) else []
    if len(unlabelled):
        found.append(disagreement_overtakes(unlabelled_summary(unlabelled)))
    return found


def tandem_tightest(means: pd.DataFrame) -> Finding:
    """With uniform weights TND is the tightest bound on the same sets as in the paper."""
    return _same_tightest(means, "full")


def tandem_tightest_reduced(means: pd.DataFrame) -> Finding:
    """The same with reduced bagging."""
    return _same_tightest(means, "reduced")


def tandem_against_c_bounds(means: pd.DataFrame) -> Finding:
    """TND beats all C-bounds on most binary sets."""
    uniform = _of(means, "full", "uniform")
    binary = uniform[uniform["c1"].notna()]
    wins = binary["tandem"] < binary[["c1", "c2", "c_tandem"]].min(axis=1)
    return Finding(
        "TND is tighter than the C-bounds for 4 of 7 binary sets (full bagging).",
        f"{wins.sum()} of {len(binary)}: {_names(wins)}",
        2 * wins.sum() > len(binary),
    )


def optimising_tightens(means: pd.DataFrame) -> Finding:
    """Both bounds get smaller when the weights minimise them."""
    parts, holds = [], True
    for column, label in (("first_order", "FO"), ("tandem", "TND")):
        before = _of(means, "full", "uniform")[column]
        after = _of(means, "full", column)[column]
        smaller = (after < before) | (before >= 1)
        parts.append(f"{label} on {smaller.sum()} of {len(smaller)} sets")
        holds &= bool(smaller.all())
    return Finding("Both FO and TND tighten with optimisation.", "; ".join(parts), holds)


def first_order_hurts(means: pd.DataFrame) -> Finding:
    """Weights that minimise FO raise the test risk on every non-trivial set."""
    ratios = _risk_ratios(means, "first_order")
    worse = ratios > 1
    return Finding(
        "FO-optimised weights hurt the test risk on all non-trivial sets.",
        f"test risk up on {worse.sum()} of {len(worse)} sets, by a factor of "
        f"{ratios.min():.2f} to {ratios.max():.2f} (median {ratios.median():.2f})",
        bool(worse.all()),
    )


def tandem_does_not_hurt(means: pd.DataFrame) -> Finding:
    """Weights that minimise TND leave the test risk where it was, or lower it."""
    ratios = _risk_ratios(means, "tandem")
    better = ratios < 1
    return Finding(
        "TND-optimised weights do not, and sometimes help.",
        f"factor {ratios.min():.2f} to {ratios.max():.2f} (median {ratios.median():.2f}); "
        f"lower on {better.sum()} of {len(better)} sets",
        bool((ratios <= HARMLESS).all()),
    )


def disagreement_helps_tandem(means: pd.DataFrame) -> Finding:
    """TND gains on FO where disagreement is large beside the Gibbs loss."""
    uniform = _of(means, "full", "uniform").drop(index=["Mushroom", "Shuttle"], errors="ignore")
    rank = (uniform["disagreement"] / uniform["gibbs_loss"]).corr(
        uniform["tandem"] / uniform["first_order"], method="spearman"
    )
    return Finding(
        "TND tends to be tighter than FO when the disagreement is large in relation to the loss.",
        f"rank correlation {rank:.2f} between disagreement / Gibbs loss and TND / FO",
        bool(rank < -0.5),
    )


def reduced_bagging_tightens(means: pd.DataFrame) -> Finding:
    """Reduced bagging makes TND smaller on most sets, the same as in the paper."""
    parts, holds = [], True
    paper = _paper_reduced_wins()
    for weighting, words in (("uniform", "uniform"), ("tandem", "TND-optimised")):
        full, reduced = (
            _of(means, bagging, weighting)["tandem"] for bagging in ("full", "reduced")
        )
        tighter = reduced < full
        parts.append(f"{words} weights: {tighter.sum()} of {len(tighter)} sets")
        holds &= bool(2 * tighter.sum() > len(tighter))
        if weighting == "uniform":
            other = sorted(
                name for name in paper if name in tighter and paper[name] != tighter[name]
            )
            parts.append(f"other than the paper's: {', '.join(other) or 'none'}")
    return Finding("Reduced bagging tightens TND in most cases.", "; ".join(parts), holds)


def reduced_bagging_costs_little(means: pd.DataFrame) -> Finding:
    """Reduced bagging raises the test risk little."""
    full, reduced = (
        _of(means, bagging, "uniform")["test_risk"].drop(
            index=["Mushroom", "Shuttle"], errors="ignore"
        )
        for bagging in ("full", "reduced")
    )
    ratios = reduced / full
    return Finding(
        "Reduced bagging has a minor effect on the test risk, with uniform weights.",
        f"factor {ratios.min():.2f} to {ratios.max():.2f} (median {ratios.median():.2f}), largest "
        f"on {ratios.idxmax()}",
        bool(ratios.median() <= 1.15),
    )


def disagreement_overtakes(summary: pd.DataFrame) -> Finding:
    """DIS beats TND with few labels; its lead shrinks as the labelled fraction grows."""
    means = summary.xs("mean", axis=1, level=1)
    lead = (means["tandem"] - means["disagreement_bound"]).unstack("labelled_fraction")
    fewest, most = lead.columns.min(), lead.columns.max()
    ahead, shrinks = lead[fewest] > 0, lead[most] < lead[fewest]
    crossed = [
        f"{name} from r = {row[row < 0].index.min():g}"
        for name, row in lead.iterrows()
        if (row < 0).any()
    ]
    return Finding(
        "DIS overtakes TND only with few labels: its lead is largest there and shrinks as labels "
        "are added, TND eventually overtaking.",
        f"DIS below TND at r = {fewest:g} on {ahead.sum()} of {len(ahead)} sets; lead smaller at "
        f"r = {most:g} on {shrinks.sum()}; TND ahead: {', '.join(crossed) or 'nowhere yet'}",
        bool(ahead.all() and shrinks.all()),
    )


FOREST_CHECKS: tuple[Callable[[pd.DataFrame], Finding], ...] = (
    tandem_tightest,
    tandem_tightest_reduced,
    tandem_against_c_bounds,
    disagreement_helps_tandem,
    optimising_tightens,
    first_order_hurts,
    tandem_does_not_hurt,
    reduced_bagging_tightens,
    reduced_bagging_costs_little,
)


def _same_tightest(means: pd.DataFrame, bagging: str) -> Finding:
    uniform = _of(means, bagging, "uniform")
    tightest = uniform[list(UNIFORM_BOUNDS)].idxmin(axis=1) == "tandem"
    paper = _paper_tightest(bagging)
    expected = {name for name in uniform.index if paper.get(name)}
    ours = set(tightest[tightest].index)
    return Finding(
        f"TND is the tightest bound on {len(expected)} of these sets, FO on most others "
        f"(uniform weights, {bagging} bagging).",
        f"TND tightest on {len(ours)}: {_names(tightest)}; other than the paper's: "
        f"{', '.join(sorted(ours ^ expected)) or 'none'}",
        ours == expected,
    )


def _paper_tightest(bagging: str) -> dict[str, bool]:
    """Tell for each set of the paper whether TND is its tightest bound."""
    tightest = {}
    for row in paper_csv(f"uniform_{bagging}_bounds"):
        values = {
            label: float(row[label])
            for label in ("FO", "C1", "C2", "CTD", "TND")
            if row[label] and row[label] != ">1"
        }
        tightest[row["dataset"]] = bool(values) and min(values, key=values.__getitem__) == "TND"
    return tightest


def _paper_reduced_wins() -> dict[str, bool]:
    full, reduced = (
        {row["dataset"]: row["TND"] for row in paper_csv(f"uniform_{bagging}_bounds")}
        for bagging in ("full", "reduced")
    )
    return {name: float(reduced[name]) < float(full[name]) for name in full if full[name] != ">1"}


def _of(means: pd.DataFrame, bagging: str, weighting: str) -> pd.DataFrame:
    return means.xs((bagging, weighting), level=("bagging", "weighting"))


def _risk_ratios(means: pd.DataFrame, weighting: str) -> pd.Series:
    uniform = _of(means, "full", "uniform")["test_risk"]
    ratios = _of(means, "full", weighting)["test_risk"] / uniform[uniform > 0]
    return ratios.dropna().drop(index=list(TRIVIAL_SETS), errors="ignore")


def _names(chosen: pd.Series) -> str:
    return ", ".join(chosen[chosen].index) or "none"


def _complete(means: pd.DataFrame) -> bool:
    """Tell whether both baggings have rows, without which there is nothing to compare."""
    return {"full", "reduced"} <= set(means.index.unique("bagging"))
