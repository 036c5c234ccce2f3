"""The one way from votes to a certificate: check, count, weights, profile, bound."""

from __future__ import annotations

import platform
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.assumptions import standard_assumptions
from tandemvote.auditing import Finding
from tandemvote.bounds import get_bound
from tandemvote.bounds.estimates import check_distribution
from tandemvote.bounds.registry import AUTO, automatic_bounds
from tandemvote.certificate.certificate import Certificate, applicable_bounds
from tandemvote.certificate.rendering import rate
from tandemvote.counts import VoteCounts, VoteTally
from tandemvote.decimals import MAX_DELTA
from tandemvote.draws import shuffled
from tandemvote.held_out_checks import check_held_out_sets
from tandemvote.inequalities.outward import FloatArray
from tandemvote.inequalities.pac_bayes import check_delta
from tandemvote.verify.document import DISAGREEMENT, OBSERVED_ABOVE_BOUND, TEST_SET, VOTE_PROFILE
from tandemvote.votes import Votes
from tandemvote.voting import VoteProfile, check_tested_majority, votable, weighted_vote
from tandemvote.weights import minimize_bound
from tandemvote.weights.objective import MINIMIZABLE

UNIFORM, GIVEN, BEST = "uniform", "given", "best"

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
    members: str | None = None,
    n_trees: int | None = None,
) -> Certificate:
    """Certify the weighted vote of voters on samples they were not trained on.

    Parameters
    ----------
    evidence : Votes or VoteCounts
        The votes, or counts of votes that do not fit in memory.
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
    findings : sequence of Finding, default=()
        What was found in the samples.
    members : str, default=None
        Digest of the tested models.
    n_trees : int, default=None
        Number of trees of each tested model, if these are forests.

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
    if delta > MAX_DELTA:
        raise ValueError(
            f"delta={delta:g} is above {MAX_DELTA}. Certificates require a confidence of at least"
            f" {1 - MAX_DELTA:.0%}."
        )
    check_request(bound, weights, evidence.classes)
    pi = check_distribution(prior, evidence.n_voters, "prior")
    votes = evidence if isinstance(evidence, Votes) else None
    names = (bound,) if isinstance(bound, str) else tuple(bound)
    method = weights if isinstance(weights, str) else GIVEN
    counts, profiled = _count(evidence, method)
    check_held_out_sets(counts)

    if method == UNIFORM:
        rho = check_distribution(None, counts.n_voters, "weights")
    elif method == GIVEN:
        rho = votable(check_distribution(weights, counts.n_voters, "weights"))
    else:
        rho = votable(minimize_bound(counts, method, pi, delta, published=published).weights)
    if votes is not None and method != UNIFORM:
        counts = replace(counts, tally=VoteTally.of(votes, rho))
    elif counts.tally is not None and method != UNIFORM:  # which is that of equal weights
        counts = replace(counts, tally=VoteTally(counts.tally.class_counts))

    # Whether given weights were fixed without looking at the samples is up to the caller.
    fixed = method == UNIFORM or (method == GIVEN and TEST_SET in names)
    fitted = None if fixed else method
    profile = _profile(votes, rho, profiled)
    applicable = applicable_bounds(counts, profile, fitted)
    if counts.untested.any():
        if TEST_SET not in applicable:
            raise ValueError(
                f"Voter {int(counts.untested.argmax())} has no held-out samples. That requires"
                " fixed weights, every other voter to be tested on all samples, and no deployed"
                " classifier. Use weights='uniform', or exclude the voter."
            )
        check_tested_majority(counts.untested, rho)
    names = _candidates(names, counts, applicable)

    one_row_per_group = votes is not None and votes.one_row_per_group
    latest = None if votes is None else votes.latest
    is_drawn = votes is not None and votes.rows is not None and latest is None
    tested = ~counts.untested
    certificate = Certificate(
        candidates={},
        delta=delta,
        weights=rho,
        fitted=fitted,
        prior=pi,
        published=published,
        counts=counts,
        profile=profile,
        findings=(*findings, *_about_deployed(votes, rho)),
        assumptions=standard_assumptions(
            profile=profile is not None,
            test_set=TEST_SET in names,
            deployed=profile is not None and profile.deployed is not None,
            untested=bool(counts.untested.any()),
            one_row_per_group=one_row_per_group,
            drawn=one_row_per_group or is_drawn or profile is not None,
            split=bool(np.ptp(counts.overlaps[np.ix_(tested, tested)])),
            latest=latest is not None,
            one_voter=counts.n_voters == 1,
        ),
        versions=versions(),
        one_row_per_group=one_row_per_group,
        latest=latest,
        members=members,
        n_trees=n_trees,
        votes=votes,
    )
    return with_candidates(certificate, names)


def with_candidates(certificate: Certificate, names: Collection[str]) -> Certificate:
    """Evaluate the candidates at their shares of delta; report a larger observed error."""
    share = certificate.delta / len(names)
    values = {name: certificate.evaluate(name, share) for name in names}
    profiled = certificate.profile is not None and not certificate.counts.untested.any()
    if profiled and VOTE_PROFILE not in values:
        # Unlabeled samples of another distribution raise a ContradictionError, whatever the bound.
        certificate.evaluate(VOTE_PROFILE)
    observed, value = certificate.observed, min(values.values())
    if observed is not None and observed > value:
        above = Finding(
            code=OBSERVED_ABOVE_BOUND,
            severity="warning",
            message=f"The observed error {rate(observed)} is larger than the bound {rate(value)}."
            " It may come from fewer voters at each sample than the vote has.",
            advice="Check that held-out samples were not chosen by looking at the data, and that"
            " voters do not abstain on hard ones.",
        )
        certificate = replace(certificate, findings=(*certificate.findings, above))
    return replace(certificate, candidates=values)


def check_request(
    bound: str | Sequence[str], weights: str | ArrayLike, classes: Collection[Any]
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
    if isinstance(weights, str) and weights != UNIFORM:
        if weights not in MINIMIZABLE:
            listed = ", ".join(map(repr, (UNIFORM, *MINIMIZABLE)))
            raise ValueError(f"Invalid weights={weights!r}. Use one of {listed}, or pass an array.")
        get_bound(weights).check_classes(classes)


def _count(evidence: Votes | VoteCounts, method: str) -> tuple[VoteCounts, Places]:
    """Count the votes, and return which of the unlabeled samples remain for a profile.

    Weights that minimize the disagreement bound depend on the unlabeled samples that are counted,
    so counts and profile get one random half each. Otherwise both get all of them.
    """
    if isinstance(evidence, VoteCounts):
        return evidence, slice(None)
    counted: Places = slice(None)
    profiled: Places = slice(None)
    if method == DISAGREEMENT:
        deployed = None if evidence.deployed is None else evidence.deployed.predictions
        order = shuffled([*evidence.unlabeled, deployed])
        counted, profiled = map(np.sort, np.array_split(order, 2))
    votes = replace(evidence, unlabeled=evidence.unlabeled[:, counted])
    return VoteCounts.from_votes(votes, tally=method == UNIFORM), profiled


def _profile(votes: Votes | None, weights: FloatArray, places: Places) -> VoteProfile | None:
    """Profile the deployed classifier, or the vote, on some of the unlabeled samples."""
    if votes is None or not votes.unlabeled[:, places].size:
        return None
    predictions, deployed = votes.unlabeled[:, places], votes.deployed
    if deployed is None:
        return VoteProfile.of(predictions, weights)
    return VoteProfile.of(predictions, weights, deployed.predictions[places], name=deployed.name)


def _candidates(
    names: tuple[str, ...], counts: VoteCounts, applicable: Sequence[str]
) -> tuple[str, ...]:
    """Return the bounds among which the smallest is reported, chosen without looking at values."""
    if names == (AUTO,):
        names = automatic_bounds(counts, applicable)
    elif names == (BEST,):
        current = [bound for bound in map(get_bound, applicable) if bound.superseded_by is None]
        # Where every bound lacks something, as on a single sample, all of them are 1.
        useful = [bound for bound in current if not bound.missing(counts)] or current
        names = tuple(bound.name for bound in useful)
    for name in names:
        if name not in applicable and applicable in ([VOTE_PROFILE], [TEST_SET]):
            raise ValueError(
                f"bound={name!r} requires every voter to be tested and no deployed classifier. Use"
                f" bound={applicable[0]!r}."
            )
        if name not in applicable and name == VOTE_PROFILE:
            raise ValueError(f"bound={name!r} requires unlabeled samples. Pass X_unlabeled.")
        if name not in applicable and name == TEST_SET:
            raise ValueError(
                f"bound={name!r} requires samples that no voter was trained on, and weights that do"
                " not depend on them. Use other samples or another bound."
            )
        get_bound(name).check(counts)
    return names


def _about_deployed(votes: Votes | None, weights: FloatArray) -> list[Finding]:
    """Report how far a deployed classifier is from the vote through which it is certified."""
    if votes is None or votes.deployed is None:
        return []
    winners = weighted_vote(votes.unlabeled, weights, votes.classes.size)
    differs = float((winners != votes.deployed.predictions).mean())
    message = (
        f"No labeled sample has tested {votes.deployed.name} itself. It differs from the vote on"
        f" {rate(differs)} of {votes.n_unlabeled} unlabeled samples."
    )
    return [Finding(code="deployed", severity="note", message=message)]


@cache
def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that the numbers depend on."""
    names = ("tandemvote", "numpy", "scipy", "scikit-learn")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}
