"""Estimates that no vote can have together.

The mean G and the mean square T of the erring weight satisfy G^2 <= T <= G; with two classes the
disagreement is D = 2 (G - T) <= 2 G (1 - G). Intervals without such a pair are either one of the
unlucky draws that delta allows, or their samples are drawn from different distributions. A bound
computed from them would be small for no good reason, so it is 1.
"""

from __future__ import annotations

import warnings

from tandemvote.bounds.requirements import VacuousBoundWarning
from tandemvote.inequalities import Interval
from tandemvote.inequalities.outward import INPUT_MARGIN

ROOM = 1.0 + INPUT_MARGIN  # intervals contradict each other if apart by more than rounding


class ContradictionWarning(VacuousBoundWarning):
    """Two estimates exclude each other, so the bound is 1."""


class ContradictionError(ValueError):
    """Labeled and unlabeled samples are not drawn from the same distribution."""


def warn_contradiction(name: str, reason: str) -> float:
    """Return the bound of estimates that contradict each other, which is 1, and warn."""
    warnings.warn(
        f"The bound {name!r} is 1.0, no guarantee: its estimates contradict each other, as"
        f" {reason}. Either this is an unlucky draw, or the samples are not drawn from the"
        " same distribution. Check how each part was drawn.",
        ContradictionWarning,
        stacklevel=3,
    )
    return 1.0


def contradiction_of_two_classes(gibbs: Interval, differ: Interval) -> str | None:
    """Explain why no vote of two classes has this error and disagreement; None if one has."""
    g = min(max(0.5, gibbs.lower), gibbs.upper)
    most = 2.0 * g * (1.0 - g)
    if differ.lower <= most * ROOM:
        return None
    side, end = ("least", gibbs.lower) if gibbs.lower > 0.5 else ("most", gibbs.upper)
    return (
        f"an error of at {side} {end:.3g} lets voters disagree on at most {most:.3g} of the"
        f" samples, and they do on {differ.lower:.3g}"
    )


def contradiction_of_moments(gibbs: Interval, tandem: Interval) -> str | None:
    """Explain why no weight in [0, 1] has this mean and mean square; None if one has."""
    if tandem.lower > gibbs.upper * ROOM:
        return (
            f"two voters err together on at least {tandem.lower:.3g} of the samples, and one of"
            f" them on at most {gibbs.upper:.3g}"
        )
    if gibbs.lower**2 > tandem.upper * ROOM:
        return (
            f"a voter errs on at least {gibbs.lower:.3g} of the samples, two of them together"
            f" therefore on at least {gibbs.lower**2:.3g}, and they do on at most"
            f" {tandem.upper:.3g}"
        )
    return None


def contradiction_of_pairs(both: Interval, one: Interval) -> str | None:
    """Explain why two voters cannot err together and alone this often; None if they can."""
    if (both.upper + one.lower / 2) ** 2 <= both.upper * ROOM or both.upper >= 0.25:
        return None
    return (
        f"exactly one of two voters errs on at least {one.lower:.3g} of the samples, and both on at"
        f" most {both.upper:.3g}"
    )
