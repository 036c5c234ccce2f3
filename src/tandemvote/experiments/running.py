"""Run one cell: split, grow, count, weigh, measure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from tandemvote.bounds import Averages, all_bounds, get_bound
from tandemvote.counts import VoteCounts
from tandemvote.datasets import Dataset, DatasetError
from tandemvote.ensembles import out_of_bag_votes, voter_predictions, weighted_vote
from tandemvote.experiments.cells import Cell, ForestCell, UnlabelledCell
from tandemvote.experiments.protocol import DELTA, OPTIMISED_WEIGHTINGS, TEST_FRACTION, paper_forest
from tandemvote.experiments.rows import ForestRow, Row, UnlabelledRow, WeightRow, versions
from tandemvote.weights import minimise

Array = NDArray[Any]

LEAST_LABELLED = 20
"""With fewer points some tree's bootstrap may leave none of them out."""


def run_cell(cell: Cell, dataset: Dataset) -> list[Row]:
    """Run a cell and return its rows; they depend on nothing but the cell and the data.

    Parameters
    ----------
    cell : ForestCell or UnlabelledCell
    dataset : Dataset

    Returns
    -------
    list of rows
        For a forest one row a weighting, and in repetition 0 one more a tree with its weights; for
        an unlabelled cell a single row.
    """
    return _run_forest(cell, dataset) if isinstance(cell, ForestCell) else _run(cell, dataset)


def _run_forest(cell: ForestCell, dataset: Dataset) -> list[Row]:
    start = perf_counter()
    split = _Split.of(cell, dataset)
    forest = paper_forest(bagging=cell.bagging, seed=cell.seed).fit(split.X, split.y)
    counts = VoteCounts.from_votes(out_of_bag_votes(forest, split.X, split.y))
    weightings: dict[str, Array] = {"uniform": np.full(counts.n_voters, 1.0 / counts.n_voters)}
    for bound in OPTIMISED_WEIGHTINGS:
        if get_bound(bound).applies_to(counts):
            weightings[bound] = minimise(counts, bound, delta=DELTA).weights
    vote = _Vote(forest, split)
    measured = [
        (weighting, _measure(counts, weights, vote)) for weighting, weights in weightings.items()
    ]
    shared = _shared_columns(cell, dataset, split, seconds=perf_counter() - start)
    rows: list[Row] = [
        ForestRow(
            dataset=cell.dataset,
            bagging=cell.bagging,
            repetition=cell.repetition,
            weighting=weighting,
            **columns,
            **shared,
        )
        for weighting, columns in measured
    ]
    return rows + (_weight_rows(cell, counts, weightings) if cell.repetition == 0 else [])


def _run(cell: UnlabelledCell, dataset: Dataset) -> list[Row]:
    start = perf_counter()
    whole = _Split.of(cell, dataset)
    n_labelled = int(cell.labelled_fraction * len(whole.y))
    if n_labelled < max(LEAST_LABELLED, dataset.n_classes):
        raise DatasetError(
            f"{dataset.name}: a labelled fraction of {cell.labelled_fraction:g} leaves "
            f"{n_labelled} points to learn from; at least {LEAST_LABELLED} are needed. Run the "
            "families A, B and C only."
        )
    X_labelled, X_unlabelled, y_labelled, _ = train_test_split(
        whole.X,
        whole.y,
        train_size=cell.labelled_fraction,
        stratify=whole.y,
        random_state=cell.seed,
    )
    split = _Split(X_labelled, y_labelled, whole.X_test, whole.y_test)
    forest = paper_forest(bagging="full", seed=cell.seed).fit(split.X, split.y)
    votes = out_of_bag_votes(forest, split.X, split.y, X_unlabelled=X_unlabelled)
    counts = VoteCounts.from_votes(votes)
    uniform = np.full(counts.n_voters, 1.0 / counts.n_voters)
    columns = _measure(counts, uniform, _Vote(forest, split))
    return [
        UnlabelledRow(
            dataset=cell.dataset,
            labelled_fraction=cell.labelled_fraction,
            repetition=cell.repetition,
            n_unlabelled=len(X_unlabelled),
            n_min_disagreement=counts.n_min_disagreement,
            **columns,
            **_shared_columns(cell, dataset, split, seconds=perf_counter() - start),
        )
    ]


@dataclass(frozen=True, eq=False)
class _Split:
    """Points to learn from and points to test on."""

    X: Array
    y: Array
    X_test: Array
    y_test: Array

    @classmethod
    def of(cls, cell: Cell, dataset: Dataset) -> _Split:
        label, count = min(dataset.class_counts.items(), key=lambda item: item[1])
        if count < 2:
            raise DatasetError(
                f"{dataset.name}: class {label!r} has a single point, which cannot be both learnt "
                "from and tested on. Leave the class out."
            )
        X, X_test, y, y_test = train_test_split(
            dataset.X,
            dataset.y,
            test_size=TEST_FRACTION,
            stratify=dataset.y,
            random_state=cell.split_seed,
        )
        return cls(X, y, X_test, y_test)


class _Vote:
    """The trees' predictions on the test points, made once for every weighting."""

    def __init__(self, forest: RandomForestClassifier, split: _Split) -> None:
        self.predictions = voter_predictions(forest, split.X_test)
        self.labels = np.searchsorted(forest.classes_, split.y_test)
        self.n_classes = len(forest.classes_)

    def risk(self, weights: Array) -> float:
        """Share of test points on which the weighted vote errs."""
        winners = weighted_vote(self.predictions, weights, self.n_classes)
        return float(np.mean(winners != self.labels))


def _measure(counts: VoteCounts, weights: Array, vote: _Vote) -> dict[str, Any]:
    bounds = all_bounds(counts, weights, delta=DELTA)
    values = {name: bound.value for name, bound in bounds.items()}
    averages = Averages.of(counts, weights)
    return {
        "test_risk": vote.risk(weights),
        "first_order": values["first_order"],
        "c1": values.get("c1"),
        "c2": values.get("c2"),
        "c_tandem": values["c_tandem"],
        "tandem": values["tandem"],
        "disagreement_bound": values.get("disagreement"),
        "gibbs_loss": averages.gibbs_loss,
        "tandem_loss": averages.tandem_loss,
        "disagreement": averages.disagreement,
        "n_min": averages.n_min,
        "n_min_pairs": averages.n_min_pairs,
        "kl_divergence": averages.kl_divergence,
    }


def _shared_columns(
    cell: Cell, dataset: Dataset, split: _Split, *, seconds: float
) -> dict[str, Any]:
    return {
        "seed": cell.seed,
        "versions": versions(),
        "split_seed": cell.split_seed,
        "n_train": len(split.y),
        "n_test": len(split.y_test),
        "reconstructed": dataset.reconstructed,
        "seconds": round(seconds, 3),
    }


def _weight_rows(
    cell: ForestCell, counts: VoteCounts, weightings: Mapping[str, Array]
) -> list[Row]:
    return [
        WeightRow(
            dataset=cell.dataset,
            bagging=cell.bagging,
            repetition=cell.repetition,
            tree=tree,
            gibbs_loss=float(counts.gibbs_losses[tree]),
            first_order=float(weightings["first_order"][tree]),
            tandem=float(weightings["tandem"][tree]),
        )
        for tree in range(counts.n_voters)
    ]
