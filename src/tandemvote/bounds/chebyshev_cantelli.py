r"""Chebyshev-Cantelli with an offset, and two ways to estimate its numerator.

For every offset mu < 1/2, L <= E[(Z - mu)^2] / (1/2 - mu)^2 (Wu et al., 2021). The numerator is

.. math:: \mu^2 + (1 - 2\mu) T - \mu O

with T the rate at which both of two random voters err and O = 2 (G - T) the rate at which exactly
one does: mu^2 plus the mean of a pair variable with the values 1 - 2 mu, -mu and 0.
"""

import numpy as np

from tandemvote.bounds.contradictions import contradiction_of_pairs, warn_contradiction
from tandemvote.bounds.estimates import Estimates
from tandemvote.bounds.second_order import c_bound_of
from tandemvote.inequalities import xi
from tandemvote.inequalities.outward import FloatArray, outward
from tandemvote.inequalities.unexpected_bernstein import bernstein_rates, unexpected_bernstein_upper

OFFSETS: FloatArray = np.arange(-5, 10) / 20
"""Offsets mu fixed in advance, -0.25 to 0.45."""


def chebyshev_cantelli_oracle(*, tandem_loss: float, lone_error: float, offset: float) -> float:
    """Bound from the true T and O for one offset, as above; 4 T at the offset 0.

    Parameters
    ----------
    tandem_loss : float in [0, 1]
        True rate at which two such voters err together, T.
    lone_error : float in [0, 1]
        True rate at which exactly one of two such voters errs, O.
    offset : float
        The offset mu, less than 1/2.

    Returns
    -------
    float
        Bound on the error rate of the vote, in [0, 1].

    Examples
    --------
    >>> chebyshev_cantelli_oracle(tandem_loss=0.125, lone_error=0.25, offset=0.0)
    0.5
    """
    numerator = offset**2 + (1.0 - 2.0 * offset) * tandem_loss - offset * lone_error
    return min(1.0, max(0.0, numerator / (0.5 - offset) ** 2))


def bernstein_cantelli_bound(estimates: Estimates, delta: float = 0.05) -> float:
    """CCPBUB: the numerator by PAC-Bayes unexpected Bernstein, smallest over the offsets.

    Each offset has an equal share of delta. The inequality is applied to the loss less mu^2, its
    value where neither voter errs, which makes the mean square small.

    Parameters
    ----------
    estimates : Estimates
        The empirical quantities, from counts or from plain numbers.
    delta : float in (0, 1), default=0.05
        Failure probability.

    Returns
    -------
    float
        Bound on the error rate of the vote, in [0, 1].

    Examples
    --------
    >>> adult = dict(tandem_loss=0.12138, lone_error=0.17422, n_min_pairs=3359.92)
    >>> round(bernstein_cantelli_bound(Estimates.from_numbers(**adult)), 3)
    0.563
    """
    both, one = estimates.tandem_loss, estimates.lone_error
    share = delta / OFFSETS.size
    if_both, if_one = 1.0 - 2.0 * OFFSETS, -OFFSETS
    upper = unexpected_bernstein_upper(
        mean=if_both * both + if_one * one,
        mean_square=if_both**2 * both + if_one**2 * one,
        n=estimates.pair_size.n,
        largest=if_both,
        # The rates must not depend on the posterior, so they belong to the size at the prior.
        rates=bernstein_rates(estimates.pair_size_at_prior, delta=share),
        kl_divergence=estimates.pair_size.kl_divergence,
        delta=share,
    )
    values = (OFFSETS**2 + upper) / (0.5 - OFFSETS) ** 2
    best = int(np.argmin(values))
    return outward(float(values[best]), scale=float((0.5 - OFFSETS[best]) ** -2))


def split_kl_cantelli_bound(estimates: Estimates, delta: float = 0.05) -> float:
    r"""CCPBSkl: T from above and O from below, with the best offset in closed form.

    .. math:: C(t + o/2, t), \qquad t = kl^{+}(\hat T, \varepsilon), \quad
        o = kl^{-}(\hat O, \varepsilon), \quad
        \varepsilon = \frac{2 KL + \ln(2 \xi(n_2)/\delta)}{n_2}

    where C is the C-bound if o >= 2 t, and 4 t otherwise: the least of all offsets mu >= 0. It is 1
    if (t + o/2)^2 > t, which no vote can have.

    Parameters
    ----------
    estimates : Estimates
        The empirical quantities, from counts or from plain numbers.
    delta : float in (0, 1), default=0.05
        Failure probability.

    Returns
    -------
    float
        Bound on the error rate of the vote, in [0, 1].

    Examples
    --------
    >>> splice = dict(tandem_loss=0.05557, lone_error=0.27746, n_min_pairs=876.88)
    >>> round(split_kl_cantelli_bound(Estimates.from_numbers(**splice)), 3)
    0.357
    """
    both = estimates.tandem_interval(delta / 2, xi)
    one = estimates.pair_interval(estimates.lone_error, delta / 2, xi)
    if reason := contradiction_of_pairs(both, one):
        return warn_contradiction("split_kl_cantelli", reason)
    t, o = float(both.upper), float(one.lower)
    g = t + o / 2
    if t >= 0.25 or g >= 0.5:
        return 1.0
    if o < 2.0 * t:
        return outward(4.0 * t)
    return c_bound_of(t - g * g, t - g + 0.25)
