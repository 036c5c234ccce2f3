"""The one way from votes to a certificate: check, count, weights, profile, bound."""

from __future__ import annotations

import platform
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, reduce
from importlib.metadata import version
from operator import add
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.auditing import Finding
from tandemvote.bounds import Bound, get_bound
from tandemvote.bounds.estimates import check_distribution
from tandemvote.bounds.registry import AUTO, automatic_bounds, best_bounds
from tandemvote.certificate.certificate import Certificate
from tandemvote.certificate.evidence_fields import fields_of, with_values
from tandemvote.certificate.rendering import rate
from tandemvote.inequalities.outward import FloatArray
from tandemvote.inequalities.pac_bayes import check_delta
from tandemvote.votes.confidence import MAX_DELTA
from tandemvote.votes.counting import count_votes
from tandemvote.votes.counts import VoteCounts
from tandemvote.votes.dependent_sets import check_empty_rows, check_independent_sets
from tandemvote.votes.draws import shuffled
from tandemvote.votes.evidence import Evidence, VoteResult
from tandemvote.votes.names import DISAGREEMENT, GIVEN, MINIMIZABLE, TEST_SET
from tandemvote.votes.parameter_error import ParameterError
from tandemvote.votes.profile import VoteProfile
from tandemvote.votes.votes import REFEREE, Votes, check_all_samples, check_voters_tested
from tandemvote.votes.weighted_vote import votable, weighted_vote
from tandemvote.weights import minimize_bound

UNIFORM, BEST = "uniform", "best"

Places: TypeAlias = slice | NDArray[np.intp]
BoundName: TypeAlias = str | Bound
Source: TypeAlias = Votes | VoteCounts | Evidence | Iterable[Votes]


def certify_votes(
    source: Source,
    *,
    weights: str | ArrayLike = UNIFORM,
    bound: BoundName | Sequence[BoundName] = AUTO,
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
    source : Votes, iterable of Votes, Evidence or VoteCounts
        The votes, or what was counted of votes that do not fit in memory. The vote of weights that
        minimize a bound is counted in a second pass over the votes. Of counts, and of an iterator
        that can be read once only, it is not known.
    weights : {"uniform", "first_order", "tandem", "disagreement"} or array_like
        Equal weights, weights that minimize the named bound, or one weight per voter.
    bound : str, Bound or sequence of them
        "auto", the name of a bound, several names, a bound of one's own, or "best" for all that
        apply. Of several bounds the smallest is reported, each at an equal share of delta.
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
    names = names_of(bound)
    method = weights if isinstance(weights, str) else GIVEN
    votes = source if isinstance(source, Votes) else None
    check_request(names, weights, () if isinstance(source, Iterable) else classes_of(source))
    if method == GIVEN:
        weights = votable(check_distribution(weights, np.size(weights), "weights"))
    evidence, shards, profiled = _counted(source, method, None if method != GIVEN else weights)
    counts = evidence.counts
    check_all_samples(counts.group)
    check_voters_tested(counts.sizes)
    check_independent_sets(counts)
    if votes is None:
        check_empty_rows(counts)
    pi = check_distribution(prior, counts.n_voters, "prior")
    if method == UNIFORM:
        rho = check_distribution(None, counts.n_voters, "weights")
    elif method == GIVEN:
        check_distribution(weights, counts.n_voters, "weights")
        rho = np.asarray(weights)  # not divided by their sum again: the vote has these
    else:
        get_bound(method).check_classes(counts.classes)
        rho = pi  # where pairs share no samples, no other weights are better
        if not get_bound(method).missing(Evidence(counts)):
            rho = minimize_bound(counts, method, pi, delta, published=published).weights
        rho = votable(rho)
        if shards is not None:
            results = (VoteResult.of(part, rho) for part in shards)
            evidence = replace(evidence, vote=reduce(add, results))
    # Whether given weights were fixed without looking at the samples is up to the caller.
    known = evidence.fitted in MINIMIZABLE and evidence.at(rho).vote is not None
    claimed = method == GIVEN and TEST_SET in names and not known
    fitted = None if method == UNIFORM or claimed else evidence.fitted if known else method
    evidence = replace(evidence, fitted=fitted).at(rho)
    if votes is not None:
        evidence = replace(evidence, profile=_profile(votes, rho, profiled))
    names = _candidates(names, evidence)

    certificate = Certificate(
        **fields_of(evidence, names),
        candidates=dict.fromkeys(names, 1.0),
        delta=delta,
        weights=rho,
        prior=pi,
        published=published,
        findings=(*findings, *_about_deployed(votes, rho)),
        assumptions=(),
        versions=versions(),
        members=members,
        n_trees=n_trees,
        votes=votes,
    )
    assumptions = certificate.standard_assumptions(drawn=counts.drawn)
    return with_values(replace(certificate, assumptions=assumptions))


def check_request(
    bound: BoundName | Sequence[BoundName], weights: str | ArrayLike, classes: Collection[Any]
) -> None:
    """Raise ValueError for bounds and weights that do not exist or not for these classes."""
    names = names_of(bound)
    if not names:
        raise ValueError("bound is empty. Name at least one bound, or use 'auto'.")
    for name in names:
        if name not in (AUTO, BEST):
            get_bound(name).check_classes(classes)
        elif len(names) > 1:
            message = f"bound={names!r} combines {name!r} with other bounds. Use it alone."
            raise ParameterError(message, bound=names)
    if isinstance(weights, str) and weights != UNIFORM:
        if weights not in MINIMIZABLE:
            listed = ", ".join(map(repr, (UNIFORM, *MINIMIZABLE)))
            message = f"Invalid weights={weights!r}. Valid names are {listed}."
            raise ParameterError(message, weights=weights)
        get_bound(weights).check_classes(classes)


def names_of(bound: BoundName | Sequence[BoundName]) -> tuple[str, ...]:
    """Return the names of bounds, some of which may be of one's own."""
    bounds = [bound] if isinstance(bound, str) or not isinstance(bound, Iterable) else bound
    return tuple(get_bound(each).name if isinstance(each, Bound) else each for each in bounds)


def classes_of(source: Votes | VoteCounts | Evidence) -> NDArray[Any]:
    """Return the classes of votes or of what was counted of them."""
    return source.counts.classes if isinstance(source, Evidence) else source.classes


def _counted(
    source: Source, method: str, weights: ArrayLike | None
) -> tuple[Evidence, Iterable[Votes] | None, Places]:
    """Count the votes; return them if they can be read again, and the places for a profile.

    Weights that minimize the disagreement bound depend on the unlabeled samples that are counted,
    so counts and profile get one random half each. Otherwise both get all of them.
    """
    counted: Places = slice(None)
    profiled: Places = slice(None)
    if isinstance(source, VoteCounts):
        return Evidence(source), None, profiled
    if isinstance(source, Evidence):
        return source, None, profiled
    if isinstance(source, Votes):
        if method == DISAGREEMENT:
            deployed = None if source.deployed is None else source.deployed.predictions
            order = shuffled([*source.unlabeled, deployed])
            counted, profiled = map(np.sort, np.array_split(order, 2))
        source = [replace(source, unlabeled=source.unlabeled[:, counted])]
    evidence = count_votes(source, weights=weights, vote=method not in MINIMIZABLE)
    return evidence, None if isinstance(source, Iterator) else source, profiled


def _profile(votes: Votes, weights: FloatArray, places: Places) -> VoteProfile | None:
    """Profile the deployed classifier, or the vote, on some of the unlabeled samples."""
    predictions, deployed = votes.unlabeled[:, places], votes.deployed
    if not predictions.size or votes.ties == REFEREE:
        return None
    if deployed is None:
        return VoteProfile.of(predictions, weights)
    return VoteProfile.of(predictions, weights, deployed.predictions[places], name=deployed.name)


def _candidates(names: tuple[str, ...], evidence: Evidence) -> tuple[str, ...]:
    """Return the bounds among which the smallest is reported, chosen without looking at values."""
    if names == (BEST,) and (best := best_bounds(evidence)):
        return best
    names = automatic_bounds(evidence) if names in ((AUTO,), (BEST,)) else names
    for name in names:
        get_bound(name).check(evidence)
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
