"""Samples to learn from and samples to test on, and what the trees predict on the latter."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from reproduction.datasets import Dataset, PaperDataset
from reproduction.experiments.cells import Cell
from reproduction.experiments.protocol import TEST_FRACTION
from reproduction.experiments.rows import versions
from tandemvote.models.trees import predict_members
from tandemvote.tables import DatasetError
from tandemvote.votes.weighted_vote import weighted_vote

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Split:
    """Samples to learn from and samples to test on."""

    X: Array
    y: Array
    X_test: Array
    y_test: Array

    @classmethod
    def of(cls, cell: Cell, dataset: Dataset) -> Split:
        """Split a data set as the paper does: a fifth of every class is for testing."""
        check_splittable(dataset)
        X, X_test, y, y_test = train_test_split(
            dataset.X,
            dataset.y,
            test_size=TEST_FRACTION,
            stratify=dataset.y,
            random_state=cell.split_seed,
        )
        return cls(X, y, X_test, y_test)


def provenance(cell: Cell, dataset: Dataset, split: Split, *, seconds: float) -> dict[str, Any]:
    """Return the columns of a row that say how it was made."""
    return {
        "seed": cell.seed,
        "versions": versions(),
        "split_seed": cell.split_seed,
        "n_train": len(split.y),
        "n_test": len(split.y_test),
        "reconstructed": isinstance(dataset, PaperDataset) and dataset.reconstructed,
        "seconds": round(seconds, 3),
    }


def check_splittable(dataset: Dataset) -> None:
    """Raise a DatasetError if no split has every class in both of its parts."""
    label, count = min(dataset.class_counts.items(), key=lambda item: item[1])
    if count < 2:
        raise DatasetError(
            f"{dataset.name}: class {label!r} has a single sample, which cannot be both learnt "
            "from and tested on. Leave the class out."
        )
    n_test = ceil(TEST_FRACTION * dataset.n_samples)
    if n_test < dataset.n_classes:
        raise DatasetError(
            f"{dataset.name}: of {dataset.n_samples} samples {n_test} are for testing, fewer than "
            f"its {dataset.n_classes} classes. Give more samples, or leave classes out."
        )


@dataclass(frozen=True, eq=False)
class VoteOnTest:
    """The trees' predictions on the test samples, made once for every weighting.

    Examples
    --------
    >>> vote = VoteOnTest(np.array([[0, 1], [0, 1], [1, 0]]), np.array([0, 0]), np.array([0, 1]))
    >>> vote.risk(np.full(3, 1 / 3))
    0.5
    """

    predictions: Array  # positions in `classes`, shape (n_trees, n_test)
    labels: Array  # positions of the true labels, shape (n_test,)
    classes: Array  # all labels of the forest

    @classmethod
    def of(cls, forest: RandomForestClassifier, split: Split) -> VoteOnTest:
        """Let the trees of a grown forest predict the test samples."""
        return cls(
            predictions=predict_members(forest, split.X_test)[0],
            labels=np.searchsorted(forest.classes_, split.y_test),
            classes=forest.classes_,
        )

    def errors(self, weights: Array) -> NDArray[np.bool_]:
        """Return for each test sample whether the weighted vote errs there."""
        winners = weighted_vote(self.predictions, weights, len(self.classes))
        return np.asarray(winners != self.labels)

    def risk(self, weights: Array) -> float:
        """Share of test samples on which the weighted vote errs."""
        return float(np.mean(self.errors(weights)))
