r"""Split-kl (Wu and Seldin, 2022): a variable by what it exceeds a middle value by or falls short.

A variable in [a, b] with middle value s is s + (x - s)_+ - (s - x)_+. Each part, divided by its
largest value, lies in [0, 1] and gets a kl bound of its own. For variables with three values both
parts are coins, for which kl is as tight as it gets.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.inequalities.moments import Moment, xi
from tandemvote.inequalities.outward import INPUT_MARGIN
from tandemvote.inequalities.pac_bayes_kl import pac_bayes_kl


def split_kl_upper(
    *,
    above: ArrayLike,
    below: ArrayLike,
    n: ArrayLike,
    middle: ArrayLike = 0.0,
    lower: ArrayLike = -1.0,
    upper: ArrayLike = 1.0,
    kl_divergence: ArrayLike = 0.0,
    delta: float = 0.05,
    moment: Moment = xi,
) -> Any:
    r"""Upper bound on the mean of a variable in [a, b], for all weights at once, rounded up.

    .. math::
        s + (b - s)\, kl^{+}\Big(\frac{\hat m_+}{b - s}, \varepsilon\Big)
        - (s - a)\, kl^{-}\Big(\frac{\hat m_-}{s - a}, \varepsilon\Big), \qquad
        \varepsilon = \frac{KL + \ln(2 \xi(n) / \delta)}{n}

    Parameters
    ----------
    above, below : array_like of float >= 0
        Observed means of (x - s)_+ and (s - x)_+, averaged over the posterior.
    n : array_like of float
        Sample size; the smallest one where sets differ in size.
    middle, lower, upper : array_like of float
        s, a and b with a <= s <= b.
    kl_divergence : array_like of float >= 0
        KL(rho‖pi), twice that for pairs.
    delta : float in (0, 1)
        Failure probability, split evenly between the parts.
    moment : callable
        As in `complexity`.

    Examples
    --------
    >>> float(split_kl_upper(above=0.1, below=0.2, n=1000).round(4))
    -0.0141
    """
    s, low, high = (np.asarray(a, float) for a in (middle, lower, upper))
    if not ((low <= s) & (s <= high)).all():
        raise ValueError(f"The middle value {s} must lie in the range [{low}, {high}].")
    up, down = high - s, s - low

    def interval(mean: ArrayLike, width: Any) -> Any:
        share = np.divide(
            mean, width, out=np.zeros(np.broadcast(mean, width).shape), where=width > 0
        )
        share = np.where(share < 1.0 + INPUT_MARGIN, np.minimum(share, 1.0), share)
        return pac_bayes_kl(share, n, kl_divergence=kl_divergence, delta=delta / 2, moment=moment)

    value = s + up * interval(above, up).upper - down * interval(below, down).lower
    return np.minimum(value + INPUT_MARGIN * (high - low), high)[()]
