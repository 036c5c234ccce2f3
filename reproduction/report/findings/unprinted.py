"""What the rows show about the paper's bounds and its text does not say."""

from __future__ import annotations

import pandas as pd

from reproduction.report.findings.evidence import Evidence, Finding
from tandemvote.tables.errors import number_of

BAGGINGS = ("full", "reduced")
WORDS = {"tandem": "TND", "c1": "C1", "c2": "C2", "c_tandem": "CTD", "first_order": "FO"}


def first_order_gains_more(evidence: Evidence) -> Finding | None:
    """Optimizing the weights lowers FO by a larger factor than TND."""
    parts = []
    for bagging in BAGGINGS:
        factors = pd.DataFrame(
            {
                bound: evidence.means(bagging, bound).get(bound, pd.Series(dtype=float))
                / evidence.means(bagging, "uniform")[bound]
                for bound in ("first_order", "tandem")
            }
        ).dropna()
        if factors.empty:
            continue
        more = factors["first_order"] < factors["tandem"]
        text = f"on {more.sum()} of {number_of(len(more), 'set')}, {bagging} bagging"
        parts.append((text, more.all()))
    return Finding.of_parts(
        "Beyond the paper's text: optimized weights lower FO by a larger factor than TND.",
        "optimized / uniform bound is smaller for FO than for TND on every set",
        parts,
    )


def mushroom_by_factors(evidence: Evidence) -> Finding | None:
    """Where voters hardly differ C1 is twice FO, and TND four times FO."""
    means = evidence.means("full", "uniform")
    if "Mushroom" not in means.index:
        return None
    row = means.loc["Mushroom"]
    c1, tandem = row["c1"] / row["first_order"], row["tandem"] / row["first_order"]
    return Finding(
        "On Mushroom, whose trees hardly disagree, C1 is about 2 FO and TND about 4 FO.",
        "factors 1.8 to 2.2 and 3.6 to 4.6",
        f"{c1:.2f} and {tandem:.2f}",
        bool(1.8 <= c1 <= 2.2 and 3.6 <= tandem <= 4.6),
    )


def reduced_bagging_by_bound(evidence: Evidence) -> Finding | None:
    """Reduced bagging tightens second-order bounds on most sets, and FO on few."""
    full, reduced = (evidence.means(bagging, "uniform") for bagging in BAGGINGS)
    if full.empty or reduced.empty:
        return None
    counts = {}
    for bound in WORDS:
        pairs = pd.concat({"full": full[bound], "reduced": reduced[bound]}, axis=1).dropna()
        pairs = pairs[pairs.min(axis=1) < 1]
        counts[bound] = (int((pairs["reduced"] < pairs["full"]).sum()), len(pairs))
    parts = [f"{WORDS[bound]} on {smaller} of {n}" for bound, (smaller, n) in counts.items()]
    shares = {bound: smaller / max(n, 1) for bound, (smaller, n) in counts.items()}
    seconds = [shares[bound] for bound in WORDS if bound != "first_order" and counts[bound][1]]
    return Finding(
        "Beyond the paper's text: reduced bagging tightens second-order bounds and loosens FO.",
        "uniform weights: smaller on most sets for TND, C1, C2 and CTD, on a minority for FO",
        ", ".join(parts),
        all(share > 0.5 for share in seconds) and shares["first_order"] < 0.5,
    )


def rule_of_thumb(evidence: Evidence) -> Finding | None:
    """DIS beats TND long before the unlabeled samples are as many as the square of the labels."""
    means = evidence.unlabeled.groupby(["dataset", "labeled_fraction"]).mean(numeric_only=True)
    columns = {"n_min_disagreement", "n_min_pairs", "disagreement_bound"}
    if means.empty or not columns <= set(means.dropna(axis=1, how="all").columns):
        return None
    ahead = means["disagreement_bound"] < means["tandem"]
    enough = means["n_min_disagreement"] > means["n_min_pairs"] ** 2
    return Finding(
        "Rule of thumb: DIS is expected to beat TND only where m > n^2.",
        "DIS is below TND wherever m > n^2; that it is below in more cells shows that the rule is "
        "pessimistic",
        f"DIS below TND in {ahead.sum()} of {number_of(len(means), 'cell')}, m > n^2 in "
        f"{enough.sum()} of them",
        bool(ahead[enough].all()),
    )


def effective_voters(evidence: Evidence) -> Finding | None:
    """FO keeps a few trees, TND about half of them."""
    weights = evidence.weights
    if weights.empty:
        return None
    squares = weights.groupby(["dataset", "bagging"])[["first_order", "tandem"]]
    first, tandem = (1.0 / squares.agg(lambda rho: (rho**2).sum())).median()
    return Finding(
        "FO places the weight on a few top trees, TND hedges on many (Figure 2b).",
        "median of 1 / sum of squared weights: below 10 for FO, above 30 for TND (100 trees)",
        f"{first:.1f} effective trees under FO, {tandem:.0f} under TND",
        bool(first < 10 and tandem > 30),
    )


CHECKS = (
    first_order_gains_more,
    effective_voters,
    mushroom_by_factors,
    reduced_bagging_by_bound,
    rule_of_thumb,
)
