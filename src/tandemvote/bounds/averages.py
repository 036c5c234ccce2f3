"""Losses averaged over the posterior: from arrays over voters to the numbers in the theorems."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.counts import FloatArray, VoteCounts
from tandemvote.inequalities import kl_divergence


@dataclass(frozen=True, kw_only=True)
class Averages:
    """The empirical quantities of the theorems, for one choice of weights.

    Attributes
    ----------
    gibbs_loss : float
        Error rate of a voter drawn from the posterior, G^.
    tandem_loss : float
        Rate at which two voters drawn independently err together, T^.
    disagreement : float
        Rate at which they disagree, D^, unlabelled points included.
    labelled_disagreement : float
        The same on labelled points alone.
    n_min, n_min_pairs, n_min_disagreement : int
        Smallest sets behind them, over the voters the prior allows.
    kl_divergence : float
        KL(rho‖pi).
    """

    gibbs_loss: float
    tandem_loss: float
    disagreement: float
    labelled_disagreement: float
    n_min: int
    n_min_pairs: int
    n_min_disagreement: int
    kl_divergence: float

    @classmethod
    def of(
        cls, counts: VoteCounts, posterior: ArrayLike | None = None, prior: ArrayLike | None = None
    ) -> Averages:
        """Average the losses of `counts`; posterior and prior default to uniform.

        Examples
        --------
        >>> from tandemvote.votes import Votes
        >>> votes = Votes.from_predictions([[0, 1, 1], [0, 0, 1]], [0, 1, 0])
        >>> averages = Averages.of(VoteCounts.from_votes(votes), [1.0, 0.0])
        >>> round(averages.gibbs_loss, 4), round(averages.kl_divergence, 4)
        (0.3333, 0.6931)
        """
        posterior = distribution(posterior, counts.n_voters, "posterior")
        prior = distribution(prior, counts.n_voters, "prior")
        # The splits do not depend on the data, so neither does a choice of voters by their sizes.
        allowed = counts if (prior > 0).all() else counts.subset(prior > 0)

        def pair_average(rates: FloatArray) -> float:
            return min(float(posterior @ rates @ posterior), 1.0)

        return cls(
            gibbs_loss=min(float(posterior @ counts.gibbs_losses), 1.0),
            tandem_loss=pair_average(counts.tandem_losses),
            disagreement=pair_average(counts.disagreement_rates),
            labelled_disagreement=pair_average(counts.labelled_disagreement_rates),
            n_min=allowed.n_min,
            n_min_pairs=allowed.n_min_pairs,
            n_min_disagreement=allowed.n_min_disagreement,
            kl_divergence=kl_divergence(posterior, prior),
        )


def distribution(values: ArrayLike | None, n_voters: int, name: str) -> FloatArray:
    """Return checked weights over voters, uniform by default.

    Examples
    --------
    >>> distribution(None, 4, "prior").tolist()
    [0.25, 0.25, 0.25, 0.25]
    >>> distribution([0.7, 0.7], 2, "prior")
    Traceback (most recent call last):
        ...
    ValueError: prior sums to 1.4; weights must sum to 1. Divide them by their sum.
    """
    if values is None:
        return np.full(n_voters, 1.0 / n_voters)
    weights = np.asarray(values, float)
    if weights.shape != (n_voters,):
        raise ValueError(
            f"{name} has shape {weights.shape}; expected one weight a voter, ({n_voters},)."
        )
    if not (weights >= 0).all():
        voter = int(np.flatnonzero(~(weights >= 0))[0])
        raise ValueError(
            f"{name} is {weights[voter]} at voter {voter}; weights must be at least 0."
        )
    total = float(weights.sum())
    if not abs(total - 1.0) <= 1e-9:
        raise ValueError(
            f"{name} sums to {total:.10g}; weights must sum to 1. Divide them by their sum."
        )
    # Leave weights alone that sum to 1 up to rounding, so that checking twice changes nothing.
    return weights / total if abs(total - 1.0) > 1e-12 else weights
