"""The bounds by name, all of them at once, and the automatic choice."""

from __future__ import annotations

from tandemvote.bounds.bound import Bound
from tandemvote.bounds.c_bound import C1_BOUND, C2_BOUND
from tandemvote.bounds.chebyshev_cantelli import BERNSTEIN_CANTELLI_BOUND, SPLIT_KL_CANTELLI_BOUND
from tandemvote.bounds.coalition import COALITION_BOUND
from tandemvote.bounds.estimates import Estimates
from tandemvote.bounds.markov import DISAGREEMENT_BOUND, FIRST_ORDER_BOUND, TANDEM_BOUND
from tandemvote.bounds.second_order import C_BOX_BOUND, C_TANDEM_BOUND, SECOND_ORDER_BOUND
from tandemvote.bounds.test_set import TEST_SET_BOUND
from tandemvote.bounds.vote_profile import VOTE_PROFILE_BOUND
from tandemvote.votes.evidence import Evidence
from tandemvote.votes.parameter_error import ParameterError

FROM_VOTES = (
    FIRST_ORDER_BOUND,
    TANDEM_BOUND,
    DISAGREEMENT_BOUND,
    C1_BOUND,
    C2_BOUND,
    C_TANDEM_BOUND,
    C_BOX_BOUND,
    SECOND_ORDER_BOUND,
    BERNSTEIN_CANTELLI_BOUND,
    SPLIT_KL_CANTELLI_BOUND,
    COALITION_BOUND,
)

BOUNDS = {bound.name: bound for bound in (*FROM_VOTES, VOTE_PROFILE_BOUND, TEST_SET_BOUND)}

VOTE_BOUNDS = tuple(bound.name for bound in FROM_VOTES)
"""Names of the bounds computed from the voters' held-out samples, in the order of tables."""

AUTO = "auto"
FEW_VOTERS = 15  # the voters share delta, which costs little for this many


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
    if name not in known:
        listed = ", ".join(map(repr, BOUNDS))
        raise ParameterError(f"Invalid bound={name!r}. Use one of {listed}.", bound=name)
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
    for bound in (TEST_SET_BOUND, VOTE_PROFILE_BOUND):
        if bound.applies(evidence) is None:
            return (bound.name,)
    if evidence.counts.n_voters <= FEW_VOTERS:
        return ("coalition",)
    return ("first_order", "tandem") if evidence.counts.n_min_pairs > 0 else ("first_order",)


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
