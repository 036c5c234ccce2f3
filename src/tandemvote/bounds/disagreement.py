"""DIS: the tandem loss of two classes as error and disagreement (Theorem 5, with Theorem 7).

Disagreements need no labels, so unlabelled points sharpen this bound.
"""

from tandemvote.bounds.averages import Averages
from tandemvote.bounds.bound import Bound
from tandemvote.bounds.requirements import (
    BINARY_LABELS,
    DISAGREEMENT_OVERLAPS,
    no_vote_of_two_classes,
)
from tandemvote.inequalities import Interval, pac_bayes_kl
from tandemvote.inequalities.outward import outward


def disagreement_oracle(*, gibbs_loss: float, disagreement: float) -> float:
    """Bound from the true Gibbs loss G and disagreement D of two classes: 4 G - 2 D."""
    return min(1.0, max(0.0, 4.0 * gibbs_loss - 2.0 * disagreement))


def disagreement_bound(
    *,
    gibbs_loss: float,
    disagreement: float,
    n_min: float,
    n_min_disagreement: float,
    kl_divergence: float = 0.0,
    delta: float = 0.05,
) -> float:
    r"""Disagreement bound for two classes; delta is split evenly between the two estimates.

    .. math::
        4\, kl^{+}\Big(\hat G, \frac{KL + \ln(4\sqrt{n_1}/\delta)}{n_1}\Big)
        - 2\, kl^{-}\Big(\hat D, \frac{2 KL + \ln(4\sqrt{m}/\delta)}{m}\Big)

    Examples
    --------
    >>> terms = dict(gibbs_loss=0.2, disagreement=0.2, n_min=1000, n_min_disagreement=50000)
    >>> round(disagreement_bound(**terms), 4)
    0.6279
    """
    gibbs = pac_bayes_kl(gibbs_loss, n_min, kl_divergence=kl_divergence, delta=delta / 2)
    differ = pac_bayes_kl(
        disagreement, n_min_disagreement, kl_divergence=2 * kl_divergence, delta=delta / 2
    )
    return _combine(gibbs, differ)


def _combine(gibbs: Interval, differ: Interval) -> float:
    return outward(4.0 * gibbs.upper - 2.0 * differ.lower)


def _evaluate(averages: Averages, delta: float) -> float | str:
    gibbs, differ = averages.gibbs_interval(delta / 2), averages.disagreement_interval(delta / 2)
    return no_vote_of_two_classes(gibbs, differ) or _combine(gibbs, differ)


DISAGREEMENT = Bound(
    name="disagreement",
    label="DIS",
    summary="error and disagreement of random voters, two classes, uses unlabelled points",
    theorem="Theorem 5",
    formula=disagreement_bound,
    evaluate=_evaluate,
    needs=(BINARY_LABELS, DISAGREEMENT_OVERLAPS),
)
