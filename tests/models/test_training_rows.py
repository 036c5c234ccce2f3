"""Samples that were trained on are recognized, and new ones are not taken for them."""

import itertools
import math

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_classification,
)
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, NuSVC
from sklearn.tree import DecisionTreeClassifier

from tandemvote import CertifiedForestClassifier, certify
from tandemvote.models.training_rows import (
    _log_chance_of_means,
    _record,
    check_not_trained_on,
)


def recognized(model, X, y=None):
    try:
        check_not_trained_on(model, X, y, what="held-out")
    except ValueError as error:
        assert "trained on" in str(error)
        return True
    return False


@pytest.mark.parametrize(
    "forest",
    [
        RandomForestClassifier(10, random_state=0),
        RandomForestClassifier(10, max_depth=6, random_state=0),
        RandomForestClassifier(10, max_samples=0.5, class_weight="balanced_subsample"),
        ExtraTreesClassifier(10, bootstrap=True, random_state=0),
        ExtraTreesClassifier(10, random_state=0),
    ],
)
@pytest.mark.parametrize("n_classes", [2, 5])
def test_all_training_samples_of_a_forest_are_recognized(forest, n_classes):
    X, y = make_classification(
        2400, 12, n_informative=6, n_classes=n_classes, flip_y=0.2, random_state=n_classes
    )
    forest.fit(X[:1200], y[:1200])
    assert recognized(forest, X[:1200], y[:1200])
    assert recognized(forest, X[:1200])  # as unlabeled samples
    assert not recognized(forest, X[1200:], y[1200:])
    assert not recognized(forest, X[1200:])


FAMILIES = {
    "tree": DecisionTreeClassifier(max_leaf_nodes=12),
    "forest": RandomForestClassifier(3),
    "histogram boosting": HistGradientBoostingClassifier(max_iter=2),
    "scaler": make_pipeline(StandardScaler(), GaussianNB()),
}


@pytest.mark.parametrize("data", [load_iris, load_wine, load_breast_cancer, load_digits])
@pytest.mark.parametrize("name", FAMILIES)
def test_halves_of_real_data_are_not_taken_for_each_other(data, name):
    """Also not where a stratified split makes the class counts equal."""
    X, y = data(return_X_y=True)
    for seed in range(4):
        halves = StratifiedKFold(2, shuffle=True, random_state=seed).split(X, y)
        first, second = next(iter(halves))
        n = min(first.size, second.size)
        model = clone(FAMILIES[name]).fit(X[first[:n]], y[first[:n]])
        assert not recognized(model, X[second[:n]], y[second[:n]])


@pytest.mark.parametrize("n_columns", [1, 2, 3])
@pytest.mark.parametrize("n_samples", [10, 100])
def test_the_chance_of_equal_means_is_that_of_simulated_columns(n_samples, n_columns):
    """Fair coins in all columns, of which new means are most often equal to 1/2."""
    rng = np.random.default_rng(n_samples + n_columns)
    X = np.array([rng.permutation(np.arange(n_samples) % 2) for _ in range(n_columns)]).T
    computed = math.exp(_log_chance_of_means(X))
    sums = rng.binomial(n_samples, 0.5, size=(10**6, n_columns))
    simulated = (sums == n_samples // 2).all(axis=1).mean()
    assert simulated / 1.1 < computed < 3 * simulated


def test_columns_that_follow_from_others_do_not_lower_the_chance():
    rng = np.random.default_rng(0)
    column = rng.integers(9, size=500)
    alone = _log_chance_of_means(column[:, None])
    several = np.column_stack([column, 2 * column, 3 - column, np.ones(500)])
    assert _log_chance_of_means(several) == pytest.approx(alone, abs=1e-6)
    assert alone == pytest.approx(-math.log(column.std() * math.sqrt(2 * math.pi * 500)), abs=1e-9)


def test_leaf_counts_are_a_coincidence_as_often_as_computed():
    """Three leaves of 4 + 4 + 4 samples: the chance is 12! / 4!^3 / 3^12."""
    X = np.repeat([[0.0], [1.0], [2.0]], 4, axis=0)
    tree = DecisionTreeClassifier().fit(X, np.repeat([0, 1, 0], 4))
    chance = _record(tree).log_chance(X)
    new = np.random.default_rng(0).integers(3, size=(10**5, 12))
    equal = np.all([(new == each).sum(axis=1) == 4 for each in range(3)], axis=0)
    assert equal.mean() == pytest.approx(math.exp(chance), rel=0.05)
    assert not recognized(tree, X)


def test_unlabeled_samples_that_a_certified_classifier_was_trained_on_are_rejected():
    X, y = make_classification(900, 6, flip_y=0.3, random_state=0)
    model = CertifiedForestClassifier(10, random_state=0).fit(X[:500], y[:500])
    for models in ([model], model):
        certificate = certify(models, X[500:700], y[500:700], X_unlabeled=X[700:])
        assert certificate.counts.n_unlabeled == 200
        with pytest.raises(ValueError, match="unlabeled samples are rows of the training data"):
            certify(models, X[500:700], y[500:700], X_unlabeled=X[:300])


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
        with pytest.raises(ValueError, match=r"training|trained on"):
            certify(model, X[rows], y[rows])
    assert certify(model, X[150:], y[150:]).value > 1 - 1 / n_classes - 0.1


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
