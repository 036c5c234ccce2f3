"""The empirical quantities of the theorems, from counts or from plain numbers."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.bounds.majorities import HALF, smallest_coalition
from tandemvote.bounds.requirements import TEST_OF_THE_VOTE, RequirementError, does_not_apply
from tandemvote.inequalities import Interval, SampleSize, kl_divergence, two_sqrt
from tandemvote.inequalities.outward import INPUT_MARGIN, FloatArray
from tandemvote.inequalities.pac_bayes import Moment, kl_interval
from tandemvote.votes.counts import VoteCounts
from tandemvote.votes.evidence import Evidence
from tandemvote.votes.names import TEST_SET
from tandemvote.votes.set_sizes import IntArray, SetSizes


class Estimates:
    """The numbers that bounds are computed from, for some weights of the voters.

    Every bound is a function of `Estimates` and the failure probability `delta`. Each number is
    computed when it is first read.

    Parameters
    ----------
    evidence : Evidence or VoteCounts
        Counts of the votes, with the result and the profile of a vote if they are known.
    posterior : array_like of shape (n_voters,), optional
        The vote's weights rho; by default those of the evidence's vote, else uniform. They may be
        chosen on the same samples. Results of other weights are not used.
    prior : array_like of shape (n_voters,), optional
        Weights pi fixed before seeing the samples, uniform by default.
    published : bool, default=False
        Whether the bounds keep the form printed in the paper: every held-out set counts as the
        smallest one, and the factors 2 and 4 stay. By default every set counts in full.

    Examples
    --------
    >>> from tandemvote import VoteCounts, Votes
    >>> from tandemvote.bounds import tandem_bound
    >>> votes = Votes.from_predictions([[0, 1] * 300, [0, 0] * 300], [0, 1] * 300)
    >>> estimates = Estimates(VoteCounts.from_votes(votes))
    >>> estimates.gibbs_loss, estimates.tandem_loss
    (0.25, 0.125)
    >>> round(tandem_bound(estimates, delta=0.05), 3)
    0.715
    """

    def __init__(
        self,
        evidence: Evidence | VoteCounts,
        posterior: ArrayLike | None = None,
        prior: ArrayLike | None = None,
        *,
        published: bool = False,
    ) -> None:
        known = evidence if isinstance(evidence, Evidence) else Evidence(evidence)
        n_voters = known.counts.n_voters
        if posterior is None and (part := known.vote or known.profile):
            posterior = part.weights
        self.posterior = check_distribution(posterior, n_voters, "posterior")
        self.prior = check_distribution(prior, n_voters, "prior")
        self.published = published
        given = self.posterior if posterior is None else posterior  # not divided by their sum
        self.evidence: Evidence | None = known.at(given)

    @classmethod
    def from_numbers(
        cls,
        *,
        gibbs_loss: float | None = None,
        n_min: float | None = None,
        tandem_loss: float | None = None,
        n_min_pairs: float | None = None,
        disagreement: float | None = None,
        n_min_disagreement: float | None = None,
        lone_error: float | None = None,
        kl_divergence: float = 0.0,
        errors: ArrayLike | None = None,
        sizes: ArrayLike | None = None,
        n_errors: int | None = None,
        n_samples: int | None = None,
    ) -> Estimates:
        """Return estimates with these numbers, for bounds in their published form.

        A bound raises `RequirementError` if it requires a number that is not given.

        Parameters
        ----------
        gibbs_loss, tandem_loss, lone_error, disagreement : float in [0, 1], optional
            Observed rates, averaged over the posterior or over pairs: a voter errs, both of two
            voters err, exactly one of them errs, the two disagree.
        n_min, n_min_pairs, n_min_disagreement : float, optional
            Size of the smallest set behind them: held-out samples of a voter, of a pair, of a pair
            with unlabeled samples included (`n_min_pairs` by default).
        kl_divergence : float, default=0.0
            KL(rho‖pi) of the voters.
        errors, sizes : array_like of int, shape (n_voters,), optional
            Errors of each voter of an equal vote on held-out samples, and the number of these.
        n_errors, n_samples : int, optional
            Errors of the vote itself on a test set, and the size of the test set.

        Examples
        --------
        >>> from tandemvote.bounds import c_box_bound, first_order_bound
        >>> adult = Estimates.from_numbers(gibbs_loss=0.20851, n_min=9459.96)
        >>> round(first_order_bound(adult), 4)
        0.4517
        >>> c_box_bound(adult)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        tandemvote.bounds.requirements.RequirementError: This bound requires tandem_loss, ...
        """
        given = {name: value for name, value in locals().items() if name != "cls"}
        if n_min_disagreement is None:
            given["n_min_disagreement"] = n_min_pairs
        if disagreement is not None:
            # If it includes unlabeled samples, that of labeled samples is the rate at which exactly
            # one of two voters errs: with two classes, these are the voters that disagree.
            is_labeled = n_min_disagreement in (None, n_min_pairs)
            given["labeled_disagreement"] = disagreement if is_labeled else lone_error
        known = {name: value for name, value in given.items() if value is not None}
        known |= {name: np.atleast_1d(known[name]) for name in ("errors", "sizes") if name in known}
        _check_numbers(known)
        estimates = cls.__new__(cls)
        uniform = check_distribution(None, np.size(known.get("errors", 0)), "posterior")
        # Numbers that are given take the place of cached properties.
        vars(estimates).update(
            evidence=None, posterior=uniform, prior=uniform, published=True, **known
        )
        return estimates

    def counted(self, name: str) -> VoteCounts:
        """Return the counts, which the number `name` is computed from unless it was given."""
        if self.evidence is None:
            raise RequirementError(
                f"This bound requires {name}, which was not given. Pass {name}, or choose another"
                " bound."
            )
        return self.evidence.counts

    @property
    def classes(self) -> Collection[Any]:
        """Classes of the votes; empty if they are not known."""
        return () if self.evidence is None else self.evidence.counts.classes

    @cached_property
    def gibbs_loss(self) -> float:
        """Error rate of a voter drawn from the posterior, G^."""
        return min(float(self.posterior @ self.counted("gibbs_loss").gibbs_losses), 1.0)

    @cached_property
    def tandem_loss(self) -> float:
        """Share of samples that two voters drawn from the posterior both misclassify, T^."""
        return self._pair_average(self.counted("tandem_loss").tandem_losses)

    @cached_property
    def lone_error(self) -> float:
        """Share of samples that exactly one of two such voters misclassifies, O^."""
        return self._pair_average(self.counted("lone_error").lone_error_rates)

    @cached_property
    def disagreement(self) -> float:
        """Share of samples, unlabeled ones included, on which two such voters disagree, D^."""
        return self._pair_average(self.counted("disagreement").disagreement_rates)

    @cached_property
    def labeled_disagreement(self) -> float:
        """Share of labeled samples on which two such voters disagree."""
        missing = "lone_error" if "disagreement" in vars(self) else "disagreement"
        return self._pair_average(self.counted(missing).labeled_disagreement_rates)

    @cached_property
    def kl_divergence(self) -> float:
        """KL(rho‖pi)."""
        return kl_divergence(self.posterior, self.prior)

    @cached_property
    def n_min(self) -> float:
        """Size of the smallest held-out set, among the voters with a positive prior."""
        return self.counted("n_min").voter_sets.n_min(self.prior)

    @cached_property
    def n_min_pairs(self) -> float:
        """Number of samples in the smallest pairwise overlap of these sets."""
        return self.counted("n_min_pairs").pair_sets.n_min(self.prior)

    @cached_property
    def n_min_disagreement(self) -> float:
        """Number of samples in the smallest pairwise overlap, unlabeled samples included."""
        return self.counted("n_min_disagreement").disagreement_sets.n_min(self.prior)

    @cached_property
    def voter_size(self) -> SampleSize:
        """Sample size behind the Gibbs loss."""
        if self.published:
            return published_size(self.n_min, self.kl_divergence)
        return self._harmonic(self.counted("n_min").voter_sets)

    @cached_property
    def pair_size(self) -> SampleSize:
        """Sample size behind the tandem loss."""
        if self.published:
            return published_size(self.n_min_pairs, 2 * self.kl_divergence)
        return self._harmonic(self.counted("n_min_pairs").pair_sets)

    @cached_property
    def disagreement_size(self) -> SampleSize:
        """Sample size behind the disagreement."""
        if self.published:
            return published_size(self.n_min_disagreement, 2 * self.kl_divergence)
        counts = self.counted("n_min_disagreement")
        return self._harmonic(counts.disagreement_sets) if counts.n_unlabeled else self.pair_size

    @cached_property
    def pair_size_at_prior(self) -> float:
        """Sample size of pairs at the prior, which does not depend on the posterior."""
        if self.published:
            return float(self.n_min_pairs)
        return self.counted("n_min_pairs").pair_sets.harmonic(self.prior).at(self.prior).n

    @cached_property
    def smallest_coalition(self) -> Fraction:
        """Smallest weight that can make the vote wrong; one half in the published forms."""
        return HALF if self.published else smallest_coalition(self.posterior)

    @cached_property
    def errors(self) -> IntArray:
        """Errors of each voter on its held-out samples."""
        return self.counted("errors").errors

    @cached_property
    def sizes(self) -> IntArray:
        """Number of held-out samples of each voter."""
        return self.counted("sizes").sizes

    @cached_property
    def n_errors(self) -> int:
        """Test samples that count as errors of the vote."""
        evidence = self.evidence or Evidence(self.counted("n_errors"))
        if reason := TEST_OF_THE_VOTE.unmet(evidence):
            raise does_not_apply(TEST_SET, reason)
        return (evidence.vote and evidence.vote.n_test_errors) or 0

    @cached_property
    def n_samples(self) -> int:
        """Number of labeled samples."""
        return self.counted("n_samples").n_samples

    def gibbs_interval(self, delta: float, moment: Moment = two_sqrt) -> Interval:
        """Interval for the true Gibbs loss."""
        return kl_interval(self.gibbs_loss, self.voter_size.complexity(delta, moment))

    def tandem_interval(self, delta: float, moment: Moment = two_sqrt) -> Interval:
        """Interval for the true tandem loss."""
        return self.pair_interval(self.tandem_loss, delta, moment)

    def pair_interval(self, rate: float, delta: float, moment: Moment = two_sqrt) -> Interval:
        """Interval for the true mean of any pair variable in [0, 1], given the observed one."""
        return kl_interval(rate, self.pair_size.complexity(delta, moment))

    def disagreement_interval(self, delta: float, moment: Moment = two_sqrt) -> Interval:
        """Interval for the true disagreement."""
        return kl_interval(self.disagreement, self.disagreement_size.complexity(delta, moment))

    def check_prior(self) -> None:
        """Raise ValueError if a voter has weight and no prior."""
        kl_divergence(self.posterior, self.prior)

    def _harmonic(self, sets: SetSizes) -> SampleSize:
        self.check_prior()
        return sets.harmonic(self.prior).at(self.posterior)

    def _pair_average(self, rates: FloatArray) -> float:
        return min(float(self.posterior @ rates @ self.posterior), 1.0)


def published_size(n: float, kl_divergence: float) -> SampleSize:
    """Sample size of the printed forms: every set counts as the smallest one."""
    n = float(n)
    return SampleSize(n, kl_divergence, np.array([n]), np.ones(1), 0.0, as_printed=True)


def _check_numbers(known: dict[str, Any]) -> None:
    """Raise ValueError for numbers that no votes have."""
    for name in ("gibbs_loss", "tandem_loss", "lone_error", "disagreement"):
        if name in known and not 0.0 <= known[name] <= 1.0:
            raise ValueError(f"{name} must lie in [0, 1], got {known[name]}.")
    for name in ("n_min", "n_min_pairs", "n_min_disagreement"):
        if name in known and not (known[name] == 0 or known[name] >= 1):
            raise ValueError(
                f"{name} must be 0 or at least 1, got {known[name]}. Pass a number of samples."
            )
    if not known["kl_divergence"] >= 0:
        raise ValueError(f"kl_divergence must be at least 0, got {known['kl_divergence']}.")
    both, one = known.get("tandem_loss", 0.0), known.get("lone_error", 0.0)
    if not both + one <= 1.0 + INPUT_MARGIN:
        raise ValueError(
            f"tandem_loss {both} and lone_error {one} sum to more than 1, but either both voters"
            " err or exactly one. Compute both on the same samples."
        )
    if np.size(known.get("errors", 0)) != np.size(known.get("sizes", 0)):
        raise ValueError("errors and sizes must have the same length. Pass one of each per voter.")


def check_distribution(values: ArrayLike | None, n_voters: int, name: str) -> FloatArray:
    """Return checked weights over voters, uniform by default, as a new array."""
    if values is None:
        return np.full(n_voters, 1.0 / n_voters)
    try:
        weights = np.array(values, float)
    except (ValueError, TypeError, OverflowError):
        message = f"{name}={values!r:.60} is not valid; expected one number per voter."
        raise ValueError(message) from None
    if weights.shape != (n_voters,):
        raise ValueError(
            f"{name} has shape {weights.shape}; expected one weight per voter, ({n_voters},)."
        )
    total, lowest = float(weights.sum()), int(weights.argmin())
    if not (weights[lowest] >= 0 and abs(total - 1.0) <= 1e-9):
        negative = f" and is {weights[lowest]:.10g} at voter {lowest}" * (not weights[lowest] >= 0)
        raise ValueError(
            f"{name} sums to {total:.10g}{negative}; expected numbers of at least 0 that sum to 1."
            " Divide them by their sum."
        )
    # Leave weights alone that sum to 1 up to rounding, so that checking twice changes nothing; no
    # more than rounding, as sample sizes are rounded outward by little more.
    return weights / total if abs(total - 1.0) > 1e-14 else weights
