r"""PAC-Bayes-Bennett: a mean from the observed mean and variance (Wu et al., 2021).

Bennett's inequality for a variable of range b and variance V is E exp(n (g (L - L^) - c V)) <= 1
with c = phi(g b) / b^2 and phi(t) = e^t - t - 1. The variance itself is bounded through the sample
variance V^ by Maurer and Pontil's E exp(n (t (V - V^) - t^2 n V / (2 (n - 1))) / b^2) <= 1. Both
hold for larger sets as well, since L^ and V^ are averages of the same statistics over subsets.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.inequalities.outward import INPUT_MARGIN, FloatArray
from tandemvote.inequalities.pac_bayes_kl import check_delta


def bennett_upper(
    *,
    mean: ArrayLike,
    variance: ArrayLike,
    n: float,
    width: ArrayLike,
    kl_divergence: float = 0.0,
    delta: float = 0.05,
) -> Any:
    r"""Upper bound on the true mean, for all weights at once, rounded up.

    .. math:: \min_g \hat m + \frac{\phi(g b)}{g b^2} V^{+} + \frac{KL + \ln(2 k / \delta)}{g n}

    over k values of g b fixed in advance, with V+ from `variance_upper` at delta / 2.

    Parameters
    ----------
    mean, variance : array_like of float
        Observed mean and sample variance (divided by n - 1), averaged over the posterior. A larger
        variance is safe.
    n : float
        Sample size; the smallest one where sets differ in size.
    width : array_like of float > 0
        Length b of the variable's range.
    kl_divergence : float >= 0
        KL(rho‖pi), twice that for pairs.
    delta : float in (0, 1)
        Failure probability.

    Returns
    -------
    float or ndarray
        Infinite for fewer than two points.

    Examples
    --------
    >>> float(bennett_upper(mean=0.1, variance=0.05, n=1000, width=1.0).round(4))
    0.1335
    """
    check_delta(delta)
    m, b = (np.asarray(a, float)[..., None] for a in (mean, width))
    if n < 2:
        return np.full(np.broadcast(m, b).shape[:-1], np.inf)[()]
    limit = variance_upper(variance, n, width=width, kl_divergence=kl_divergence, delta=delta / 2)
    rates = bennett_rates(n, delta=delta)
    nats = kl_divergence + np.log(2.0 * rates.size / delta)
    slope = (np.expm1(rates) - rates) / rates
    bounds = m + slope * np.asarray(limit)[..., None] / b + b * nats / (rates * n)
    return (bounds + INPUT_MARGIN * (np.abs(bounds) + b)).min(axis=-1)[()]


def variance_upper(
    variance: ArrayLike,
    n: float,
    *,
    width: ArrayLike = 1.0,
    kl_divergence: float = 0.0,
    delta: float = 0.05,
) -> Any:
    r"""Upper bound on the true variance, for all weights at once, rounded up.

    .. math:: \min_t \frac{\hat V + b^2 (KL + \ln(k / \delta)) / (t n)}{1 - t n / (2 (n - 1))}

    over k values of t fixed in advance; at most b^2 / 4, which is true of any variable.

    Examples
    --------
    >>> float(variance_upper(0.05, 1000).round(4))
    0.0782
    """
    check_delta(delta)
    v, b = (np.asarray(a, float)[..., None] for a in (variance, width))
    rates = bennett_rates(n, delta=delta)
    rates = rates[rates <= 1.0]
    nats = kl_divergence + np.log(rates.size / delta)
    correction = 1.0 - rates * n / (2.0 * (n - 1.0))
    usable = correction > 0
    bounds = np.where(
        usable, (v + b**2 * nats / (rates * n)) / np.where(usable, correction, 1.0), np.inf
    )
    return (np.minimum(bounds.min(axis=-1), b[..., 0] ** 2 / 4) * (1.0 + INPUT_MARGIN))[()]


def bennett_rates(n: float, *, delta: float) -> FloatArray:
    """Values of g b, and of t, to fix in advance: 4 and its halves, down to full variance's best.

    Examples
    --------
    >>> bennett_rates(100, delta=0.05).tolist()
    [4.0, 2.0, 1.0, 0.5, 0.25, 0.125]
    """
    smallest = np.sqrt(2.0 * np.log(1.0 / delta) / n)
    n_halvings = max(int(np.ceil(np.log2(4.0 / smallest))), 2)
    return np.asarray(4.0 * 0.5 ** np.arange(n_halvings + 1.0))
