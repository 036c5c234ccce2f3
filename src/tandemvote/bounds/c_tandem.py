r"""CTD: the Chebyshev-Cantelli bound in terms of the tandem loss (Theorem 6, with Theorem 7).

Two evaluations from the same intervals of G and T: each term at its worst end, as in the paper's
tables, and (CBOX) the worst true values. The C-bound (t - g^2) / (t - g + 1/4) grows with t, and
for g < 1/2 it rises up to g = 2t and falls after. So its largest value over the box is at g = 2t,
moved into [G-, min(G+, sqrt(t))] (proof in ``docs/beyond.rst``).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from tandemvote.bounds.averages import Averages
from tandemvote.bounds.bound import Bound
from tandemvote.bounds.requirements import PAIR_OVERLAPS, no_erring_weight
from tandemvote.inequalities import Interval, pac_bayes_kl
from tandemvote.inequalities.outward import outward


def c_tandem_oracle(*, gibbs_loss: float, tandem_loss: float) -> float:
    """Bound from the true Gibbs loss G and tandem loss T: (T - G^2) / (T - G + 1/4) if G < 1/2.

    The numerator is the variance of the erring weight, the denominator adds (1/2 - G)^2 to it.
    """
    if gibbs_loss >= 0.5:
        return 1.0
    variance = max(tandem_loss - gibbs_loss**2, 0.0)
    return variance / (variance + (0.5 - gibbs_loss) ** 2)


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

    and 1 where G+ reaches 1/2 or the denominator 0. Any number of classes. This is the evaluation
    behind the paper's tables; it is not the best use of the two intervals.

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
