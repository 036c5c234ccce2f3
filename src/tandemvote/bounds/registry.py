"""The bounds by name, all of them at once, and the automatic choice."""

from __future__ import annotations

from tandemvote.bounds.bound import Bound
from tandemvote.bounds.c_bound import c1_bound, c2_bound
from tandemvote.bounds.chebyshev_cantelli import bernstein_cantelli_bound, split_kl_cantelli_bound
from tandemvote.bounds.coalition import coalition_bound
from tandemvote.bounds.estimates import Estimates
from tandemvote.bounds.majorities import MOST_ENUMERATED
from tandemvote.bounds.markov import disagreement_bound, first_order_bound, tandem_bound
from tandemvote.bounds.requirements import (
    BINARY_LABELS,
    HELD_OUT_SAMPLES,
    PAIR_OVERLAPS,
    PROFILE,
    TEST_OF_THE_VOTE,
)
from tandemvote.bounds.second_order import c_box_bound, c_tandem_bound, second_order_bound
from tandemvote.bounds.test_set import test_set_bound
from tandemvote.bounds.vote_profile import vote_profile_bound
from tandemvote.votes.evidence import Evidence
from tandemvote.votes.names import COALITION, FIRST_ORDER, TANDEM, TEST_SET, VOTE_PROFILE
from tandemvote.votes.parameter_error import ParameterError

FROM_VOTES = (
    Bound(
        first_order_bound,
        "FO",
        "twice the error of a randomly drawn voter",
        "Theorem 1",
        needs=(HELD_OUT_SAMPLES,),
    ),
    Bound(
        tandem_bound,
        "TND",
        "four times the rate at which two random voters err together",
        "Theorem 3",
        needs=(PAIR_OVERLAPS,),
    ),
    Bound(
        disagreement_bound,
        "DIS",
        "error and disagreement of random voters, two classes, uses unlabeled samples",
        "Theorem 5",
        needs=(BINARY_LABELS, HELD_OUT_SAMPLES),
    ),
    Bound(
        c1_bound,
        "C1",
        "C-bound from separate estimates of error and disagreement, two classes",
        "Appendix E, after Germain et al. 2015",
        needs=(BINARY_LABELS, HELD_OUT_SAMPLES),
    ),
    Bound(
        c2_bound,
        "C2",
        "C-bound from a joint estimate of tandem error and disagreement, two classes",
        "Appendix E, after Germain et al. 2015",
        needs=(BINARY_LABELS, PAIR_OVERLAPS),
    ),
    Bound(
        c_tandem_bound,
        "CTD",
        "Chebyshev-Cantelli bound on error and tandem error of random voters",
        "Theorem 6",
        needs=(PAIR_OVERLAPS,),
        superseded_by="c_box",
    ),
    Bound(
        c_box_bound,
        "CBOX",
        "C-bound at the worst error and tandem error within their intervals",
        "Theorem 6, largest value over the confidence box",
        needs=(HELD_OUT_SAMPLES,),
    ),
    Bound(
        second_order_bound,
        "SO",
        "sharp bound from error and tandem error of pairs",
        "majorant 3z - 2z^2 of the erring weight, with Theorem 7",
        needs=(PAIR_OVERLAPS,),
    ),
    Bound(
        bernstein_cantelli_bound,
        "CCPBUB",
        "Chebyshev-Cantelli with an offset, on the variance of pair errors",
        "Wu et al. 2021, with Wu and Seldin 2022",
        needs=(PAIR_OVERLAPS,),
    ),
    Bound(
        split_kl_cantelli_bound,
        "CCPBSkl",
        "Chebyshev-Cantelli with an offset, on joint and lone errors of pairs",
        "Wu et al. 2021, with Wu and Seldin 2022",
        needs=(PAIR_OVERLAPS,),
    ),
    Bound(
        coalition_bound,
        "COA",
        "confidence limits of the voters, combined over the coalitions that could err",
        "Rüger's inequality, with Clopper-Pearson",
        most_voters=MOST_ENUMERATED,
    ),
)

OF_SAMPLES = (
    Bound(
        vote_profile_bound,
        "VP",
        "error of random voters, and how clearly unlabeled samples are decided",
        "linear program over the vote's profile, with Catoni's inequality and betting",
        about=PROFILE,
    ),
    Bound(
        test_set_bound,
        "TEST",
        "errors of the classifier itself on test samples",
        "Clopper-Pearson",
        about=TEST_OF_THE_VOTE,
    ),
)

BOUNDS = {bound.name: bound for bound in (*FROM_VOTES, *OF_SAMPLES)}

VOTE_BOUNDS = tuple(bound.name for bound in FROM_VOTES)
"""Names of the bounds computed from the voters' held-out samples, in the order of tables."""

AUTO = "auto"


OWN: dict[str, Bound] = {}
"""Bounds of users, by name. A name keeps its bound, so that certificates keep theirs."""


def get_bound(name: str | Bound) -> Bound:
    """Return the bound of that name; from then on a bound of one's own is known by its name.

    Parameters
    ----------
    name : str or Bound
        Name of the bound, such as "tandem", or a bound of one's own.

    Returns
    -------
    Bound
        Its record: a function of `Estimates` and delta, with its requirements.

    Examples
    --------
    >>> get_bound("tandem").label
    'TND'
    """
    known = BOUNDS | OWN
    if isinstance(name, Bound):
        if known.get(name.name, name) is not name:
            raise ValueError(
                f"Another bound has the name {name.name!r}. Rename the function of this bound."
            )
        return OWN.setdefault(name.name, known.get(name.name, name))
    if not isinstance(name, str) or name not in known:
        listed = ", ".join(map(repr, BOUNDS))
        message = f"Invalid bound={name!r}. Use one of {listed}, or a Bound."
        raise ParameterError(message, bound=name)
    return known[name]


def all_bounds(estimates: Estimates, delta: float = 0.05) -> dict[str, float]:
    """Return every bound that applies; each holds on its own with probability 1 - delta.

    They do not hold together: choosing the smallest after looking costs confidence. `coalition` is
    among them for up to 15 voters.

    Parameters
    ----------
    estimates : Estimates
        The empirical quantities, computed from evidence or counts.
    delta : float in (0, 1), default=0.05
        Failure probability.

    Returns
    -------
    dict of str to float
        Bounds by name, in the order of tables.

    Examples
    --------
    >>> from tandemvote import VoteCounts, Votes
    >>> votes = Votes.from_predictions([[0, 1] * 300, [0, 0] * 300], [0, 1] * 300)
    >>> bounds = all_bounds(Estimates(VoteCounts.from_votes(votes)))
    >>> round(bounds["first_order"], 3), round(bounds["tandem"], 3)
    (0.633, 0.715)
    """
    estimates.counted("counts")
    names = applicable_bounds(estimates.evidence) if estimates.evidence else []
    return {name: BOUNDS[name].function(estimates, delta) for name in names}


def applicable_bounds(evidence: Evidence) -> list[str]:
    """Return the names of the bounds that are computed without being requested."""
    return [
        name
        for name, bound in BOUNDS.items()
        if bound.applies(evidence) is None and bound.is_affordable(evidence)
    ]


def automatic_bounds(evidence: Evidence) -> tuple[str, ...]:
    """Choose by the kind of evidence, never by its value, so that the choice costs no confidence.

    Of several bounds the smallest is reported, each at its share of delta.

    Examples
    --------
    >>> from tandemvote import Votes
    >>> votes = Votes.from_predictions([[0, 1] * 300, [0, 0] * 300], [0, 1] * 300)
    >>> evidence = Evidence.of(votes)
    >>> automatic_bounds(evidence), automatic_bounds(Evidence(evidence.counts))
    (('test_set',), ('coalition',))
    """
    for name in (TEST_SET, VOTE_PROFILE):
        if BOUNDS[name].applies(evidence) is None:
            return (name,)
    if BOUNDS[COALITION].is_affordable(evidence):  # few voters share delta, which costs little
        return (COALITION,)
    return (FIRST_ORDER, TANDEM) if evidence.counts.n_min_pairs > 0 else (FIRST_ORDER,)


def best_bounds(evidence: Evidence) -> tuple[str, ...]:
    """Return every bound that exists for the kind of evidence and is not superseded.

    The classes that the labels happen to have do not matter: a bound for two classes has its share
    of delta and is 1 if there are more.
    """
    return tuple(
        name
        for name, bound in BOUNDS.items()
        if bound.superseded_by is None and bound.exists_for(evidence)
    )
