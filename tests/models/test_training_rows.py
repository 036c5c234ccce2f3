"""Samples that were trained on are recognized, and new ones are not taken for them."""

import itertools

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import AdaBoostClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, NuSVC
from sklearn.tree import DecisionTreeClassifier

from tandemvote import CertifiedForestClassifier, certify
from tandemvote.models.training_rows import check_not_trained_on

FORESTS = [
    RandomForestClassifier(60, random_state=0),
    RandomForestClassifier(60, max_depth=6, random_state=0),
    RandomForestClassifier(60, max_samples=0.5, class_weight="balanced_subsample", random_state=0),
    ExtraTreesClassifier(60, bootstrap=True, random_state=0),
]


@pytest.mark.parametrize(("forest", "n_classes"), list(zip(FORESTS, [2, 5, 5, 2], strict=True)))
def test_new_samples_pass_and_training_samples_do_not(forest, n_classes):
    X, y = make_classification(
        2400, 12, n_informative=6, n_classes=n_classes, flip_y=0.2, random_state=n_classes
    )
    forest.fit(X[:1600], y[:1600])
    check_not_trained_on(forest, X[1600:], y[1600:], what="held-out")
    with pytest.raises(ValueError, match="was trained on"):
        check_not_trained_on(forest, X[:1600], y[:1600], what="held-out")
    if forest.max_depth is None:
        for rows in (np.arange(0, 1600, 3), np.arange(2400)):  # a part, or new samples among them
            with pytest.raises(ValueError, match="was trained on"):
                check_not_trained_on(forest, X[rows], y[rows], what="held-out")


def test_unlabeled_samples_that_a_certified_classifier_was_trained_on_are_rejected():
    X, y = make_classification(900, 6, flip_y=0.3, random_state=0)
    model = CertifiedForestClassifier(10, random_state=0).fit(X[:500], y[:500])
    for models in ([model], model):
        certificate = certify(models, X[500:700], y[500:700], X_unlabeled=X[700:])
        assert certificate.counts.n_unlabeled == 200
        with pytest.raises(ValueError, match="unlabeled samples are rows of the training data"):
            certify(models, X[500:700], y[500:700], X_unlabeled=X[:300])


@pytest.mark.parametrize("n_categories", [1, 5])
def test_new_samples_on_a_line_are_not_taken_for_their_neighbors(n_categories):
    rng = np.random.default_rng(n_categories)
    X = np.column_stack([rng.normal(size=1500), rng.integers(n_categories, size=1500)])
    y = X[:, 0] + 0.5 * rng.normal(size=1500) > 0
    forest = RandomForestClassifier(100, random_state=0).fit(X[:1200], y[:1200])
    check_not_trained_on(forest, X[1200:], y[1200:], what="test")


@pytest.mark.parametrize(
    "kind", [RandomForestClassifier, pytest.param(ExtraTreesClassifier, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize(("n_values", "n_columns"), [(3, 6), (12, 3), (60, 2)])
def test_new_samples_that_are_copies_by_chance_are_not_rejected(kind, n_values, n_columns):
    rng = np.random.default_rng(n_values)
    X = rng.integers(n_values, size=(4000, n_columns))
    y = X.sum(axis=1) + rng.integers(4, size=4000) > (n_values - 1) * n_columns / 2 + 1.5
    forest = kind(60, bootstrap=True, random_state=0).fit(X[:3000], y[:3000])
    for labels in (y[3000:], None):
        check_not_trained_on(forest, X[3000:], labels, what="test")


@pytest.mark.parametrize(
    "forest", [FORESTS[0], FORESTS[3], ExtraTreesClassifier(60, random_state=0)]
)
def test_training_samples_are_recognized_by_the_own_predictions_of_a_forest(forest):
    X, y = make_classification(2400, 12, n_informative=6, flip_y=0.2, random_state=1)
    forest.fit(X[:1600], y[:1600])
    check_not_trained_on(forest, X[1600:], what="unlabeled")
    for rows in (np.arange(1600), *([np.arange(1000)] if forest.bootstrap else [])):
        with pytest.raises(ValueError, match="was trained on"):
            check_not_trained_on(forest, X[rows], what="unlabeled")


@pytest.mark.parametrize("n_samples", [50])
def test_few_of_many_training_samples_are_rejected_and_few_new_samples_are_not(n_samples):
    X, y = make_classification(2500, 20, n_informative=8, flip_y=0.1, random_state=0)
    forest = RandomForestClassifier(100, random_state=0).fit(X[:2000], y[:2000])
    check_not_trained_on(forest, X[-n_samples:], y[-n_samples:], what="held-out")
    with pytest.raises(ValueError, match="are training samples of RandomForestClassifier"):
        check_not_trained_on(forest, X[:n_samples], y[:n_samples], what="held-out")


@pytest.mark.parametrize("inside", ["a name", None, 7])
def test_what_a_model_calls_its_estimator_may_be_anything(inside):
    class Constant:
        estimator = None

        def predict(self, X):
            return np.zeros(len(X))

    model = Constant()
    model.estimator = inside
    check_not_trained_on(model, np.zeros((5, 2)), np.zeros(5), what="held-out")


@pytest.mark.parametrize(
    "model",
    [
        SVC(),
        NuSVC(nu=0.3),
        make_pipeline(StandardScaler(), SVC()),
        KNeighborsClassifier(1),
        GaussianProcessClassifier(optimizer=None),
        OneVsRestClassifier(SVC()),
    ],
    ids=lambda model: str(model)[:30],
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_rows_that_a_model_keeps_are_recognized(model, n_classes):
    rng = np.random.default_rng(n_classes)
    X, y = rng.normal(size=(300, 5)), rng.integers(n_classes, size=300)
    model = clone(model).fit(X[:150], y[:150])
    for rows in (slice(0, 150), slice(0, 150, 2)):
        with pytest.raises(ValueError, match="training"):
            certify(model, X[rows], y[rows])
    assert certify(model, X[150:], y[150:]).value > 1 - 1 / n_classes - 0.1


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(random_state=0),
        ExtraTreesClassifier(5, random_state=0),
        RandomForestClassifier(5, bootstrap=False, random_state=0),
        AdaBoostClassifier(DecisionTreeClassifier(), n_estimators=3, random_state=0),
        make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0)),
    ],
    ids=lambda model: type(model).__name__,
)
def test_half_of_the_samples_that_trained_a_large_tree_is_recognized(model):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 5)), rng.integers(2, size=3000)
    model = clone(model).fit(X[:1500], y[:1500])
    for rows in (slice(0, 1500), slice(0, 1500, 2)):
        with pytest.raises(ValueError, match=r"leaves receives more of them than it was trained"):
            certify(model, X[rows], y[rows])
    for rows in (slice(1500, 3000), slice(1500, 2250)):
        assert certify(model, X[rows], y[rows]).value > 0.45


def test_new_samples_of_a_design_are_not_taken_for_training_samples():
    """Every combination occurs once, so that leaves receive less uneven numbers than by chance."""
    X = np.array([*itertools.product(range(5), repeat=5)])
    for seed in range(5):
        rng = np.random.default_rng(seed)
        y, order = rng.integers(2, size=len(X)), rng.permutation(len(X))
        train, test = np.array_split(order, 2)
        tree = DecisionTreeClassifier(random_state=seed).fit(X[train], y[train])
        check_not_trained_on(tree, X[test], y[test], what="held-out")


def test_a_precomputed_kernel_keeps_no_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 5)), rng.integers(2, size=300)
    model = SVC(kernel="precomputed").fit(X[:150] @ X[:150].T, y[:150])
    assert certify(model, X[150:] @ X[:150].T, y[150:]).value > 0.4
