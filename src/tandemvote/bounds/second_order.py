r"""CTD, CBOX and SO: bounds from the mean G and the mean square T of the weight that errs.

For the erring weight Z in [0, 1] the largest possible P(Z >= 1/2) is

* (T - G^2) / (T - G + 1/4) if T <= G/2 (Cantelli, Theorem 6; attained on 1/2 and a point below it),
* 3 G - 2 T if T >= G/2 (because 1[z >= 1/2] <= 3 z - 2 z^2 on [0, 1]; attained on {0, 1/2, 1}),

and 1 where these exceed it. The first, the C-bound, is evaluated in two ways from the same
intervals of G and T: CTD takes each term at its worst end, as in the paper's tables, CBOX the worst
true values (proof in ``docs/beyond.rst``). The second, SO, beats FO and TND where voters err
together. It is the mean of a variable of pairs: 0 if none errs, 3/2 if one does, 1 if both do.
"""

import math
from collections.abc import Callable
from functools import partial

from tandemvote.bounds.averages import Averages
from tandemvote.bounds.bound import Bound
from tandemvote.bounds.requirements import PAIR_OVERLAPS, no_erring_weight
from tandemvote.inequalities import Interval, pac_bayes_kl
from tandemvote.inequalities.outward import INPUT_MARGIN, outward

LARGEST = 1.5  # value of the pair variable


def c_tandem_oracle(*, gibbs_loss: float, tandem_loss: float) -> float:
    """Bound from the true Gibbs loss G and tandem loss T: (T - G^2) / (T - G + 1/4) if G < 1/2.

    The numerator is the variance of the erring weight, the denominator adds (1/2 - G)^2 to it.
    """
    if gibbs_loss >= 0.5:
        return 1.0
    variance = max(tandem_loss - gibbs_loss**2, 0.0)
    return variance / (variance + (0.5 - gibbs_loss) ** 2)


def second_order_oracle(*, gibbs_loss: float, tandem_loss: float) -> float:
    """Best bound from the true G and T.

    Examples
    --------
    >>> second_order_oracle(gibbs_loss=0.125, tandem_loss=0.125)  # all voters agree: the error
    0.125
    """
    if tandem_loss >= gibbs_loss / 2:
        return min(1.0, 3.0 * gibbs_loss - 2.0 * tandem_loss)
    return c_tandem_oracle(gibbs_loss=gibbs_loss, tandem_loss=tandem_loss)


def c_tandem_bound(
    *,
    gibbs_loss: float,
    tandem_loss: float,
    n_min: float,
    n_min_pairs: float,
    kl_divergence: float = 0.0,
    delta: float = 0.05,
) -> float:
    r"""C-bound with each term replaced by the end of its confidence interval that hurts most.

    .. math::
        \frac{T^{+} - (G^{-})^2}{T^{-} - G^{+} + 1/4}, \qquad
        T^{\pm} = kl^{\pm}\Big(\hat T, \frac{2 KL + \ln(4\sqrt{n_2}/\delta)}{n_2}\Big), \quad
        G^{\pm} = kl^{\pm}\Big(\hat G, \frac{KL + \ln(4\sqrt{n_1}/\delta)}{n_1}\Big)

    and 1 where G+ reaches 1/2 or the denominator 0. Any number of classes.

    Examples
    --------
    >>> adult = dict(gibbs_loss=0.20851, tandem_loss=0.12138, n_min=9459.96, n_min_pairs=3359.92)
    >>> round(c_tandem_bound(**adult), 3)
    0.888
    """
    gibbs = pac_bayes_kl(gibbs_loss, n_min, kl_divergence=kl_divergence, delta=delta / 2)
    tandem = pac_bayes_kl(
        tandem_loss, n_min_pairs, kl_divergence=2 * kl_divergence, delta=delta / 2
    )
    return _worst_of_each_term(gibbs, tandem)


def c_box_bound(
    *,
    gibbs_loss: float,
    tandem_loss: float,
    n_min: float,
    n_min_pairs: float,
    kl_divergence: float = 0.0,
    delta: float = 0.05,
) -> float:
    r"""Largest C-bound over the intervals of G and T; any number of classes.

    .. math::
        \frac{t - g^2}{t - g + 1/4}, \qquad t = \min(T^{+}, G^{+}), \quad
        g = \min(\max(2t, G^{-}), G^{+}, \sqrt t)

    with the intervals of `c_tandem_bound`, and 1 if G+ >= 1/2 and t >= 1/4. Never looser than
    `c_tandem_bound`, unless G- > sqrt(T+) or T- > G+: then the intervals contradict each other and
    the value is 1.

    Examples
    --------
    >>> adult = dict(gibbs_loss=0.20851, tandem_loss=0.12138, n_min=9459.96, n_min_pairs=3359.92)
    >>> round(c_box_bound(**adult), 3)  # CTD says 0.888
    0.558
    """
    half = delta / 2
    gibbs = pac_bayes_kl(gibbs_loss, n_min, kl_divergence=kl_divergence, delta=half)
    tandem = pac_bayes_kl(tandem_loss, n_min_pairs, kl_divergence=2 * kl_divergence, delta=half)
    return 1.0 if no_erring_weight(gibbs, tandem) else _worst_of_the_box(gibbs, tandem)


def _worst_of_each_term(gibbs: Interval, tandem: Interval) -> float:
    variance = tandem.upper - gibbs.lower**2
    denominator = tandem.lower - gibbs.upper + 0.25
    if gibbs.upper >= 0.5 or denominator <= 0.0 or variance >= denominator:
        return 1.0
    return _quotient(variance, denominator)


def _worst_of_the_box(gibbs: Interval, tandem: Interval) -> float:
    t = float(min(tandem.upper, gibbs.upper))
    lower, upper = float(gibbs.lower), float(min(gibbs.upper, math.sqrt(t)))
    if upper >= 0.5:
        return 1.0
    g = min(max(2.0 * t, lower), upper)
    return _quotient(t - g * g, t - g + 0.25)


def _quotient(variance: float, denominator: float) -> float:
    """Rounding of the denominator (from magnitude 1/4) is magnified by value / denominator."""
    value = variance / denominator
    return outward(value, scale=(1.0 + value) / denominator)


def _unless_contradicted(
    worst: Callable[[Interval, Interval], float], averages: Averages, delta: float
) -> float | str:
    gibbs, tandem = averages.gibbs_interval(delta / 2), averages.tandem_interval(delta / 2)
    return no_erring_weight(gibbs, tandem) or worst(gibbs, tandem)


def second_order_bound(
    *,
    pair_gibbs_loss: float,
    tandem_loss: float,
    n_min_pairs: float,
    kl_divergence: float = 0.0,
    delta: float = 0.05,
) -> float:
    r"""Sharp second-order bound for voters that err together; any number of classes.

    .. math:: \tfrac32\, kl^{+}\Big(\frac{3 \hat G_2 - 2 \hat T}{3/2},
        \frac{2 KL + \ln(2\sqrt{n_2}/\delta)}{n_2}\Big)

    The rate G^_2 (`pair_gibbs_loss`) is observed on the pair sets, like T^: over each S_h ∩ S_h'
    the mean of the two voters' error rates. Error rates on the larger sets S_h will not do.

    Examples
    --------
    >>> adult = dict(pair_gibbs_loss=0.20849, tandem_loss=0.12138, n_min_pairs=3359.92)
    >>> round(second_order_bound(**adult), 3)  # FO says 0.452, TND 0.579
    0.428
    """
    if not tandem_loss <= pair_gibbs_loss * (1.0 + INPUT_MARGIN):
        raise ValueError(
            f"tandem_loss {tandem_loss} exceeds pair_gibbs_loss {pair_gibbs_loss}, but where both"
            " voters err each does. Compute both on the pair sets."
        )
    share = min(max(3.0 * pair_gibbs_loss - 2.0 * tandem_loss, 0.0) / LARGEST, 1.0)
    # The difference of two means loses at most a factor 5 of their relative precision.
    share = min(share * (1.0 + 5.0 * INPUT_MARGIN), 1.0)
    pair = pac_bayes_kl(share, n_min_pairs, kl_divergence=2 * kl_divergence, delta=delta)
    return outward(LARGEST * float(pair.upper))


def _second_order(averages: Averages, delta: float) -> float:
    # With a = P(both err) and b = P(one errs), G = a + b / 2 and 3 G - 2 T = a + 3 b / 2.
    share = min(averages.tandem_loss / LARGEST + averages.lone_error, 1.0)
    return outward(LARGEST * float(averages.pair_interval(share, delta).upper))


C_TANDEM = Bound(
    name="c_tandem",
    label="CTD",
    summary="Chebyshev-Cantelli bound on error and tandem error of random voters",
    theorem="Theorem 6",
    formula=c_tandem_bound,
    evaluate=partial(_unless_contradicted, _worst_of_each_term),
    needs=(PAIR_OVERLAPS,),
    superseded_by="c_box",
)

C_BOX = Bound(
    name="c_box",
    label="CBOX",
    summary="C-bound at the worst error and tandem error within their intervals",
    theorem="Theorem 6, largest value over the confidence box",
    formula=c_box_bound,
    evaluate=partial(_unless_contradicted, _worst_of_the_box),
    needs=(PAIR_OVERLAPS,),
)

SECOND_ORDER = Bound(
    name="second_order",
    label="SO",
    summary="sharp bound from error and tandem error of pairs",
    theorem="majorant 3z - 2z^2 of the erring weight, with Theorem 7",
    formula=second_order_bound,
    evaluate=_second_order,
    needs=(PAIR_OVERLAPS,),
)
