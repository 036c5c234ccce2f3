r"""Estimates that no vote can have together.

The erring weight Z of a vote lies in [0, 1]. Its mean G and mean square T satisfy G^2 <= T <= G;
with two classes the disagreement is D = 2 (G - T) <= 2 G (1 - G). Intervals without such a pair are
either one of the unlucky draws that delta allows, or their points do not come from one source. A
bound computed from them would be small for no good reason, so there is none.
"""

from __future__ import annotations

import warnings

from tandemvote.bounds.requirements import VacuousBoundWarning
from tandemvote.inequalities import Interval
from tandemvote.inequalities.outward import INPUT_MARGIN

ROOM = 1.0 + INPUT_MARGIN
"""Intervals must be apart by more than rounding."""


class ContradictionError(ValueError):
    """Labelled and unlabelled points do not come from one source."""

    @classmethod
    def of_two_sources(
        cls, *, gibbs_loss: float, minority: float, n_points: int, delta: float
    ) -> ContradictionError:
        """Name the share of the vote that is in the minority, and the voters' error."""
        return cls(
            "Labelled and unlabelled points do not come from one source: at the"
            f" {n_points} unlabelled points {minority:.1%} of the vote is in the minority on"
            f" average, but on labelled points the voters err only {gibbs_loss:.1%} of the time."
            " Where voters differ all labels but one are wrong, so the share in the minority cannot"
            f" exceed the error; chance explains this with probability at most {delta:g}. Pass"
            " unlabelled points that were drawn like the labelled ones, or none."
        )


class ContradictionWarning(VacuousBoundWarning):
    """Two estimates exclude each other, so the bound is 1."""


def contradicted(bound: str, reason: str) -> float:
    """Return 1, the bound where estimates contradict each other, with a warning that says why."""
    warnings.warn(
        f"The bound {bound!r} is 1.0, no guarantee: its estimates contradict each other, as"
        f" {reason}. Either the sample is an unlucky one, or its points do not come from one"
        " source: check how each part was drawn.",
        ContradictionWarning,
        stacklevel=4,
    )
    return 1.0


def no_vote_of_two_classes(gibbs: Interval, differ: Interval) -> str | None:
    """Why no vote of two classes has such an error and such a disagreement; None if one has.

    Examples
    --------
    >>> no_vote_of_two_classes(Interval(0.1, 0.2), Interval(0.3, 0.4))
    >>> print(no_vote_of_two_classes(Interval(0.1, 0.2), Interval(0.35, 0.4)))
    an error of at most 0.2 lets voters disagree on at most 0.32 of the points, and they do
    on 0.35
    """
    g = min(max(0.5, gibbs.lower), gibbs.upper)
    most = 2.0 * g * (1.0 - g)
    if differ.lower <= most * ROOM:
        return None
    side, end = ("least", gibbs.lower) if gibbs.lower > 0.5 else ("most", gibbs.upper)
    return (
        f"an error of at {side} {end:.3g} lets voters disagree on at most {most:.3g} of the points,"
        f" and they do on {differ.lower:.3g}"
    )


def no_erring_weight(gibbs: Interval, tandem: Interval) -> str | None:
    """Why no weight in [0, 1] has such a mean and such a mean square; None if one has.

    Examples
    --------
    >>> no_erring_weight(Interval(0.1, 0.2), Interval(0.05, 0.1))
    >>> no_erring_weight(Interval(0.1, 0.2), Interval(0.25, 0.3))
    'two voters err together on at least 0.25 of the points, and one of them on at most 0.2'
    """
    if tandem.lower > gibbs.upper * ROOM:
        return (
            f"two voters err together on at least {tandem.lower:.3g} of the points, and one of them"
            f" on at most {gibbs.upper:.3g}"
        )
    if gibbs.lower**2 > tandem.upper * ROOM:
        return (
            f"a voter errs on at least {gibbs.lower:.3g} of the points, two of them together"
            f" therefore on at least {gibbs.lower**2:.3g}, and they do on at most"
            f" {tandem.upper:.3g}"
        )
    return None


def no_pair(both: Interval, one: Interval) -> str | None:
    """Why two voters cannot err together and alone that often; None if they can.

    Examples
    --------
    >>> no_pair(Interval(0.0, 0.04), Interval(0.3, 0.4))
    >>> no_pair(Interval(0.0, 0.04), Interval(0.4, 0.5))
    'exactly one of two voters errs on at least 0.4 of the points, and both on at most 0.04'
    """
    if (both.upper + one.lower / 2) ** 2 <= both.upper * ROOM or both.upper >= 0.25:
        return None
    return (
        f"exactly one of two voters errs on at least {one.lower:.3g} of the points, and both on at"
        f" most {both.upper:.3g}"
    )
