"""Votes whose ties a referee breaks, and samples that come in groups, as promises."""

from __future__ import annotations

from typing import Any

import numpy as np
from finite_worlds import Draw, World, coin
from guarantees import Guarantee, Lookup, Promise
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from tandemvote import CertifiedClassifier, Votes, certify

ROWS = 5
"""Rows of each group."""

N_TEST = 200
"""Test samples of a committee that is fitted."""


def contested(name: str, rate: float, n: int, delta: float, n_samples: int = 2000) -> World:
    """Four voters; at a share `rate` of the samples two of them err, so that a referee decides."""
    samples = np.arange(n_samples)
    wrong = np.zeros((4, n_samples), bool)
    hard = samples[: round(rate * n_samples)]
    wrong[hard % 4, hard] = wrong[(hard + 1) % 4, hard] = True
    lone = samples[hard.size : 3 * hard.size]  # one error, which no referee can use
    wrong[lone % 4, lone] = True
    labels = samples % 2
    return World(
        name=name,
        mass=np.full(n_samples, 1 / n_samples),
        labels=labels,
        voters=labels ^ wrong,
        n_samples=n,
        delta=delta,
        n_unlabeled=0,
    )


def tied_in_three(name: str, rate: float, n: int, delta: float, n_samples: int = 2000) -> World:
    """Six voters and three classes; at a share `rate` two or all three of the classes tie.

    At twice as many further samples the true class is in first place by a single vote.
    """
    n_tied = round(rate * n_samples)
    of_two, of_three = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]  # 0 is the true class
    ahead, clear = [0, 0, 0, 1, 1, 2], [0] * 6
    votes = np.array(clear)[:, None].repeat(n_samples, axis=1)
    for first, last, pattern in (
        (0, n_tied // 2, of_two),
        (n_tied // 2, n_tied, of_three),
        (n_tied, 3 * n_tied, ahead),
    ):
        votes[:, first:last] = np.array(pattern)[:, None]
    return World(
        name=name,
        mass=np.full(n_samples, 1 / n_samples),
        labels=np.zeros(n_samples, int),
        voters=votes,
        n_samples=n,
        delta=delta,
        n_classes=3,
        n_unlabeled=0,
    )


def broken_ties(
    predictions: NDArray[Any], referee: NDArray[Any], n_classes: int, weight: float = 0.0
) -> NDArray[Any]:
    """Return the plurality; the referee names one of the tied classes, if any of them is its own.

    With a weight the referee votes as well, which the bound does not cover.
    """
    places, totals = np.arange(referee.size), np.zeros((referee.size, n_classes))
    for row in predictions:
        totals[places, row] += 1
    totals[places, referee] += weight
    own = totals[places, referee] == totals.max(axis=1)
    return np.where(own, referee, totals.argmax(axis=1))


def _risk(draw: Draw, referee: NDArray[Any], weight: float = 0.0) -> float:
    """Return the true error of the vote whose ties the referee breaks."""
    winners = broken_ties(draw.predictions, referee, draw.world.n_classes, weight)
    return float(draw.world.mass[winners != draw.world.labels].sum())


def _votes(draw: Draw, *, ties: str = "referee") -> Votes:
    labels = draw.world.labels[draw.sample]
    return Votes.from_predictions(draw.predictions[:, draw.sample], labels, ties=ties)


def _value(draw: Draw, **options: Any) -> float:
    return certify(_votes(draw, **options), confidence=1 - draw.world.delta).value


def wrong_everywhere(draw: Draw) -> NDArray[Any]:
    """Return a referee that always errs, where it can by naming a class of the next place."""
    return (draw.world.labels + 1) % draw.world.n_classes


def _memorizer(draw: Draw) -> NDArray[Any]:
    """Return a referee that knows the test samples by heart and errs everywhere else."""
    seen = np.isin(np.arange(draw.world.labels.size), draw.sample)
    return np.where(seen, draw.world.labels, wrong_everywhere(draw))


def worst_referee(draw: Draw) -> Promise:
    """The referee errs everywhere, so the risk is the certified probability itself."""
    return Promise(_value(draw), _risk(draw, wrong_everywhere(draw)))


def refitted_referee(draw: Draw) -> Promise:
    """The referee was trained on the test samples."""
    return Promise(_value(draw), _risk(draw, _memorizer(draw)))


def referee_tested_on_its_training_samples(draw: Draw) -> Promise:
    """Broken: the committee as a whole is tested on samples that trained the referee."""
    winners = broken_ties(draw.predictions, _memorizer(draw), draw.world.n_classes)[draw.sample]
    votes = Votes.from_predictions([winners], draw.world.labels[draw.sample])
    value = certify(votes, confidence=1 - draw.world.delta).value
    return Promise(value, _risk(draw, _memorizer(draw)))


def referee_with_a_vote(draw: Draw) -> Promise:
    """Broken: the referee votes, with a weight of one, and overturns a lead of one vote."""
    return Promise(_value(draw), _risk(draw, wrong_everywhere(draw), weight=1.0))


def ties_counted_as_right(draw: Draw) -> Promise:
    """Broken: tied samples count as the smallest class, which is the true one, and so as right."""
    value = _value(draw, ties="smallest")
    return Promise(value, _risk(draw, wrong_everywhere(draw)))


def _grouped(draw: Draw, *, pooled: bool) -> Promise:
    """Certify a classifier on groups whose rows err together."""
    rows, groups = np.repeat(draw.sample, ROWS), np.repeat(np.arange(draw.sample.size), ROWS)
    X = np.column_stack([rows, np.arange(rows.size)])  # no two rows are the same
    certificate = certify(
        [Lookup(draw.predictions[0], draw.world.n_classes)],
        X,
        draw.world.labels[rows],
        groups=None if pooled else groups,
        allow=["identifier"],  # of the rows that are told apart
        confidence=1 - draw.world.delta,
    )
    return Promise(certificate.value, draw.risk(draw.uniform))


def one_row_per_group(draw: Draw) -> Promise:
    """One random row of each group is tested."""
    return _grouped(draw, pooled=False)


def all_rows_of_all_groups(draw: Draw) -> Promise:
    """Broken: rows of one group are taken for independent samples."""
    return _grouped(draw, pooled=True)


class Forgetful(ClassifierMixin, BaseEstimator):
    """Predict the parity of a place, but at random places, a tenth of all, the opposite."""

    def __init__(self, n_places: int = 1, random_state: int | None = None) -> None:
        self.n_places = n_places
        self.random_state = random_state

    def fit(self, X: NDArray[Any], y: NDArray[Any]) -> Forgetful:
        self.classes_ = np.unique(y)
        self.wrong_ = np.random.default_rng(self.random_state).random(self.n_places) < 0.1
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        return X[:, 0] % 2 ^ self.wrong_[X[:, 0]]


class Contrary(Forgetful):
    """Predict the parity of places in the training samples, and the opposite elsewhere."""

    def fit(self, X: NDArray[Any], y: NDArray[Any]) -> Contrary:
        self.classes_ = np.unique(y)
        self.wrong_ = ~np.isin(np.arange(self.n_places), X)
        return self


def _fitted(draw: Draw, referee: Any, n_rows: int = 1) -> CertifiedClassifier:
    """Fit to the sample; with several rows of each place, which err together, places are groups."""
    n_places, rows = draw.world.labels.size, np.repeat(draw.sample, n_rows)
    groups = None if n_rows == 1 else np.repeat(np.arange(draw.sample.size), n_rows)
    model = CertifiedClassifier(
        Forgetful(n_places),
        referee=referee,
        n_tested=4,
        test_size=N_TEST,
        confidence=1 - draw.world.delta,
        random_state=int(draw.test[0]),
    )
    return model.fit(rows[:, None], draw.world.labels[rows], groups=groups)


def _promise(draw: Draw, model: CertifiedClassifier) -> Promise:
    everywhere = np.arange(draw.world.labels.size)[:, None]
    errors = model.predict(everywhere) != draw.world.labels
    return Promise(model.certificate_.value, float(draw.world.mass[errors].sum()))


def fitted_committee(draw: Draw) -> Promise:
    """CertifiedClassifier with a referee that is refitted on the test samples alone."""
    model = _fitted(draw, Contrary(draw.world.labels.size))
    test = draw.sample[model.test_indices_]
    return _promise(draw, model.refit_referee(test[:, None], draw.world.labels[test]))


def fitted_without_referee(draw: Draw) -> Promise:
    """CertifiedClassifier whose tested models predict alone."""
    return _promise(draw, _fitted(draw, referee=False))


def fitted_in_groups(draw: Draw) -> Promise:
    """CertifiedClassifier on groups of rows that err together."""
    return _promise(draw, _fitted(draw, referee=False, n_rows=ROWS))


def places(name: str, n: int, delta: float, n_places: int = 20_000) -> World:
    """Places whose label is their parity, from which `Forgetful` classifiers learn."""
    return World(
        name=name,
        mass=np.full(n_places, 1 / n_places),
        labels=np.arange(n_places) % 2,
        voters=np.zeros((1, n_places), int),
        n_samples=n,
        delta=delta,
        n_unlabeled=0,
    )


REFEREES: dict[str, Guarantee] = {
    "committee, worst referee": worst_referee,
    "committee, referee refitted on the test samples": refitted_referee,
}
FITTED: dict[str, Guarantee] = {
    "CertifiedClassifier, referee refitted": fitted_committee,
    "CertifiedClassifier, no referee": fitted_without_referee,
    "CertifiedClassifier, groups": fitted_in_groups,
}
GROUPED: dict[str, Guarantee] = {"one row per group": one_row_per_group}

COMMITTEES: tuple[tuple[World, dict[str, Guarantee]], ...] = (
    (contested("contested, 30 samples", 0.04, 30, 0.3), REFEREES),
    (contested("contested, 200 samples", 0.1, 200, 0.05), REFEREES),
    (tied_in_three("ties of two and of three classes", 0.1, 200, 0.05), REFEREES),
    (places("forgetful, 200 test samples", 400, 0.3), FITTED),
    (coin("30 groups of 5 rows", 0.04, 30, 0.3), GROUPED),
)
"""Worlds in which the bound of a committee is an equality, and what is promised there."""

BROKEN_COMMITTEE: dict[str, tuple[World, Guarantee]] = {
    "referee tested on its training samples": (
        contested("contested, 100 samples", 0.1, 100, 0.3),
        referee_tested_on_its_training_samples,
    ),
    "referee with a vote": (
        tied_in_three("ties of three, 100 samples", 0.1, 100, 0.3),
        referee_with_a_vote,
    ),
    "ties counted as right": (
        tied_in_three("ties of three, 100 samples again", 0.1, 100, 0.3),
        ties_counted_as_right,
    ),
    "all rows of all groups": (coin("60 groups of 5 rows", 0.1, 60, 0.1), all_rows_of_all_groups),
}
"""Promises that must be caught, each in a world where it shows."""
