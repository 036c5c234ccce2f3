"""The monitor's evidence, against sums over all starting times and all outcomes."""

import datetime
import itertools
import json
import math

import mpmath
import numpy as np
import pytest
from scipy.stats import binom
from sklearn.linear_model import LogisticRegression

from tandemvote import Monitor, Votes, certify, certify_selective
from tandemvote.monitoring.monitor import ABOVE, BELOW


def fed(monitor, errors):
    errors = np.asarray(errors, int)
    return monitor.update(np.zeros_like(errors), errors)


def evidence_by_definition(errors, u):
    """Return the mixture over starting times, term by term in 50 digits."""
    with mpmath.workdps(50):
        t, u = len(errors), mpmath.mpf(u)
        total = mpmath.mpf(1) / (t + 1)
        for s in range(1, t + 1):
            for r in ABOVE:
                q = u + (1 - u) * mpmath.mpf(r)
                factors = [q / u if e else (1 - q) / (1 - u) for e in errors[s - 1 :]]
                total += mpmath.fprod(factors) / (s * (s + 1)) / len(ABOVE)
        return float(total)


@pytest.mark.parametrize("u", [0.0001, 0.05, 0.97])
def test_evidence_is_the_mixture_over_starting_times(u):
    errors = np.random.default_rng(0).random(80) < 0.2
    assert fed(Monitor(u), errors).evidence == pytest.approx(evidence_by_definition(errors, u))


@pytest.mark.parametrize(("u", "goal"), [(0.05, False), (0.4, False), (0.3, True)])
def test_the_expected_evidence_over_all_outcomes_is_one_at_equality(u, goal):
    expected = 0.0
    for errors in itertools.product([0, 1], repeat=8):
        chance = u ** sum(errors) * (1 - u) ** (8 - sum(errors))
        expected += chance * fed(Monitor(u, goal=goal), errors).evidence
    assert expected == pytest.approx(1.0, abs=1e-10)


def test_the_goal_mode_compares_with_smaller_error_rates():
    errors, t = np.arange(50) % 25 == 0, 0.2
    rates = t * (1 - BELOW)
    expected = ((rates / t) ** 2 * ((1 - rates) / (1 - t)) ** 48).mean()
    assert fed(Monitor(t, goal=True), errors).evidence == pytest.approx(expected)


def alarm_rate(rate, draws, seed, *, bound=0.05, rows=1):
    rng = np.random.default_rng(seed)
    errors = np.repeat(rng.random((draws, 1000 // rows)) < rate, rows, axis=1)
    return sum(fed(Monitor(bound), each).alarm for each in errors)


def test_false_alarms_are_rarer_than_promised_and_a_broken_monitor_is_found():
    # 500 draws: more than `limit` alarms happen with probability 1e-6 if the promise holds, and a
    # promise that fails with probability 0.15 exceeds it with probability above 0.9.
    draws, delta = 500, 0.05
    limit = binom.isf(1e-6, draws, delta)
    assert binom.sf(limit, draws, 3 * delta) > 0.9
    assert alarm_rate(0.05, draws, 0) <= limit
    assert alarm_rate(0.05, draws, 0, rows=5) > limit  # rows that err together


def test_batches_and_saved_states_do_not_change_the_result():
    errors = np.random.default_rng(1).random(500) < 0.12
    whole, state = fed(Monitor(0.05), errors), Monitor(0.05).to_dict()
    for part in np.array_split(errors, 23):
        monitor = fed(Monitor.from_dict(json.loads(json.dumps(state))), part)
        state = monitor.to_dict()
    assert monitor.evidence == pytest.approx(whole.evidence)
    assert (monitor.alarm_at, monitor.n_errors) == (whole.alarm_at, whole.n_errors)


OUTCOMES = {(0,): 0.5, (1,): 0.1, (0, 1): 0.2, (0, 0, 1): 0.15, (1, 1): 0.05}
"""Groups of one to three rows with their probabilities. The expected mean error is 0.3."""


@pytest.mark.parametrize(
    ("u", "goal", "expected"),
    [(0.3, False, 1.0), (0.3, True, 1.0), (0.4, False, 0.97), (0.2, True, 0.95)],
)
def test_the_expected_evidence_over_all_groups_is_at_most_one(u, goal, expected):
    total = 0.0
    for groups in itertools.product(OUTCOMES.items(), repeat=3):
        monitor = Monitor(u, goal=goal)
        for name, (errors, _) in enumerate(groups):
            monitor.update([0] * len(errors), errors, groups=[name] * len(errors))
        total += math.prod(chance for _, chance in groups) * monitor.evidence
    assert total == pytest.approx(1.0, abs=1e-10) if expected == 1 else total < expected


def test_groups_that_err_as_one_count_like_single_samples():
    errors = np.random.default_rng(0).random(300) < 0.05
    monitor, expected = Monitor(0.05), fed(Monitor(0.05), errors)
    for name, error in enumerate(errors):
        monitor.update([0] * 3, [int(error)] * 3, groups=[name] * 3)
    assert monitor.evidence == pytest.approx(expected.evidence, rel=1e-12)
    assert (monitor.n_samples, monitor.n_errors) == (300, expected.n_errors)


def test_neither_the_order_of_rows_nor_of_groups_within_a_call_counts():
    rng = np.random.default_rng(0)
    groups, errors = rng.integers(80, size=400), (rng.random(400) < 0.2).astype(int)
    expected = Monitor(0.1).update_evidence(0 * errors, errors, groups=groups)
    order = rng.permutation(400)
    path = Monitor(0.1).update_evidence(0 * errors, errors[order], groups=groups[order])
    assert np.array_equal(path, expected)
    means = np.bincount(groups, errors) / np.bincount(groups)
    monitor = Monitor(0.1).update(0 * errors, errors, groups=groups)
    assert monitor.n_errors == pytest.approx(means.sum())


def world_of_sizes(rng, of_large, of_small, n=600):
    """Return the errors and groups of rows that arrive at random; 30% of the groups are large."""
    large = rng.random(n) < 0.3
    groups = rng.permutation(np.repeat(np.arange(n), np.where(large, 40, 1)))
    return (rng.random(groups.size) < np.where(large, of_large, of_small)[groups]) * 1, groups


@pytest.mark.parametrize("draws", [40, pytest.param(4000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("goal", [False, True])
def test_groups_of_unequal_size_neither_raise_false_alarms_nor_show_false_goals(goal, draws):
    rates = (0.01, 0.2) if goal else (0.2, 0.01)
    u, limit = 0.3 * rates[0] + 0.7 * rates[1], binom.isf(1e-4, draws, 0.05)
    false = dict.fromkeys(["complete", "first row", "in the order of first rows"], 0)
    for seed in range(draws):
        errors, groups = world_of_sizes(np.random.default_rng(seed), *rates)
        _, first = np.unique(groups, return_index=True)
        by_first_row = (np.bincount(groups, errors) / np.bincount(groups))[np.argsort(first)]
        monitors = dict(zip(false, (Monitor(u, goal=goal) for _ in false), strict=True))
        monitors["complete"].update(0 * errors, errors, groups=groups)
        fed(monitors["first row"], errors[np.sort(first)])
        monitors["in the order of first rows"]._evidence_of(by_first_row)
        for name, monitor in monitors.items():
            false[name] += monitor.alarm_at is not None
    assert false["complete"] <= limit
    assert min(false["first row"], false["in the order of first rows"]) > 0.9 * draws


@pytest.mark.parametrize("goal", [False, True])
def test_missing_labels_count_for_the_bound_and_against_the_goal(goal):
    rng = np.random.default_rng(0)
    errors = (rng.random(300) < 0.3).astype(int)
    whole = Monitor(0.2, goal=goal).update_evidence(0 * errors, errors)
    labels = np.full(300, None)
    previous = np.full(300, -np.inf)
    for known in np.array_split(rng.permutation(300), 6):
        labels[known] = 0
        monitor = Monitor(0.2, goal=goal)
        path = monitor.update_evidence(labels, errors)
        assert (path >= previous - 1e-9).all(), "labels that arrive cannot lower the evidence"
        assert monitor.n_unlabeled == (labels == None).sum()  # noqa: E711
        previous = path
    assert np.allclose(path, whole)
    empty = Monitor(0.2, goal=goal).update(np.full(30, np.nan), np.zeros(30, int))
    assert empty.n_errors == (30 if goal else 0)
    counted = "errors" if goal else "right"
    assert f"in 30 samples; labels missing: 30, counted as {counted}" in empty.summary


@pytest.mark.parametrize("draws", [200, pytest.param(4000, marks=pytest.mark.slow)])
def test_labels_that_arrive_late_raise_no_more_false_alarms(draws):
    limit = binom.isf(1e-4, draws, 0.05)
    rows, errors_first, labeled_rows = 0, 0, 0
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        wrong, order = (rng.random(1000) < 0.05).astype(int), rng.permutation(1000)
        # In the end all labels are there. Alarms of earlier calls stay: see the test above.
        rows += fed(Monitor(0.05), wrong).alarm
        delay = rng.integers(500, size=1000) * (1 - wrong)
        errors_first += fed(Monitor(0.05), wrong[np.argsort(np.arange(1000) + delay)]).alarm
        labeled_rows += seed >= 3500 and any(
            fed(Monitor(0.05), wrong[np.sort(order[:known])]).alarm for known in range(25, 1000, 25)
        )
    assert rows <= limit < errors_first
    assert draws < 4000 or labeled_rows > binom.isf(1e-4, 500, 0.05)


def test_a_growing_file_waits_for_the_last_group_and_keeps_its_path():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(100), rng.integers(1, 6, size=100))
    errors = (rng.random(groups.size) < 0.2).astype(int)
    whole = Monitor(0.1).update_evidence(0 * errors, errors, groups=groups, grows=True)
    assert whole.size == 99
    for n in range(0, groups.size, 7):
        monitor = Monitor(0.1)
        path = monitor.update_evidence(0 * errors[:n], errors[:n], groups=groups[:n], grows=True)
        assert np.array_equal(path, whole[: path.size])
        assert monitor.n_samples == max(np.unique(groups[:n]).size - 1, 0)
    with pytest.raises(ValueError, match=r"Group 'a' comes back in row 4\. .* must be adjacent"):
        Monitor(0.1).update_evidence([0] * 4, [0] * 4, groups=list("aaba"), grows=True)


def test_a_group_counts_once_over_all_batches_and_saved_states():
    days = [datetime.date(2026, 1, day) for day in (1, 2)]
    stamps = np.array(days, "datetime64[ns]")
    for first, second in (
        (days, days[1:]),
        (stamps, stamps[1:]),
        ([1, 2.0], [2]),
        (["a", "b"], ["b"]),
    ):
        state = json.dumps(Monitor(0.1).update([0, 0], [0, 1], groups=first).to_dict())
        with pytest.raises(ValueError, match="was passed before, and a group counts once"):
            Monitor.from_dict(json.loads(state)).update([0], [1], groups=second)
        monitor = Monitor.from_dict(json.loads(state)).update([0], [1], groups=["c"])
        assert (monitor.n_samples, monitor.n_errors) == (3, 2)
    assert '"a"' not in state, "names of groups do not belong into a saved state"


def test_groups_and_samples_cannot_be_mixed():
    with pytest.raises(ValueError, match=r"counts groups, .* cannot be mixed. Pass the group of"):
        Monitor(0.1).update([0], [0], groups=["a"]).update([0], [0])
    with pytest.raises(ValueError, match=r"counts samples, .* Certify with groups"):
        Monitor(0.1).update([0], [0]).update([0], [0], groups=["a"])
    with pytest.raises(ValueError, match=r"groups has shape \(2,\); expected \(1,\)"):
        Monitor(0.1).update([0], [0], groups=[1, 2])
    with pytest.raises(ValueError, match="1 of 1 groups are missing"):
        Monitor(0.1).update([0], [0], groups=[None])


def test_a_certificate_about_groups_is_monitored_by_groups():
    rng = np.random.default_rng(0)
    X, groups = rng.normal(size=(400, 2)), np.arange(200).repeat(2)
    y = (X[:, 0] + 0.2 * rng.normal(size=400) > 0).astype(int)
    model = LogisticRegression().fit(X[:200], y[:200])
    certificate = certify(model, X[200:], y[200:], groups=groups[200:])
    with pytest.raises(ValueError, match="This monitor counts groups"):
        Monitor(certificate).update(y, y)
    assert Monitor(certificate).update(y, y, groups=groups).n_samples == 200
    with pytest.raises(ValueError, match="This monitor counts samples"):
        Monitor(certify(model, X[200:], y[200:])).update(y, y, groups=groups)
    selective = certify_selective(model, X[200:], y[200:], max_error=0.2)
    for other in (selective, "0.05", certificate.by_group("class"), None):
        with pytest.raises(ValueError, match=f"A {type(other).__name__} cannot be monitored"):
            Monitor(other)
    with pytest.raises(ValueError, match="A Certificate of error cannot be monitored; expected"):
        Monitor(certificate.by_group("class")[0])


def test_an_alarm_stays_and_its_time_is_the_first():
    monitor = fed(Monitor(0.05), [1] * 20 + [0] * 2000)
    assert monitor.alarm
    assert monitor.alarm_at < 20
    assert monitor.evidence < monitor.threshold


def test_bounds_next_to_zero_and_one():
    assert fed(Monitor(1e-300), [0] * 3000 + [1]).alarm_at == 3001
    assert fed(Monitor(5e-324), [1]).alarm_at == 1
    assert not fed(Monitor(1 - 1e-16), [1] * 3000).alarm
    assert not fed(Monitor(0.1), []).alarm


def test_evidence_for_a_goal_far_below_the_error_rate_stays_a_number():
    monitor = fed(Monitor(0.05, goal=True), np.arange(60_000) % 5 == 0)
    assert "goal not shown yet for error rate 5%: evidence 0.00" in monitor.summary
    json.dumps(monitor.to_dict(), allow_nan=False)


def test_a_certificate_brings_its_bound_and_classes():
    y = np.array(["no", "yes"] * 50)
    certificate = certify(Votes.from_predictions([y], y))
    monitor = Monitor(certificate)
    assert monitor.bound == certificate.value
    with pytest.raises(ValueError, match="A Certificate of specificity cannot be monitored"):
        Monitor(certificate.for_metric("specificity", positive="no"))
    for labels, predictions in ((["maybe"], ["no"]), ([None], ["maybe"])):
        with pytest.raises(ValueError, match="'maybe' is not a class of the certificate: 'no', "):
            monitor.update(labels, predictions)
    with pytest.raises(ValueError, match="'0' is not a class of the certificate"):
        monitor.update([1, 0], [1, 0])


def test_a_model_that_is_never_right_raises_an_alarm():
    y = np.array(["a", "b", "c"] * 50)
    monitor = Monitor(certify(Votes.from_predictions([y], y)))
    assert monitor.update(["a"] * 40, ["b", "c"] * 20).alarm


def test_invalid_values_are_rejected():
    with pytest.raises(ValueError, match=r"y_true has shape \(2,\) and y_pred \(3,\)"):
        Monitor(0.1).update([0, 1], [0, 1, 1])
    with pytest.raises(ValueError, match="not of predict_proba"):
        Monitor(0.1).update([0, 1], [[0.1, 0.9], [0.5, 0.5]])
    with pytest.raises(ValueError, match=r"0\.25, which is not a label; probabilities"):
        Monitor(0.1).update([0, 1], [0.25, 0.9])
    for bound in (0, 1.0, 1.5, math.nan):
        with pytest.raises(ValueError, match="expected 0 < bound < 1"):
            Monitor(bound)
    with pytest.raises(ValueError, match="1 of 2 predictions are missing"):
        Monitor(0.1).update([0, 1], [0, None])
    with pytest.raises(ValueError, match=r"confidence='0\.95' is not valid; .* as a number"):
        Monitor(0.1, confidence="0.95")


@pytest.mark.parametrize(
    ("bound", "rates", "goal", "median"),
    [
        (0.05, {0.10: 1500}, False, 150),
        (0.05, {0.02: 2000, 0.10: 3000}, False, 2690),
        (0.05, {0.02: 1500}, True, 244),
    ],
)
@pytest.mark.long
def test_the_worlds_that_the_theory_quotes(bound, rates, goal, median):
    rng = np.random.default_rng(0)
    rate = np.repeat(list(rates), list(rates.values()))
    times = [
        fed(Monitor(bound, goal=goal), rng.random(rate.size) < rate).alarm_at or rate.size
        for _ in range(300)
    ]
    since = rates.get(0.02, 0) * (len(rates) > 1)
    assert np.median(times) - since == pytest.approx(median - since, rel=0.2)


@pytest.mark.parametrize(
    ("bound", "goal", "shown"),
    [
        (0.055, False, "5.5%"),
        (0.055, True, "5.5%"),
        (1 / 30, False, "3.333%"),
        (1 / 30, True, "3.334%"),
    ],
)
def test_the_summary_has_the_bound_in_percent_rounded_to_the_safe_side(bound, goal, shown):
    assert f"for error rate {shown}:" in Monitor(bound, goal=goal).summary
