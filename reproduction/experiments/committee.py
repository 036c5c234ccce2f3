"""Run one cell of the committee: models tested together, a referee, and a plain hold-out."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from reproduction.datasets import Dataset
from reproduction.experiments.cells import CommitteeCell
from reproduction.experiments.protocol import MEMBER_SHARE, TEST_FRACTION, learner
from reproduction.experiments.rows import COMMITTEE, Row
from reproduction.experiments.splits import Array, Split, provenance

N_TESTED, N_AVERAGED = 4, 3
LARGEST_DETERMINISTIC = 10_000  # above it histogram boosting draws a validation set by its seed


def run_committee(cell: CommitteeCell, dataset: Dataset) -> Row:
    """Train four members, a referee and a model for a 20% hold-out, and count all errors.

    All of them use the labels of the training part alone. The part for testing gives the error
    rates with which the bounds are compared.
    """
    start, split = perf_counter(), Split.of(cell, dataset)
    classes, y = np.unique(split.y, return_inverse=True)
    y_new, n = np.searchsorted(classes, split.y_test), len(y)
    order = np.random.default_rng(cell.seed).permutation(n)
    n_hold_out = int(n * TEST_FRACTION)
    n_test_set = min(n_hold_out, int(4 * n ** (2 / 3)))
    test, training = order[:n_test_set], order[n_test_set:]
    hold_out, rest = order[:n_hold_out], order[n_hold_out:]

    def trained(seed: int, rows: Array) -> Any:
        return learner(cell.learner, seed).fit(split.X[rows], y[rows])

    share = MEMBER_SHARE if is_deterministic(cell.learner, len(training)) else 1.0
    members = []
    for member in range(N_TESTED):
        draw = np.random.default_rng([cell.seed, member])
        kept = draw.choice(training, int(share * len(training)), replace=False)
        members.append(trained(cell.seed + 1 + member, training if share == 1.0 else kept))
    referee = trained(cell.seed, np.arange(n))
    # Seed and rows of the first member, if it is trained on all rows outside the test set.
    is_first = share == 1.0 and n_hold_out == n_test_set
    held = members[0] if is_first else trained(cell.seed + 1, rest)
    tested = np.array([model.predict(split.X[test]) for model in members])
    new = np.array([model.predict(split.X_test) for model in members])
    judged = referee.predict(split.X_test)

    def average_errors(X: Array, labels: Array) -> int:
        return _n_errors(mean_probabilities(members[:N_AVERAGED], X, classes.size), labels)

    return COMMITTEE.row(
        **cell.columns,
        member_share=share,
        n_test_set=n_test_set,
        n_hold_out=n_hold_out,
        committee_errors=int(can_err(tested, y[test], classes.size).sum()),
        small_committee_errors=int(can_err(tested[:2], y[test], classes.size).sum()),
        average_errors=average_errors(split.X[test], y[test]),
        hold_out_errors=_n_errors(held.predict(split.X[hold_out]), y[hold_out]),
        committee_test_errors=_n_errors(plurality(new, judged, classes.size), y_new),
        small_committee_test_errors=_n_errors(plurality(new[:2], judged, classes.size), y_new),
        average_test_errors=average_errors(split.X_test, y_new),
        hold_out_test_errors=_n_errors(held.predict(split.X_test), y_new),
        whole_test_errors=_n_errors(judged, y_new),
        **provenance(cell, dataset, split, seconds=perf_counter() - start),
    )


def is_deterministic(name: str, n_training: int) -> bool:
    """Return True if two seeds give the same model: histogram boosting without a validation set."""
    return name == "boosting" and n_training <= LARGEST_DETERMINISTIC


def votes_per_class(predictions: Array, n_classes: int) -> Array:
    """Count the votes for each class, shape (n_samples, n_classes).

    Examples
    --------
    >>> votes_per_class(np.array([[0, 1], [0, 0]]), 2).tolist()
    [[2, 0], [1, 1]]
    """
    return np.stack([(predictions == label).sum(axis=0) for label in range(n_classes)], axis=1)


def can_err(tested: Array, labels: Array, n_classes: int) -> Array:
    """Return True where some vote of the referee makes the committee err.

    Examples
    --------
    >>> can_err(np.array([[0, 0], [0, 0], [0, 1], [1, 1]]), np.array([0, 0]), 2).tolist()
    [False, True]
    """
    votes, rows = votes_per_class(tested, n_classes), np.arange(labels.size)
    own = votes[rows, labels]
    votes[rows, labels] = -1
    return np.asarray(own <= votes.max(axis=1) + 1)


def plurality(tested: Array, referee: Array, n_classes: int) -> Array:
    """Return the class with the most votes; ties go to the referee, else to the smallest class.

    Examples
    --------
    >>> plurality(np.array([[0, 0], [0, 1]]), np.array([1, 1]), 2).tolist()
    [0, 1]
    """
    votes = votes_per_class(np.vstack([tested, referee]), n_classes).astype(float)
    votes[np.arange(referee.size), referee] += 0.5
    return np.asarray(votes.argmax(axis=1))


def mean_probabilities(models: list[Any], X: Array, n_classes: int) -> Array:
    """Return the class with the largest mean probability."""
    total = np.zeros((X.shape[0], n_classes))
    for model in models:
        total[:, model.classes_] += model.predict_proba(X)
    return np.asarray(total.argmax(axis=1))


def _n_errors(predictions: Array, labels: Array) -> int:
    return int((predictions != labels).sum())
