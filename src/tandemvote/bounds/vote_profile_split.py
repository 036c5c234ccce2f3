r"""The vote profile in two steps: a bound for G and one for each mean of phi, delta shared evenly.

.. math:: L \le \min_\lambda \big(\lambda\, G^{+} + \phi_\lambda^{+}\big)

with G+ at delta/2 and each phi+ at its share of the other half. `vote_profile` shares the evidence
instead and is tighter; this is the plain form, with any bound for a mean.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.bounds.vote_profile import LAMBDAS, largest_phi, phi
from tandemvote.inequalities import pac_bayes_kl, xi
from tandemvote.inequalities.betting import betting_upper
from tandemvote.inequalities.outward import outward
from tandemvote.inequalities.pac_bayes_kl import check_delta


def vote_profile_split_bound(
    *,
    gibbs_loss: float,
    n: float,
    leads: ArrayLike,
    gaps: ArrayLike,
    kl_divergence: float = 0.0,
    delta: float = 0.05,
    mean_upper: Callable[..., Any] = betting_upper,
) -> float:
    """Bound from observed errors and the vote's profile on unlabelled points; any classes.

    Parameters
    ----------
    gibbs_loss, n, leads, gaps, kl_divergence, delta
        As in `vote_profile_bound`.
    mean_upper : callable
        Upper bound for means: `betting_upper`, or `empirical_bernstein_upper`, which does not
        depend on the order of the points.

    Examples
    --------
    >>> from tandemvote.inequalities.empirical_bernstein import empirical_bernstein_upper
    >>> leads = np.tile([1.0, 0.9, 1.0, 0.6, 1.0], 400)
    >>> terms = dict(gibbs_loss=0.11, n=2000.0, leads=leads, gaps=2 * leads - 1)
    >>> round(vote_profile_split_bound(**terms), 3)  # vote_profile_bound says 0.177
    0.205
    >>> round(vote_profile_split_bound(**terms, mean_upper=empirical_bernstein_upper), 3)
    0.211
    """
    check_delta(delta)
    gibbs = pac_bayes_kl(gibbs_loss, n, kl_divergence=kl_divergence, delta=delta / 2, moment=xi)
    largest = largest_phi(LAMBDAS)
    values = np.maximum(
        phi(np.asarray(leads, float), np.asarray(gaps, float), LAMBDAS), 1 - LAMBDAS
    )
    means = mean_upper(values, lower=1 - LAMBDAS, upper=largest, delta=delta / (2 * LAMBDAS.size))
    return outward(float((LAMBDAS * gibbs.upper + means).min()), scale=float(LAMBDAS[-1]))
