"""Limits of metrics, against all outcomes of small tests and against sums in many digits."""

from functools import cache
from typing import get_args

import mpmath
import numpy as np
import pytest
from scipy.stats import multinomial
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    f1_score,
    precision_score,
    recall_score,
)

from tandemvote.metrics.limits import metric_limits
from tandemvote.metrics.metric import METRICS, MetricName, Outcomes, get_metric


def exact_upper(k, n, delta):
    """Return the rate at which k or fewer of n have probability delta, in 40 digits."""
    if k == n:
        return mpmath.mpf(1)
    with mpmath.workdps(40):
        low, high = mpmath.mpf(0), mpmath.mpf(1)
        for _ in range(120):
            p = (low + high) / 2
            terms = (mpmath.binomial(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1))
            low, high = (p, high) if mpmath.fsum(terms) > delta else (low, p)
        return high


@pytest.mark.parametrize("k", [0, 3, 12, 20])
@pytest.mark.parametrize("sides", [1, 2])
def test_the_limit_of_f1_is_that_of_its_share_in_many_digits(k, sides):
    worst, best = metric_limits(METRICS["f1"], [(k, 20)], 0.1, both=sides == 2)
    rate = exact_upper(k, 20, mpmath.mpf("0.1") / sides)
    truth = 2 * (1 - rate) / (2 - rate)
    assert 0 <= truth - worst < 1e-9
    if sides == 2:
        rate = 1 - exact_upper(20 - k, 20, mpmath.mpf("0.05"))
        assert 0 <= best - 2 * (1 - rate) / (2 - rate) < 1e-9
    else:
        assert best == 1.0


def outcomes(n):
    """Return all (TP, FP, FN, TN) that sum to n."""
    grid = np.indices((n + 1,) * 3).reshape(3, -1).T
    grid = grid[grid.sum(axis=1) <= n]
    return np.column_stack([grid, n - grid.sum(axis=1)])


TESTS = {  # errors and samples, from true and false positives and negatives
    "recall": lambda tp, fp, fn, tn: [(fn, tp + fn)],
    "precision": lambda tp, fp, fn, tn: [(fp, tp + fp)],
    "specificity": lambda tp, fp, fn, tn: [(fp, fp + tn)],
    "f1": lambda tp, fp, fn, tn: [(fp + fn, tp + fp + fn)],
    "balanced_accuracy": lambda tp, fp, fn, tn: [(fp, fp + tn), (fn, tp + fn)],
    "cost": lambda tp, fp, fn, tn: [(fp + fn, tp + fp + fn + tn), (fn, tp + fp + fn + tn)],
}
LEVELS = {"cost": (0.0, 1.0, 5.0)}


def truth(metric, world):
    return METRICS[metric].value(TESTS[metric](*world), LEVELS.get(metric, ()))


@cache
def limits(metric, tests, delta, sides):
    costs = LEVELS.get(metric, ())
    return metric_limits(METRICS[metric], tests, delta, costs=costs, both=sides == 2)


def failures(metric, world, delta, *, sides=1, n=12):
    """Return the exact probability that a limit is on the wrong side of the truth."""
    table, true = outcomes(n), truth(metric, world)
    chances = multinomial.pmf(table, n, world)
    wrong, sign = [], 1 if METRICS[metric].direction == "at most" else -1
    for row in table.tolist():
        worst, best = limits(metric, tuple(TESTS[metric](*row)), delta, sides)
        wrong.append(sign * true > sign * worst + 1e-12 or sign * true < sign * best - 1e-12)
    return chances[wrong].sum()


WORLDS = [
    (0.25, 0.25, 0.25, 0.25),
    (0.7, 0.1, 0.1, 0.1),
    (0.1, 0.05, 0.05, 0.8),
    (0.3, 0.4, 0.2, 0.1),
]


@pytest.mark.parametrize("metric", TESTS)
@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.long
def test_limits_fail_with_at_most_delta_over_all_outcomes(metric, sides):
    assert max(failures(metric, world, 0.2, sides=sides) for world in WORLDS) <= 0.2


@pytest.mark.parametrize("metric", ["recall", "precision", "specificity", "f1"])
def test_the_enumeration_finds_a_limit_of_three_times_delta(metric):
    assert max(failures(metric, world, 0.6) for world in WORLDS) > 0.2


@pytest.mark.long
def test_the_world_that_the_theory_quotes():
    """P(TP, FP, FN) = .10, .03, .04 and n = 500: F1 is 0.741, its mean limit 0.659."""
    draws = np.random.default_rng(0).multinomial(500, [0.10, 0.03, 0.04, 0.83], size=2000)
    actual = np.array(
        [limits("f1", tuple(TESTS["f1"](*row)), 0.05, 1)[0] for row in draws.tolist()]
    )
    assert actual.mean() == pytest.approx(0.659, abs=0.003)
    assert 0.02 < (actual > 0.2 / 0.27).mean() < 0.05


@pytest.fixture
def predicted():
    rng = np.random.default_rng(0)
    labels = rng.integers(4, size=300)
    return labels, np.where(rng.random(300) < 0.7, labels, rng.integers(4, size=300))


def test_counts_give_the_metrics_of_scikit_learn(predicted):
    labels, codes = predicted
    winners = np.eye(4, dtype=bool)[codes]
    scores = {"recall": recall_score, "precision": precision_score, "f1": f1_score}

    def value(metric, positive=None):
        return METRICS[metric].value(METRICS[metric].count(Outcomes(labels, winners), positive))

    for metric, score in scores.items():
        assert value(metric) == pytest.approx(score(labels, codes, average="macro"))
        each = score(labels, codes, average=None)
        assert [value(metric, c) for c in range(4)] == pytest.approx(each)
    assert value("accuracy") == pytest.approx(accuracy_score(labels, codes))
    assert value("error") == pytest.approx(1 - accuracy_score(labels, codes))
    assert value("balanced_accuracy") == pytest.approx(balanced_accuracy_score(labels, codes))
    assert value("specificity", 2) == pytest.approx(recall_score(labels != 2, codes != 2))


def test_counts_give_the_mean_cost(predicted):
    labels, codes = predicted
    costs = np.random.default_rng(1).integers(-3, 9, size=(4, 4)).astype(float)
    stated = tuple(costs.flat)
    counts = METRICS["cost"].count(Outcomes(labels, np.eye(4, dtype=bool)[codes], stated))
    value = METRICS["cost"].value(counts, stated)
    assert value == pytest.approx(costs[labels, codes].mean())


@pytest.mark.parametrize("metric", METRICS)
def test_counts_are_those_of_the_worst_choice_of_classes_that_can_win(metric, predicted):
    """The worst choice for class 1 is another class where it is true, and itself elsewhere."""
    labels, codes = predicted
    rng = np.random.default_rng(2)
    winners = np.eye(4, dtype=bool)[codes] | (rng.random((300, 4)) < 0.1)
    costs = rng.random((4, 4))
    stated, positive = (), 1 if METRICS[metric].about == "class" else None
    harm = 1.0 - np.eye(4)[labels] + (np.arange(4) == 1) * (labels[:, None] != 1)
    if metric == "cost":
        stated, harm = tuple(costs.flat), costs[labels]

    def value(able):
        counts = METRICS[metric].count(Outcomes(labels, able, stated), positive)
        return METRICS[metric].value(counts, stated)

    sign = 1 if METRICS[metric].direction == "at most" else -1
    limit = sign * value(winners)
    worst = np.where(winners, harm, -1).argmax(axis=1)
    assert sign * value(np.eye(4, dtype=bool)[worst]) == pytest.approx(limit)
    for _ in range(50):
        chosen = np.where(winners, rng.random((300, 4)), -1).argmax(axis=1)
        assert sign * value(np.eye(4, dtype=bool)[chosen]) <= limit + 1e-12


@pytest.mark.parametrize(
    ("metric", "reason"),
    [("roc_auc", "pairs of samples"), ("neg_log_loss", "unbounded"), ("calibration", "binned")],
)
def test_other_metrics_are_rejected_with_the_reason(metric, reason):
    with pytest.raises(ValueError, match=f"metric='{metric}' is not supported: .*{reason}"):
        get_metric(metric)
    with pytest.raises(ValueError, match=r"metric='kappa' is not supported\. Use one of 'error'"):
        get_metric("kappa")
    with pytest.raises(ValueError, match=r"metric=\['recall', 'f1'\] is not supported\. Use one"):
        get_metric(["recall", "f1"])


def test_type_checkers_know_every_metric():
    assert get_args(MetricName) == tuple(METRICS)
