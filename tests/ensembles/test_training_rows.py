"""Points that were trained on are recognised, and new ones are not taken for them."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_classification
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from tandemvote import CertifiedForestClassifier, hold_out_votes
from tandemvote.ensembles.rows import refuse_training_rows, row_digests
from tandemvote.ensembles.training_rows import refuse_points_trained_on


def test_copies_of_training_rows_are_refused_unless_chance_explains_them():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 3))
    refuse_training_rows(row_digests(X), rng.normal(size=(500, 3)), what="unlabelled")
    mixed = rng.normal(size=(500, 3))
    mixed[:20] = X[:20]
    with pytest.raises(ValueError, match="20 different rows of the 500 unlabelled points"):
        refuse_training_rows(row_digests(X), mixed, what="unlabelled")
    dice = rng.integers(4, size=(500, 3))  # 64 different rows: every new one is an old one
    refuse_training_rows(row_digests(dice), rng.integers(4, size=(500, 3)), what="unlabelled")


def categories(rng, n_rows, n_values, skew=0):
    odds = 1 / np.arange(1, n_values + 1) ** skew
    return rng.choice(n_values, size=(n_rows, 4), p=odds / odds.sum())


@pytest.mark.parametrize("skew", [0, 1, 2])
@pytest.mark.parametrize(
    ("n_known", "n_new", "n_values"), [(100, 1000, 10), (200, 5000, 10), (1000, 10000, 5)]
)
def test_new_rows_of_few_categories_are_no_copies(n_known, n_new, n_values, skew):
    for rng in map(np.random.default_rng, range(20)):
        known = categories(rng, n_known, n_values, skew)
        new = categories(rng, n_new, n_values, skew)
        refuse_training_rows(row_digests(known), new, what="unlabelled")


@pytest.mark.parametrize(("n_rows", "n_values"), [(100, 5), (1000, 8), (5000, 10)])
@pytest.mark.parametrize("share", [0.5, 1])
def test_training_rows_of_many_categories_are_copies(n_rows, n_values, share):
    rng = np.random.default_rng(n_rows)
    known, new = categories(rng, n_rows, n_values), categories(rng, n_rows, n_values)
    new[: int(n_rows * share)] = known[: int(n_rows * share)]
    with pytest.raises(ValueError, match="rows of the training data"):
        refuse_training_rows(row_digests(known), new, what="unlabelled")


def test_one_value_that_many_new_rows_share_is_found_among_few_known_by_chance():
    rng = np.random.default_rng(0)
    known, new = rng.normal(size=(100, 2)), rng.normal(size=(100_000, 2))
    known[0], new[:30] = 0, 0
    refuse_training_rows(row_digests(known), new, what="unlabelled")


@pytest.mark.parametrize("form", [np.asarray, csr_array, lambda X: X.astype(str).astype(object)])
def test_rows_are_compared_in_every_form(form):
    X = np.random.default_rng(2).integers(1000, size=(100, 6)) * np.array([1, 0, 1, 1, 0, 1])
    refuse_training_rows(row_digests(form(X)), form(X + 2000), what="unlabelled")
    with pytest.raises(ValueError, match="rows of the training data"):
        refuse_training_rows(row_digests(form(X)), form(X[30:60]), what="unlabelled")


def test_equal_rows_and_no_others_have_equal_digests_in_any_form():
    table = np.random.default_rng(5).integers(-1, 3, size=(3000, 6)).astype(float)
    _, copies = np.unique(table, axis=0, return_inverse=True)
    frame = pd.DataFrame(table).astype({0: str, 1: "category", 2: "Int64"})
    frame[3] = frame[3].map({-1.0: None, 0.0: "", 1.0: "a", 2.0: "b"})
    for form in (table, table.astype(int), csr_array(table), frame, table.astype(object)):
        _, found = np.unique(row_digests(form), return_inverse=True)
        assert np.array_equal(
            copies.ravel()[:, None] == copies.ravel()[:99], found[:, None] == found[:99]
        )
    assert np.array_equal(row_digests(table), row_digests(csr_array(table)))


def test_comparing_rows_leaves_them_as_they_are():
    X = csr_array(([0.0, 1.0, 2.0], [0, 1, 0], [0, 2, 3]), shape=(2, 2))  # an explicit zero
    before = X.data.copy()
    refuse_training_rows(row_digests(X), X + X, what="unlabelled")
    np.testing.assert_array_equal(X.data, before)


def test_whole_numbers_equal_themselves_as_floats():
    X = np.arange(200).reshape(100, 2)
    with pytest.raises(ValueError, match="rows of the training data"):
        refuse_training_rows(row_digests(X), X.astype(float), what="unlabelled")


FORESTS = [
    RandomForestClassifier(60, random_state=0),
    RandomForestClassifier(60, max_depth=6, random_state=0),
    RandomForestClassifier(60, max_samples=0.5, class_weight="balanced_subsample", random_state=0),
    ExtraTreesClassifier(60, bootstrap=True, random_state=0),
]


@pytest.mark.parametrize("forest", FORESTS)
@pytest.mark.parametrize("n_classes", [2, 5])
def test_new_points_pass_and_training_points_do_not(forest, n_classes):
    X, y = make_classification(
        2400, 12, n_informative=6, n_classes=n_classes, flip_y=0.2, random_state=n_classes
    )
    forest.fit(X[:1600], y[:1600])
    refuse_points_trained_on(forest, X[1600:], y[1600:], what="held-out")
    with pytest.raises(ValueError, match="was trained on"):
        refuse_points_trained_on(forest, X[:1600], y[:1600], what="held-out")
    if forest.max_depth is None:
        for rows in (np.arange(0, 1600, 3), np.arange(2400)):  # a part, or new points among them
            with pytest.raises(ValueError, match="was trained on"):
                refuse_points_trained_on(forest, X[rows], y[rows], what="held-out")


def test_texts_and_tables_of_mixed_cells_have_digests():
    texts = ["a long sentence", "short", "a long sentence"]
    first, second, third = row_digests(texts)
    assert first == third != second
    assert row_digests(["short"])[0] == second
    table = np.array([["a", 1, 2.5], ["a", 1.0, 2.5], ["b", 1, 2.5]], dtype=object)
    first, second, third = row_digests(table)
    assert first == second != third


def test_unlabelled_points_that_a_certified_classifier_was_trained_on_are_refused():
    X, y = make_classification(900, 6, flip_y=0.3, random_state=0)
    model = CertifiedForestClassifier(10, random_state=0).fit(X[:500], y[:500])
    for models in ([model], model):
        assert hold_out_votes(models, X[500:700], y[500:700], X_unlabelled=X[700:]).n_unlabelled
        with pytest.raises(ValueError, match="unlabelled points are rows of the training data"):
            hold_out_votes(models, X[500:700], y[500:700], X_unlabelled=X[:300])


@pytest.mark.parametrize("n_categories", [1, 2, 5, 26])
def test_new_points_on_a_line_are_not_taken_for_their_neighbours(n_categories):
    rng = np.random.default_rng(n_categories)
    X = np.column_stack([rng.normal(size=1500), rng.integers(n_categories, size=1500)])
    y = X[:, 0] + 0.5 * rng.normal(size=1500) > 0
    forest = RandomForestClassifier(100, random_state=0).fit(X[:1200], y[:1200])
    refuse_points_trained_on(forest, X[1200:], y[1200:], what="test")


@pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesClassifier])
@pytest.mark.parametrize(("n_values", "n_columns"), [(3, 6), (12, 3), (60, 2)])
def test_new_points_that_are_copies_by_chance_are_not_refused(kind, n_values, n_columns):
    rng = np.random.default_rng(n_values)
    X = rng.integers(n_values, size=(4000, n_columns))
    y = X.sum(axis=1) + rng.integers(4, size=4000) > (n_values - 1) * n_columns / 2 + 1.5
    forest = kind(60, bootstrap=True, random_state=0).fit(X[:3000], y[:3000])
    for labels in (y[3000:], None):
        refuse_points_trained_on(forest, X[3000:], labels, what="test")


@pytest.mark.parametrize("forest", [FORESTS[0], FORESTS[3], ExtraTreesClassifier(60)])
def test_training_points_are_recognised_by_the_own_predictions_of_a_forest(forest):
    X, y = make_classification(2400, 12, n_informative=6, flip_y=0.2, random_state=1)
    forest.fit(X[:1600], y[:1600])
    refuse_points_trained_on(forest, X[1600:], what="unlabelled")
    for rows in (np.arange(1600), *([np.arange(1000)] if forest.bootstrap else [])):
        with pytest.raises(ValueError, match="was trained on"):
            refuse_points_trained_on(forest, X[rows], what="unlabelled")


@pytest.mark.parametrize("n_points", [50, 100])
def test_few_of_many_training_points_are_refused_and_few_new_points_are_not(n_points):
    X, y = make_classification(2500, 20, n_informative=8, flip_y=0.1, random_state=0)
    forest = RandomForestClassifier(100, random_state=0).fit(X[:2000], y[:2000])
    refuse_points_trained_on(forest, X[-n_points:], y[-n_points:], what="held-out")
    with pytest.raises(ValueError, match="are points that RandomForestClassifier was trained on"):
        refuse_points_trained_on(forest, X[:n_points], y[:n_points], what="held-out")


@pytest.mark.parametrize("inside", ["a name", None, 7])
def test_what_a_model_calls_its_estimator_may_be_anything(inside):
    class Constant:
        estimator = None

        def predict(self, X):
            return np.zeros(len(X))

    model = Constant()
    model.estimator = inside
    refuse_points_trained_on(model, np.zeros((5, 2)), np.zeros(5), what="held-out")
