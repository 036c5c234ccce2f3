r"""Betting: evidence against a mean of bounded variables, sample by sample.

A player who doubts that the mean is as large as m bets against it: a share b_i, fixed before sample
i, of the capital

.. math:: K(m) = \prod_{i=1}^n (1 + b_i (m - x_i)), \qquad 0 \le b_i \le \frac{c}{u - m}, \ c < 1.

With x_i <= u no factor is negative, and if the mean is at least m no factor has an expectation
above 1, so E K(m) <= 1 (after Waudby-Smith and Ramdas, 2024). The capital grows with m.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.inequalities.outward import FloatArray

LARGEST_STAKE = 0.9  # share c of the capital that a single sample can cost at most
FACTOR_ROUNDING = 2.0**-49  # of the logarithm of a factor, which is at least 1 - c


def plug_in_bets(values: FloatArray, *, lower: ArrayLike, upper: ArrayLike) -> FloatArray:
    r"""Bets :math:`\sqrt{2 / (n \hat\sigma^2_{i-1})}`, best for a goal of one nat.

    For a goal of t nats multiply them by sqrt(t). Before any sample the mean is taken to be the
    middle of the range and the deviation half its width; this guess counts as one sample. There is
    one row per sample and one column per variable, whose range is from `lower` to `upper`.
    """
    n_samples = len(values)
    low, high = (np.broadcast_to(np.asarray(a, float), values.shape[1:]) for a in (lower, upper))
    number = np.arange(1.0, n_samples + 1)[:, None]
    total = np.cumsum(np.vstack([0.5 * (low + high), values]), axis=0)
    before, after = total[:-1] / number, total[1:] / (number + 1)
    # Welford's recursion: the sum of squared deviations grows by this much with every sample.
    growth = (values - before) * (values - after)
    squares = np.cumsum(np.vstack([0.25 * (high - low) ** 2, growth]), axis=0)[:-1]
    with np.errstate(divide="ignore"):
        return np.asarray(np.sqrt(2.0 * number / (n_samples * np.maximum(squares, 0.0))))


def log_capital(
    values: FloatArray, mean: ArrayLike, *, bets: FloatArray, upper: ArrayLike
) -> FloatArray:
    """Logarithm of the final capital ln K(m) of a bet against each mean, rounded down.

    Values and bets are as in `plug_in_bets`; `mean` and `upper` (the largest possible value) have
    one number per variable, mean <= upper. Bets are cut to the largest one allowed.

    Examples
    --------
    >>> values, bets = np.array([[0.0], [0.5]]), np.array([[1.0], [1.0]])
    >>> float(np.exp(log_capital(values, [0.5], bets=bets, upper=[1.0])[0]).round(6))  # 1.5 * 1
    1.5
    """
    m = np.asarray(mean, float)
    room = np.asarray(upper, float) - m
    with np.errstate(divide="ignore"):
        largest = np.where(room > 0, LARGEST_STAKE / np.maximum(room, 0.0), np.inf)
    stakes = np.minimum(bets, largest)
    # Where nothing varied and the mean is the upper end, an infinite bet on nothing stays nothing.
    stakes = np.where(np.isfinite(stakes), stakes, 0.0)
    gains = np.log1p(stakes * (m - values))
    return np.asarray(gains.sum(axis=0) - len(values) * FACTOR_ROUNDING)
