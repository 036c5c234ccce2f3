"""The latest rows test the models: the split, what it is checked for, and that the number holds."""

import datetime

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from tandemvote import CertifiedClassifier, certify
from tandemvote.certificate import Certificate
from tandemvote.models.groups_and_times import time_ranks
from tandemvote.models.splitting import latest_test_rows
from tandemvote.record.assumptions import LATEST, ONE_ROW_PER_GROUP

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
Y = np.where(X[:, 0] + RNG.normal(size=200) > 0, "yes", "no")
TIMES = RNG.permutation(200)


class Rows(DecisionTreeClassifier):
    """A tree that keeps the rows it was trained on."""

    def fit(self, X, y):
        self.rows_ = np.asarray(X)[:, 0]
        return super().fit(X, y)


def fitted(order, **parameters):
    groups = parameters.pop("groups", None)
    model = CertifiedClassifier(Rows(max_features=1, max_depth=3), random_state=0, **parameters)
    return model.fit(X, Y, groups=groups, order=order)


def test_the_latest_rows_test_and_earlier_ones_train():
    model = fitted(TIMES)
    assert sorted(TIMES[model.test_indices_]) == list(range(160, 200))
    for member in model.estimators_:
        assert set(member.rows_) == set(X[TIMES < 160, 0])
    assert set(model.referee_.rows_) == set(X[:, 0])


@pytest.mark.parametrize("part", ["counts", "evidence"])
def test_counts_of_the_latest_rows_are_about_rows_like_the_latest(part):
    certificate = fitted(TIMES).certificate_
    again = certify(getattr(certificate, part))
    assert again.latest == certificate.latest == "160"
    assert "the latest, from 160 on" in again.basis and LATEST in again.assumptions
    if part == "evidence":
        assert (again.ties, again.value) == ("referee", certificate.value)


@pytest.mark.parametrize(
    "order",
    [
        TIMES.tolist(),
        TIMES - 100.5,
        [str(each) for each in TIMES],
        np.datetime64("2024-01-01") + TIMES.astype("timedelta64[D]"),
        TIMES.astype("timedelta64[h]"),
        [datetime.date(2023, 12, 1) + datetime.timedelta(int(each)) for each in TIMES],
        [datetime.datetime(2023, 12, 1) + datetime.timedelta(int(each)) for each in TIMES],
        pd.Series(pd.Timestamp("2024-01-01") + pd.to_timedelta(TIMES, "D")),
        pd.Series(pd.Timestamp("2024-01-01", tz="Europe/Riga") + pd.to_timedelta(TIMES, "D")),
        [str(np.datetime64("2023-12-01") + each) for each in TIMES.tolist()],
        [f"2024-03-01 {each // 60:02}:{each % 60:02}" for each in TIMES],
    ],
)
def test_times_may_be_written_in_many_ways(order):
    assert fitted(order).test_indices_.tolist() == fitted(TIMES).test_indices_.tolist()


def test_equal_times_are_not_split():
    """20% of 200 rows are 40; days of 25 rows give 25."""
    days = TIMES // 25
    model = fitted(days)
    assert (days[model.test_indices_] == 7).all() and model.test_indices_.size == 25
    assert {len(member.rows_) for member in model.estimators_} == {175}
    assert "the latest, from 7 on" in repr(model.certificate_)


def by_hand(times, groups, n_test):
    """The same split, by loops."""
    starts = {each: times[groups == each].min() for each in groups}
    cut = sorted(starts.values())[-n_test]
    while sum(start >= cut for start in starts.values()) > n_test:
        cut += 1
    test_groups = {each for each, start in starts.items() if start >= cut}
    first = min(starts[each] for each in test_groups)
    training = [row for row in range(len(groups)) if times[row] < first]
    return first, test_groups, training


@pytest.mark.parametrize("seed", range(20))
def test_groups_are_as_late_as_their_first_row(seed):
    rng = np.random.default_rng(seed)
    groups = rng.integers(30, size=200)
    groups = np.unique(groups, return_inverse=True)[1]
    times = np.unique(rng.integers(15, 25) * groups // 10 + rng.integers(40, size=200) // 3)
    times = np.unique(rng.choice(times, 200) + groups, return_inverse=True)[1]
    cut, test_groups, training = by_hand(times, groups, 6)
    test, train, found = latest_test_rows(times, [times], groups, 6, np.random.RandomState(seed))
    assert found == cut and train.tolist() == training
    assert sorted(groups[test]) == sorted(test_groups)
    assert not set(groups[train]) & test_groups
    assert times[test].min() >= cut > times[train].max()


def test_later_rows_of_earlier_groups_train_the_referee_only():
    groups = TIMES % 170 // 2  # the rows from time 170 on are of the first 15 groups
    model = fitted(TIMES, groups=groups)
    assert {len(member.rows_) for member in model.estimators_} == {136}
    assert sorted(groups[model.test_indices_]) == list(range(68, 85))
    assert TIMES[model.test_indices_].max() < 170
    assert set(model.referee_.rows_) == set(X[:, 0])
    certificate = model.certificate_
    assert certificate.assumptions[:2] == (ONE_ROW_PER_GROUP, LATEST)
    assert "a random row of a random new group like the latest" in certificate.guarantee


def test_the_certificate_is_about_rows_like_the_latest(tmp_path):
    days = np.datetime64("2024-01-01") + TIMES.astype("timedelta64[D]")
    certificate = fitted(days).certificate_
    assert certificate.latest == "2024-06-09"
    assert "a test set of 40 samples, the latest, from 2024-06-09 on;" in repr(certificate)
    assert "on new data like the latest is at most" in certificate.guarantee
    assert certificate.assumptions[0] == LATEST
    loaded = Certificate.load(certificate.save(tmp_path / "certificate.json"))
    assert loaded.latest == certificate.latest and loaded.assumptions == certificate.assumptions
    assert all(each.latest for each in certificate.by_group("class"))
    text = (tmp_path / "certificate.json").read_text()
    assert fitted(None).certificate_.latest is None
    assert '"latest": "2024-06-09"' in text


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (TIMES[:199], r"order has shape \(199,\) and y has 200 samples. One time, date or number"),
        ("date", r"order has shape \(4,\) and y has 200"),
        (TIMES[:, None], r"order has shape \(200, 1\)"),
        (np.where(TIMES == 3, np.nan, TIMES), "1 of 200 values of order are missing"),
        ([None, *TIMES[1:]], "1 of 200 values of order are missing, the first at 0"),
        (pd.Series(pd.NaT, index=range(200)), "200 of 200 values of order are missing"),
        (["2024-01-01", ""] * 100, "order has values such as '2024-01-01', which"),
        (["nan"] * 200, "200 of 200 values of order are missing"),
        (["03/04/2024"] * 200, "order has values such as '03/04/2024', .*pandas.to_datetime"),
        (["2 March 2024", "1 April 2024"] * 100, "which do not sort by time"),
        (["2024-01-01T00:00+02:00"] * 200, "which do not sort by time"),
        (["today"] * 200, "which do not sort by time"),
        ([1, "2"] * 100, "which do not sort by time"),
        (TIMES > 10, "order has values such as False|True, which do not sort by time"),
        (
            np.where(TIMES < 150, TIMES, 150),
            "order has its latest value in 50 samples, and test_si",
        ),
        (np.zeros(200), "order has its latest value in 200 samples"),
    ],
)
def test_bad_orders_are_rejected(order, message):
    with pytest.raises(ValueError, match=message):
        fitted(order)


def test_an_order_with_another_index_is_rejected():
    frame = pd.Series(Y), pd.Series(TIMES).sample(frac=1, random_state=0)
    with pytest.raises(ValueError, match="order has the index of the samples in another order"):
        time_ranks(frame[1], frame[0])


def test_findings_about_the_order_are_settled_by_it():
    frame = pd.DataFrame(X, columns=list("abc")).assign(hour=0.7 * np.arange(200))
    plain = CertifiedClassifier(LogisticRegression(), random_state=0).fit(frame, Y).certificate_
    assert "pass order=COLUMN when fitting a committee" in repr(plain)
    model = CertifiedClassifier(LogisticRegression(), random_state=0)
    assert model.fit(frame, Y, order=frame["hour"]).certificate_.findings == ()


def drifting(n, rng, *, late):
    """Storms: the class depends on pressure; of later storms, 20% are classified otherwise."""
    X = rng.normal(size=(n, 2))
    time = rng.random(n) if late is None else np.full(n, float(late))
    y = (X[:, 0] > 0) ^ (rng.random(n) < np.where(time > 0.8, 0.2, 0.05))
    return X, y.astype(int), time


def test_the_bound_of_the_latest_rows_holds_where_that_of_a_random_split_does_not():
    rng = np.random.default_rng(1)
    X, y, time = drifting(4000, rng, late=None)
    new, truth, _ = drifting(40000, rng, late=1)
    model = CertifiedClassifier(LogisticRegression(), random_state=0)
    shuffled = model.fit(X, y).certificate_.value
    by_time = model.fit(X, y, order=time)
    error = (by_time.predict(new) != truth).mean()
    assert 0.19 < error < 0.21
    assert shuffled < 0.13 < error < by_time.certificate_.value < 0.25


@pytest.mark.slow
def test_the_bound_of_the_latest_rows_fails_in_at_most_five_percent_of_worlds():
    assert binom.sf(22, 200, 0.05) < 2e-4 and binom.sf(22, 200, 0.15) > 0.93  # size and power
    rng = np.random.default_rng(2)
    new, truth, _ = drifting(100_000, rng, late=1)
    failures = 0
    for seed in range(200):
        X, y, time = drifting(600, rng, late=None)
        model = CertifiedClassifier(LogisticRegression(), n_tested=2, random_state=seed)
        model.fit(X, y, order=time)
        failures += (model.predict(new) != truth).mean() > model.certificate_.value
    assert failures <= 22
