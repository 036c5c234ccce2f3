"""The finding on few labelled points among many unlabelled ones."""

from __future__ import annotations

import pandas as pd

from tandemvote.datasets.errors import number_of
from tandemvote.experiments.findings.evidence import Evidence, Finding, paper_unlabelled


def disagreement_leads(evidence: Evidence) -> Finding | None:
    """DIS beats TND with few labels; its lead shrinks as the labelled fraction grows."""
    means = evidence.unlabelled.groupby(["dataset", "labelled_fraction"]).mean(numeric_only=True)
    lead = (means["tandem"] - means["disagreement_bound"]).unstack().dropna()
    if lead.empty or len(lead.columns) < 2:
        return None
    fewest, most = lead.columns.min(), lead.columns.max()
    paper = paper_unlabelled("tandem") - paper_unlabelled("disagreement_bound")
    paper = paper.reindex(index=lead.index, columns=lead.columns)
    ahead, shrinks = lead[fewest] > 0, lead[most] < lead[fewest]
    overtaken, expected = (side.index[side[most] < 0] for side in (lead, paper))
    ours, theirs = (
        f"{len(who)}: {evidence.listed(who)}{_since(side, who)}"
        for side, who in ((lead, overtaken), (paper, expected))
    )
    return Finding(
        "DIS leads TND by most with the fewest labels; the lead shrinks as labels are added, TND "
        "eventually overtaking.",
        f"on every set DIS is below TND at r = {fewest:g} and by less, or no longer, at "
        f"r = {most:g}; TND is ahead there on as many sets as in the paper's published numbers",
        f"DIS ahead at r = {fewest:g} on {ahead.sum()} of {number_of(len(lead), 'set')}; lead "
        f"smaller at r = {most:g} on {shrinks.sum()}; TND ahead at r = {most:g} on {ours}; in the "
        f"paper's numbers on {theirs}",
        bool(ahead.all() and shrinks.all() and len(overtaken) == len(expected)),
    )


def _since(lead: pd.DataFrame, names: pd.Index) -> str:
    """Say from which labelled fraction TND stays ahead, in the order of the names."""
    if names.empty:
        return ""
    firsts = [
        min(r for r in lead.columns if (lead.loc[name, r:] < 0).all())
        for name in sorted(names, key=str.casefold)
    ]
    return f" (from r = {', '.join(f'{first:g}' for first in firsts)})"
