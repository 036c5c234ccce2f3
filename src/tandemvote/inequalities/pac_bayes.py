"""PAC-Bayes: from an observed average loss to the true one (Theorems 7 and 8 of the paper)."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaincc, gammaln

from tandemvote.inequalities.divergences import check_rate, kl_inverses
from tandemvote.inequalities.outward import ARITHMETIC_MARGIN, INPUT_MARGIN

Moment = Callable[[ArrayLike], Any]  # bound on E[exp(n kl(L^‖L))] as a function of n

STIRLING_SERIES = (1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12)


class Interval(NamedTuple):
    """Confidence limits of a true rate, which hold together.

    Examples
    --------
    >>> lower, upper = pac_bayes_kl(0.0, 100)
    >>> float(lower), round(float(upper), 4)
    (0.0, 0.0582)
    """

    lower: Any
    upper: Any


def xi(n: ArrayLike) -> Any:
    r"""Exact moment of n >= 1 samples.

    .. math::
        \xi(n) = \sum_{k=0}^n \binom{n}{k} (k/n)^k (1 - k/n)^{n - k}
               = e^n n^{-n} \Gamma(n + 1, n) = \sqrt{\pi n / 2} + 2/3 + O(1 / \sqrt{n})

    The incomplete gamma function gives it in constant time and for real n.

    Parameters
    ----------
    n : array_like of float >= 1
        Number of samples.

    Returns
    -------
    ndarray or float
        The moment, in the shape of `n`.

    Examples
    --------
    >>> xi([1, 2, 3]).round(12).tolist()  # 2, 5/2, 26/9
    [2.0, 2.5, 2.888888888889]
    """
    n = np.asarray(n, float)
    # The prefactor by Stirling's series where logarithms are large, else directly.
    large = np.maximum(n, 16.0)
    correction = np.polyval(STIRLING_SERIES, large**-2) / large
    stirling = np.sqrt(2 * np.pi * large) * np.exp(correction)
    small = np.minimum(n, 16.0)
    direct = np.exp(small - small * np.log(small) + gammaln(small + 1))
    return (np.where(n >= 16, stirling, direct) * gammaincc(n + 1, n))[()]


def two_sqrt(n: ArrayLike) -> Any:
    r"""Maurer's upper bound :math:`\xi(n) \le 2 \sqrt{n}`, the form printed in the paper.

    Parameters
    ----------
    n : array_like of float >= 1
        Number of samples.

    Returns
    -------
    ndarray or float
        The moment, in the shape of `n`.

    Examples
    --------
    >>> float(two_sqrt(4))
    4.0
    """
    return 2.0 * np.sqrt(np.asarray(n, float))


def trinomial_moment(n: ArrayLike) -> Any:
    r"""Upper bound :math:`\xi(n) + n` on the same moment for the divergence of three outcomes."""
    return xi(n) + np.asarray(n, float)


def complexity(
    n: ArrayLike, *, kl_divergence: ArrayLike = 0.0, delta: float = 0.05, moment: Moment = two_sqrt
) -> Any:
    """Allowed divergence per sample, (KL + ln(moment / delta)) / n, rounded up; inf if n = 0."""
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
    r"""Interval for the true average loss, given the observed one (Theorem 7).

    With probability at least 1 - delta, for all weights rho at once, the true average loss L has

    .. math:: kl(\hat L‖L) \le \frac{KL(\rho‖\pi) + \ln(2 \sqrt{n} / \delta)}{n}

    so it lies between the two inverses of kl, which hold together.

    Parameters
    ----------
    loss : array_like of float in [0, 1]
        Observed loss averaged over the posterior; taken as known to a relative 3.6e-12.
    n : array_like of float, 0 or at least 1
        Sample size; the smallest one where voters have different sizes.
    kl_divergence : array_like of float >= 0
        KL(rho‖pi), twice that for pairs of voters.
    delta : float in (0, 1), default=0.05
        Failure probability.
    moment : callable
        Moment inside the logarithm: `two_sqrt` as in the paper, or `xi`, which is exact.

    Returns
    -------
    Interval
        Lower and upper confidence limit, which hold together.

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
    low, high = loss * (1.0 - INPUT_MARGIN), np.minimum(loss * (1.0 + INPUT_MARGIN), 1.0)
    return Interval(*kl_inverses(low, high, allowed))


def pac_bayes_lambda(
    loss: ArrayLike,
    n: ArrayLike,
    *,
    lam: ArrayLike | None = None,
    gamma: ArrayLike | None = None,
    kl_divergence: ArrayLike = 0.0,
    delta: float = 0.05,
) -> Interval:
    r"""Smooth relaxation of `pac_bayes_kl`, used to choose weights (Theorem 8).

    .. math::
        L \le \frac{\hat L}{1 - \lambda/2} + \frac{k}{\lambda (1 - \lambda/2)}, \qquad
        L \ge (1 - \gamma/2) \hat L - \frac{k}{\gamma}, \qquad
        k = \frac{KL + \ln(2 \sqrt{n} / \delta)}{n}

    hold for all lambda in (0, 2) and gamma > 0 at once. At `best_lambda` and `best_gamma` the
    bounds are L^ + k + sqrt(k^2 + 2 L^ k), which may exceed 1, and L^ - sqrt(2 L^ k).

    Parameters
    ----------
    loss : array_like of float in [0, 1]
        Observed loss averaged over the posterior.
    n : array_like of float, 0 or at least 1
        Sample size; the smallest one where voters have different sizes.
    lam : array_like of float in (0, 2), optional
        Parameter of the upper bound, the best one by default.
    gamma : array_like of float > 0, optional
        Parameter of the lower bound, the best one by default.
    kl_divergence : array_like of float >= 0
        KL(rho‖pi), twice that for pairs of voters.
    delta : float in (0, 1), default=0.05
        Failure probability.

    Returns
    -------
    Interval
        Both limits; the lower one is at least 0.

    See Also
    --------
    best_lambda, best_gamma : The parameters that make both limits tight.
    tandemvote.bounds.tandem_lambda : Theorem 9, which is built on the upper limit.

    Examples
    --------
    >>> interval = pac_bayes_lambda(0.1, 1000)
    >>> round(float(interval.lower), 4), round(float(interval.upper), 4)
    (0.0622, 0.1456)
    >>> interval = pac_bayes_lambda(0.1, 1000, lam=0.5, gamma=0.5)
    >>> round(float(interval.lower), 4), round(float(interval.upper), 4)
    (0.0607, 0.1524)
    """
    loss, k = check_rate(loss), complexity(n, kl_divergence=kl_divergence, delta=delta)
    # From k = 1 on no lower limit is positive; a positive one has terms of at most twice the loss.
    lower = lambda_lower(loss, np.minimum(k, 1.0), gamma) - 2.0 * INPUT_MARGIN * loss
    upper = lambda_upper(loss, k, lam) * (1.0 + INPUT_MARGIN)
    return Interval(np.maximum(lower, 0.0)[()], upper[()])


def best_lambda(
    loss: ArrayLike, n: ArrayLike, *, kl_divergence: ArrayLike = 0.0, delta: float = 0.05
) -> Any:
    r"""Lambda with the smallest upper bound of `pac_bayes_lambda`.

    .. math:: \lambda^* = 2 / \Big(\sqrt{2 \hat L / k + 1} + 1\Big), \qquad
        k = \frac{KL + \ln(2 \sqrt{n} / \delta)}{n}

    Parameters
    ----------
    loss : array_like of float in [0, 1]
        Observed loss averaged over the posterior.
    n : array_like of float, 0 or at least 1
        Sample size; the smallest one where voters have different sizes.
    kl_divergence : array_like of float >= 0
        KL(rho‖pi), twice that for pairs of voters.
    delta : float in (0, 1), default=0.05
        Failure probability; half of it for Theorem 10.

    Returns
    -------
    ndarray or float
        The best lambda, in (0, 1].

    Examples
    --------
    >>> round(float(best_lambda(0.1, 1000)), 4)
    0.3132
    """
    k = complexity(n, kl_divergence=kl_divergence, delta=delta)
    return optimal_lambda(check_rate(loss), k)[()]


def best_gamma(
    loss: ArrayLike, n: ArrayLike, *, kl_divergence: ArrayLike = 0.0, delta: float = 0.05
) -> Any:
    r"""Gamma with the largest lower bound of `pac_bayes_lambda`.

    .. math:: \gamma^* = \sqrt{2 k / \hat L}, \qquad
        k = \frac{KL + \ln(2 \sqrt{n} / \delta)}{n}

    Parameters
    ----------
    loss : array_like of float in (0, 1]
        Observed loss or disagreement averaged over the posterior.
    n : array_like of float, 0 or at least 1
        Sample size; the smallest one where voters have different sizes.
    kl_divergence : array_like of float >= 0
        KL(rho‖pi), twice that for pairs of voters.
    delta : float in (0, 1), default=0.05
        Failure probability; half of it for Theorem 10.

    Returns
    -------
    ndarray or float
        The best gamma. It is infinite for a loss of 0, where every lower bound is negative.

    Examples
    --------
    >>> round(float(best_gamma(0.1, 1000)), 4)
    0.378
    """
    k = complexity(n, kl_divergence=kl_divergence, delta=delta)
    with np.errstate(divide="ignore"):
        return optimal_gamma(check_rate(loss), k)[()]


def optimal_lambda(loss: Any, k: Any) -> Any:
    """Lambda in (0, 1] at which `lambda_upper` is smallest."""
    return 2.0 / (np.sqrt(2.0 * loss / k + 1.0) + 1.0)


def optimal_gamma(loss: Any, k: Any) -> Any:
    """Gamma at which `lambda_lower` is largest."""
    return np.sqrt(2.0 * k / loss)


def lambda_upper(loss: Any, k: Any, lam: ArrayLike | None = None) -> Any:
    """Evaluate loss / (1 - lam / 2) + k / (lam (1 - lam / 2)), by default at the best lambda."""
    if lam is None:
        return loss + k + np.sqrt(k * (k + 2.0 * loss))
    chosen = check_lambda(lam)
    return (loss + k / chosen) / (1.0 - chosen / 2.0)


def lambda_lower(loss: Any, k: Any, gamma: ArrayLike | None = None) -> Any:
    """Evaluate (1 - gamma / 2) loss - k / gamma, by default at the best gamma."""
    if gamma is None:
        return loss - np.sqrt(2.0 * loss * k)
    chosen = check_gamma(gamma)
    return (1.0 - chosen / 2.0) * loss - k / chosen


def check_lambda(lam: ArrayLike) -> Any:
    """Return lambda as a number or array; raise ValueError if it lies outside (0, 2)."""
    return _between_0_and(2.0, lam, f"lam={lam!r}", "a number strictly between 0 and 2")


def check_gamma(gamma: ArrayLike) -> Any:
    """Return gamma as a number or array; raise ValueError if it is not positive and finite."""
    return _between_0_and(np.inf, gamma, f"gamma={gamma!r}", "a positive number")


def _between_0_and(end: float, given: ArrayLike, what: str, expected: str) -> Any:
    values = np.asarray(given, float)
    if not ((values > 0.0) & (values < end)).all():
        raise ValueError(f"{what} is not valid; expected {expected}. Pass None for the best one.")
    return values[()]


def check_delta(delta: float) -> None:
    """Raise ValueError if a failure probability lies outside (0, 1)."""
    if not isinstance(delta, Real) or not 0.0 < delta < 1.0:
        raise ValueError(
            f"delta={delta!r} is not valid; expected a failure probability between 0 and 1,"
            " such as 0.05 for a confidence of 95%."
        )
