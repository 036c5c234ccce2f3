"""Run one cell: split, grow, count, weigh, measure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from reproduction.datasets import Dataset
from reproduction.experiments.beyond import run_beyond
from reproduction.experiments.cells import (
    BeyondCell,
    Cell,
    CommitteeCell,
    DeployedCell,
    ForestCell,
    UnlabeledCell,
)
from reproduction.experiments.committee import run_committee
from reproduction.experiments.deployed import run_deployed
from reproduction.experiments.protocol import (
    DELTA,
    LEAST_LABELED,
    OPTIMIZED_WEIGHTINGS,
    paper_forest,
)
from reproduction.experiments.rows import FORESTS, UNLABELED, WEIGHTS, Row
from reproduction.experiments.splits import Array, Split, VoteOnTest, provenance
from tandemvote import VoteCounts
from tandemvote.bounds import Estimates, all_bounds, get_bound
from tandemvote.models.trees import out_of_bag_votes, predict_members
from tandemvote.tables import DatasetError
from tandemvote.votes.evidence import Evidence
from tandemvote.weights import minimize_bound


def run_cell(cell: Cell, dataset: Dataset) -> list[Row]:
    """Run a cell and return its rows; they depend on nothing but the cell and the data.

    A forest has one row per weighting, and in repetition 0 one more per tree with its weights;
    a deployed model one per number of unlabeled samples; a committee one per scheme; other cells
    have a single row.
    """
    if isinstance(cell, BeyondCell):
        return [run_beyond(cell, dataset)]
    if isinstance(cell, DeployedCell):
        return run_deployed(cell, dataset)
    if isinstance(cell, CommitteeCell):
        return run_committee(cell, dataset)
    return _run_forest(cell, dataset) if isinstance(cell, ForestCell) else _run(cell, dataset)


def _run_forest(cell: ForestCell, dataset: Dataset) -> list[Row]:
    start = perf_counter()
    split = Split.of(cell, dataset)
    forest = paper_forest(bagging=cell.bagging, seed=cell.seed).fit(split.X, split.y)
    counts = VoteCounts.from_votes(out_of_bag_votes(forest, split.X, split.y))
    weightings: dict[str, Array] = {"uniform": np.full(counts.n_voters, 1.0 / counts.n_voters)}
    for bound in OPTIMIZED_WEIGHTINGS:
        if get_bound(bound).applies(Evidence(counts)) is None:
            weightings[bound] = minimize_bound(counts, bound, delta=DELTA, published=True).weights
    vote = VoteOnTest.of(forest, split)
    measured = [
        (weighting, _measure(counts, weights, vote)) for weighting, weights in weightings.items()
    ]
    shared = provenance(cell, dataset, split, seconds=perf_counter() - start)
    rows = [
        FORESTS.row(**cell.columns, weighting=weighting, **columns, **shared)
        for weighting, columns in measured
    ]
    return rows + (_weight_rows(cell, counts, weightings) if cell.repetition == 0 else [])


def _run(cell: UnlabeledCell, dataset: Dataset) -> list[Row]:
    start = perf_counter()
    whole = Split.of(cell, dataset)
    n_labeled = int(cell.labeled_fraction * len(whole.y))
    if n_labeled < max(LEAST_LABELED, dataset.n_classes):
        raise DatasetError(
            f"{dataset.name}: a labeled fraction of {cell.labeled_fraction:g} leaves "
            f"{n_labeled} samples to learn from; at least {LEAST_LABELED} are needed. Run the "
            "families A, B and C only."
        )
    X_labeled, X_unlabeled, y_labeled, _ = train_test_split(
        whole.X,
        whole.y,
        train_size=cell.labeled_fraction,
        stratify=whole.y,
        random_state=cell.seed,
    )
    split = Split(X_labeled, y_labeled, whole.X_test, whole.y_test)
    forest = paper_forest(bagging="full", seed=cell.seed).fit(split.X, split.y)
    votes = out_of_bag_votes(forest, split.X, split.y)
    votes = replace(votes, unlabeled=predict_members(forest, X_unlabeled)[0])
    counts = VoteCounts.from_votes(votes)
    uniform = np.full(counts.n_voters, 1.0 / counts.n_voters)
    columns = _measure(counts, uniform, VoteOnTest.of(forest, split))
    return [
        UNLABELED.row(
            **cell.columns,
            n_unlabeled=len(X_unlabeled),
            n_min_disagreement=counts.n_min_disagreement,
            **columns,
            **provenance(cell, dataset, split, seconds=perf_counter() - start),
        )
    ]


def _measure(counts: VoteCounts, weights: Array, vote: VoteOnTest) -> dict[str, Any]:
    estimates = Estimates(counts, weights, published=True)
    values = all_bounds(estimates, DELTA)
    return {
        "test_risk": vote.risk(weights),
        "first_order": values["first_order"],
        "c1": values.get("c1"),
        "c2": values.get("c2"),
        "c_tandem": values["c_tandem"],
        "tandem": values["tandem"],
        "disagreement_bound": values.get("disagreement"),
        "gibbs_loss": estimates.gibbs_loss,
        "tandem_loss": estimates.tandem_loss,
        "disagreement": estimates.disagreement,
        "n_min": estimates.n_min,
        "n_min_pairs": estimates.n_min_pairs,
        "kl_divergence": estimates.kl_divergence,
    }


def _weight_rows(
    cell: ForestCell, counts: VoteCounts, weightings: Mapping[str, Array]
) -> list[Row]:
    return [
        WEIGHTS.row(
            **cell.columns,
            tree=tree,
            gibbs_loss=float(counts.gibbs_losses[tree]),
            first_order=float(weightings["first_order"][tree]),
            tandem=float(weightings["tandem"][tree]),
        )
        for tree in range(counts.n_voters)
    ]
