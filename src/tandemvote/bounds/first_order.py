"""FO: twice the error of a randomly drawn voter (Theorem 1, with Theorem 7)."""

from tandemvote.bounds.bound import Bound
from tandemvote.bounds.majorities import by_markov
from tandemvote.bounds.requirements import HELD_OUT_POINTS
from tandemvote.inequalities import pac_bayes_kl


def first_order_oracle(*, gibbs_loss: float) -> float:
    """Bound from the true Gibbs loss G: 2 G, by Markov's inequality on the erring weight."""
    return min(1.0, 2.0 * gibbs_loss)


def first_order_bound(
    *, gibbs_loss: float, n_min: float, kl_divergence: float = 0.0, delta: float = 0.05
) -> float:
    r"""First-order bound from an observed Gibbs loss.

    .. math:: 2\, kl^{+}\Big(\hat G, \frac{KL + \ln(2\sqrt{n_1}/\delta)}{n_1}\Big)

    Examples
    --------
    >>> round(first_order_bound(gibbs_loss=0.20851, n_min=9459.96), 4)  # Adult in the paper
    0.4517
    """
    gibbs = pac_bayes_kl(gibbs_loss, n_min, kl_divergence=kl_divergence, delta=delta)
    return by_markov(gibbs.upper, 1)


FIRST_ORDER = Bound(
    name="first_order",
    label="FO",
    summary="twice the error of a randomly drawn voter",
    theorem="Theorem 1",
    formula=first_order_bound,
    evaluate=lambda averages, delta: by_markov(
        averages.gibbs_interval(delta).upper, 1, averages.smallest_coalition
    ),
    needs=(HELD_OUT_POINTS,),
)
