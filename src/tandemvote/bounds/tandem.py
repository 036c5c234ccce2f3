"""TND: four times the rate at which two random voters err together (Theorem 3, with Theorem 7)."""

from tandemvote.bounds.bound import Bound
from tandemvote.bounds.majorities import by_markov
from tandemvote.bounds.requirements import PAIR_OVERLAPS
from tandemvote.inequalities import pac_bayes_kl


def tandem_oracle(*, tandem_loss: float) -> float:
    """Bound from the true tandem loss T: 4 T, by the second-order Markov inequality."""
    return min(1.0, 4.0 * tandem_loss)


def tandem_bound(
    *, tandem_loss: float, n_min_pairs: float, kl_divergence: float = 0.0, delta: float = 0.05
) -> float:
    r"""Tandem bound from an observed tandem loss; any number of classes.

    .. math:: 4\, kl^{+}\Big(\hat T, \frac{2 KL + \ln(2\sqrt{n_2}/\delta)}{n_2}\Big)

    Examples
    --------
    >>> round(tandem_bound(tandem_loss=0.12138, n_min_pairs=3359.92), 4)  # Adult in the paper
    0.5788
    """
    tandem = pac_bayes_kl(tandem_loss, n_min_pairs, kl_divergence=2 * kl_divergence, delta=delta)
    return by_markov(tandem.upper, 2)


TANDEM = Bound(
    name="tandem",
    label="TND",
    summary="four times the rate at which two random voters err together",
    theorem="Theorem 3",
    formula=tandem_bound,
    evaluate=lambda averages, delta: by_markov(
        averages.tandem_interval(delta).upper, 2, averages.smallest_coalition
    ),
    needs=(PAIR_OVERLAPS,),
)
