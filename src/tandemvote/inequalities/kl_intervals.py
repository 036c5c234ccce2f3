"""PAC-Bayes-kl: from an observed average loss to the true one (Theorem 7 of the paper)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.inequalities.kl_inverse import check_rate, kl_lower_inverse, kl_upper_inverse
from tandemvote.inequalities.moments import Moment, two_sqrt
from tandemvote.inequalities.outward import ARITHMETIC_MARGIN, INPUT_MARGIN


class Interval(NamedTuple):
    """Both ends of a confidence statement; they hold together."""

    lower: Any
    upper: Any


def complexity(
    n: ArrayLike,
    *,
    kl_divergence: ArrayLike = 0.0,
    delta: float = 0.05,
    moment: Moment = two_sqrt,
) -> Any:
    r"""Allowed divergence per point, rounded up.

    .. math:: \frac{KL + \ln(2 \sqrt{n} / \delta)}{n}

    Parameters
    ----------
    n : array_like of float, 0 or at least 1
        Sample size; the smallest one where voters have different sizes. Without points every
        divergence is allowed, and the bounds built on this become trivial.
    kl_divergence : array_like of float >= 0
        KL(rho‖pi), twice that for pairs of voters.
    delta : float in (0, 1)
        Failure probability.
    moment : callable
        `two_sqrt` for the printed form, `xi` for the exact one.

    Examples
    --------
    >>> round(float(complexity(1000, delta=0.05)), 5)
    0.00714
    """
    n, kl_divergence = np.asarray(n, float), np.asarray(kl_divergence, float)
    check_delta(delta)
    if not ((n >= 1) | (n == 0)).all():
        raise ValueError(f"A sample size must be 0 or at least 1, got {n.min()}. Pass a count.")
    if not (kl_divergence >= 0).all():
        raise ValueError(f"A KL divergence must be at least 0, got {kl_divergence.min()}.")
    some = np.maximum(n, 1.0)
    nats = kl_divergence + np.log(moment(some)) - np.log(delta)
    return np.where(n > 0, nats * (1.0 + ARITHMETIC_MARGIN) / some, np.inf)[()]


def pac_bayes_kl(
    loss: ArrayLike,
    n: ArrayLike,
    *,
    kl_divergence: ArrayLike = 0.0,
    delta: float = 0.05,
    moment: Moment = two_sqrt,
) -> Interval:
    r"""Interval for the true average loss, given the observed one.

    With probability at least 1 - delta, for all weights rho at once, the true average loss L has

    .. math:: kl(\hat L‖L) \le \frac{KL(\rho‖\pi) + \ln(2 \sqrt{n} / \delta)}{n}

    so it lies between the two inverses of kl. Both ends hold at the same time.

    Parameters
    ----------
    loss : array_like of float in [0, 1]
        Observed loss averaged over the posterior; taken as known to a relative 3.6e-12.
    n, kl_divergence, delta, moment
        As in `complexity`.

    Examples
    --------
    >>> interval = pac_bayes_kl(0.1, 1000)
    >>> round(float(interval.lower), 4), round(float(interval.upper), 4)
    (0.068, 0.1396)
    """
    return kl_interval(loss, complexity(n, kl_divergence=kl_divergence, delta=delta, moment=moment))


def kl_interval(loss: ArrayLike, allowed: ArrayLike) -> Interval:
    """True rates within a divergence of the observed one, which is known to a relative 3.6e-12."""
    loss = check_rate(loss)
    return Interval(
        lower=kl_lower_inverse(loss * (1.0 - INPUT_MARGIN), allowed),
        upper=kl_upper_inverse(np.minimum(loss * (1.0 + INPUT_MARGIN), 1.0), allowed),
    )


def check_delta(delta: float) -> None:
    """Refuse a failure probability outside (0, 1).

    Examples
    --------
    >>> check_delta(1.5)
    Traceback (most recent call last):
        ...
    ValueError: delta is a failure probability and must lie strictly between 0 and 1, got 1.5. \
For a guarantee that holds with probability 95 % pass delta=0.05.
    """
    if not 0.0 < delta < 1.0:
        raise ValueError(
            "delta is a failure probability and must lie strictly between 0 and 1, got"
            f" {delta}. For a guarantee that holds with probability 95 % pass delta=0.05."
        )
