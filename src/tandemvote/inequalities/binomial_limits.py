"""The exact binomial upper limit: what a labelled test set, used for nothing else, says."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainccinv

from tandemvote.inequalities.kl_intervals import check_delta
from tandemvote.inequalities.outward import INPUT_MARGIN


def clopper_pearson(n_errors: ArrayLike, n_samples: ArrayLike, *, delta: float = 0.05) -> Any:
    r"""Upper confidence limit for an error rate, rounded up.

    .. math:: \mathrm{Beta}^{-1}(1 - \delta;\ k + 1,\ n - k)

    Parameters
    ----------
    n_errors : array_like of int
        Errors k seen.
    n_samples : array_like of int
        Points n looked at, n >= k.
    delta : float in (0, 1)
        Failure probability.

    Examples
    --------
    >>> float(round(clopper_pearson(3, 100), 4))
    0.0757
    >>> float(clopper_pearson(5, 5))
    1.0
    """
    k, n = np.broadcast_arrays(np.asarray(n_errors, float), np.asarray(n_samples, float))
    check_delta(delta)
    if not ((n >= 1) & (k >= 0) & (k <= n)).all():
        raise ValueError(
            f"A test set of {n_samples!r} points cannot show {n_errors!r} errors: need"
            " 0 <= errors <= points and at least one point."
        )
    inside = np.where(k < n, k, 0.0)
    # By the upper tail: 1 - delta would lose the digits of a small delta.
    limit = betainccinv(inside + 1.0, n - inside, delta)
    # No error seen: 1 - delta^(1/n) in closed form, exact for the largest n.
    limit = np.where(k == 0, -np.expm1(np.log(delta) / n), limit)
    return np.where(k < n, np.minimum(limit * (1.0 + INPUT_MARGIN), 1.0), 1.0)[()]
