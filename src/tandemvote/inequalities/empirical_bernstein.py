"""Empirical Bernstein: the mean of bounded variables from their sample mean and variance."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.inequalities.outward import INPUT_MARGIN
from tandemvote.inequalities.pac_bayes_kl import check_delta


def empirical_bernstein_upper(
    values: ArrayLike, *, lower: ArrayLike = 0.0, upper: ArrayLike = 1.0, delta: float = 0.05
) -> Any:
    r"""Upper confidence bound of Maurer and Pontil (2009), rounded up.

    .. math::
        \bar x + \sqrt{\frac{2 \hat V \ln(2/\delta)}{n}} + \frac{7 (u - l) \ln(2/\delta)}{3 (n - 1)}

    with the unbiased sample variance. It does not depend on the order of the points;
    `betting_upper` is tighter.

    Parameters
    ----------
    values : array_like of shape (n_samples,) or (n_samples, n_variables)
        Independent, identically distributed points. Each column is a variable with a bound of its
        own; the bounds do not hold together.
    lower, upper : array_like of shape () or (n_variables,)
        Range of the variable.
    delta : float in (0, 1)
        Failure probability.

    Returns
    -------
    float or ndarray of shape (n_variables,)
        At most `upper`.

    Examples
    --------
    >>> values = np.tile([0.0, 0.1, 0.0, 0.3], 100)
    >>> float(empirical_bernstein_upper(values).round(3))
    0.138
    """
    check_delta(delta)
    x = np.asarray(values, float)
    low, high = np.asarray(lower, float), np.asarray(upper, float)
    if not ((x >= low) & (x <= high)).all():
        raise ValueError(
            f"The values reach from {x.min()} to {x.max()} and leave their range [{low},"
            f" {high}]. Pass the smallest and largest value the variable can take."
        )
    if len(x) < 2:
        return np.broadcast_to(high, x.shape[1:]).copy()[()]
    nats = np.log(2.0 / delta)
    width = high - low
    spread = np.sqrt(2.0 * x.var(axis=0, ddof=1) * nats / len(x))
    limit = x.mean(axis=0) + spread + 7.0 * width * nats / (3.0 * (len(x) - 1))
    return np.minimum(limit + INPUT_MARGIN * width, high)[()]
