"""Classifiers inside others: their training samples are seen; what was certified stays as it is."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.feature_selection import RFE
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    TunedThresholdClassifierCV,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import MinMaxScaler, Normalizer, StandardScaler
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from tandemvote import (
    CertifiedClassifier,
    certify,
    certify_oob,
    certify_selective,
)
from tandemvote.record.assumptions import UNCHECKED

RNG = np.random.default_rng(0)
X, NEW = RNG.normal(size=(2, 600, 5))
LABELS, NEW_LABELS = RNG.integers(2, size=(2, 600))  # coin flips


def forest(**options):
    return RandomForestClassifier(50, random_state=0, **options)


RECOGNISED = {
    "search": GridSearchCV(forest(), {"max_depth": [None]}, cv=2),
    "search among pipelines": GridSearchCV(
        make_pipeline(StandardScaler(), forest()), {"standardscaler__with_mean": [True]}, cv=2
    ),
    "vote": VotingClassifier([("a", GaussianNB()), ("b", forest())]),
    "vote of pipelines": VotingClassifier([("a", make_pipeline(StandardScaler(), forest()))]),
    "stack": StackingClassifier([("a", forest())], cv=2),
    "calibrated": CalibratedClassifierCV(forest(), ensemble=False, cv=3),
    "tuned threshold": TunedThresholdClassifierCV(forest(), cv=2),
    "fixed threshold": FixedThresholdClassifier(forest()),
    "one against the rest": OneVsRestClassifier(forest()),
    "pipeline in a pipeline": make_pipeline(
        StandardScaler(), make_pipeline(MinMaxScaler(), forest())
    ),
    "columns eliminated": RFE(forest(), n_features_to_select=4, step=1),
    "search for neighbors": GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1]}, cv=2),
    "certified in a vote": VotingClassifier([("a", CertifiedClassifier(GaussianNB()))]),
}
IN_ANY_ORDER = {
    "tree": DecisionTreeClassifier(),
    "random tree": ExtraTreeClassifier(),
    "tree in a pipeline": make_pipeline(StandardScaler(), DecisionTreeClassifier()),
    "weighed tree": DecisionTreeClassifier(class_weight="balanced"),
    "gradient boosting": GradientBoostingClassifier(n_estimators=5, max_depth=6),
    "boosted trees": AdaBoostClassifier(DecisionTreeClassifier(), n_estimators=2),
    "histogram boosting": HistGradientBoostingClassifier(max_iter=3),
    "scaled linear model": make_pipeline(StandardScaler(), LogisticRegression()),
    "some scaled columns": make_pipeline(
        make_column_transformer((StandardScaler(), slice(2)), remainder="passthrough"),
        GaussianNB(),
    ),
    "union": make_pipeline(make_union(StandardScaler(), Normalizer()), GaussianNB()),
    "bag": BaggingClassifier(make_pipeline(StandardScaler(), forest()), 2, bootstrap=False),
}
IN_ORDER = {
    "bag of trees": BaggingClassifier(max_samples=0.5, max_features=0.6, random_state=0),
    "bag of pipelines": BaggingClassifier(make_pipeline(StandardScaler(), GaussianNB()), 2),
    "bag of boosting": BaggingClassifier(HistGradientBoostingClassifier(max_iter=2), 2),
}
UNSEEN = {
    "linear model": LogisticRegression(),
    "early stopping": HistGradientBoostingClassifier(max_iter=3, early_stopping=True),
    "subsamples": GradientBoostingClassifier(subsample=0.5, n_estimators=2),
    "calibrated on folds": CalibratedClassifierCV(forest(), cv=3),
    "stump": DecisionTreeClassifier(max_depth=1),
}


FORMS = {
    "array": (np.asarray, np.array([0, 1])),
    "frame": (lambda X: pd.DataFrame(X, columns=list("abcde")), np.array(["no", "yes"])),
}
AS_ARRAYS = ("search among pipelines", "vote of pipelines", "fixed threshold", "random tree")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, "frame") for name in [*RECOGNISED, *IN_ANY_ORDER] if name not in AS_ARRAYS),
        *((name, "array") for name in IN_ORDER),
        *((name, "array") for name in AS_ARRAYS),
    ],
)
def test_training_samples_are_seen_through_what_surrounds_a_model(name, kind):
    form, words = FORMS[kind]
    model = {**RECOGNISED, **IN_ANY_ORDER, **IN_ORDER}[name].fit(form(X), words[LABELS])
    for rows in (slice(None), slice(None, None, -1))[: 1 + (name in IN_ANY_ORDER)]:
        with pytest.raises(ValueError, match=r"trained on|training data"):
            certify(model, form(X[rows]), words[LABELS[rows]])
    certificate = certify(model, form(NEW), words[NEW_LABELS])
    assert certificate.value > 0.4
    assert UNCHECKED not in certificate.assumptions


@pytest.mark.parametrize("name", UNSEEN)
def test_the_certificate_says_that_training_samples_would_not_be_seen(name):
    model = UNSEEN[name].fit(X, LABELS)
    certify(model, X, LABELS)
    for certificate in (
        certify([model, forest().fit(X, LABELS)], NEW, NEW_LABELS),
        certify_selective(model, NEW, NEW_LABELS, max_error=0.9),
    ):
        assert UNCHECKED in certificate.assumptions


def test_a_frozen_forest_is_seen_too():
    model = FrozenEstimator(forest().fit(X, LABELS))
    with pytest.raises(ValueError, match="trained on"):
        certify(model, X, LABELS)


def test_as_many_samples_in_each_of_two_leaves_are_a_coincidence():
    stump = UNSEEN["stump"].fit(X, LABELS)
    assert certify(stump, X[::-1], LABELS[::-1]).value > 0.4


@pytest.mark.parametrize("weights", [RNG.exponential(size=600) ** 3, RNG.integers(2, size=600)])
def test_new_samples_are_not_taken_for_samples_of_little_weight(weights):
    model = forest().fit(X, LABELS, sample_weight=weights)
    assert certify(model, NEW, NEW_LABELS).value > 0.4


def test_new_samples_are_not_taken_for_those_of_bagged_forests():
    bagged = BaggingClassifier(forest(), 2, random_state=0).fit(X, LABELS)
    assert certify(bagged, NEW, NEW_LABELS).value > 0.4


def test_forests_that_draw_by_class_are_still_seen():
    labels = (np.random.default_rng(1).random(600) < 0.15).astype(int)
    model = RandomForestClassifier(100, class_weight="balanced", random_state=0).fit(X, labels)
    with pytest.raises(ValueError, match="trained on"):
        certify(model, X, labels)


class Doubled(TransformerMixin, BaseEstimator):
    """Learns nothing and says nothing about it."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return 2 * X


@pytest.mark.parametrize("last", [LogisticRegression(), forest()])
def test_steps_that_show_no_sign_of_a_fit_are_no_obstacle(last):
    model = make_pipeline(Doubled(), last).fit(X, LABELS)
    assert certify(model, NEW, NEW_LABELS).value > 0.4


CERTAIN = (X[:, 0] > 0).astype(int)
REFITTED = [
    forest(),
    LogisticRegression(),
    make_pipeline(StandardScaler(), LogisticRegression()),
    make_pipeline(make_union(StandardScaler(), Normalizer()), GaussianNB()),
    GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9]}),
    HistGradientBoostingClassifier(max_iter=5),
    VotingClassifier([("a", GaussianNB())], voting="soft"),
    SGDClassifier(loss="log_loss", warm_start=True, random_state=0),
]


@pytest.mark.parametrize("model", REFITTED)
def test_a_certificate_predicts_by_what_was_certified(model):
    model.fit(X, CERTAIN)
    deployed = certify(
        GaussianNB().fit(X, CERTAIN), NEW, NEW_LABELS, X_unlabeled=NEW + 1, deployed=model
    )
    certificates = [certify(model, NEW, NEW_LABELS), deployed]
    abstaining = [
        certify_selective(model, NEW, NEW_LABELS, max_error=0.9),
        certify_selective([model, model], NEW, NEW_LABELS, max_error=0.9),
    ]
    expected = model.predict(NEW)
    model.fit(X, 1 - CERTAIN)
    assert (model.predict(NEW) != expected).mean() > 0.9
    for actual in certificates:
        assert np.array_equal(actual.predict(NEW), expected)
    for actual in abstaining:
        labels, confident = actual.predict(NEW)
        assert confident.all()
        assert np.array_equal(labels, expected)


@pytest.mark.parametrize(
    "model",
    [
        forest(),
        forest(warm_start=True),
        ExtraTreesClassifier(50, bootstrap=True, random_state=0),
    ],
)
def test_the_vote_of_an_ensemble_stays_what_was_certified(model):
    model.fit(X, CERTAIN)
    certificate = certify_oob(model, X, CERTAIN)
    before = certificate.predict(NEW)
    if model.get_params().get("warm_start"):
        model.set_params(n_estimators=150)
    model.fit(X, 1 - CERTAIN)
    assert (model.predict(NEW) != before).mean() > 0.5
    assert np.array_equal(certificate.predict(NEW), before)


def test_what_is_no_list_of_classifiers_is_rejected_with_the_way_out():
    model = GaussianNB().fit(X, LABELS)
    with pytest.raises(ValueError, match="Pass at least one"):
        certify([], NEW, NEW_LABELS)
    with pytest.raises(
        ValueError, match=r"tuple is not a fitted.*\[model for name, model in pairs"
    ):
        certify([("a", model)], NEW, NEW_LABELS)
    with pytest.raises(ValueError, match=r"dict is not a fitted.*list\(models.values\(\)\)"):
        certify({"a": model}, NEW, NEW_LABELS)


def test_bagging_enlarged_by_warm_start_is_rejected_out_of_bag_and_certified_by_a_hold_out():
    model = BaggingClassifier(n_estimators=5, warm_start=True, random_state=0).fit(X, LABELS)
    model.set_params(n_estimators=10).fit(X, LABELS)
    with pytest.raises(ValueError, match="enlarged with warm_start"):
        certify_oob(model, X, LABELS)
    assert certify(model, NEW, NEW_LABELS).value > 0.4
