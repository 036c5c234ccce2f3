"""PAIR: two voters that outvote all others, and how often at least one of them errs."""

from __future__ import annotations

from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.bounds.averages import Averages, distribution
from tandemvote.bounds.bound import Bound
from tandemvote.bounds.coalition import joint_limits
from tandemvote.bounds.requirements import SEVERAL_VOTERS, SOME_PAIR_OVERLAPS
from tandemvote.hard_vote import exact_weights
from tandemvote.inequalities.outward import FloatArray

MOST_VOTERS = 3  # of equal weights among which two have more than half


def winning_pair_oracle(*, pair_losses: ArrayLike, posterior: ArrayLike | None = None) -> float:
    r"""Bound from the true rates at which at least one voter of a pair errs.

    .. math:: \min \{ P(h \text{ or } h' \text{ errs}) : \rho_h + \rho_{h'} > \tfrac12 \}

    Where both voters of such a pair are right, the right label has more than half of the weight and
    wins. Pairs are in the order (0, 1), (0, 2), ..., (1, 2), ...

    Examples
    --------
    >>> winning_pair_oracle(pair_losses=[0.04, 0.03, 0.05])
    0.03
    """
    return _smallest(np.atleast_1d(np.asarray(pair_losses, float)), posterior)


def winning_pair_bound(
    *,
    pair_errors: ArrayLike,
    pair_sizes: ArrayLike,
    posterior: ArrayLike | None = None,
    prior: ArrayLike | None = None,
    delta: float = 0.05,
) -> float:
    r"""Bound from points that neither voter of a pair was trained on; any number of classes.

    At least one of the two errs at most at the rate of the Clopper-Pearson limit at the pair's
    share of delta, in proportion to :math:`\pi_h \pi_{h'}`. All limits hold together, so the best
    pair counts, and weights may be chosen after looking. Any rule for ties.

    Of two or three equal voters any two win. Of more no two do, and the bound is 1.

    Parameters
    ----------
    pair_errors, pair_sizes : array_like of int, shape (n_voters * (n_voters - 1) / 2,)
        Common held-out points that at least one of the two gets wrong, and all of them, for the
        pairs (0, 1), (0, 2), ..., (1, 2), ...; without points the limit is 1.
    posterior, prior : array_like of shape (n_voters,), optional
        The vote's weights rho, and weights pi fixed before seeing the points; uniform by default.

    Examples
    --------
    >>> round(winning_pair_bound(pair_errors=[9, 12, 10], pair_sizes=[400, 400, 400]), 4)
    0.0441
    """
    errors, sizes = np.broadcast_arrays(np.atleast_1d(pair_errors), np.atleast_1d(pair_sizes))
    pi = distribution(prior, _n_voters(sizes), "prior")
    shares = _shares(pi)
    if not shares.any():
        return 1.0
    return _smallest(joint_limits(errors, sizes, shares, delta), posterior)


def _smallest(limits: FloatArray, posterior: ArrayLike | None) -> float:
    n_voters = _n_voters(limits)
    units = exact_weights(distribution(posterior, n_voters, "posterior"))
    first, second = np.triu_indices(n_voters, k=1)
    wins = 2 * (units[first] + units[second]) > units.sum()
    return float(limits[wins].min(initial=1.0))


def _shares(pi: FloatArray) -> FloatArray:
    """Products of the prior, divided by their sum; all 0 if only one voter has a prior."""
    second_largest, largest = np.sort(pi)[-2:]
    if not second_largest:
        return np.zeros(pi.size * (pi.size - 1) // 2)
    first, second = (pi[voters] for voters in np.triu_indices(pi.size, k=1))
    # Divided before they are multiplied, so that the largest product does not underflow.
    products = np.maximum(first, second) / largest * (np.minimum(first, second) / second_largest)
    return np.asarray(products / products.sum())


def _n_voters(pairs: NDArray[Any]) -> int:
    n_voters = (1 + isqrt(1 + 8 * pairs.size)) // 2
    if pairs.ndim != 1 or not pairs.size or n_voters * (n_voters - 1) // 2 != pairs.size:
        raise ValueError(
            f"Numbers of pairs have shape {pairs.shape}; expected one number for the pair of 2"
            " voters, 3 numbers for 3 voters, 6 for 4 and so on."
        )
    return n_voters


def _terms(averages: Averages) -> dict[str, tuple[float, ...]]:
    counts, pairs = averages.counts, np.triu_indices(averages.counts.n_voters, k=1)
    return {  # tuples, so that values of bounds can be compared
        "pair_errors": tuple((counts.tandem_errors + counts.lone_errors)[pairs].tolist()),
        "pair_sizes": tuple(counts.overlaps[pairs].tolist()),
        "posterior": tuple(averages.posterior.tolist()),
        "prior": tuple(averages.prior.tolist()),
    }


WINNING_PAIR = Bound(
    name="winning_pair",
    label="PAIR",
    summary="how often at least one of two voters that outvote the others errs",
    theorem="the union bound, with Clopper-Pearson",
    formula=winning_pair_bound,
    terms=_terms,
    needs=(SEVERAL_VOTERS, SOME_PAIR_OVERLAPS),
    most_voters=MOST_VOTERS,
)
