"""CTD: the Chebyshev-Cantelli bound in terms of the tandem loss (Theorem 6, with Theorem 7)."""

from tandemvote.bounds.averages import Averages
from tandemvote.bounds.bound import Bound, terms
from tandemvote.bounds.contradiction import no_erring_weight
from tandemvote.bounds.requirements import PAIR_OVERLAPS
from tandemvote.inequalities import Interval, pac_bayes_kl
from tandemvote.inequalities.outward import outward


def c_tandem_oracle(*, gibbs_loss: float, tandem_loss: float) -> float:
    """Bound from the true Gibbs loss G and tandem loss T: (T - G^2) / (T - G + 1/4) if G < 1/2.

    The numerator is the variance of the erring weight, the denominator adds (1/2 - G)^2 to it.

    Examples
    --------
    >>> c_tandem_oracle(gibbs_loss=0.25, tandem_loss=0.125)
    0.5
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
    half = delta / 2
    gibbs = pac_bayes_kl(gibbs_loss, n_min, kl_divergence=kl_divergence, delta=half)
    tandem = pac_bayes_kl(tandem_loss, n_min_pairs, kl_divergence=2 * kl_divergence, delta=half)
    return _worst_of_each_term(gibbs, tandem)


def _worst_of_each_term(gibbs: Interval, tandem: Interval) -> float:
    variance = tandem.upper - gibbs.lower**2
    denominator = tandem.lower - gibbs.upper + 0.25
    if gibbs.upper >= 0.5 or denominator <= 0.0 or variance >= denominator:
        return 1.0
    value = variance / denominator
    # Rounding of the denominator (from magnitude 1/4) is magnified by value / denominator.
    return outward(value, scale=(1.0 + value) / denominator)


def _evaluate(averages: Averages, delta: float) -> float | str:
    gibbs, tandem = averages.gibbs_interval(delta / 2), averages.tandem_interval(delta / 2)
    return no_erring_weight(gibbs, tandem) or _worst_of_each_term(gibbs, tandem)


C_TANDEM = Bound(
    name="c_tandem",
    label="CTD",
    summary="Chebyshev-Cantelli bound on error and tandem error of random voters",
    theorem="Theorem 6",
    labels_used="held-out labels",
    formula=c_tandem_bound,
    evaluate=_evaluate,
    terms=terms("gibbs_loss", "tandem_loss", "n_min", "n_min_pairs", "kl_divergence"),
    needs=(PAIR_OVERLAPS,),
    superseded_by="c_box",
)
