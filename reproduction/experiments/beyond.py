"""Run one cell beyond the paper: a forest of family A, judged by every bound of the library."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from reproduction.datasets import Dataset
from reproduction.experiments.cells import BeyondCell
from reproduction.experiments.protocol import DELTA, paper_forest
from reproduction.experiments.rows import BEYOND, Row
from reproduction.experiments.splits import Split, VoteOnTest, provenance
from tandemvote import VoteCounts
from tandemvote.bounds import Estimates, get_bound, test_set_bound, vote_profile_bound
from tandemvote.models.trees import out_of_bag_votes
from tandemvote.votes.evidence import Evidence
from tandemvote.votes.profile import VoteProfile
from tandemvote.weights import minimize_bound

AS_PUBLISHED = {name: get_bound(name) for name in ("first_order", "tandem", "c_tandem")}
SHARPENED = {
    "sharp_first_order": get_bound("first_order"),
    "sharp_tandem": get_bound("tandem"),
    "c_box": get_bound("c_box"),
    "second_order": get_bound("second_order"),
}


def run_beyond(cell: BeyondCell, dataset: Dataset) -> Row:
    """Split, grow the forest of family A, and measure its uniform vote by every bound."""
    start = perf_counter()
    split = Split.of(cell, dataset)
    forest = paper_forest(bagging="full", seed=cell.seed).fit(split.X, split.y)
    counts = VoteCounts.from_votes(out_of_bag_votes(forest, split.X, split.y))
    columns = measure_beyond(counts, VoteOnTest.of(forest, split))
    return BEYOND.row(
        **cell.columns,
        **columns,
        **provenance(cell, dataset, split, seconds=perf_counter() - start),
    )


def measure_beyond(counts: VoteCounts, vote: VoteOnTest) -> dict[str, Any]:
    """Measure the uniform vote of a forest, and the one with weights that minimize sharp TND.

    The `counts` are of the out-of-bag votes on the training part. Returned are the measured columns
    of the table ``beyond``.
    """
    uniform = np.full(counts.n_voters, 1.0 / counts.n_voters)
    said, errors = vote.predictions, vote.errors(uniform)
    printed = Estimates(counts, published=True)
    published = {column: bound(printed, DELTA) for column, bound in AS_PUBLISHED.items()}
    full = Estimates(Evidence(counts, profile=VoteProfile.of(said, uniform)))
    sharpened = {column: bound(full, DELTA) for column, bound in SHARPENED.items()}
    weights = minimize_bound(counts, "tandem", delta=DELTA).weights
    weighted = Estimates(Evidence(counts, profile=VoteProfile.of(said, weights)))
    tested = Estimates.from_numbers(n_errors=int(errors.sum()), n_samples=errors.size)
    return {
        "test_risk": float(errors.mean()),
        **published,
        **sharpened,
        "vote_profile": vote_profile_bound(full, DELTA),
        "test_set": test_set_bound(tested, DELTA),
        "weighted_vote_profile": vote_profile_bound(weighted, DELTA),
        "weighted_test_risk": vote.risk(weights),
    }
