"""The one way from votes to a certificate: check, count, weights, profile, bound, issue."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.abstention import check_held_out_sets
from tandemvote.assumptions import standard_assumptions
from tandemvote.auditing import Finding
from tandemvote.bounds import VOTE_BOUNDS, get_bound
from tandemvote.bounds.estimates import Estimates, check_distribution
from tandemvote.bounds.registry import AUTO, automatic_bounds
from tandemvote.bounds.vote_profile import vote_profile_bound
from tandemvote.certificate.certificate import Certificate, bound_value
from tandemvote.certificate.rendering import rate
from tandemvote.counts import FloatArray, VoteCounts, VoteTally
from tandemvote.inequalities.pac_bayes import check_delta
from tandemvote.verify.document import (
    DISAGREEMENT,
    OBSERVED_ABOVE_BOUND,
    TEST_SET,
    VOTE_PROFILE,
    Group,
)
from tandemvote.votes import Votes
from tandemvote.voting import (
    SHUFFLE,
    VoteProfile,
    check_tested_majority,
    votable,
    weighted_vote,
)
from tandemvote.weights import minimize_bound
from tandemvote.weights.objective import MINIMIZABLE

UNIFORM, BEST = "uniform", "best"

Places: TypeAlias = slice | NDArray[np.intp]


def certify_votes(
    evidence: Votes | VoteCounts,
    *,
    weights: str | ArrayLike = UNIFORM,
    bound: str | Sequence[str] = AUTO,
    prior: ArrayLike | None = None,
    published: bool = False,
    delta: float = 0.05,
    findings: Sequence[Finding] = (),
    assumptions: Sequence[str] = (),
    members: str | None = None,
) -> Certificate:
    """Certify the weighted vote of voters on samples they were not trained on.

    Parameters
    ----------
    evidence : Votes or VoteCounts
        Counts stand for votes that are too many to be held in memory.
    weights : {"uniform", "first_order", "tandem", "disagreement"} or array_like
        Equal weights, weights that minimize the named bound, or one weight per voter.
    bound : str or sequence of str
        "auto", the name of a bound, several names, or "best" for all that apply. Of several bounds
        the smallest is reported, each at an equal share of delta.
    prior : array_like of shape (n_voters,), default=None
        Weights fixed before seeing the data; uniform by default.
    published : bool, default=False
        Whether to use the bounds in their published form.
    delta : float, default=0.05
        Failure probability.
    findings, assumptions : sequence, default=()
        What is known about these voters and samples besides what every certificate states.
    members : str, default=None
        Digest of the tested models.

    Returns
    -------
    Certificate

    Examples
    --------
    >>> votes = Votes.from_predictions([[0, 1, 1, 1], [0, 0, 0, 1]] * 3, [0, 1, 0, 1])
    >>> certify_votes(votes, bound="first_order").bound
    'first_order'
    """
    check_delta(delta)
    names = (bound,) if isinstance(bound, str) else tuple(bound)
    check_request(bound, weights, evidence.classes)
    votes = evidence if isinstance(evidence, Votes) else None
    deployed = None if votes is None or votes.deployed is None else votes.deployed.name
    pi = check_distribution(prior, evidence.n_voters, "prior")
    halved = isinstance(weights, str) and weights == DISAGREEMENT
    counted, profiled = _set_apart(0 if votes is None else votes.n_unlabeled, halved=halved)
    uniform = isinstance(weights, str) and weights == UNIFORM
    if isinstance(evidence, Votes):
        some = replace(evidence, unlabeled=evidence.unlabeled[:, counted])
        counts = VoteCounts.from_votes(some, tally=uniform)
    else:
        counts = evidence
    check_held_out_sets(counts)
    rho, fitted = _choose_weights(counts, weights, pi, delta, published=published)
    if not uniform:
        counts = tally_vote(counts, votes, rho)
    # Whether given weights were fixed without looking at the samples is up to the caller.
    tests = counts.n_test_errors is not None and (uniform or (TEST_SET in names and fitted is None))
    if counts.untested.any():
        _check_untested(counts, rho, tested_together=tests and deployed is None)
    profile = _profile(votes, rho, profiled)
    candidates = _candidates(names, counts, profile=profile, tests=tests)
    standard = standard_assumptions(
        profile=profile is not None,
        test_set=TEST_SET in candidates,
        deployed=deployed is not None,
        untested=bool(counts.untested.any()),
        one_row_per_group=votes is not None and votes.one_row_per_group,
        one_voter=counts.n_voters == 1,
    )
    return issue(
        counts,
        weights=rho,
        fitted=fitted if uniform or fitted or TEST_SET in candidates else "given",
        prior=pi,
        published=published,
        profile=profile,
        candidates=candidates,
        delta=delta,
        findings=[*findings, *_about_deployed(votes, counts, rho)],
        assumptions=(*standard, *assumptions),
        one_row_per_group=votes is not None and votes.one_row_per_group,
        members=members,
        votes=votes,
    )


def issue(
    counts: VoteCounts,
    *,
    weights: FloatArray,
    fitted: str | None,
    prior: FloatArray,
    published: bool,
    profile: VoteProfile | None,
    candidates: Sequence[str],
    delta: float,
    findings: Sequence[Finding],
    assumptions: Sequence[str],
    one_row_per_group: bool,
    members: str | None,
    votes: Votes | None,
    group: Group | None = None,
) -> Certificate:
    """Evaluate the candidates at their shares of delta, and certify the smallest."""
    estimates = Estimates(counts, weights, prior, published=published, profile=profile)
    share = delta / len(candidates)
    values = {name: bound_value(name, estimates, share) for name in candidates}
    if profile is not None and VOTE_PROFILE not in values and not counts.untested.any():
        # Unlabeled samples of another distribution raise a ContradictionError, whatever the bound.
        vote_profile_bound(estimates, delta)
    best = min(values, key=values.__getitem__)
    certificate = Certificate(
        value=values[best],
        bound=best,
        candidates=values,
        delta=delta,
        weights=weights,
        fitted=fitted,
        prior=prior,
        published=published,
        counts=counts,
        profile=profile,
        findings=tuple(findings),
        assumptions=tuple(assumptions),
        versions=dict(versions()),
        one_row_per_group=one_row_per_group,
        group=group,
        members=members,
        votes=votes,
    )
    above = _above_bound(certificate)
    return replace(certificate, findings=(*findings, *above)) if above else certificate


def _above_bound(certificate: Certificate) -> list[Finding]:
    """Report an observed error above the bound."""
    observed = certificate.observed
    if observed is None or observed <= certificate.value:
        return []
    message = (
        f"The observed error {rate(observed)} is larger than the bound {rate(certificate.value)}."
        " It may come from fewer voters at each sample than the vote has."
    )
    advice = (
        "Check that held-out samples were not chosen by looking at the data, and that voters do"
        " not abstain on hard ones."
    )
    return [Finding(code=OBSERVED_ABOVE_BOUND, severity="warning", message=message, advice=advice)]


def tally_vote(counts: VoteCounts, votes: Votes | None, weights: FloatArray) -> VoteCounts:
    """Return the counts with the results of this weighted vote, as far as the votes are there."""
    if votes is not None:
        return replace(counts, tally=VoteTally.of(votes, weights))
    return replace(counts, tally=counts.tally and VoteTally(counts.tally.class_counts))


def check_request(
    bound: str | Sequence[str], weights: str | ArrayLike, classes: NDArray[Any]
) -> None:
    """Raise ValueError for bounds and weights that do not exist or not for these classes."""
    names = (bound,) if isinstance(bound, str) else tuple(bound)
    if not names:
        raise ValueError("bound is empty. Name at least one bound, or use bound='auto'.")
    for name in names:
        if name not in (AUTO, BEST):
            get_bound(name).check_classes(classes)
        elif len(names) > 1:
            raise ValueError(f"bound={names!r} combines {name!r} with other bounds. Use it alone.")
    if isinstance(weights, str):
        if weights not in (UNIFORM, *MINIMIZABLE):
            listed = ", ".join(map(repr, (UNIFORM, *MINIMIZABLE)))
            raise ValueError(f"Invalid weights={weights!r}. Use one of {listed}, or pass an array.")
        if weights != UNIFORM:
            get_bound(weights).check_classes(classes)


def _set_apart(n_unlabeled: int, *, halved: bool) -> tuple[Places, Places]:
    """Return the unlabeled samples to count, and those to profile.

    Weights that minimize the disagreement bound depend on the counted samples, so that counts and
    profile get one random half each. Otherwise both get all samples.
    """
    if not halved:
        return slice(None), slice(None)
    order = np.random.default_rng(SHUFFLE).permutation(n_unlabeled)
    counted, profiled = np.array_split(order, 2)
    return np.sort(counted), np.sort(profiled)


def _choose_weights(
    counts: VoteCounts,
    weights: str | ArrayLike,
    prior: FloatArray,
    delta: float,
    *,
    published: bool,
) -> tuple[FloatArray, str | None]:
    """Return the weights to vote with, and the name of the bound that they minimize, if any."""
    if not isinstance(weights, str):
        return votable(check_distribution(weights, counts.n_voters, "weights")), None
    if weights == UNIFORM:
        return check_distribution(None, counts.n_voters, "weights"), None
    solution = minimize_bound(counts, weights, prior, delta, published=published)
    return votable(solution.weights), weights


def _check_untested(counts: VoteCounts, weights: FloatArray, *, tested_together: bool) -> None:
    """Raise ValueError for untested voters where no bound covers them."""
    if not tested_together:
        voter = int(np.flatnonzero(counts.untested)[0])
        raise ValueError(
            f"Voter {voter} has no held-out samples. That requires fixed weights, every other voter"
            " to be tested on all samples, and no deployed classifier. Use weights='uniform', or"
            " leave the voter out."
        )
    check_tested_majority(counts.untested, weights)


def _profile(votes: Votes | None, weights: FloatArray, places: Places) -> VoteProfile | None:
    """Profile the deployed classifier, or the vote, on some of the unlabeled samples."""
    if votes is None or not votes.unlabeled[:, places].size:
        return None
    predictions, deployed = votes.unlabeled[:, places], votes.deployed
    if deployed is None:
        return VoteProfile.of(predictions, weights)
    return VoteProfile.of(predictions, weights, deployed.predictions[places], name=deployed.name)


def _candidates(
    names: Sequence[str], counts: VoteCounts, *, profile: VoteProfile | None, tests: bool
) -> tuple[str, ...]:
    """Return the bounds among which the smallest is reported, chosen without looking at values."""
    deployed = None if profile is None else profile.deployed
    if tuple(names) == (AUTO,):
        names = automatic_bounds(
            n_voters=counts.n_voters,
            overlaps=counts.n_min_pairs > 0,
            unlabeled=profile is not None,
            test_set=tests,
            deployed=deployed is not None,
        )
    elif tuple(names) == (BEST,):
        names = _all_current(counts, profile=profile, tests=tests)
    for name in names:
        if deployed is not None and name != VOTE_PROFILE:
            raise ValueError(
                f"bound={name!r} is about the vote, and {deployed} is another classifier. Use"
                " bound='auto', or certify the deployed classifier on held-out samples."
            )
        if name == VOTE_PROFILE and profile is None:
            raise ValueError(f"bound={name!r} requires unlabeled samples. Pass X_unlabeled.")
        if name == TEST_SET and not tests:
            raise ValueError(
                f"bound={name!r} requires samples that no voter was trained on, and weights that do"
                " not depend on them. Use other samples or another bound."
            )
        if name != TEST_SET and tests and counts.untested.any():
            raise ValueError(
                f"bound={name!r} requires every voter to be tested, and voter"
                f" {int(counts.untested.argmax())} has no held-out samples. Use bound='auto'."
            )
        if name in VOTE_BOUNDS:
            get_bound(name).check(counts)
    return tuple(names)


def _all_current(
    counts: VoteCounts, *, profile: VoteProfile | None, tests: bool
) -> tuple[str, ...]:
    """Return all bounds that apply and that no other one supersedes."""
    if profile is not None and profile.deployed is not None:
        return (VOTE_PROFILE,)
    if counts.untested.any():
        return (TEST_SET,)
    offered = [get_bound(name) for name in VOTE_BOUNDS if get_bound(name).is_offered_for(counts)]
    current = [bound for bound in offered if bound.superseded_by is None]
    # Where every bound lacks something, as on a single sample, all of them are 1.
    of_votes = [bound for bound in current if not bound.missing(counts)] or current
    more = ([VOTE_PROFILE] if profile is not None else []) + ([TEST_SET] if tests else [])
    return (*(bound.name for bound in of_votes), *more)


def _about_deployed(votes: Votes | None, counts: VoteCounts, weights: FloatArray) -> list[Finding]:
    """Report how far a deployed classifier is from the vote through which it is certified."""
    if votes is None or votes.deployed is None:
        return []
    winners = weighted_vote(votes.unlabeled, weights, votes.classes.size)
    differs = float((winners != votes.deployed.predictions).mean())
    message = (
        f"No labeled sample has tested {votes.deployed.name} itself. It differs from the vote on"
        f" {rate(differs)} of {votes.n_unlabeled} unlabeled samples."
    )
    observed = None if counts.tally is None else counts.tally.observed_error
    if observed is not None:
        message += f" The vote's observed error is {rate(observed)}."
    return [Finding(code="deployed", severity="note", message=message)]


@cache
def versions() -> dict[str, Any]:
    """Return the versions of Python and of the libraries that the numbers depend on."""
    names = ("tandemvote", "numpy", "scipy", "scikit-learn")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}
