"""Kullback-Leibler divergences: between biases of two coins, and between weights and prior."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import kl_div

from tandemvote.inequalities.outward import FloatArray


def binary_kl(p: ArrayLike, q: ArrayLike) -> Any:
    r"""Divergence kl(p‖q) of a coin with bias p from a coin with bias q.

    .. math:: kl(p‖q) = p \ln\frac{p}{q} + (1 - p) \ln\frac{1 - p}{1 - q}

    Written with d = q - p it is p f(d / p) + (1 - p) f(-d / (1 - p)) for f(x) = x - ln(1 + x), a
    sum of two non-negative terms, so nothing cancels when p and q nearly agree.

    Parameters
    ----------
    p, q : array_like of float in [0, 1]
        Broadcast against each other.

    Returns
    -------
    float or ndarray
        Infinite where q is 0 or 1 and p is not.

    Examples
    --------
    >>> float(round(binary_kl(0.1, 0.3), 6))
    0.116322
    >>> binary_kl(0.0, [0.0, 0.5, 1.0]).round(4).tolist()
    [0.0, 0.6931, inf]
    """
    p, q = np.broadcast_arrays(np.asarray(p, float), np.asarray(q, float))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        difference = q - p
        first = p * excess_over_log(difference / p, q / p)
        second = (1 - p) * excess_over_log(-difference / (1 - p), (1 - q) / (1 - p))
        divergence = np.where(p > 0, first, difference) + np.where(p < 1, second, -difference)
    divergence = np.where((q == 0) & (p > 0) | (q == 1) & (p < 1), np.inf, divergence)
    return np.where(p == q, 0.0, divergence)[()]


def excess_over_log(x: FloatArray, one_plus_x: FloatArray) -> FloatArray:
    """Return x - ln(1 + x) >= 0 without cancellation near 0.

    With r = x / (2 + x), ln(1 + x) = 2 artanh(r) and x - 2 r = x r, so near 0 the excess is
    x r - 2 (r^3 / 3 + r^5 / 5 + ...), whose leading term dominates. Elsewhere the logarithm is
    that of `one_plus_x`, which the caller can give to full precision where it is tiny.

    Examples
    --------
    >>> x = np.array([2.0**-40, 1.0])
    >>> excess_over_log(x, 1 + x) / [2.0**-81, 1 - np.log(2)]
    array([1., 1.])
    """
    small = np.where(np.abs(x) < 1 / 16, x, 0.0)
    r = small / (2.0 + small)
    square = r * r
    tail = 1 / 3 + square * (1 / 5 + square * (1 / 7 + square * (1 / 9 + square / 11)))
    return np.where(small == x, small * r - 2.0 * r * square * tail, x - np.log(one_plus_x))


def kl_divergence(posterior: ArrayLike, prior: ArrayLike) -> float:
    r"""Divergence KL(rho‖pi) of the vote's weights from the prior.

    .. math:: KL(\rho‖\pi) = \sum_h \rho_h \ln\frac{\rho_h}{\pi_h}, \quad 0 \ln 0 = 0

    Raises
    ------
    ValueError
        If a voter has weight but no prior: the divergence is infinite and no bound exists.

    Examples
    --------
    >>> kl_divergence([0.5, 0.5, 0.0, 0.0], [0.25] * 4)  # ln 2
    0.6931471805599453
    >>> kl_divergence([0.25] * 4, [0.25] * 4)
    0.0
    """
    posterior, prior = np.asarray(posterior, float), np.asarray(prior, float)
    without_prior = np.flatnonzero((posterior > 0) & (prior == 0))
    if without_prior.size:
        voter = without_prior[0]
        raise ValueError(
            f"Voter {voter} has weight {posterior[voter]:.3g} but prior 0, so KL(posterior‖prior)"
            " is infinite and no bound exists. Give the voter a positive prior or weight 0."
        )
    # Terms of kl_div are rho ln(rho/pi) - rho + pi >= 0 up to rounding; what is added sums to 0.
    return max(float(kl_div(posterior, prior).sum()), 0.0)
