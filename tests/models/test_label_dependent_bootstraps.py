"""The trap: bootstraps that look at the labels give a number, and the number is false."""

import numpy as np
import pytest
import sklearn
from sklearn.ensemble import RandomForestClassifier

from tandemvote import CertifiedForestClassifier, Votes, certify, certify_oob
from tandemvote.certificate import certify_votes
from tandemvote.models.trees import out_of_bag_votes

RELEASE = tuple(int(part) for part in sklearn.__version__.split(".")[:2])


def coin_flips(n_samples, seed):
    """Labels that no sample says anything about; one in ten is 1."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n_samples, 3)), (rng.random(n_samples) < 0.1).astype(int)


def naive_certificate(model, X, y):
    """Compute the certificate of a program without rejections."""
    held_out = np.ones((len(model.estimators_), len(y)), bool)
    for mask, drawn in zip(held_out, model.estimators_samples_, strict=True):
        mask[drawn] = False
    predictions = np.array([tree.predict(X) for tree in model.estimators_]).astype(int)
    votes = Votes.from_predictions(predictions, y, held_out)
    with pytest.raises(ValueError, match="rows have no prediction of any voter"):
        certify(votes)  # too many samples are drawn for all trees
    return certify_votes(votes, bound="first_order")


@pytest.mark.skipif(
    RELEASE < (1, 9), reason="class weights decide which samples are drawn since scikit-learn 1.9"
)
def test_a_naive_certificate_of_a_forest_with_class_weights_is_false_and_ours_is_rejected():
    X, y = coin_flips(4000, seed=0)
    parameters = {"n_estimators": 30, "max_depth": 1, "min_samples_leaf": 500, "random_state": 0}
    model = RandomForestClassifier(class_weight={0: 1, 1: 6}, **parameters).fit(X, y)
    # About 98 % of the rare samples are drawn, so hardly any is left to be wrong about.
    X_new, y_new = coin_flips(20000, seed=1)
    votes_for_1 = np.mean([tree.predict(X_new) for tree in model.estimators_], axis=0)
    error = np.mean((votes_for_1 > 0.5) != y_new)
    assert naive_certificate(model, X, y).value < error / 2
    with pytest.raises(ValueError, match="Use class_weight=None"):
        certify_oob(model, X, y)
    # The forest with the same vote and fair bootstraps gets the honest number.
    fair = RandomForestClassifier(**parameters).fit(X, y)
    assert certify_oob(fair, X, y, bound="first_order").value > 0.2 > error


@pytest.mark.parametrize("class_weight", ["balanced", {0: 1, 1: 6}])
def test_class_weights_that_see_held_out_labels_are_rejected_in_every_release(class_weight):
    X, y = coin_flips(300, seed=0)
    model = RandomForestClassifier(5, class_weight=class_weight, random_state=0).fit(X, y)
    for rejected in (
        lambda: certify_oob(model, X, y),
        lambda: out_of_bag_votes(model, X, y),
        lambda: CertifiedForestClassifier(class_weight=class_weight).fit(X, y),
    ):
        with pytest.raises(ValueError, match="Use class_weight=None"):
            rejected()


def test_balanced_subsample_draws_the_same_samples_as_no_weights_and_is_allowed():
    X, y = coin_flips(300, seed=0)
    plain = RandomForestClassifier(10, random_state=0).fit(X, y)
    weighed = RandomForestClassifier(10, class_weight="balanced_subsample", random_state=0)
    weighed.fit(X, y)
    pairs = zip(plain.estimators_samples_, weighed.estimators_samples_, strict=True)
    assert all(np.array_equal(*pair) for pair in pairs)
    # What a tree learns depends on its own samples alone: other labels outside change nothing.
    drawn = weighed.estimators_samples_[0]
    other = 1 - y
    other[drawn] = y[drawn]
    again = RandomForestClassifier(10, class_weight="balanced_subsample", random_state=0)
    first, second = weighed.estimators_[0], again.fit(X, other).estimators_[0]
    assert np.array_equal(first.tree_.value, second.tree_.value)
    assert certify_oob(weighed, X, y, bound="first_order").counts.n_voters == 10


def test_balanced_weights_let_held_out_labels_into_the_trees():
    """Why "balanced" is rejected even where it does not decide which samples are drawn."""
    X, y = coin_flips(300, seed=0)
    model = RandomForestClassifier(10, class_weight="balanced", random_state=0).fit(X, y)
    drawn = model.estimators_samples_[0]
    other = 1 - y
    other[drawn] = y[drawn]
    again = RandomForestClassifier(10, class_weight="balanced", random_state=0).fit(X, other)
    first, second = model.estimators_[0], again.estimators_[0]
    same = np.array_equal(drawn, again.estimators_samples_[0])
    assert not same or not np.array_equal(first.tree_.value, second.tree_.value)
