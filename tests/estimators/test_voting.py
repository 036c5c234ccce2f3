"""Votes of different classifiers on random halves, folds or a hold-out."""

import joblib
import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from tandemvote import (
    Certificate,
    CertifiedVotingClassifier,
    VoteCounts,
    Votes,
    certify,
    certify_by_group,
)
from tandemvote.bounds import RequirementError

MODELS = [
    ("bayes", GaussianNB()),
    ("nearest", KNeighborsClassifier()),
    ("tree", DecisionTreeClassifier(max_depth=4)),
]


def test_every_model_is_trained_once_a_half_and_judged_on_the_other(binary):
    X, y = binary
    voting = CertifiedVotingClassifier(MODELS, splits=4, random_state=0).fit(X, y)
    assert [type(voter) for voter in voting.estimators_] == [type(m) for _, m in MODELS] * 4
    random_state = np.random.RandomState(0)
    splits = ShuffleSplit(4, test_size=0.5, random_state=random_state).split(X)
    held_out = np.ones((12, len(y)), bool)
    for split, (train, _) in enumerate(splits):
        held_out[3 * split : 3 * split + 3, train] = False
    predictions = [voter.predict(X) for voter in voting.estimators_]
    votes = Votes.from_predictions(predictions, y, held_out)
    expected = VoteCounts.from_votes(votes)
    assert np.array_equal(voting.counts_.tandem_errors, expected.tandem_errors)
    assert voting.certificate_.value == Certificate.from_counts(expected).value
    assert voting.counts_.n_min == 300
    assert voting.counts_.n_min_pairs > 100


def test_folds_give_first_order_bounds_and_refuse_the_others(binary):
    X, y = binary
    folds = KFold(5, shuffle=True, random_state=0)
    voting = CertifiedVotingClassifier(MODELS, splits=folds, bound="first_order")
    voting.set_params(weights="first_order", random_state=0).fit(X, y)
    assert voting.certificate_.value < 1
    assert voting.counts_.n_min_pairs == 0
    for terms in ({"bound": "tandem"}, {"weights": "tandem"}, {"bound": "disagreement"}):
        with pytest.raises(RequirementError, match="different folds never share one"):
            CertifiedVotingClassifier(MODELS, splits=folds, **terms).fit(X, y)


def test_unlabelled_points_lend_folds_the_disagreement_bound(binary):
    X, y = binary
    folds = CertifiedVotingClassifier(MODELS, splits=KFold(3, shuffle=True), bound="disagreement")
    folds.fit(X[:400], y[:400], X_unlabelled=X[400:])
    # Half of the 200 for the disagreement, which weights may depend on, half for the profile.
    assert folds.counts_.n_min_disagreement == 100
    assert folds.certificate_.profile.n_points == 100


def test_splits_that_look_at_labels_are_refused(binary):
    X, y = binary
    with pytest.raises(ValueError, match="may look at the data"):
        CertifiedVotingClassifier(MODELS, splits=StratifiedKFold(3)).fit(X, y)


def test_fitted_models_are_judged_on_a_hold_out(binary):
    X, y = binary
    labels = np.array(["no", "yes"])[y]
    fitted = [(name, model.fit(X[:200], labels[:200])) for name, model in MODELS]
    voting = CertifiedVotingClassifier(fitted, prefit=True, weights="tandem")
    voting.fit(X[200:], labels[200:])
    models = [model for _, model in fitted]
    said = np.array([model.predict(X) for model in models])
    assert np.array_equal(voting.classes_[voting.predict_voters(X)], said)
    certificate = certify(models, X[200:], labels[200:], weights="tandem")
    assert voting.certificate_.value == certificate.value
    assert np.array_equal(voting.weights_, certificate.weights)
    for model in models:
        model.fit(X[:200], labels[:200][::-1])
    assert np.array_equal(voting.classes_[voting.predict_voters(X)], said)
    with pytest.raises(ValueError, match="hold-out of 1 points"):
        voting.fit(X[200:201], labels[200:201])


def test_parameters_inside_can_be_set_and_searched(binary):
    X, y = binary
    voting = CertifiedVotingClassifier(MODELS, splits=2, random_state=0)
    assert voting.get_params()["tree__max_depth"] == 4
    voting.set_params(tree__max_depth=2, bayes=SVC())
    assert isinstance(voting.estimators[0][1], SVC)
    search = GridSearchCV(voting, {"nearest__n_neighbors": [1, 9]}, cv=2).fit(X, y)
    assert set(search.best_params_) == {"nearest__n_neighbors"}


def test_the_result_does_not_depend_on_the_number_of_jobs(binary):
    X, y = binary
    one = CertifiedVotingClassifier(MODELS, splits=2, random_state=0).fit(X, y)
    two = CertifiedVotingClassifier(MODELS, splits=2, random_state=0, n_jobs=2)
    with joblib.parallel_config("threading"):
        two.fit(X, y)
    assert one.certificate_.value == two.certificate_.value
    assert np.array_equal(one.predict_proba(X), two.predict_proba(X))


@pytest.mark.parametrize(
    ("estimators", "message"),
    [([], "at least one"), ([("line", LinearRegression())], "not a classifier")],
)
def test_what_cannot_vote_is_refused(estimators, message, binary):
    X, y = binary
    with pytest.raises(ValueError, match=message):
        CertifiedVotingClassifier(estimators).fit(X, y)


def test_a_hold_out_on_which_weights_are_chosen_is_not_a_test_set(binary):
    X, y = binary
    fitted = [(str(depth), DecisionTreeClassifier(max_depth=depth).fit(X[:200], y[:200]))
              for depth in (1, 2, 4, 8, 16)]  # fmt: skip
    voting = CertifiedVotingClassifier(fitted, prefit=True).fit(X[200:], y[200:])
    assert voting.certificate_.bound == "test_set"
    fitted_weights = CertifiedVotingClassifier(fitted, prefit=True, weights="tandem")
    assert "test_set" not in fitted_weights.fit(X[200:], y[200:]).certificate_.bounds
    by_class = certify_by_group(fitted_weights, groups="class")
    assert all("test_set" not in each.bounds for each in by_class)
    with pytest.raises(ValueError, match="needs labelled points used for nothing else"):
        certify_by_group(fitted_weights, groups="class", bound="test_set")
    chosen = fitted_weights.weights_
    with pytest.raises(ValueError, match="no test set for them"):
        certify_by_group(voting, groups="class", weights=chosen, bound="test_set")
    others = certify_by_group(voting, groups="class", weights=chosen)
    assert all("test_set" not in each.bounds for each in others)
    with pytest.raises(ValueError, match="by predicted class require"):
        certify_by_group(voting, groups="predicted", weights=chosen)
