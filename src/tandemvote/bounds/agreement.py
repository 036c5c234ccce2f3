"""Answer only where enough voters agree: how often such answers are given and wrong."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.bounds.coalition import ruger, voter_limits
from tandemvote.inequalities.outward import FloatArray


def agreement_oracle(*, losses: ArrayLike, quorum: int) -> float:
    r"""Bound from the true errors of K voters on P(at least r agree on a label, and it is wrong).

    .. math:: \min_{l < r} \frac{1}{r - l} \sum_{k \le K - l} L_{(k)}

    with the errors in ascending order and r = `quorum`: r voters that agree on a wrong label err
    together. With l = 0 this is K / r times the mean error. Where all agree, r = K, it is the error
    of the best voter.

    Examples
    --------
    >>> round(agreement_oracle(losses=[0.04, 0.05, 0.06], quorum=3), 6)
    0.04
    """
    return _agreement(np.array(losses, float), quorum)


def agreement_bound(
    *,
    errors: ArrayLike,
    sizes: ArrayLike,
    quorum: int,
    prior: ArrayLike | None = None,
    delta: float = 0.05,
) -> float:
    """Bound the probability that at least `quorum` voters agree on a label and it is wrong.

    It counts wrong answers among all points, not among those that are answered. Each voter's error
    is limited by Clopper-Pearson at its share of delta, and the limits enter `agreement_oracle`.
    Where all must agree, one voter's limit is enough: a prior of 1 at a voter fixed in advance
    gives that voter the whole delta, and the answers the quality of a hold-out.

    Parameters
    ----------
    errors, sizes, prior, delta
        As in `coalition_bound`.
    quorum : int
        How many voters must agree for an answer. Where several labels have as many, any of them
        may be the answer.

    Examples
    --------
    >>> tested = {"errors": [20, 22, 18], "sizes": [1000, 1000, 1000]}
    >>> round(agreement_bound(**tested, quorum=2), 4)
    0.0475
    >>> round(agreement_bound(**tested, quorum=3, prior=[1, 0, 0]), 4)
    0.0289
    """
    return _agreement(voter_limits(errors, sizes, prior, delta), quorum)


def _agreement(limits: FloatArray, quorum: int) -> float:
    if not 1 <= quorum <= limits.size:
        raise ValueError(
            f"quorum is {quorum} and there are {limits.size} voters; ask for 1 to {limits.size}."
        )
    return ruger(limits, quorum)
