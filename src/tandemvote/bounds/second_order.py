r"""CTD, CBOX and SO: bounds from the mean G and the mean square T of the weight that errs.

For the erring weight Z in [0, 1] the largest possible P(Z >= 1/2) is

* (T - G^2) / (T - G + 1/4) if T <= G/2 (Cantelli, Theorem 6; attained on 1/2 and a value below it),
* 3 G - 2 T if T >= G/2 (because 1[z >= 1/2] <= 3 z - 2 z^2 on [0, 1]; attained on {0, 1/2, 1}),

and 1 where these exceed it. The first, the C-bound, is evaluated in two ways from the same
intervals of G and T: CTD takes each term at its worst end, as in the paper's tables, CBOX the worst
true values (proof in ``docs/theory``). The second, SO, beats FO and TND where voters err
together. It is the mean of a variable of pairs: 0 if none errs, 3/2 if one does, 1 if both do.
"""

import math

from tandemvote.bounds.contradictions import contradiction_of_moments, warn_contradiction
from tandemvote.bounds.estimates import Estimates
from tandemvote.inequalities.outward import outward

LARGEST = 1.5  # value of the pair variable


def c_tandem_oracle(*, gibbs_loss: float, tandem_loss: float) -> float:
    """Bound from the true Gibbs loss G and tandem loss T: (T - G^2) / (T - G + 1/4) if G < 1/2.

    The numerator is the variance of the erring weight, the denominator adds (1/2 - G)^2 to it.

    Parameters
    ----------
    gibbs_loss : float in [0, 1]
        True error rate of a voter drawn from the posterior, G.
    tandem_loss : float in [0, 1]
        True rate at which two such voters err together, T.

    Returns
    -------
    float
        Bound on the error rate of the vote, in [0, 1].

    Examples
    --------
    >>> c_tandem_oracle(gibbs_loss=0.25, tandem_loss=0.125)
    0.5
    """
    if gibbs_loss >= 0.5:
        return 1.0
    variance = max(tandem_loss - gibbs_loss**2, 0.0)
    return variance / (variance + (0.5 - gibbs_loss) ** 2)


def second_order_oracle(*, gibbs_loss: float, tandem_loss: float) -> float:
    """Best bound from the true G and T.

    Parameters
    ----------
    gibbs_loss : float in [0, 1]
        True error rate of a voter drawn from the posterior, G.
    tandem_loss : float in [0, 1]
        True rate at which two such voters err together, T.

    Returns
    -------
    float
        Bound on the error rate of the vote, in [0, 1].

    Examples
    --------
    >>> second_order_oracle(gibbs_loss=0.125, tandem_loss=0.125)  # all voters agree: the error
    0.125
    """
    if tandem_loss >= gibbs_loss / 2:
        return min(1.0, 3.0 * gibbs_loss - 2.0 * tandem_loss)
    return c_tandem_oracle(gibbs_loss=gibbs_loss, tandem_loss=tandem_loss)


def c_tandem_bound(estimates: Estimates, delta: float = 0.05) -> float:
    r"""C-bound with each term replaced by the end of its confidence interval that hurts most.

    .. math::
        \frac{T^{+} - (G^{-})^2}{T^{-} - G^{+} + 1/4}, \qquad
        T^{\pm} = kl^{\pm}\Big(\hat T, \frac{2 KL + \ln(4\sqrt{n_2}/\delta)}{n_2}\Big), \quad
        G^{\pm} = kl^{\pm}\Big(\hat G, \frac{KL + \ln(4\sqrt{n_1}/\delta)}{n_1}\Big)

    and 1 where G+ reaches 1/2 or the denominator 0, or where the intervals contradict each other.
    Any number of classes.

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
    >>> adult = dict(gibbs_loss=0.20851, tandem_loss=0.12138, n_min=9459.96, n_min_pairs=3359.92)
    >>> round(c_tandem_bound(Estimates.from_numbers(**adult)), 3)
    0.888
    """
    gibbs, tandem = estimates.gibbs_interval(delta / 2), estimates.tandem_interval(delta / 2)
    if reason := contradiction_of_moments(gibbs, tandem):
        return warn_contradiction("c_tandem", reason)
    variance = tandem.upper - gibbs.lower**2
    denominator = tandem.lower - gibbs.upper + 0.25
    if gibbs.upper >= 0.5 or denominator <= 0.0 or variance >= denominator:
        return 1.0
    return c_bound_of(variance, denominator)


def c_box_bound(estimates: Estimates, delta: float = 0.05) -> float:
    r"""Largest C-bound over the intervals of G and T; any number of classes.

    .. math::
        \frac{t - g^2}{t - g + 1/4}, \qquad t = \min(T^{+}, G^{+}), \quad
        g = \min(\max(2t, G^{-}), G^{+}, \sqrt t)

    with the intervals of `c_tandem_bound`, and 1 if G+ >= 1/2 and t >= 1/4. Never looser than
    `c_tandem_bound`, unless G- > sqrt(T+) or T- > G+: then the intervals contradict each other and
    the value is 1.

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
    >>> adult = dict(gibbs_loss=0.20851, tandem_loss=0.12138, n_min=9459.96, n_min_pairs=3359.92)
    >>> round(c_box_bound(Estimates.from_numbers(**adult)), 3)  # CTD is 0.888
    0.558
    """
    gibbs, tandem = estimates.gibbs_interval(delta / 2), estimates.tandem_interval(delta / 2)
    if reason := contradiction_of_moments(gibbs, tandem):
        return warn_contradiction("c_box", reason)
    t = float(min(tandem.upper, gibbs.upper))
    lower, upper = float(gibbs.lower), float(min(gibbs.upper, math.sqrt(t)))
    if upper >= 0.5:
        return 1.0
    g = min(max(2.0 * t, lower), upper)
    return c_bound_of(t - g * g, t - g + 0.25)


def c_bound_of(variance: float, denominator: float) -> float:
    """Quotient of the C-bound, rounded up."""
    value = variance / denominator
    # Rounding of the denominator (from magnitude 1/4) is magnified by value / denominator.
    return outward(value, scale=(1.0 + value) / denominator)


def second_order_bound(estimates: Estimates, delta: float = 0.05) -> float:
    r"""Sharp second-order bound for voters that err together; any number of classes.

    .. math:: \tfrac32\, kl^{+}\Big(\frac{\hat T}{3/2} + \hat O,
        \frac{2 KL + \ln(2\sqrt{n_2}/\delta)}{n_2}\Big)

    Both voters of a pair err at the rate T^, exactly one of them at the rate O^ (`lone_error`).

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
    >>> round(second_order_bound(Estimates.from_numbers(**adult)), 3)  # FO is 0.452, TND 0.579
    0.428
    """
    # With a = P(both err) and b = P(one errs), G = a + b / 2 and 3 G - 2 T = a + 3 b / 2.
    share = min(estimates.tandem_loss / LARGEST + estimates.lone_error, 1.0)
    return outward(LARGEST * float(estimates.pair_interval(share, delta).upper))
