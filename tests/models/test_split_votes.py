"""Voters on splits other than bootstraps."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from tandemvote import Votes, certify

X, Y = load_breast_cancer(return_X_y=True)


class Cautious(ShuffleSplit):
    """A subclass, which may do anything."""


def test_every_estimator_is_trained_on_every_split_and_tested_on_the_other_part():
    estimators = [GaussianNB(), DecisionTreeClassifier(random_state=0)]
    splits = ShuffleSplit(3, test_size=0.6, random_state=1)
    votes = Votes.from_splits(estimators, X, Y, splits=splits)
    voter = 0
    for training, tested in splits.split(X):
        for estimator in estimators:
            expected = estimator.fit(X[training], Y[training]).predict(X[tested])
            assert np.flatnonzero(votes.held_out[voter]).tolist() == sorted(tested)
            np.testing.assert_array_equal(votes.predictions[voter, tested], expected)
            voter += 1
    assert votes.n_voters == voter == 6


def test_labels_keep_their_names_and_new_samples_get_the_vote():
    frame, names = pd.DataFrame(X), np.array(["benign", "malignant"])[Y]
    votes = Votes.from_splits(
        GaussianNB(), frame, names, splits=ShuffleSplit(5, test_size=0.7, random_state=0)
    )
    certificate = certify(votes, bound="tandem")
    assert set(certificate.predict(frame)) == {"benign", "malignant"}
    assert np.mean(certificate.predict(frame) != names) < 0.15
    assert certificate.value < 0.6


@pytest.mark.parametrize(
    "splits",
    [
        KFold(5, shuffle=True, random_state=0),
        RepeatedKFold(n_splits=3, n_repeats=2, random_state=0),
        [(range(300), range(300, 569)), (range(300, 569), range(300))],
    ],
)
def test_splits_that_do_not_see_labels_are_accepted(splits):
    votes = Votes.from_splits(KNeighborsClassifier(), X, Y, splits=splits)
    assert votes.held_out.any(axis=1).all()
    certificate = certify(votes, bound="first_order")
    assert any("decided without looking at the data" in text for text in certificate.assumptions)


def test_disjoint_folds_have_no_pairs_but_unlabeled_samples_give_a_disagreement_bound():
    splits = KFold(3, shuffle=True, random_state=0)
    votes = Votes.from_splits(GaussianNB(), X[:400], Y[:400], splits=splits)
    assert votes.n_unlabeled == 0
    more = Votes.from_splits(GaussianNB(), X[:400], Y[:400], splits=splits, X_unlabeled=X[400:])
    assert more.n_unlabeled == 169
    assert certify(more, bound="disagreement").value < 1.0


@pytest.mark.parametrize(
    ("splits", "words"),
    [
        (StratifiedKFold(), "do not depend on the labels.*Use KFold"),
        (StratifiedShuffleSplit(), "do not depend on the labels"),
        (KFold(5), "Use KFold"),
        (Cautious(), "do not depend on the labels"),
        (GroupKFold(), "groups=groups"),
        (TimeSeriesSplit(), "order=times"),
        (5, "splits=5 is not valid"),
        ([], "is not valid"),
        ([([0, 1], [1, 2])], r"splits\[0\]=\(\[0, 1\], \[1, 2\]\) is not valid.*none in both"),
        ([([0, 1], [])], r"splits\[0\]=.*expected training and test positions"),
        ([([0, 1], [True, False])], "at least one of each"),
        ([([0, 1], [2, 569])], "positions from 0 to 568"),
    ],
)
def test_other_splits_are_rejected_with_a_way_out(splits, words):
    with pytest.raises(ValueError, match=words):
        Votes.from_splits(GaussianNB(), X, Y, splits=splits)


def test_labels_in_another_order_are_rejected():
    frame, labels = pd.DataFrame(X), pd.Series(Y).sample(frac=1, random_state=0)
    with pytest.raises(ValueError, match="order"):
        Votes.from_splits(GaussianNB(), frame, labels, splits=ShuffleSplit(2))
