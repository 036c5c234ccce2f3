"""Run one cell of the committee: models tested together, averages and hold-outs next to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from reproduction.datasets import Dataset
from reproduction.experiments.cells import CommitteeCell
from reproduction.experiments.protocol import MEMBER_SHARE, N_TREES, TEST_FRACTION, learner
from reproduction.experiments.rows import COMMITTEE, Row
from reproduction.experiments.splits import Array, Split, provenance

LARGEST_DETERMINISTIC = 10_000  # above it histogram boosting draws a validation set by its seed


@dataclass(frozen=True)
class Scheme:
    """A way to use the same labels for training and testing.

    `rule` is "ties" for tested members whose ties a referee breaks, "weight" for members and a
    referee that votes with weight one, "average" for the mean probabilities of the tested members.
    Members of forests have `n_trees` trees, and `n_referee` is the number of the referee's trees.
    """

    rule: str
    n_members: int
    n_trees: int = N_TREES
    n_referee: int = N_TREES

    @property
    def n_fits(self) -> float:
        """Cost in fits of one whole model, the referee included."""
        referee = 0 if self.rule == "average" else self.n_referee
        return (self.n_members * self.n_trees + referee) / N_TREES


FOREST_SCHEMES = MappingProxyType(
    {
        "4 x 100 with a voting referee": Scheme("weight", 4),
        "4 x 100": Scheme("ties", 4),
        "8 x 50": Scheme("ties", 8, 50),
        "12 x 33": Scheme("ties", 12, 33),
        "10 x 10": Scheme("ties", 10, 10, n_referee=10),
        "average of 3 x 100": Scheme("average", 3),
        "average of 5 x 100": Scheme("average", 5),
        "average of 12 x 33": Scheme("average", 12, 33),
    }
)

BOOSTING_SCHEMES = MappingProxyType(
    {
        "4 models with a voting referee": Scheme("weight", 4),
        "4 models": Scheme("ties", 4),
        "6 models": Scheme("ties", 6),
        "8 models": Scheme("ties", 8),
        "12 models": Scheme("ties", 12),
        "average of 3 models": Scheme("average", 3),
        "average of 5 models": Scheme("average", 5),
    }
)

HOLD_OUT, ALL_LABELS = "hold-out", "all labels"

SCHEMES = MappingProxyType({"forest": FOREST_SCHEMES, "boosting": BOOSTING_SCHEMES})
"""Schemes of each learner, by name."""


def run_committee(cell: CommitteeCell, dataset: Dataset) -> list[Row]:
    """Train members, referees and a model for a 20% hold-out, and count the errors of each scheme.

    All of them use the labels of the training part alone. The part for testing gives the error
    rates with which the bounds are compared. One fit serves many schemes: a forest is cut into
    members of some of its trees, and the first boosted models serve the smaller committees.
    """
    start, split = perf_counter(), Split.of(cell, dataset)
    classes, y = np.unique(split.y, return_inverse=True)
    y_new, n = np.searchsorted(classes, split.y_test), len(y)
    order = np.random.default_rng(cell.seed).permutation(n)
    n_hold_out = int(n * TEST_FRACTION)
    n_test_set = min(n_hold_out, int(4 * n ** (2 / 3)))
    test, training = order[:n_test_set], order[n_test_set:]
    hold_out, rest = order[:n_hold_out], order[n_hold_out:]

    schemes = SCHEMES[cell.learner]
    share = MEMBER_SHARE if is_deterministic(cell.learner, len(training)) else 1.0
    if cell.learner == "forest":
        n_trees = max(scheme.n_members * scheme.n_trees for scheme in schemes.values())
        grown = learner("forest", cell.seed + 1).set_params(n_estimators=n_trees)
        models: list[Any] = [grown.fit(split.X[training], y[training])]
    else:
        models = []
        for member in range(max(scheme.n_members for scheme in schemes.values())):
            draw = np.random.default_rng([cell.seed, member])
            kept = draw.choice(training, int(share * len(training)), replace=False)
            rows = training if share == 1.0 else kept
            boosted = learner("boosting", cell.seed + 1 + member)
            models.append(boosted.fit(split.X[rows], y[rows]))
    referee = learner(cell.learner, cell.seed).fit(split.X, y)
    held = learner(cell.learner, cell.seed + 1).fit(split.X[rest], y[rest])

    on_test = _Judged(models, referee, split.X[test], classes.size)
    on_new = _Judged(models, referee, split.X_test, classes.size)
    whole: dict[str, tuple[int | None, int | None, int]] = {
        ALL_LABELS: (None, None, _n_errors(referee.predict(split.X_test), y_new))
    }
    counted = _n_errors(held.predict(split.X[hold_out]), y[hold_out])
    whole[HOLD_OUT] = (n_hold_out, counted, _n_errors(held.predict(split.X_test), y_new))
    for name, scheme in schemes.items():
        whole[name] = (
            n_test_set,
            int(on_test.events(scheme, y[test]).sum()),
            _n_errors(on_new.predict(scheme), y_new),
        )
    origin = provenance(cell, dataset, split, seconds=perf_counter() - start)
    return [
        COMMITTEE.row(
            **cell.columns,
            scheme=name,
            n_tested=n_tested,
            errors=errors,
            test_errors=test_errors,
            member_share=share,
            **origin,
        )
        for name, (n_tested, errors, test_errors) in whole.items()
    ]


class _Judged:
    """Predictions of the members and referees of every scheme on some samples."""

    def __init__(self, models: list[Any], referee: Any, X: Array, n_classes: int) -> None:
        self.models, self.referee, self.X, self.n_classes = models, referee, X, n_classes
        self.summed: dict[tuple[int, int], Array] = {}

    def members(self, scheme: Scheme) -> Array:
        """Summed probabilities of each member, shape (n_members, n_samples, n_classes)."""
        key = scheme.n_members, scheme.n_trees
        if key not in self.summed:
            parts = member_models(self.models, scheme)
            self.summed[key] = np.array([self._summed(part) for part in parts], np.float32)
        return self.summed[key]

    def _summed(self, models: list[Any]) -> Array:
        total = np.zeros((self.X.shape[0], self.n_classes))
        for model in models:
            total[:, np.asarray(model.classes_, int)] += model.predict_proba(self.X)
        return total

    def judged(self, scheme: Scheme) -> Array:
        """Return the probabilities of the scheme's referee."""
        whole = isinstance(self.referee, RandomForestClassifier)
        trees = self.referee.estimators_[: scheme.n_referee] if whole else [self.referee]
        return self._summed(trees)

    def events(self, scheme: Scheme, labels: Array) -> Array:
        """Return True where a sample of the test set counts as an error."""
        if scheme.rule == "average":
            return np.asarray(self.predict(scheme) != labels)
        votes = votes_per_class(self.members(scheme).argmax(axis=2), self.n_classes)
        return can_err(votes, labels, referee_weight=int(scheme.rule == "weight"))

    def predict(self, scheme: Scheme) -> Array:
        """Predict with all members, and the referee if there is one."""
        members = self.members(scheme)
        if scheme.rule == "average":
            return np.asarray(members.sum(axis=0).argmax(axis=1))
        votes = votes_per_class(members.argmax(axis=2), self.n_classes)
        weight = float(scheme.rule == "weight")
        return plurality(votes, self.judged(scheme), referee_weight=weight)


def member_models(models: list[Any], scheme: Scheme) -> Iterator[list[Any]]:
    """Yield the models of each member: some trees of one forest, or one model."""
    for member in range(scheme.n_members):
        if isinstance(models[0], RandomForestClassifier):
            first = member * scheme.n_trees
            yield models[0].estimators_[first : first + scheme.n_trees]
        else:
            yield [models[member]]


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


def can_err(votes: Array, labels: Array, *, referee_weight: int = 0) -> Array:
    """Return True where some prediction of the referee makes the committee err.

    The referee breaks ties; with a weight it votes, too.

    Examples
    --------
    >>> votes = np.array([[2, 1, 1], [2, 2, 0], [3, 1, 0]])
    >>> can_err(votes, np.array([0, 0, 0])).tolist()
    [False, True, False]
    >>> can_err(votes, np.array([0, 0, 0]), referee_weight=1).tolist()
    [True, True, False]
    """
    others, rows = votes.copy(), np.arange(labels.size)
    own = others[rows, labels]
    others[rows, labels] = -1
    return np.asarray(own <= others.max(axis=1) + referee_weight)


def plurality(votes: Array, referee: Array, *, referee_weight: float = 0.0) -> Array:
    """Return the class with the most votes; of tied classes the referee's most probable one.

    Examples
    --------
    >>> votes, referee = np.array([[2, 2, 0], [1, 3, 0]]), np.array([[0.1, 0.3, 0.6]] * 2)
    >>> plurality(votes, referee).tolist()
    [1, 1]
    """
    votes = votes.astype(float)
    votes[np.arange(len(votes)), referee.argmax(axis=1)] += referee_weight
    tied = votes == votes.max(axis=1, keepdims=True)
    return np.asarray(np.where(tied, referee, -1.0).argmax(axis=1))


def _n_errors(predictions: Array, labels: Array) -> int:
    return int((predictions != labels).sum())
