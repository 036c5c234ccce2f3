"""Held-out sets that depend on the data: voters that abstain on hard samples."""

from __future__ import annotations

import math

import numpy as np

from tandemvote.inequalities.divergences import binary_kl
from tandemvote.votes.codes import FEWEST_SAMPLES
from tandemvote.votes.counts import VoteCounts
from tandemvote.votes.parameter_error import ParameterError
from tandemvote.votes.votes import Votes

RARE = 1e-6
"""Largest probability with which a check rejects held-out sets that do not depend on the data."""

WAYS_OUT = (
    "If a voter abstained there, count empty predictions as errors: with empty_as_error=True for"
    " files, or by a value that is not a label. Otherwise draw the training samples at random,"
    " without looking at the data"
)


def check_independent_sets(counts: VoteCounts) -> None:
    """Raise ValueError if samples held out for one voter are too easy for another one.

    Where held-out sets do not depend on the data, the errors of voter k are spread at random over
    its n held-out samples. The number of them among the m samples that are also held out for voter
    h is hypergeometric. The least likely pair is rejected if the probability of its number or less
    is below `RARE` divided by the number of pairs.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> hard, chosen = rng.random((2, 1000)) < 0.3
    >>> predictions, labels = np.tile(hard & (rng.random(1000) < 0.5), (2, 1)), np.zeros(1000, bool)
    >>> everywhere = np.ones(1000, bool)
    >>> for held_out in (~chosen, ~hard):
    ...     votes = Votes.from_predictions(predictions, labels, np.stack([everywhere, held_out]))
    ...     check_independent_sets(VoteCounts.from_votes(votes))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tandemvote...ParameterError: Voter 1 is held out where samples are easy: voter 0 ...
    """
    if counts.partner_errors is None:
        return
    inside, shared = counts.partner_errors, counts.overlaps
    fewer = (inside * counts.sizes < counts.errors * shared) & (shared < counts.sizes)
    first, second = np.nonzero(fewer)
    if not first.size:
        return
    n, e = counts.sizes[second], counts.errors[second]
    m, x = shared[first, second], inside[first, second]
    # Minus the logarithm of the probability, up to factors that hardly differ.
    unlikely = m * binary_kl(x / m, e / n) + (n - m) * binary_kl((e - x) / (n - m), e / n)
    worst = int(unlikely.argmax())
    if unlikely[worst] < -math.log(RARE) / 2:
        return
    from scipy.stats import hypergeom  # noqa: PLC0415 (takes long)

    voter, other = int(first[worst]), int(second[worst])
    n_all, n_wrong, n_shared, n_inside = (int(part[worst]) for part in (n, e, m, x))
    n_pairs = counts.n_voters * (counts.n_voters - 1)
    if hypergeom.cdf(n_inside, n_all, n_wrong, n_shared) < RARE / n_pairs:
        raise ParameterError(
            f"Voter {voter} is held out where samples are easy: voter {other} misclassifies"
            f" {n_inside} of {n_shared} samples that are held out for voter {voter}, and"
            f" {n_wrong - n_inside} of its other {n_all - n_shared}. {WAYS_OUT}.",
            empty_as_error=True,
        )


def check_empty_rows(votes: Votes | VoteCounts) -> None:
    """Raise ValueError if more samples than by chance are held out for no voter.

    Voters with the same held-out set count once. Where the different sets are independent, the
    samples in none of them are as many as the product of their complements, up to Hoeffding's
    inequality. A single set does not explain empty rows: they can be removed. A few rows pass.

    Examples
    --------
    >>> votes = Votes.from_predictions([[0] * 50], [0] * 50, [[True] * 20 + [False] * 30])
    >>> check_empty_rows(votes)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tandemvote...ParameterError: 30 of 50 rows have no prediction of any voter...
    """
    if isinstance(votes, Votes):
        different = {row.tobytes(): row.mean() for row in votes.held_out}
        shares, n_samples = np.array(list(different.values())), votes.n_samples
        n_empty = n_samples - int(votes.held_out.any(axis=0).sum())
    elif votes.n_covered is None:
        return
    else:
        same = (votes.overlaps == votes.sizes) & (votes.overlaps == votes.sizes[:, None])
        n_samples, n_empty = votes.n_samples, votes.n_samples - votes.n_covered
        shares = votes.sizes[~np.tril(same, -1).any(axis=1)] / n_samples
    chance = float(np.prod(1 - shares)) if (shares > 0).sum() > 1 else 0.0
    unlikely = n_samples * binary_kl(n_empty / n_samples, chance) > -math.log(RARE)
    if unlikely and n_empty > max(FEWEST_SAMPLES, chance * n_samples):
        raise ParameterError(
            f"{n_empty} of {n_samples} rows have no prediction of any voter. {WAYS_OUT}, and remove"
            " rows that trained all voters.",
            empty_as_error=True,
        )
