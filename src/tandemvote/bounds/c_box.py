r"""C-bound over its confidence box: the worst true values, not the worst of each term.

The C-bound (t - g^2) / (t - g + 1/4) grows with t, and for g < 1/2 it rises up to g = 2t and falls
after. So its largest value over the box is at g = 2t, moved into [G-, min(G+, sqrt(t))] (proof in
``docs/beyond.rst``).
"""

from __future__ import annotations

import math

from tandemvote.bounds.averages import Averages
from tandemvote.bounds.bound import Bound, terms
from tandemvote.bounds.contradiction import no_erring_weight
from tandemvote.bounds.requirements import PAIR_OVERLAPS
from tandemvote.inequalities import Interval, pac_bayes_kl
from tandemvote.inequalities.outward import outward


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
    return _worst_of_the_box(gibbs, tandem)


def _worst_of_the_box(gibbs: Interval, tandem: Interval) -> float:
    t = float(min(tandem.upper, gibbs.upper))
    lower, upper = float(gibbs.lower), float(min(gibbs.upper, math.sqrt(t)))
    if no_erring_weight(gibbs, tandem) or upper >= 0.5:
        return 1.0
    g = min(max(2.0 * t, lower), upper)
    denominator = t - g + 0.25
    value = (t - g * g) / denominator
    # Rounding of the denominator (from magnitude 1/4) is magnified by value / denominator.
    return outward(value, scale=(1.0 + value) / denominator)


def _evaluate(averages: Averages, delta: float) -> float | str:
    gibbs, tandem = averages.gibbs_interval(delta / 2), averages.tandem_interval(delta / 2)
    return no_erring_weight(gibbs, tandem) or _worst_of_the_box(gibbs, tandem)


C_BOX = Bound(
    name="c_box",
    label="CBOX",
    summary="C-bound at the worst error and tandem error within their intervals",
    theorem="Theorem 6, largest value over the confidence box",
    labels_used="held-out labels",
    formula=c_box_bound,
    evaluate=_evaluate,
    terms=terms("gibbs_loss", "tandem_loss", "n_min", "n_min_pairs", "kl_divergence"),
    needs=(PAIR_OVERLAPS,),
)
