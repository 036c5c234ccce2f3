r"""The sharp second-order bound: the best that can be said from G and T alone.

For the erring weight Z in [0, 1] with mean G and mean square T, the largest possible P(Z >= 1/2) is

* (T - G^2) / (T - G + 1/4) if T <= G/2 (Cantelli; attained on 1/2 and one point below it),
* 3 G - 2 T if T >= G/2 (because 1[z >= 1/2] <= 3 z - 2 z^2 on [0, 1]; attained on {0, 1/2, 1}),

and 1 where these exceed it. The second, where voters err together, beats both FO and TND. It is the
mean of a variable of pairs of voters: 0 if none errs, 3/2 if one does, 1 if both do.
"""

from __future__ import annotations

from tandemvote.bounds.averages import Averages
from tandemvote.bounds.bound import Bound
from tandemvote.bounds.c_tandem import c_tandem_oracle
from tandemvote.bounds.requirements import PAIR_OVERLAPS
from tandemvote.inequalities import pac_bayes_kl
from tandemvote.inequalities.outward import INPUT_MARGIN, outward

LARGEST = 1.5
"""Largest value of the pair variable."""


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


def _evaluate(averages: Averages, delta: float) -> float:
    # With a = P(both err) and b = P(one errs), G = a + b / 2 and 3 G - 2 T = a + 3 b / 2.
    share = min(averages.tandem_loss / LARGEST + averages.lone_error, 1.0)
    return outward(LARGEST * float(averages.pair_interval(share, delta).upper))


SECOND_ORDER = Bound(
    name="second_order",
    label="SO",
    summary="sharp bound from error and tandem error of pairs",
    theorem="majorant 3z - 2z^2 of the erring weight, with Theorem 7",
    formula=second_order_bound,
    evaluate=_evaluate,
    needs=(PAIR_OVERLAPS,),
)
