"""Repeated rows are counted; copies of training rows are told from those equal by chance."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.ensemble import RandomForestClassifier

from tandemvote import CertifiedForestClassifier, certify, certify_oob
from tandemvote.auditing.rows import row_digests
from tandemvote.models.training_rows import check_not_training_rows

NOTED = "If they are copies, remove them"


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_certificates_say_how_many_rows_repeat_another(rng):
    X, y = rng.integers(3, size=(400, 5)), rng.integers(2, size=400)
    options = rng.integers(3, size=(400, 5))
    forest = RandomForestClassifier(10, random_state=0)
    trees = CertifiedForestClassifier(10, random_state=0).fit(X, y, X_unlabeled=options)
    fitted = forest.fit(X, y)
    for certificate, n_findings in (
        (trees.certificate_, 2),  # training and unlabeled rows
        (certify_oob(fitted, X, y), 1),
        (certify(fitted, options, y), 1),
    ):
        assert [each.code for each in certificate.findings] == ["copied_rows"] * n_findings
        assert all(NOTED in each.advice for each in certificate.findings)
        assert NOTED in repr(certificate)


def test_copies_of_training_rows_are_rejected_unless_chance_explains_them():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 3))
    check_not_training_rows(row_digests(X), rng.normal(size=(500, 3)), what="unlabeled")
    mixed = rng.normal(size=(500, 3))
    mixed[:20] = X[:20]
    with pytest.raises(ValueError, match="20 different rows of the 500 unlabeled samples"):
        check_not_training_rows(row_digests(X), mixed, what="unlabeled")
    dice = rng.integers(4, size=(500, 3))  # 64 different rows: every new one is an old one
    check_not_training_rows(row_digests(dice), rng.integers(4, size=(500, 3)), what="unlabeled")


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
        check_not_training_rows(row_digests(known), new, what="unlabeled")


@pytest.mark.parametrize(("n_rows", "n_values"), [(100, 5), (1000, 8), (5000, 10)])
@pytest.mark.parametrize("share", [0.5, 1])
def test_training_rows_of_many_categories_are_copies(n_rows, n_values, share):
    rng = np.random.default_rng(n_rows)
    known, new = categories(rng, n_rows, n_values), categories(rng, n_rows, n_values)
    new[: int(n_rows * share)] = known[: int(n_rows * share)]
    with pytest.raises(ValueError, match="rows of the training data"):
        check_not_training_rows(row_digests(known), new, what="unlabeled")


def test_one_value_that_many_new_rows_share_is_found_among_few_known_by_chance():
    rng = np.random.default_rng(0)
    known, new = rng.normal(size=(100, 2)), rng.normal(size=(100_000, 2))
    known[0], new[:30] = 0, 0
    check_not_training_rows(row_digests(known), new, what="unlabeled")


@pytest.mark.parametrize("form", [np.asarray, csr_array, lambda X: X.astype(str).astype(object)])
def test_rows_are_compared_in_every_form(form):
    X = np.random.default_rng(2).integers(1000, size=(100, 6)) * np.array([1, 0, 1, 1, 0, 1])
    check_not_training_rows(row_digests(form(X)), form(X + 2000), what="unlabeled")
    with pytest.raises(ValueError, match="rows of the training data"):
        check_not_training_rows(row_digests(form(X)), form(X[30:60]), what="unlabeled")


def test_equal_rows_and_no_others_have_equal_digests_in_any_form():
    table = np.random.default_rng(5).integers(-1, 3, size=(3000, 6)).astype(float)
    _, copies = np.unique(table, axis=0, return_inverse=True)
    frame = pd.DataFrame(table).astype({0: str, 1: "category", 2: "Int64"})
    frame[3] = frame[3].map({-1.0: None, 0.0: "", 1.0: "a", 2.0: "b"})
    for form in (table, table.astype(int), csr_array(table), frame, table.astype(object)):
        _, actual = np.unique(row_digests(form), return_inverse=True)
        assert np.array_equal(
            copies.ravel()[:, None] == copies.ravel()[:99], actual[:, None] == actual[:99]
        )
    assert np.array_equal(row_digests(table), row_digests(csr_array(table)))


def test_comparing_rows_leaves_them_as_they_are():
    X = csr_array(([0.0, 1.0, 2.0], [0, 1, 0], [0, 2, 3]), shape=(2, 2))  # an explicit zero
    before = X.data.copy()
    check_not_training_rows(row_digests(X), X + X, what="unlabeled")
    np.testing.assert_array_equal(X.data, before)


def test_whole_numbers_equal_themselves_as_floats():
    X = np.arange(200).reshape(100, 2)
    with pytest.raises(ValueError, match="rows of the training data"):
        check_not_training_rows(row_digests(X), X.astype(float), what="unlabeled")


def test_texts_and_tables_of_mixed_cells_have_digests():
    texts = ["a long sentence", "short", "a long sentence"]
    first, second, third = row_digests(texts)
    assert first == third != second
    assert row_digests(["short"])[0] == second
    table = np.array([["a", 1, 2.5], ["a", 1.0, 2.5], ["b", 1, 2.5]], dtype=object)
    first, second, third = row_digests(table)
    assert first == second != third
