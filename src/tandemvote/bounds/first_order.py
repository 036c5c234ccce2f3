"""FO: twice the error of a randomly drawn voter (Theorem 1, with Theorem 7)."""

from fractions import Fraction

from tandemvote.bounds.bound import Bound
from tandemvote.bounds.majorities import HALF, markov_factor
from tandemvote.bounds.requirements import HELD_OUT_POINTS
from tandemvote.inequalities import Interval, pac_bayes_kl


def first_order_oracle(*, gibbs_loss: float) -> float:
    """Bound from the true Gibbs loss G: 2 G, by Markov's inequality on the erring weight.

    Examples
    --------
    >>> first_order_oracle(gibbs_loss=0.125)
    0.25
    """
    return min(1.0, 2.0 * gibbs_loss)


def first_order_bound(
    *, gibbs_loss: float, n_min: float, kl_divergence: float = 0.0, delta: float = 0.05
) -> float:
    r"""First-order bound from an observed Gibbs loss.

    .. math:: 2\, kl^{+}\Big(\hat G, \frac{KL + \ln(2\sqrt{n_1}/\delta)}{n_1}\Big)

    Parameters
    ----------
    gibbs_loss : float
        Observed error rate averaged over the posterior, G^.
    n_min : float
        Smallest held-out set, n1.
    kl_divergence : float
        KL(rho‖pi).
    delta : float
        Failure probability.

    Examples
    --------
    >>> round(first_order_bound(gibbs_loss=0.20851, n_min=9459.96), 4)  # Adult in the paper
    0.4517
    """
    gibbs = pac_bayes_kl(gibbs_loss, n_min, kl_divergence=kl_divergence, delta=delta)
    return _by_markov(gibbs, HALF)


def _by_markov(gibbs: Interval, coalition: Fraction) -> float:
    return float(min(1.0, markov_factor(coalition, 1) * gibbs.upper))


FIRST_ORDER = Bound(
    name="first_order",
    label="FO",
    summary="twice the error of a randomly drawn voter",
    theorem="Theorem 1",
    labels_used="held-out labels",
    formula=first_order_bound,
    evaluate=lambda averages, delta: _by_markov(
        averages.gibbs_interval(delta), averages.smallest_coalition
    ),
    terms=lambda averages: {
        "gibbs_loss": averages.gibbs_loss,
        "n_min": averages.n_min,
        "kl_divergence": averages.kl_divergence,
    },
    needs=(HELD_OUT_POINTS,),
)
