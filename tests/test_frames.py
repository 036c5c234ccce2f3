"""Frames whose rows or columns are named so that a mistake shows are rejected."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

from tandemvote import (
    CertifiedClassifier,
    CertifiedForestClassifier,
    certify,
    certify_oob,
    certify_selective,
)
from tandemvote.frames import check_one_row_per_case


@pytest.fixture
def visits():
    """Six visits of each of 100 patients; who is sick is a coin flip."""
    rng = np.random.default_rng(0)
    patient = rng.permutation(np.repeat(np.arange(100), 6))
    sick = rng.integers(2, size=100)[patient]
    measured = rng.normal(size=(100, 3))[patient] + 0.1 * rng.normal(size=(600, 3))
    return pd.DataFrame(measured, columns=list("abc")).assign(patient_id=patient), pd.Series(sick)


@pytest.mark.parametrize(
    "name", ["patient_id", "ID", "userId", "Patient", "subject no", "customer.id", "case_number"]
)
def test_a_column_that_names_cases_with_several_rows_is_refused(name, visits):
    X, y = visits
    with pytest.raises(ValueError, match=f"{name}.* has 100 values in two rows or more, 100 of"):
        check_one_row_per_case(X.rename(columns={"patient_id": name}), y)


@pytest.mark.parametrize("name", ["width", "valid", "fluid", "age", "identity score"])
def test_columns_called_otherwise_are_features(name, visits):
    X, y = visits
    check_one_row_per_case(X.rename(columns={"patient_id": name}), y)


def test_every_way_in_refuses_them_and_an_index_of_cases(visits):
    X, y = visits
    forest = RandomForestClassifier(20, random_state=0)
    for frame, labels in ((X, y), (X.set_index("patient_id"), y.to_numpy())):
        for way in (
            CertifiedClassifier(forest).fit,
            CertifiedForestClassifier(20).fit,
            lambda X, y: certify_oob(forest.fit(X, y), X, y),
            lambda X, y: certify(forest.fit(X[:300], y[:300]), X[300:], y[300:]),
            lambda X, y: certify_selective(
                forest.fit(X[:300], y[:300]), X[300:], y[300:], max_error=0.1
            ),
        ):
            with pytest.raises(ValueError, match=r"Keep one row of each|Pass it as groups"):
                way(frame, labels)


def test_rows_drawn_again_by_pandas_show_by_their_index():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.integers(3, size=(400, 6)))
    y = pd.Series((rng.random(400) < 0.3).astype(int))
    rare = y[y == 1].sample(160, replace=True, random_state=0).index
    rows = [*y.index, *rare]
    with pytest.raises(ValueError, match=r"The index has .* rows with the same value"):
        check_one_row_per_case(X.loc[rows], y.loc[rows])


@pytest.mark.parametrize("seed", range(20))
def test_cases_whose_rows_have_labels_of_their_own_are_accepted(seed):
    rng = np.random.default_rng(seed)
    shop = pd.DataFrame({"shop_id": rng.integers(50, size=1000)})
    for rate in (0.5, 0.02):
        check_one_row_per_case(shop, (rng.random(1000) < rate).astype(int))
    by_shop = rng.random(50)[shop["shop_id"]]
    check_one_row_per_case(shop, (rng.random(1000) < by_shop).astype(int))
    joined = pd.concat([shop[:500].reset_index(drop=True), shop[500:].reset_index(drop=True)])
    check_one_row_per_case(joined, rng.integers(2, size=1000))


def test_an_index_of_times_is_noted():
    rng = np.random.default_rng(0)
    X, y = pd.DataFrame(rng.normal(size=(200, 3))), rng.integers(2, size=200)
    forest = RandomForestClassifier(10, random_state=0)
    for index, noted in ((pd.date_range("2020", periods=200), True), (np.arange(200), False)):
        timed = X.set_index(index)
        committee = CertifiedClassifier(forest, random_state=0).fit(timed, y).certificate_
        for certificate in (committee, certify_oob(forest.fit(timed, y), timed, y)):
            codes = [each.code for each in certificate.findings]
            assert codes == (["time_index"] if noted else [])
