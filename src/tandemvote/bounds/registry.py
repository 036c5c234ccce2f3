"""The bounds by name, and all of them at once."""

from __future__ import annotations

from types import MappingProxyType

from numpy.typing import ArrayLike

from tandemvote.bounds.averages import Averages
from tandemvote.bounds.bound import Bound, BoundValue
from tandemvote.bounds.c_bound import C1, C2
from tandemvote.bounds.c_tandem import C_BOX, C_TANDEM
from tandemvote.bounds.chebyshev_cantelli import BERNSTEIN_CANTELLI, SPLIT_KL_CANTELLI
from tandemvote.bounds.coalition import COALITION
from tandemvote.bounds.disagreement import DISAGREEMENT
from tandemvote.bounds.first_order import FIRST_ORDER
from tandemvote.bounds.second_order import SECOND_ORDER
from tandemvote.bounds.sharpening import HARMONIC
from tandemvote.bounds.tandem import TANDEM
from tandemvote.bounds.test_set import TEST_SET
from tandemvote.bounds.vote_profile import VOTE_PROFILE
from tandemvote.counting.counts import VoteCounts

FROM_VOTES = (
    FIRST_ORDER,
    TANDEM,
    DISAGREEMENT,
    C1,
    C2,
    C_TANDEM,
    C_BOX,
    SECOND_ORDER,
    BERNSTEIN_CANTELLI,
    SPLIT_KL_CANTELLI,
    COALITION,
)

BOUNDS = MappingProxyType({bound.name: bound for bound in (*FROM_VOTES, VOTE_PROFILE, TEST_SET)})

VOTE_BOUNDS = tuple(bound.name for bound in FROM_VOTES)
"""Names of the bounds computed from the voters' held-out points, in the order of tables."""


def get_bound(name: str) -> Bound:
    """Return the bound of that name.

    Examples
    --------
    >>> get_bound("tandem").label
    'TND'
    """
    if name not in BOUNDS:
        raise ValueError(
            f"There is no bound {name!r}. Choose one of {', '.join(map(repr, BOUNDS))}."
        )
    return BOUNDS[name]


def all_bounds(
    counts: VoteCounts,
    posterior: ArrayLike | None = None,
    prior: ArrayLike | None = None,
    delta: float = 0.05,
    sharpening: str = HARMONIC,
) -> dict[str, BoundValue]:
    """Every bound defined for these votes, each valid on its own with probability 1 - delta.

    They do not hold together: choosing the smallest after looking costs confidence. `coalition` is
    among them for up to 15 voters.

    Examples
    --------
    >>> from tandemvote.votes import Votes
    >>> counts = VoteCounts.from_votes(Votes.from_predictions([[0, 1, 2]], [0, 1, 2]))
    >>> values = all_bounds(counts)  # of three classes
    >>> "tandem" in values, "disagreement" in values
    (True, False)
    """
    averages = Averages.of(counts, posterior, prior, sharpening)
    return {
        name: BOUNDS[name].at(averages, delta)
        for name in VOTE_BOUNDS
        if BOUNDS[name].offered_for(counts)
    }
