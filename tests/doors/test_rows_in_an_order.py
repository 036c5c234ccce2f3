"""Guarantees with the default seed are true in a share of at least 1 - delta of the data sets.

Rows come in an order: the second visit of each patient is worse, groups differ in size, labels and
unlabeled samples are sorted, contents take few values. A draw by positions then fails in every data
set, and a digest of each row fails where rows are copies.
"""

from collections.abc import Callable
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import pytest
from numpy.random import RandomState
from scipy.stats import binom
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier

from tandemvote import (
    CertifiedClassifier,
    CertifiedForestClassifier,
    Votes,
    certify,
    certify_oob,
    certify_selective,
    compare,
)
from tandemvote.models import splitting

DELTA = 0.05


class Sign(ClassifierMixin, BaseEstimator):
    """Predict whether the first feature is positive."""

    classes_ = np.array([0, 1])

    def fit(self, X, y):
        return self

    def predict(self, X):
        return (X[:, 0] > 0).astype(int)

    def predict_proba(self, X):
        return np.eye(2)[self.predict(X)]


class Rows(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    groups: np.ndarray
    error_rate: float


def visits(rng, *rates, n_groups=200, values=None, copies=1) -> Rows:
    """Draw patients with visits in an order, on each of which `Sign` errs with its own rate."""
    wrong = rng.random((n_groups, len(rates))) < np.array(rates)
    X = rng.normal(size=(n_groups, len(rates), 2))
    if values is not None:  # few different rows
        X = rng.choice(values, size=X.shape)
    # Copies of the last visit, which are rows of their own.
    X, wrong = (
        np.concatenate([each, *[each[:, -1:]] * (copies - 1)], axis=1) for each in (X, wrong)
    )
    y = (X[:, :, 0] > 0) ^ wrong
    n_rows = wrong.shape[1]
    error_rate = (sum(rates) + (copies - 1) * rates[-1]) / n_rows
    return Rows(X.reshape(-1, 2), y.ravel().astype(int), np.arange(y.size) // n_rows, error_rate)


def groups_of_two_sizes(rng, n_groups=120) -> Rows:
    """Draw groups of one row, half of them wrong, and of six rows, of which the last are wrong."""
    sizes = np.where(rng.random(n_groups) < 0.5, 6, 1)
    groups = np.repeat(np.arange(n_groups), sizes)
    place = np.concatenate([np.arange(size) for size in sizes])
    wrong = np.where(sizes[groups] == 6, place >= 3, (rng.random(n_groups) < 0.5)[groups])
    X = rng.normal(size=(groups.size, 2))
    return Rows(X, ((X[:, 0] > 0) ^ wrong).astype(int), groups, 0.5)


WORLDS: dict[str, Callable[[np.random.Generator], Rows]] = {
    "second visit wrong": lambda rng: visits(rng, 0, 1),
    "second visit worse": lambda rng: visits(rng, 0.1, 0.4),
    "third visit better": lambda rng: visits(rng, 0.5, 0.4, 0.1, n_groups=120),
    "rows of few values": lambda rng: visits(rng, 0, 1, values=[-1, 1]),
    "few values, few groups": lambda rng: visits(rng, 0.1, 0.6, n_groups=60, values=[-1, 1]),
    "copies inside a group": lambda rng: visits(rng, 0, 1, copies=3),
    "groups of two sizes": groups_of_two_sizes,
}


def from_certify(rows):
    return certify(Sign(), *rows[:2], groups=rows.groups).value < rows.error_rate


def from_selective(rows):
    limit = rows.error_rate - 1e-9
    certificate = certify_selective(Sign(), *rows[:2], groups=rows.groups, max_error=limit)
    return certificate.chosen.passed


def from_compare(rows):
    """Compare with a model that errs on the same number of rows of each group, in reverse order."""
    wrong = (Sign().predict(rows.X) != rows.y).astype(int)
    parts = np.split(wrong, np.flatnonzero(np.diff(rows.groups)) + 1)
    both = [wrong, np.concatenate([part[::-1] for part in parts])]
    result = compare(*both, y=np.zeros(rows.y.size, int), groups=rows.groups)
    return result.lower > 0 or result.upper < 0


def from_committee(rows):
    model = CertifiedClassifier(
        Sign(), n_tested=1, referee=False, test_size=0.5, random_state=0, allow=["copied_rows"]
    )
    return model.fit(*rows[:2], groups=rows.groups).certificate_.value < rows.error_rate


def sorted_by_label(rng):
    constant = DummyClassifier(strategy="constant", constant=0)
    model = CertifiedClassifier(
        constant, n_tested=1, referee=False, random_state=0, allow=["sorted_rows"]
    )
    y = np.sort(rng.integers(2, size=150))
    return model.fit(rng.normal(size=(150, 3)), y).certificate_.value < 0.5


def unlabeled_in_order(rng):
    """Return what is false where unlabeled samples are sorted by the votes of three voters."""
    error_rate, n = 0.2, 100
    labels = rng.integers(2, size=3 * n)
    predictions = labels ^ (rng.random((3, labels.size)) < error_rate)
    new = predictions[:, n:]
    votes = Votes.from_predictions(
        predictions[:, :n], labels[:n], unlabeled=new[:, np.lexsort(new)]
    )
    of_vote = error_rate**3 + 3 * error_rate**2 * (1 - error_rate)
    half = certify(votes, weights="disagreement", bound="vote_profile")
    # Weights that are not equal give one voter more than half: the vote errs as it does.
    return (
        certify(votes, bound="vote_profile").value < of_vote
        or half.value < of_vote
        or certify(votes, deployed=votes.classes[votes.unlabeled[0]]).value < error_rate
    )


def labels_in_order_out_of_bag(rng):
    """Return what is false where forests of stumps are trained on sorted coin flips."""
    X, y = rng.normal(size=(80, 2)), np.sort(rng.integers(2, size=80))
    forest = CertifiedForestClassifier(9, max_depth=1, random_state=0, allow=["sorted_rows"])
    certificate = forest.fit(X, y).certificate_
    again = certify_oob(forest.forest_, X, y, bound="coalition", allow=["sorted_rows"])
    return certificate.value < 0.5 or again.value < 0.5


FALSE = {
    each.__name__: each for each in (from_certify, from_selective, from_compare, from_committee)
}


def too_many(draws):
    """Smallest number of false statements that has a probability of at most 1e-4."""
    return int(binom.isf(1e-4, draws, DELTA)) + 1


def n_false(world, statement, draws, seed=1):
    rng = np.random.default_rng(seed)
    return sum(map(bool, (statement(WORLDS[world](rng)) for _ in range(draws))))


QUICK = [
    ("second visit wrong", "from_certify"),
    ("groups of two sizes", "from_certify"),
    ("second visit wrong", "from_selective"),
    ("rows of few values", "from_compare"),
    ("second visit worse", "from_compare"),
    ("copies inside a group", "from_committee"),
]
QUICK_DRAWS = 200

ALONE = {
    each.__name__: each
    for each in (sorted_by_label, unlabeled_in_order, labels_in_order_out_of_bag)
}


@pytest.mark.parametrize(("world", "statement"), QUICK)
def test_statements_about_rows_in_an_order_are_true(world, statement):
    assert n_false(world, FALSE[statement], QUICK_DRAWS) < too_many(QUICK_DRAWS)


@pytest.mark.parametrize("world", ALONE)
def test_statements_about_samples_in_an_order_are_true(world):
    rng, draws = np.random.default_rng(1), 40 if world == "unlabeled_in_order" else QUICK_DRAWS
    assert sum(map(bool, (ALONE[world](rng) for _ in range(draws)))) < too_many(draws)


@pytest.mark.slow
@pytest.mark.parametrize("statement", FALSE)
@pytest.mark.parametrize("world", WORLDS)
def test_statements_about_rows_in_an_order_are_true_in_many_data_sets(world, statement):
    assert n_false(world, FALSE[statement], 4000) < too_many(4000)


@pytest.mark.slow
@pytest.mark.parametrize("world", ALONE)
def test_statements_about_samples_in_an_order_are_true_in_many_data_sets(world):
    rng = np.random.default_rng(1)
    assert sum(map(bool, (ALONE[world](rng) for _ in range(4000)))) < too_many(4000)


def by_position(contents, seed=0):
    """Broken: the same positions of every data set."""
    return RandomState(seed).permutation(len(contents[0]))


def not_sorted(contents, seed=0):
    """Broken: the user's seed alone, and rows as they are given."""
    return np.arange(len(contents[0])), RandomState(0)


def by_digest_per_row(contents, seed=0):
    """Broken: rows sorted by a digest of each row alone."""
    rows = zip(*(np.asarray(each).tolist() for each in contents), strict=True)
    digests = [blake2b(repr((seed, row)).encode()).digest() for row in rows]
    return np.array(sorted(range(len(digests)), key=digests.__getitem__))


def test_a_draw_by_position_is_caught(monkeypatch):
    monkeypatch.setattr(splitting, "shuffled", by_position)
    assert n_false("second visit wrong", from_certify, 40) == 40
    assert n_false("second visit worse", from_compare, 300) >= too_many(300)


def test_a_split_by_position_is_caught(monkeypatch):
    monkeypatch.setattr(splitting, "keyed_order", not_sorted)
    rng = np.random.default_rng(1)
    assert sum(sorted_by_label(rng) for _ in range(60)) >= too_many(60)


def test_a_digest_per_row_is_caught(monkeypatch):
    monkeypatch.setattr(splitting, "shuffled", by_digest_per_row)
    assert n_false("copies inside a group", from_certify, 40) >= too_many(40)
