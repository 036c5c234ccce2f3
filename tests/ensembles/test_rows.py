"""Rows that are copies of others are refused; rows that look alike by chance are counted."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.ensemble import RandomForestClassifier

from tandemvote import CertifiedClassifierCV, certify
from tandemvote.ensembles.rows import note_copies

NOTED = "if these are copies of one case, the guarantee is too good"


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def oversampled(rng, X, y, times=5):
    """Return a table in which the smaller class is there more often."""
    rare = np.flatnonzero(y == 1)
    rows = rng.permutation(np.concatenate([np.arange(len(y)), np.repeat(rare, times - 1)]))
    return X[rows], y[rows]


@pytest.mark.parametrize("form", [np.asarray, csr_array, pd.DataFrame, np.float32])
def test_an_oversampled_class_is_refused_in_any_form_of_table(form, rng):
    X, y = oversampled(rng, rng.normal(size=(500, 4)), (rng.random(500) < 0.1).astype(int))
    with pytest.raises(ValueError, match=r"\d+ of \d+ training rows repeat .* these are copies"):
        note_copies(form(X), y, what="training")


@pytest.mark.parametrize("times", [2, 4, 20])
def test_a_table_pasted_several_times_is_refused(times, rng):
    X, y = np.tile(rng.normal(size=(60, 3)), (times, 1)), np.tile(rng.integers(2, size=60), times)
    with pytest.raises(ValueError, match="these are copies"):
        note_copies(X, y, what="training")


def test_one_column_of_measurements_shows_copies_among_many_of_categories(rng):
    X = np.column_stack([rng.normal(size=600), rng.integers(2, size=(600, 8))])
    with pytest.raises(ValueError, match="these are copies"):
        note_copies(*oversampled(rng, X, (rng.random(600) < 0.2).astype(int)), what="training")


@pytest.mark.parametrize("n_values", [2, 3, 10])
@pytest.mark.parametrize("n_columns", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("n_rows", [50, 500, 5000])
def test_independent_rows_of_categories_are_never_taken_for_copies(n_values, n_columns, n_rows):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        shares = rng.dirichlet(np.ones(n_values), size=n_columns)
        X = np.column_stack([rng.choice(n_values, n_rows, p=share) for share in shares])
        y = rng.integers(2, size=n_rows)
        repeats = len(np.unique(np.column_stack([X, y]), axis=0)) < n_rows
        assert len(note_copies(X, y, what="training")) == repeats


def test_rows_that_depend_on_few_types_are_never_taken_for_copies(rng):
    types = rng.integers(4, size=(30, 12))
    kind = rng.integers(30, size=2000)
    noise = np.where(rng.random((2000, 12)) < 0.05, rng.integers(4, size=(2000, 12)), types[kind])
    assert NOTED in note_copies(noise, kind % 2, what="training")[0]


def test_a_few_copies_are_counted_and_equal_rows_with_other_labels_are_none(rng):
    X, y = rng.normal(size=(100, 3)), np.zeros(100)
    assert note_copies(X, y, what="training") == ()
    X[:5] = X[5:10]
    assert note_copies(X, y, what="test")[0].startswith("5 of 100 test rows repeat an earlier one,")
    assert note_copies(X, np.arange(100), what="training") == ()
    assert note_copies(X, what="unlabelled")[0].startswith("5 of 100 unlabelled rows repeat an")


def test_constant_columns_and_texts_are_no_copies(rng):
    assert NOTED in note_copies(np.zeros((100, 4)), np.zeros(100), what="training")[0]
    texts = ["yes", "no", "perhaps"] * 50
    assert NOTED in note_copies(texts, np.zeros(150), what="training")[0]


def test_certificates_say_how_many_rows_repeat_another(rng):
    X, y = rng.integers(3, size=(400, 5)), rng.integers(2, size=400)
    more = rng.integers(3, size=(400, 5))
    forest = RandomForestClassifier(10, random_state=0)
    folds = CertifiedClassifierCV(forest, random_state=0).fit(X, y, X_unlabelled=more)
    fitted = forest.fit(X, y)
    for certificate in (folds.certificate_, certify(fitted, X, y), certify([fitted], more, y)):
        assert sum(NOTED in note for note in certificate.notes) == 1 + (
            certificate is folds.certificate_
        )
