"""Losses averaged over the posterior: from arrays over voters to the numbers in the theorems."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.bounds.majorities import HALF, smallest_coalition
from tandemvote.counting.counts import FloatArray, HeldOutSets, VoteCounts
from tandemvote.hard_vote import VoteProfile
from tandemvote.inequalities import Interval, SampleSize, kl_divergence, two_sqrt
from tandemvote.inequalities.pac_bayes import Moment, kl_interval

HARMONIC, PAPER = "harmonic", "paper"
SHARPENINGS = (HARMONIC, PAPER)  # the default, and the forms as published


def check_sharpening(name: str) -> None:
    """Refuse a sharpening that does not exist."""
    if name not in SHARPENINGS:
        raise ValueError(
            f"There is no sharpening {name!r}. Choose {HARMONIC!r}, or {PAPER!r} for the published"
            " forms."
        )


def sample_size(
    posterior: FloatArray, sets: HeldOutSets, prior: FloatArray, sharpening: str
) -> SampleSize:
    """Sample size of an average over voters, or over pairs, whose sets differ in size.

    Sets count in full, up to the cap that keeps the published form from being tighter; in that form
    every set counts as the smallest of the voters the prior allows.
    """
    divergence = kl_divergence(posterior, prior)  # refuses weight where there is no prior
    if sharpening == HARMONIC:
        return sets.harmonic(prior).at(posterior)
    n = float(sets.n_min(prior))
    return SampleSize(n, sets.voters * divergence, np.array([n]), np.ones(1), 0.0, as_printed=True)


@dataclass(frozen=True, eq=False, kw_only=True)
class Averages:
    """The empirical quantities of the theorems for some weights, computed when first asked for.

    Attributes
    ----------
    counts : VoteCounts
    posterior, prior : ndarray of shape (n_voters,)
    sharpening : {"harmonic", "paper"}
    profile : VoteProfile, optional
        What the vote, or another classifier, says of unlabelled points.
    """

    counts: VoteCounts
    posterior: FloatArray
    prior: FloatArray
    sharpening: str
    profile: VoteProfile | None = None

    @classmethod
    def of(
        cls,
        counts: VoteCounts,
        posterior: ArrayLike | None = None,
        prior: ArrayLike | None = None,
        sharpening: str = HARMONIC,
    ) -> Averages:
        """Average the losses of `counts`; posterior and prior default to uniform."""
        check_sharpening(sharpening)
        return cls(
            counts=counts,
            posterior=distribution(posterior, counts.n_voters, "posterior"),
            prior=distribution(prior, counts.n_voters, "prior"),
            sharpening=sharpening,
        )

    @cached_property
    def gibbs_loss(self) -> float:
        """Error rate of a voter drawn from the posterior, G^."""
        return min(float(self.posterior @ self.counts.gibbs_losses), 1.0)

    @cached_property
    def tandem_loss(self) -> float:
        """Rate at which two voters drawn independently err together, T^."""
        return self._pair_average(self.counts.tandem_losses)

    @cached_property
    def lone_error(self) -> float:
        """Rate at which exactly one of the two errs."""
        return self._pair_average(self.counts.lone_error_rates)

    @property
    def pair_gibbs_loss(self) -> float:
        """Error rate of one of the two on the points of both."""
        return self.tandem_loss + self.lone_error / 2

    @cached_property
    def disagreement(self) -> float:
        """Rate at which they disagree, D^, unlabelled points included."""
        return self._pair_average(self.counts.disagreement_rates)

    @cached_property
    def labelled_disagreement(self) -> float:
        """The same on labelled points alone."""
        return self._pair_average(self.counts.labelled_disagreement_rates)

    @cached_property
    def kl_divergence(self) -> float:
        """KL(rho‖pi)."""
        return kl_divergence(self.posterior, self.prior)

    @cached_property
    def n_min(self) -> int:
        """Smallest held-out set, over the voters the prior allows."""
        return self.counts.voter_sets.n_min(self.prior)

    @cached_property
    def n_min_pairs(self) -> int:
        """Smallest overlap of two of them."""
        return self.counts.pair_sets.n_min(self.prior)

    @cached_property
    def n_min_disagreement(self) -> int:
        """Smallest overlap, unlabelled points included."""
        return self.counts.disagreement_sets.n_min(self.prior)

    @cached_property
    def voters(self) -> SampleSize:
        """Sample size behind the Gibbs loss."""
        return self._sample_size(self.counts.voter_sets)

    @cached_property
    def pairs(self) -> SampleSize:
        """Sample size behind the tandem loss."""
        return self._sample_size(self.counts.pair_sets)

    @cached_property
    def disagreement_pairs(self) -> SampleSize:
        """Sample size behind the disagreement."""
        if not self.counts.n_unlabelled:
            return self.pairs
        return self._sample_size(self.counts.disagreement_sets)

    @cached_property
    def smallest_coalition(self) -> Fraction:
        """Smallest weight that can make the vote wrong; in the published forms one half."""
        return smallest_coalition(self.posterior) if self.sharpening == HARMONIC else HALF

    def gibbs_interval(self, delta: float, moment: Moment = two_sqrt) -> Interval:
        """Interval for the true Gibbs loss."""
        return kl_interval(self.gibbs_loss, self.voters.complexity(delta, moment))

    def tandem_interval(self, delta: float, moment: Moment = two_sqrt) -> Interval:
        """Interval for the true tandem loss."""
        return self.pair_interval(self.tandem_loss, delta, moment)

    def pair_interval(self, rate: float, delta: float, moment: Moment = two_sqrt) -> Interval:
        """Interval for the true mean of any pair variable in [0, 1], given the observed one."""
        return kl_interval(rate, self.pairs.complexity(delta, moment))

    def disagreement_interval(self, delta: float, moment: Moment = two_sqrt) -> Interval:
        """Interval for the true disagreement."""
        return kl_interval(self.disagreement, self.disagreement_pairs.complexity(delta, moment))

    def _sample_size(self, sets: HeldOutSets) -> SampleSize:
        return sample_size(self.posterior, sets, self.prior, self.sharpening)

    def _pair_average(self, rates: FloatArray) -> float:
        return min(float(self.posterior @ rates @ self.posterior), 1.0)


def distribution(values: ArrayLike | None, n_voters: int, name: str) -> FloatArray:
    """Return checked weights over voters, uniform by default, in an array of their own."""
    if values is None:
        return np.full(n_voters, 1.0 / n_voters)
    weights = np.array(values, float)
    if weights.shape != (n_voters,):
        raise ValueError(
            f"{name} has shape {weights.shape}; expected one weight per voter, ({n_voters},)."
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
    # Leave weights alone that sum to 1 up to rounding, so that checking twice changes nothing; no
    # more than rounding, as sample sizes are rounded outward by little more.
    return weights / total if abs(total - 1.0) > 1e-14 else weights
