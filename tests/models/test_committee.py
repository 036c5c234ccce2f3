"""CertifiedClassifier: what is trained on what, what is tested, and how the committee predicts."""

import pickle
from itertools import count

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from numpy.random import RandomState
from scipy.sparse import csr_matrix
from scipy.stats import beta
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    BaggingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
)
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from tandemvote import CertifiedClassifier, CertifiedForestClassifier, certify, certify_oob
from tandemvote.auditing import FindingsError
from tandemvote.auditing.rows import row_digests
from tandemvote.models.members import SUBSET
from tandemvote.models.splitting import draw_test_rows


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(400, 8, n_informative=5, n_classes=3, flip_y=0.1, random_state=0)
    return X, np.array(["low", "mid", "top"])[y]


class Recorder(ClassifierMixin, BaseEstimator):
    """Majority class of the samples it was trained on, which it keeps."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        self.rows_, self.weight_ = np.asarray(X)[:, 0].astype(int), sample_weight
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.majority_ = self.classes_[np.bincount(codes).argmax()]
        return self

    def predict(self, X):
        return np.full(len(X), self.majority_)

    def predict_proba(self, X):
        rng = np.random.default_rng(self.random_state)
        share = 0.5 + 0.4 * rng.random((len(X), 1))
        rest = (1 - share) / max(self.classes_.size - 1, 1)
        return np.where(self.classes_ == self.majority_, share, rest)


class Certain(Recorder):
    """A recorder that ignores its seed."""

    def predict_proba(self, X):
        return np.tile(self.classes_ == self.majority_, (len(X), 1)).astype(float)


def numbered(n=100):
    return np.column_stack([np.arange(n), np.arange(n)]), np.arange(n) % 3 % 2


@parametrize_with_checks([CertifiedClassifier(LogisticRegression(), n_tested=2)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize(("kind", "sizes"), [(Recorder, [80] * 6), (Certain, [80, *[76] * 5])])
def test_members_never_see_the_test_samples_and_the_referee_sees_all(kind, sizes):
    X, y = numbered()
    model = CertifiedClassifier(kind(), random_state=0, allow=["identifier"]).fit(X, y)
    assert model.test_indices_.size == 20
    assert [member.rows_.size for member in model.estimators_] == sizes
    for member in model.estimators_:
        assert not np.isin(member.rows_, model.test_indices_).any()
    assert sorted(model.referee_.rows_) == list(range(100))


@pytest.mark.parametrize("groups", [None, np.arange(400) // 3])
def test_the_order_of_rows_does_not_change_which_of_them_are_tested(data, groups):
    X, y = data
    tested = []
    for order in (np.arange(400), np.argsort(y, kind="stable"), np.arange(400)[::-1]):
        model = CertifiedClassifier(GaussianNB(), random_state=0, allow=["sorted_rows"])
        model.fit(X[order], y[order], groups=None if groups is None else groups[order])
        tested.append(set(order[model.test_indices_].tolist()))
    assert tested[0] == tested[1] == tested[2]
    model.set_params(random_state=1).fit(X, y, groups=groups)
    assert set(model.test_indices_) != tested[0]


def seed_that_tests(rows, X, y, test_size="auto"):
    """Return the first seed with which some rows are among the test samples."""
    contents = [row_digests(X), np.unique(y, return_inverse=True)[1]]
    draws = (draw_test_rows(contents, None, test_size, RandomState(seed))[0] for seed in count())
    return next(seed for seed, test in enumerate(draws) if np.isin(rows, test).all())


def test_members_of_a_deterministic_learner_get_different_parts(data):
    model = CertifiedClassifier(GaussianNB(), random_state=0).fit(*data)
    sizes = [int(member.class_count_.sum()) for member in model.estimators_]
    assert sizes == [320] + [int(SUBSET * 320)] * 5
    assert len({member.theta_.tobytes() for member in model.estimators_}) == 6
    assert int(model.referee_.class_count_.sum()) == 400


def test_a_part_of_one_class_trains_no_member():
    X, _ = numbered()
    y = np.arange(100) == 50
    for seed in range(20):
        model = CertifiedClassifier(Certain(), random_state=seed, test_size=5, allow=["identifier"])
        if 50 not in draw_test_rows([row_digests(X), y], None, 5, RandomState(seed))[0]:
            model.fit(X, y)
            assert all(member.classes_.size == 2 for member in model.estimators_)


def test_members_of_a_random_learner_get_all_training_samples(data):
    forest = RandomForestClassifier(3)
    model = CertifiedClassifier(forest, n_tested=2, random_state=0).fit(*data)
    assert [member._n_samples for member in model.estimators_] == [320, 320]
    seeds = {each.random_state for each in [*model.estimators_, model.referee_]}
    assert len(seeds) == 3


def test_bound_is_the_binomial_limit_of_samples_on_which_the_referee_could_decide(data):
    X, y = data
    model = CertifiedClassifier(DecisionTreeClassifier(max_features=1), random_state=1).fit(X, y)
    test = model.test_indices_
    votes = np.array([member.predict(X[test]) for member in model.estimators_])
    can_err = 0
    for sample, label in enumerate(y[test]):
        can_err += any(
            _plurality(votes[:, sample], [predictions]) != label for predictions in model.classes_
        )
    expected = beta.ppf(0.95, can_err + 1, test.size - can_err)
    assert model.certificate_.value == pytest.approx(expected, rel=1e-9)
    assert model.certificate_.value >= expected
    assert model.certificate_.bound == "test_set"
    assert model.certificate_.delta == 0.05


def _plurality(votes, preferences=()):
    """The class with the most votes; the first of the preferences that is tied, or the smallest."""
    labels, times = np.unique(votes, return_counts=True)
    tied = labels[times == times.max()].tolist()
    return next((label for label in preferences if label in tied), tied[0])


def _expected(model, X):
    votes = np.array([each.predict(X) for each in model.estimators_])
    named = model.referee_.predict(X)
    preferences = [[label] for label in named]
    if hasattr(model.referee_, "predict_proba"):
        shares = np.zeros((len(X), model.classes_.size))
        known = np.isin(model.classes_, model.referee_.classes_)
        shares[:, known] = model.referee_.predict_proba(X)
        for sample, row in enumerate(shares):  # the most probable first, then the smallest
            preferences[sample] += model.classes_[np.argsort(-row, kind="stable")].tolist()
    return [_plurality(*each) for each in zip(votes.T, preferences, strict=True)]


def test_observed_error_is_that_of_the_tested_models_on_the_test_samples(data):
    X, y = data
    model = CertifiedClassifier(RandomForestClassifier(5), random_state=0).fit(X, y)
    test = model.test_indices_
    votes = [member.predict(X[test]) for member in model.estimators_]
    wrong = 0
    for sample, label in enumerate(y[test]):
        predictions = [vote[sample] for vote in votes]
        tied = [
            c
            for c in predictions
            if predictions.count(c) == max(map(predictions.count, predictions))
        ]
        wrong += tied[0] != label
    assert model.certificate_.observed == pytest.approx(wrong / test.size)


@pytest.mark.parametrize("n_tested", [2, 3, 4])
@pytest.mark.parametrize("referee", [True, LinearSVC()])
def test_prediction_is_the_plurality_with_ties_broken_by_the_referee(data, n_tested, referee):
    X, y = data
    tree = DecisionTreeClassifier(max_features=1, max_depth=3)
    model = CertifiedClassifier(tree, n_tested=n_tested, referee=referee, random_state=0).fit(X, y)
    expected = _expected(model, X)
    assert model.predict(X).tolist() == expected
    votes = np.array([each.predict(X) for each in model.estimators_])
    assert expected != [_plurality(each) for each in votes.T]  # ties to the smallest class
    assert any(
        label not in each for label, each in zip(model.referee_.predict(X), votes.T, strict=True)
    )


@pytest.mark.parametrize(
    ("n_tested", "n_classes", "noted"), [(1, 3, True), (3, 2, True), (3, 3, False), (2, 2, False)]
)
def test_a_referee_that_is_never_used_is_noted(data, n_tested, n_classes, noted):
    X, y = data[0], data[1] if n_classes == 3 else data[1] == "low"
    model = CertifiedClassifier(GaussianNB(), n_tested=n_tested, random_state=0).fit(X, y)
    codes = [finding.code for finding in model.certificate_.findings]
    assert ("no_ties" in codes) == noted
    if noted:
        votes = np.array([each.predict(X) for each in model.estimators_])
        assert model.predict(X).tolist() == [_plurality(each) for each in votes.T]


@pytest.mark.parametrize(
    "estimator",
    [
        DecisionTreeClassifier(max_depth=3),
        SVC(probability=True),
        GaussianNB(),
        RandomForestClassifier(3, max_depth=2),
        make_pipeline(StandardScaler(), BaggingClassifier(LinearSVC(), 3)),
    ],
)
@pytest.mark.parametrize("parts", [{}, {"n_tested": 1, "referee": False}])
@pytest.mark.filterwarnings("ignore:The `probability` parameter")
def test_probabilities_agree_with_predictions(data, estimator, parts):
    X, y = data
    model = CertifiedClassifier(estimator, **{"n_tested": 2, **parts}, random_state=0).fit(X, y)
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert (model.classes_[shares.argmax(axis=1)] == model.predict(X)).all()


def test_probabilities_are_those_of_the_models_that_predict_the_class(data):
    X, y = data
    model = CertifiedClassifier(DecisionTreeClassifier(max_depth=3), random_state=0).fit(X, y)
    each = np.array([member.predict_proba(X) for member in model.estimators_])
    winners = np.searchsorted(model.classes_, model.predict(X))
    for sample, shares in enumerate(model.predict_proba(X)):
        winning = each[each[:, sample].argmax(axis=1) == winners[sample], sample]
        np.testing.assert_allclose(shares, winning.mean(axis=0))


def test_models_without_probabilities_have_no_predict_proba(data):
    model = CertifiedClassifier(LinearSVC(), n_tested=2, random_state=0).fit(*data)
    assert not hasattr(model, "predict_proba")
    alone = CertifiedClassifier(LinearSVC(), n_tested=3, referee=False, random_state=0).fit(*data)
    assert alone.referee_ is None
    assert alone.certificate_.counts.n_voters == 3


def test_without_a_referee_the_averaged_probabilities_are_tested(data):
    X, y = data
    forest = RandomForestClassifier(5)
    model = CertifiedClassifier(forest, n_tested=3, referee=False, random_state=0).fit(X, y)
    averages = sum(member.predict_proba(X) for member in model.estimators_) / 3
    assert (model.predict(X) == model.classes_[averages.argmax(axis=1)]).all()
    test = model.test_indices_
    n_errors = (model.predict(X[test]) != y[test]).sum()
    expected = beta.ppf(0.95, n_errors + 1, test.size - n_errors)
    assert model.certificate_.value == pytest.approx(expected, rel=1e-9)


def test_one_tested_model_alone_is_a_plain_hold_out(data):
    X, y = data
    tree = DecisionTreeClassifier(max_depth=3)
    model = CertifiedClassifier(tree, n_tested=1, referee=False, random_state=0).fit(X, y)
    (only,) = model.estimators_
    assert (model.predict(X) == only.predict(X)).all()
    np.testing.assert_array_equal(model.predict_proba(X), only.predict_proba(X))
    n_errors = (model.predict(X) != y)[model.test_indices_].sum()
    assert model.certificate_.observed == pytest.approx(n_errors / model.test_indices_.size)


def test_the_referee_may_be_of_another_kind_and_may_be_refitted(data):
    X, y = data
    model = CertifiedClassifier(
        DecisionTreeClassifier(max_features=1), referee=LogisticRegression(), random_state=0
    ).fit(X, y)
    before, certificate = model.predict(X), model.certificate_
    assert isinstance(model.referee_, LogisticRegression)
    wrong = np.where(y == "low", "top", "low")
    assert model.refit_referee(X, wrong) is model
    assert model.certificate_ is certificate
    assert (model.predict(X) != before).any()
    assert "refit" in " ".join(certificate.assumptions)
    # The worst referee there is stays within the samples that were counted.
    test = model.test_indices_
    assert (model.predict(X[test]) != y[test]).sum() <= certificate.evidence.vote.n_test_errors


def test_rows_of_a_refitted_referee_are_not_held_out():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(900, 4)), rng.integers(2, size=900)
    model = CertifiedClassifier(GaussianNB(), random_state=0).fit(X[:300], y[:300])
    model.refit_referee(X[300:600], y[300:600]).refit_referee(X[150:500], y[150:500])
    assert model.training_rows_.size == 600
    for rows in (slice(300), slice(300, 600), slice(550, 600)):
        with pytest.raises(ValueError, match="are rows of the training data"):
            certify(model, X[rows], y[rows])
    assert certify(model, X[600:], y[600:]).value > 0.4


@pytest.mark.parametrize("kind", [CertifiedClassifier, CertifiedForestClassifier])
def test_the_audit_cannot_be_replaced_by_findings(kind):
    rng = np.random.default_rng(0)
    X, y = np.column_stack([np.arange(300), rng.normal(size=300)]), rng.integers(2, size=300)
    with pytest.raises((FindingsError, TypeError), match=r"\[identifier\]|argument 'findings'"):
        kind().fit(X, y, findings=())
    assert kind(allow=["identifier"]).fit(X, y).certificate_.findings[0].overridden


def test_a_referee_may_be_refitted_on_samples_that_lack_a_class(data):
    X, y = data
    tree = DecisionTreeClassifier(max_features=1, max_depth=3)
    model = CertifiedClassifier(tree, n_tested=2, random_state=0).fit(X, y)
    model.refit_referee(X[y != "low"], y[y != "low"])
    assert set(model.referee_.predict(X)) == {"mid", "top"}
    expected = _expected(model, X)
    assert model.predict(X).tolist() == expected
    assert (model.classes_[model.predict_proba(X).argmax(axis=1)] == expected).all()


def test_refitting_a_referee_rejects_unknown_classes_and_a_missing_referee(data):
    X, y = data
    model = CertifiedClassifier(GaussianNB(), n_tested=2, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="'new' is not among the labels"):
        model.refit_referee(X, np.where(y == "low", "new", y))
    alone = CertifiedClassifier(GaussianNB(), referee=False, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="This classifier has no referee"):
        alone.refit_referee(X, y)


def test_sample_weights_train_and_do_not_test():
    X, y = numbered()
    weight = np.arange(100.0)
    model = CertifiedClassifier(Recorder(), random_state=0, allow=["identifier"]).fit(
        X, y, sample_weight=weight
    )
    for member in (*model.estimators_, model.referee_):
        np.testing.assert_array_equal(member.weight_, weight[member.rows_])
    assert model.certificate_.counts.sizes.tolist() == [20] * 6


def test_groups_are_split_whole_and_tested_by_one_row_each():
    X, y = numbered(300)
    groups = np.repeat([f"patient {i}" for i in range(60)], 5)
    model = CertifiedClassifier(Recorder(), random_state=0, allow=["identifier"]).fit(
        X, y, groups=groups
    )
    test = model.test_indices_
    assert np.unique(groups[test]).size == test.size == 12
    for member in model.estimators_:
        assert not np.isin(groups[member.rows_], groups[test]).any()
    assert model.certificate_.one_row_per_group
    assert "random row of a random new group" in " ".join(model.certificate_.assumptions)
    assert "one random row per group" in repr(model.certificate_)


def test_frames_sparse_matrices_texts_and_missing_values(data):
    X, y = data
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(8)]).assign(kind=y)
    encoder = make_column_transformer((OneHotEncoder(), ["kind"]), remainder="passthrough")
    pipeline = make_pipeline(encoder, DecisionTreeClassifier())
    model = CertifiedClassifier(pipeline, n_tested=2, random_state=0).fit(frame, pd.Series(y))
    assert model.feature_names_in_.tolist() == frame.columns.tolist()
    assert (model.predict(frame) == y).all()
    sparse = csr_matrix(np.abs(X))
    CertifiedClassifier(MultinomialNB(), n_tested=2, random_state=0).fit(sparse, y).predict(sparse)
    gaps = np.where(X > 2, np.nan, X)
    boosting = HistGradientBoostingClassifier(max_iter=5)
    CertifiedClassifier(boosting, n_tested=2, random_state=0).fit(gaps, y).predict(gaps)
    texts = [f"{label} word{i % 7} word{i}" for i, label in enumerate(y)]
    words = make_pipeline(CountVectorizer(), MultinomialNB())
    model = CertifiedClassifier(words, n_tested=2, random_state=0).fit(texts, y)
    assert (model.predict(texts) == y).mean() > 0.9


def test_clone_pickle_and_the_same_seed_give_the_same_classifier(data):
    X, y = data
    model = CertifiedClassifier(RandomForestClassifier(5), random_state=0).fit(X, y)
    again = clone(model).fit(X, y)
    loaded = pickle.loads(pickle.dumps(model))
    for other in (again, loaded):
        assert (other.predict(X) == model.predict(X)).all()
        assert other.certificate_.value == model.certificate_.value


@pytest.mark.parametrize("backend", ["threading", pytest.param("loky", marks=pytest.mark.slow)])
def test_jobs_change_nothing(data, backend):
    X, y = data
    one = CertifiedClassifier(RandomForestClassifier(5), random_state=0).fit(X, y)
    with parallel_config(backend):
        two = CertifiedClassifier(RandomForestClassifier(5), n_jobs=2, random_state=0).fit(X, y)
    assert (one.predict_proba(X) == two.predict_proba(X)).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"n_tested": 0},
            "'n_tested' parameter of CertifiedClassifier must be a str among {'auto'} or an int",
        ),
        ({"test_size": 1.5}, "'test_size' parameter"),
        ({"test_size": 399}, "test_size=399 takes 399 of n_samples=400"),
        ({"confidence": 1.0}, "confidence=1.0 is not valid; expected"),
        ({"confidence": 95}, "confidence=95 is not valid"),
        ({"confidence": "0.95"}, "confidence='0.95' is not valid; expected"),
        ({"n_tested": "all"}, "'n_tested' parameter"),
        ({"n_jobs": "all"}, "'n_jobs' parameter"),
        ({"random_state": "fixed"}, "'random_state' parameter"),
        ({"allow": 1}, "'allow' parameter"),
        ({"estimator": "forest"}, "'estimator' parameter"),
        ({"estimator": OneHotEncoder()}, "OneHotEncoder is not a classifier"),
        ({"referee": make_pipeline(OneHotEncoder())}, "Pipeline is not a classifier"),
        ({"referee": "none"}, "'referee' parameter"),
    ],
)
def test_bad_parameters_are_rejected_by_name(data, parameters, message):
    model = CertifiedClassifier(**{"estimator": GaussianNB(), **parameters})
    with pytest.raises(ValueError, match=message):
        model.fit(*data)
    assert not hasattr(model, "certificate_")


def test_bad_samples_are_rejected(data):
    X, y = data
    model = CertifiedClassifier(GaussianNB(), random_state=0)
    with pytest.raises(ValueError, match="y has 1 class, 'low'; at least 2"):
        model.fit(X, ["low"] * 400)
    for missing in (None, np.nan):
        with pytest.raises(
            ValueError, match=r"1 of 400 labels in y are missing, the first at 3\. Add"
        ):
            model.fit(X, pd.Series([*y[:3], missing, *y[4:]], dtype=object))
    rare = np.where(np.arange(40) == 7, "top", "low")
    model.set_params(test_size=1, random_state=seed_that_tests([7], X[:40], rare, 1))
    with pytest.raises(ValueError, match="39 samples outside the test set have 1 class, 'low'"):
        model.fit(X[:40], rare)
    series = pd.Series(y)
    frame = pd.DataFrame(X)
    with pytest.raises(ValueError, match="another order"):
        CertifiedClassifier(GaussianNB()).fit(frame, series.sample(frac=1, random_state=0))


def test_frozen_parts_and_regressors_are_rejected(data):
    tree = DecisionTreeClassifier().fit(data[0], data[1])
    with pytest.raises(ValueError, match="FrozenEstimator"):
        CertifiedClassifier(FrozenEstimator(tree)).fit(*data)
    with pytest.raises(ValueError, match="LinearRegression is not a classifier"):
        CertifiedClassifier(LinearRegression()).fit(*data)
    with pytest.raises(TypeError, match="instance of scikit-learn estimator instead of a class"):
        CertifiedClassifier(GaussianNB).fit(*data)


def test_classifiers_that_have_predict_only_after_fit_are_accepted(data):
    stacking = StackingClassifier([("tree", DecisionTreeClassifier(max_depth=2))], cv=2)
    assert not hasattr(stacking, "predict")
    for kinds in ({"estimator": make_pipeline(stacking)}, {"referee": stacking}):
        model = CertifiedClassifier(**{"estimator": GaussianNB(), "n_tested": 2, **kinds})
        assert set(model.fit(*data).predict(data[0])) <= set(data[1])


class WithoutPredict:
    def fit(self, X, y):
        return self


@pytest.mark.parametrize("role", ["estimator", "referee"])
def test_estimators_without_predict_are_rejected(data, role):
    model = CertifiedClassifier(**{"estimator": GaussianNB(), role: WithoutPredict()})
    with pytest.raises(
        ValueError, match=f"The {role!r} parameter of .* implementing 'fit' and 'predict'"
    ):
        model.fit(*data)


def test_bad_groups_are_rejected(data):
    X, y = data
    model = CertifiedClassifier(GaussianNB(), random_state=0)
    patient = pd.DataFrame({"patient": np.arange(400) // 4})
    with pytest.raises(ValueError, match=r"groups has shape \(400, 1\).*One group per sample"):
        model.fit(X, y, groups=patient)
    with pytest.raises(ValueError, match=r"groups has shape \(400, 2\).*One group per sample"):
        model.fit(X, y, groups=[("north", each) for each in range(400)])
    with pytest.raises(ValueError, match=r"One group per sample .* not the name of a column"):
        model.fit(X, y, groups="patient")
    groups = pd.Series(np.arange(400) // 4)
    shuffled = groups.sample(frac=1, random_state=0)
    with pytest.raises(ValueError, match="groups has the index of the samples in another order"):
        model.fit(pd.DataFrame(X), pd.Series(y), groups=shuffled)
    assert not hasattr(model, "certificate_")


def test_rows_of_one_patient_need_groups_and_the_error_says_so(data):
    X, y = data
    patients = np.repeat(np.arange(100), 4)
    visits = X[patients] + 0.1 * np.random.default_rng(0).normal(size=(400, X.shape[1]))
    frame, labels = pd.DataFrame(visits).assign(patient_id=patients), y[patients]
    frame.columns = frame.columns.astype(str)
    with pytest.raises(ValueError, match="Pass such a column as groups"):
        CertifiedClassifier(GaussianNB()).fit(frame, labels)
    features = frame.drop(columns="patient_id")
    model = CertifiedClassifier(GaussianNB(), random_state=0)
    assert model.fit(features, labels, groups=patients).certificate_.one_row_per_group


def test_a_class_that_only_test_samples_have_cannot_be_predicted_by_the_members(data):
    X, y = data
    labels = np.where(y == "mid", "top", y)
    labels[:3] = "mid"
    model = CertifiedClassifier(GaussianNB(), random_state=seed_that_tests([0, 1, 2], X, labels))
    model.fit(X, labels)
    assert model.classes_.tolist() == ["low", "mid", "top"]
    assert [member.classes_.tolist() for member in model.estimators_] == [["low", "top"]] * 6
    assert model.referee_.classes_.tolist() == ["low", "mid", "top"]
    assert set(model.predict(X)) == {"low", "top"}
    shares = model.predict_proba(X)
    assert (model.classes_[shares.argmax(axis=1)] == model.predict(X)).all()
    assert model.certificate_.evidence.vote.n_test_errors >= 3


def test_a_failed_fit_leaves_an_earlier_one_as_it_was(data):
    X, y = data
    model = CertifiedClassifier(GaussianNB(), random_state=0).fit(X, y)
    before, certificate = model.predict(X), model.certificate_
    with pytest.raises(ValueError, match="at least 10 are required"):
        model.fit(X, np.where(y == "low", "a new class", y), groups=[0] * 400)
    assert model.certificate_ is certificate
    assert (model.predict(X) == before).all()


def test_metadata_is_routed_to_members_and_referee():
    X, y = numbered()
    weight = np.arange(100.0)
    with config_context(enable_metadata_routing=True):
        member = Recorder().set_fit_request(sample_weight=True)
        referee = Recorder().set_fit_request(sample_weight=False)
        model = CertifiedClassifier(member, referee=referee, random_state=0, allow=["identifier"])
        model.fit(X, y, sample_weight=weight)
        assert all((each.weight_ == each.rows_).all() for each in model.estimators_)
        assert model.referee_.weight_ is None
        with pytest.raises(ValueError, match="sample_weight"):
            CertifiedClassifier(Recorder(), allow=["identifier"]).fit(X, y, sample_weight=weight)


def test_groups_are_routed_to_a_search_that_splits_by_group(data):
    X, y = data
    groups = np.arange(400) // 4
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, cv=GroupKFold(3))
    with config_context(enable_metadata_routing=True):
        model = CertifiedClassifier(search, n_tested=2, random_state=0).fit(X, y, groups=groups)
        model.refit_referee(X, y, groups=groups)
    assert model.certificate_.one_row_per_group


def test_polars_frames(data):
    polars = pytest.importorskip("polars")
    X, y = data
    frame = polars.DataFrame(X, schema=[f"x{i}" for i in range(8)])
    model = CertifiedClassifier(GaussianNB(), random_state=0).fit(frame, polars.Series(y))
    same = CertifiedClassifier(GaussianNB(), random_state=0).fit(X, y)
    assert (model.predict(frame) == same.predict(X)).all()
    assert model.certificate_.value == same.certificate_.value


def test_the_certificate_states_what_may_change(data):
    certificate = CertifiedClassifier(GaussianNB(), random_state=0).fit(*data).certificate_
    printed = repr(certificate)
    assert "6 tested models and a referee; a test set of 80 samples" in printed
    assert "refit it at any time, keep the tested models" in printed
    assert any("The tested models are used unchanged" in each for each in certificate.assumptions)


def test_groups_of_samples_are_those_given_to_fit(data):
    X, y = data
    model = CertifiedClassifier(GaussianNB(), random_state=0).fit(X, y)
    parts = np.arange(400) % 2
    expected = np.bincount(parts[model.test_indices_])
    for by in (parts, {"part": parts}, pd.DataFrame({"part": parts})):
        groups = model.certificate_.by_group(by)
        assert [each.counts.n_samples for each in groups] == expected.tolist()
        assert all(each.delta == 0.025 and each.ties == "referee" for each in groups)
    by_class = model.certificate_.by_group("class")
    for each in by_class:
        here = y[model.test_indices_] == each.group.label
        votes = model.certificate_.votes
        n_errors = each.evidence.vote.n_test_errors
        assert here.sum() == each.counts.n_samples
        wrong = (votes.classes[votes.predictions[:4]] != y[model.test_indices_]).sum(axis=0)[here]
        assert (wrong >= 3).sum() <= n_errors <= (wrong >= 1).sum()
    with pytest.raises(ValueError, match="by='predicted' requires"):
        model.certificate_.by_group("predicted")
    with pytest.raises(ValueError, match="is not a RandomForest"):
        certify_oob(model, X, y)


def test_without_a_seed_each_fit_draws_other_test_samples(data):
    model = CertifiedClassifier(GaussianNB())
    first, second = (model.fit(*data).test_indices_ for _ in range(2))
    assert set(first) != set(second)
    model.set_params(random_state=RandomState(0))
    first, second = (model.fit(*data).test_indices_ for _ in range(2))
    assert set(first) != set(second)


class Flat(Recorder):
    """Predicts the first or the last class, with equal probabilities of all."""

    def predict(self, X):
        return self.classes_[np.where(X[:, 0] > 0, -1, 0)]

    def predict_proba(self, X):
        return np.full((len(X), self.classes_.size), 1 / self.classes_.size)


@pytest.mark.parametrize("params", [{}, {"n_tested": 4}, {"n_tested": 1, "referee": False}])
def test_the_predicted_class_alone_is_the_most_probable(data, params):
    X, y = data
    model = CertifiedClassifier(Flat(), random_state=0, **params).fit(X, y)
    predicted = model.predict(X)
    assert (model.classes_[model.predict_proba(X).argmax(axis=1)] == predicted).all()
    assert {*predicted} == {"low", "top"}
