r"""PAC-Bayes unexpected Bernstein: a mean from the observed mean and mean square.

For a variable x <= b and 0 < g < 1/b let c = (-g b - ln(1 - g b)) / b^2. Then
exp(-g x - c x^2) <= 1 - g x wherever x <= b, because (-t - ln(1 - t)) / t^2 grows with t; hence
E exp(g (E x - x) - c x^2) <= exp(g E x) (1 - g E x) <= 1 (Mhammedi, Grünwald and Guedj, 2019). The
exponent is linear in the observed means, so the harmonic size and its divergence may take the place
of the smallest set and KL(rho‖pi).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.inequalities.outward import INPUT_MARGIN, FloatArray
from tandemvote.inequalities.pac_bayes import check_delta


def unexpected_bernstein_upper(
    *,
    mean: ArrayLike,
    mean_square: ArrayLike,
    n: float,
    largest: ArrayLike,
    rates: FloatArray,
    kl_divergence: float = 0.0,
    delta: float = 0.05,
) -> Any:
    r"""Upper bound on the true mean, for all weights at once, rounded up.

    .. math:: \min_{g} \hat m + \frac{-g b - \ln(1 - g b)}{g b^2} \hat m_2
        + \frac{KL + \ln(k / \delta)}{g n}

    over the k values of g b in `rates`, fixed without looking at the data; see `bernstein_rates`.
    `mean` and `mean_square` of x are averaged over the posterior, and `largest` is b.

    Examples
    --------
    >>> seen = dict(mean=0.1, mean_square=0.05, n=1000, largest=1.0, rates=bernstein_rates(1000))
    >>> float(unexpected_bernstein_upper(**seen).round(4))
    0.1249
    """
    m, m2, b = (np.asarray(a, float)[..., None] for a in (mean, mean_square, largest))
    nats = kl_divergence + np.log(rates.size / delta)
    slope = (-rates - np.log1p(-rates)) / rates  # (-gb - ln(1 - gb)) / (gb), then / b with m2
    bounds = m + slope * m2 / b + b * nats / (rates * max(n, 1.0))
    margin = INPUT_MARGIN * (np.abs(bounds) + b)
    return np.where(n >= 1, (bounds + margin).min(axis=-1), b[..., 0])[()]


def bernstein_rates(n: float, *, delta: float = 0.05) -> FloatArray:
    """Values of g b to fix in advance: 3/4 and its halves, down to the best at full variance."""
    check_delta(delta)
    smallest = np.sqrt(2.0 * np.log(1.0 / delta) / max(n, 1.0))
    n_halvings = max(int(np.ceil(np.log2(0.75 / smallest))), 0)
    return np.asarray(0.75 * 0.5 ** np.arange(n_halvings + 1.0))
