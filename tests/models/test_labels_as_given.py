"""Models are trained on the labels as given, so that what the user says about labels holds."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from tandemvote import CertifiedClassifier

X, CODES = make_classification(
    400, 8, n_informative=5, n_classes=3, class_sep=0.5, flip_y=0.1, random_state=0
)
LABELS = {
    "text": np.array(["low", "mid", "top"])[CODES],
    "objects": np.array(["low", "mid", "top"], object)[CODES],
    "integers": np.array([-3, 2, 10])[CODES],
    "from 0": CODES,
    "from 1": CODES + 1,
    "floats": CODES + 1.0,
    "bools": CODES > 0,
}


def committee(estimator, **parameters):
    return CertifiedClassifier(estimator, **{"n_tested": 2, "random_state": 0, **parameters})


@pytest.mark.parametrize("kind", LABELS)
def test_models_predict_labels_of_any_type(kind):
    y = LABELS[kind]
    model = committee(DecisionTreeClassifier(max_depth=3)).fit(X, y)
    for member in (*model.estimators_, model.referee_):
        assert member.classes_.tolist() == model.classes_.tolist() == np.unique(y).tolist()
    predicted = model.predict(X)
    assert predicted.dtype == np.unique(y).dtype
    assert (model.classes_[model.predict_proba(X).argmax(axis=1)] == predicted).all()
    assert (predicted == y).mean() > 0.5


@pytest.mark.parametrize(
    ("names", "weights"),
    [
        (np.array([1, 2]), {0: 1, 1: 50, 2: 1}),
        (np.array([1, 2]), {1: 50, 2: 1}),
        (np.array(["benign", "malign"]), {"benign": 50, "malign": 1}),
        (np.array([False, True]), {False: 50, True: 1}),
    ],
)
def test_class_weights_are_about_the_classes_that_the_user_names(names, weights):
    y = names[(CODES > 0).astype(int)]
    estimator = LogisticRegression(class_weight=weights)
    first_class = (committee(estimator).fit(X, y).predict(X) == names[0]).mean()
    assert first_class > 0.9
    assert (clone(estimator).fit(X, y).predict(X) == names[0]).mean() > 0.9


def test_class_weights_of_other_classes_are_rejected_and_not_taken_for_positions():
    y = np.array(["benign", "malign"])[(CODES > 0).astype(int)]
    with pytest.raises(ValueError, match="are not in class_weight"):
        committee(LogisticRegression(class_weight={0: 1, 1: 50})).fit(X, y)


def test_a_scorer_with_a_positive_label_chooses_inside_a_search():
    y = np.where((X[:, 0] > 0) ^ (X[:, 1] > 0), "mal", "ben")
    scorer = make_scorer(f1_score, pos_label="mal")
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0), {"max_depth": [1, 6]}, scoring=scorer, cv=3
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = committee(search).fit(X, y)
    scores = [each.cv_results_["mean_test_score"] for each in model.estimators_]
    assert np.isfinite(scores).all()
    assert [each.best_params_["max_depth"] for each in model.estimators_] == [6, 6]


def fix_test_rows(test, monkeypatch):
    """Keep the split as it was, which else depends on the labels."""
    split = test, np.setdiff1d(np.arange(len(X)), test)
    monkeypatch.setattr("tandemvote.models.splitting.draw_test_rows", lambda *_: split)


class Codes(GaussianNB):
    """Accepts 0, 1, ... only, as XGBoost does."""

    def __init__(self, error=ValueError):
        super().__init__()
        self.error = error

    def fit(self, X, y, sample_weight=None):
        if not np.array_equal(np.unique(y), np.arange(np.unique(y).size)):
            raise self.error(f"Invalid classes: {np.unique(y).tolist()}")
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("error", [ValueError, TypeError])
def test_a_learner_that_requires_codes_is_trained_on_them(kind, error):
    y = LABELS[kind]
    coded = committee(Codes(error)).fit(X, y)
    named = committee(GaussianNB()).fit(X, y)
    assert (coded.predict(X) == named.predict(X)).all()
    np.testing.assert_array_equal(coded.predict_proba(X), named.predict_proba(X))
    assert coded.certificate_.value == named.certificate_.value


@pytest.mark.parametrize("learner", [GaussianNB(), Codes()])
def test_labels_of_test_samples_do_not_enter_the_tested_models(learner, monkeypatch):
    """Nor does their number of classes: the middle class exists among the test samples only."""
    y = np.where(CODES == 1, 2, CODES)
    first = committee(learner).fit(X, y)
    changed = y.copy()
    changed[first.test_indices_] = 1
    fix_test_rows(first.test_indices_, monkeypatch)
    second = committee(learner).fit(X, changed)
    for one, other in zip(first.estimators_, second.estimators_, strict=True):
        assert one.theta_.tobytes() == other.theta_.tobytes()
        assert one.classes_.tolist() == other.classes_.tolist()
    assert second.classes_.tolist() == [0, 1, 2]
    probabilities = second.predict_proba(X)
    assert probabilities.shape == (400, 3)
    assert (second.classes_[probabilities.argmax(axis=1)] == second.predict(X)).all()
    assert second.certificate_.evidence.vote.n_test_errors == first.test_indices_.size


def test_the_first_error_is_raised_if_no_labels_can_train():
    class Stubborn(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            raise ValueError(f"Cannot learn {y[0]!r}.")

    with pytest.raises(ValueError, match=r"Cannot learn .*(low|mid|top)"):
        committee(Stubborn()).fit(X, LABELS["text"])


def test_a_referee_is_refitted_on_labels_as_given():
    y = LABELS["text"]
    model = committee(Codes()).fit(X, y)
    model.refit_referee(X[y != "low"], y[y != "low"])
    assert model.referee_.classes_.tolist() == [0, 1]
    assert set(model.predict(X)) <= set(y)
    weighed = LogisticRegression(class_weight={"low": 1, "mid": 1, "top": 1000})
    model = committee(GaussianNB(), referee=weighed).fit(X, y).refit_referee(X, y)
    assert (model.referee_.predict(X) == "top").mean() > 0.9


def test_text_that_stands_for_bools_is_translated():
    """Some releases of CatBoost predict labels that were bools as text, in a column."""

    class Texts(GaussianNB):
        def predict(self, X):
            return super().predict(X).astype(str).astype(object)[:, None]

    y = LABELS["bools"]
    model = committee(Texts()).fit(X, y)
    assert (model.predict(X) == committee(GaussianNB()).fit(X, y).predict(X)).all()


def boosters():
    return {
        "lightgbm": ("LGBMClassifier", {"n_estimators": 5, "verbose": -1}),
        "xgboost": ("XGBClassifier", {"n_estimators": 5}),
        "catboost": (
            "CatBoostClassifier",
            {"iterations": 5, "verbose": False, "allow_writing_files": False},
        ),
    }


def booster(library, **parameters):
    name, settings = boosters()[library]
    return getattr(pytest.importorskip(library), name)(**settings, **parameters)


@pytest.mark.parametrize("kind", [*LABELS, "one in the test set only"])
@pytest.mark.parametrize("library", boosters())
def test_boosting_libraries(library, kind, monkeypatch):
    learner = booster(library)
    if kind in LABELS:
        y = LABELS[kind]
    else:
        fix_test_rows(np.arange(0, 400, 5), monkeypatch)
        y = np.array(["low", "mid", "top"])[np.where(CODES == 1, 2, CODES)]
        y[[0, 5, 10]] = "mid"
    model = committee(learner).fit(X, y)
    predicted = model.predict(X)
    assert (model.classes_[model.predict_proba(X).argmax(axis=1)] == predicted).all()
    assert (predicted == y).mean() > 0.6
    assert model.certificate_.value < 0.8


@pytest.mark.parametrize("kind", ["text", "from 1"])
@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")
def test_validation_sets_and_class_weights_of_lightgbm_hold_names(kind):
    y = LABELS[kind]
    weights = dict(zip(np.unique(y).tolist(), [1000, 1, 1], strict=True))
    model = committee(booster("lightgbm", class_weight=weights))
    model.fit(X[:300], y[:300], eval_set=[(X[300:], y[300:])])
    assert (model.predict(X) == min(weights)).mean() > 0.9
    for member in model.estimators_:
        assert member.evals_result_["valid_0"]


@pytest.mark.parametrize("kind", ["text", "from 1"])
def test_validation_sets_of_catboost_hold_names(kind):
    y = LABELS[kind]
    model = committee(booster("catboost", auto_class_weights="Balanced"))
    model.fit(X[:300], y[:300], eval_set=[(X[300:], y[300:])])
    for member in model.estimators_:
        assert "validation" in member.get_evals_result()


def test_validation_sets_of_xgboost_hold_codes_as_it_requires():
    y = LABELS["text"]
    model = committee(booster("xgboost")).fit(
        X[:300], y[:300], eval_set=[(X[300:], CODES[300:])], verbose=False
    )
    assert (model.predict(X[:300]) == y[:300]).mean() > 0.6
