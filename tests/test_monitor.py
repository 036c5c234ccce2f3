"""The monitor's evidence, against sums over all starting times and all outcomes."""

import itertools
import json
import math

import mpmath
import numpy as np
import pytest
from scipy.stats import binom

from tandemvote import Monitor, Votes, certify
from tandemvote.monitor import ABOVE, BELOW


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


def test_the_first_row_of_each_group_counts_over_all_batches():
    errors = np.repeat(np.random.default_rng(0).random(200) < 0.05, 5).astype(int)
    groups = np.repeat(np.arange(200), 5)
    monitor, expected = Monitor(0.05), fed(Monitor(0.05), errors[::5])
    for part in np.array_split(np.arange(1000), 7):
        monitor.update(np.zeros(part.size, int), errors[part], groups=groups[part])
        monitor = Monitor.from_dict(json.loads(json.dumps(monitor.to_dict())))
    assert monitor.n_samples == 200
    assert monitor.evidence == pytest.approx(expected.evidence)
    with pytest.raises(ValueError, match=r"groups has shape \(2,\); expected \(1,\)"):
        monitor.update([0], [0], groups=[1, 2])


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
    with pytest.raises(ValueError, match="about specificity; a monitor requires that of the error"):
        Monitor(certificate.for_metric("specificity", positive="no"))
    with pytest.raises(ValueError, match="'maybe' is not among the labels 'no', 'yes'"):
        monitor.update(["maybe"], ["no"])
    with pytest.raises(ValueError, match="Labels and predictions mix"):
        monitor.update([1, 0], [1, 0])


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
    with pytest.raises(ValueError, match="are missing"):
        Monitor(0.1).update([0, None], [0, 1])


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


def test_the_summary_has_the_bound_in_percent():
    assert "no alarm for error rate 5.5%:" in Monitor(0.055).summary
