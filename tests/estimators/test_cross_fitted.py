"""A few whole models, certified together: tested in pairs, or one per fold."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_digits, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from tandemvote import CertifiedClassifierCV, VoteCounts, Votes, certify
from tandemvote.hard_vote import held_out_vote
from tandemvote.inequalities import clopper_pearson

TREE = DecisionTreeClassifier(max_depth=4)


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(
        900, 8, n_informative=5, n_classes=3, flip_y=0.1, class_sep=1.5, random_state=1
    )
    return X, np.array(["calm", "mild", "wild"])[y]


def test_every_two_models_are_tested_on_points_that_train_only_the_third(data):
    X, y = data
    model = CertifiedClassifierCV(TREE, random_state=0).fit(X, y)
    held_out = model.certification_.votes.held_out
    assert sorted(held_out.sum(axis=0).tolist()) == [0] * 450 + [2] * 450
    assert model.counts_.overlaps.tolist() == (150 + 150 * np.eye(3, dtype=int)).tolist()
    for estimator, unseen in zip(model.estimators_, held_out, strict=True):
        again = clone(estimator).fit(X[~unseen], y[~unseen])
        assert np.array_equal(again.predict(X), estimator.predict(X))
    wrong = np.array([estimator.predict(X) != y for estimator in model.estimators_])
    limits = []
    for one, other in ((0, 1), (0, 2), (1, 2)):
        both = held_out[one] & held_out[other]
        errors = int((wrong[one] | wrong[other])[both].sum())
        limits.append(float(clopper_pearson(errors, 150, delta=0.05 / 3)))
    assert model.certificate_.bound == "winning_pair"
    assert model.certificate_.value == pytest.approx(min(limits), rel=1e-9)
    assert model.certificate_.value >= min(limits)


def test_every_model_is_tested_on_the_fold_it_was_not_trained_on(data):
    X, y = data
    model = CertifiedClassifierCV(TREE, 3, random_state=0).fit(X, y)
    votes = model.certification_.votes
    assert votes.held_out.sum(axis=0).tolist() == [1] * 900
    assert votes.held_out.sum(axis=1).tolist() == [300] * 3
    for estimator, held_out in zip(model.estimators_, votes.held_out, strict=True):
        again = clone(estimator).fit(X[~held_out], y[~held_out])
        assert np.array_equal(again.predict(X), estimator.predict(X))
        wrong = (estimator.predict(X[held_out]) != y[held_out]).sum()
        assert wrong == model.counts_.errors[list(model.estimators_).index(estimator)]


def test_the_guarantee_of_three_equal_votes_is_half_the_sum_of_their_limits(data):
    """For K = 3 the best combination is half the sum of all limits, or the two smallest ones."""
    X, y = data
    model = CertifiedClassifierCV(TREE, 3, random_state=0).fit(X, y)
    limits = np.sort(clopper_pearson(model.counts_.errors, model.counts_.sizes, delta=0.05 / 3))
    expected = min(limits.sum() / 2, limits[:2].sum())
    assert model.certificate_.value == pytest.approx(expected, rel=1e-9)
    assert model.certificate_.value >= expected
    assert model.certificate_.bound == "coalition"


def test_the_observed_error_of_each_class_is_close_to_the_truth():
    """Two voters that disagree tie; were the smallest class to win, its error would look small."""
    rng = np.random.default_rng(0)

    def drawn(n):
        labels = rng.integers(2, size=n)
        return rng.normal(size=(n, 2)) + labels[:, None], labels

    (X, y), (X_new, y_new) = drawn(3000), drawn(20_000)
    model = CertifiedClassifierCV(DecisionTreeClassifier(), random_state=0).fit(X, y)
    said = held_out_vote(model.certification_.votes, model.weights_)
    single = [(each.predict(X_new) != y_new) for each in model.estimators_]
    for label in (0, 1):
        points = (y == label) & (said >= 0)
        truth = np.mean([wrong[y_new == label].mean() for wrong in single])
        error = (said[points] != label).mean()
        assert abs(error - truth) < 4 * np.sqrt(truth * (1 - truth) / points.sum())


def test_digits_get_a_guarantee_people_can_use():
    X, y = load_digits(return_X_y=True)
    forests = RandomForestClassifier(100, n_jobs=1)
    model = CertifiedClassifierCV(forests, random_state=0).fit(X, y)
    assert model.certificate_.value < 0.065


def test_predict_is_the_plurality_and_probabilities_break_ties(data):
    X, y = data
    model = CertifiedClassifierCV(TREE, cv=4, random_state=0).fit(X[:600], y[:600])
    said = np.array([estimator.predict(X) for estimator in model.estimators_])
    mean = np.mean([estimator.predict_proba(X) for estimator in model.estimators_], axis=0)
    ties = 0
    for column, probabilities, label in zip(said.T, mean, model.predict(X), strict=True):
        votes = np.array([(column == name).sum() for name in model.classes_])
        leaders = np.flatnonzero(votes == votes.max())
        ties += len(leaders) > 1
        assert label == model.classes_[leaders[probabilities[leaders].argmax()]]
    assert ties > 20


@pytest.mark.parametrize("cv", [2, 3, 4])
@pytest.mark.parametrize("estimator", [TREE, RidgeClassifier(), LogisticRegression()])
def test_probabilities_agree_with_the_label(estimator, cv, data):
    X, y = data
    model = CertifiedClassifierCV(estimator, cv=cv, random_state=0).fit(X[:600], y[:600])
    probabilities = model.predict_proba(X)
    assert np.array_equal(model.classes_[probabilities.argmax(axis=1)], model.predict(X))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert (probabilities >= 0).all()
    if hasattr(estimator, "predict_proba"):
        mean = np.mean([each.predict_proba(X) for each in model.estimators_], axis=0)
        agree = model.classes_[mean.argmax(axis=1)] == model.predict(X)
        assert agree.mean() > 0.8
        np.testing.assert_allclose(probabilities[agree], mean[agree], atol=1e-12)


def test_ties_without_probabilities_go_to_the_smallest_class(data):
    X, y = data
    model = CertifiedClassifierCV(RidgeClassifier(), cv=2, random_state=0).fit(X, y)
    first, second = (estimator.predict(X) for estimator in model.estimators_)
    assert (first != second).any()
    smaller = np.where(first < second, first, second)
    assert np.array_equal(model.predict(X), smaller)


def test_a_test_set_counts_the_errors_of_predict(data):
    X, y = data
    model = CertifiedClassifierCV(TREE, cv=2, random_state=0).fit(X[:600], y[:600])
    tested = model.certify_with_test(X[600:], y[600:], bound="test_set")
    wrong = int((model.predict(X[600:]) != y[600:]).sum())
    assert tested.value == pytest.approx(float(clopper_pearson(wrong, 300, delta=0.05)))


@pytest.mark.parametrize("cv", [StratifiedKFold(3), KFold(3)])
def test_splitters_that_look_at_the_data_or_its_order_are_refused(cv, data):
    with pytest.raises(ValueError, match=r"cv=.*(shuffle=True|shuffled KFold)"):
        CertifiedClassifierCV(TREE, cv=cv).fit(*data)


def test_shuffled_splitters_will_do(data):
    X, y = data
    halves = CertifiedClassifierCV(TREE, cv=ShuffleSplit(4, test_size=0.5, random_state=0))
    assert halves.fit(X, y).counts_.n_min_pairs > 100
    folds = CertifiedClassifierCV(TREE, cv=KFold(5, shuffle=True, random_state=0)).fit(X, y)
    assert len(folds.estimators_) == 5


def test_pipelines_of_frames_texts_and_sparse_matrices_are_trained_fold_by_fold(data):
    X, y = data
    frame = pd.DataFrame({"kind": pd.Categorical(y), "size": X[:, 0]})
    encoder = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    model = CertifiedClassifierCV(encoder, random_state=0).fit(frame, y)
    assert model.predict(frame.head()).tolist() == y[:5].tolist()
    assert model.feature_names_in_.tolist() == ["kind", "size"]
    texts = np.array([f"{label} {i % 7}" for i, label in enumerate(y)])
    words = make_pipeline(TfidfVectorizer(), MultinomialNB())
    assert CertifiedClassifierCV(words, random_state=0).fit(texts, y).certificate_.value < 0.05
    sparse = csr_matrix(np.where(np.abs(X) < 0.5, 0.0, X))
    assert CertifiedClassifierCV(TREE, random_state=0).fit(sparse, y).predict(sparse).size == 900
    holes = np.where(X > 2, np.nan, X)
    boosting = HistGradientBoostingClassifier(max_iter=5)
    assert CertifiedClassifierCV(boosting, random_state=0).fit(holes, y).certificate_.value < 1


def test_the_result_depends_on_the_seed_alone(data):
    X, y = data
    forest = RandomForestClassifier(5)
    one = CertifiedClassifierCV(forest, random_state=0, n_jobs=1).fit(X, y)
    two = CertifiedClassifierCV(forest, random_state=0, n_jobs=2).fit(X, y)
    assert one.certificate_.value == two.certificate_.value
    assert np.array_equal(one.predict_proba(X), two.predict_proba(X))
    other = CertifiedClassifierCV(forest, random_state=1).fit(X, y)
    assert not np.array_equal(one.counts_.errors, other.counts_.errors)
    again = pickle.loads(pickle.dumps(one))
    assert np.array_equal(again.predict(X), one.predict(X))


def test_tuning_inside_a_fold_is_part_of_training(data):
    X, y = data
    search = GridSearchCV(TREE, {"max_depth": [1, 5]}, cv=2)
    assert CertifiedClassifierCV(search, random_state=0).fit(X, y).certificate_.value < 1


def test_a_fold_that_trains_on_one_class_gets_a_constant_voter():
    X = np.arange(60.0)[:, None]
    y = np.repeat(["rare", "usual"], [1, 59])
    model = CertifiedClassifierCV(LogisticRegression(), 3, random_state=0).fit(X, y)
    assert sum(isinstance(each, DummyClassifier) for each in model.estimators_) == 1
    assert model.predict_proba(X).shape == (60, 2)


def test_weights_may_be_chosen_on_the_folds(data):
    X, y = data
    model = CertifiedClassifierCV(TREE, cv=5, weights="first_order", random_state=0).fit(X, y)
    again = VoteCounts.from_votes(model.certification_.votes)
    assert np.array_equal(again.errors, model.counts_.errors)
    assert model.certificate_.bound == "coalition"
    given = CertifiedClassifierCV(TREE, 3, weights=[0.5, 0.25, 0.25], random_state=0).fit(X, y)
    limits = clopper_pearson(given.counts_.errors, given.counts_.sizes, delta=0.05 / 3)
    # The wrong voters hold half of the weight if the first one is wrong, or both others are.
    expected = min(limits[0] + limits[1], limits[0] + limits[2])
    assert given.certificate_.value == pytest.approx(expected)


def test_a_common_hold_out_with_fixed_weights_is_a_test_set(data):
    X, y = data
    model = CertifiedClassifierCV(TREE, random_state=0).fit(X[:500], y[:500])
    said = [estimator.predict(X[500:]) for estimator in model.estimators_]
    votes = Votes.from_predictions(said, y[500:])
    certificate = certify(votes, bound="auto")
    assert certificate.bound == "test_set"
    fitted = certify(votes, bound="auto", weights="first_order")
    assert fitted.bound == "winning_pair"
