"""What a certificate file says about groups of points, with its form checked and nothing more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tandemvote.certificate.file_arrays import IntArray, unpack
from tandemvote.certificate.file_fields import (
    BOOLEAN,
    BOUNDS,
    CLASSES,
    MAX_POINTS,
    NUMBER,
    TEST,
    TEXT,
    StatedBound,
    converted,
    fields,
    integer,
    many,
    optional,
    refuse,
)
from tandemvote.certificate.file_text import CertificateFileError, shortened

PAIRS = ("tandem_errors", "overlaps", "lone_errors")
"""Counts of a group: predictions are right or wrong, so disagreements are lone errors."""

MAX_GROUPS = 1000

MAX_PAIRS = 2**25
"""Pairs of voters in all groups together, each of which is checked by itself."""


@dataclass(frozen=True, eq=False, kw_only=True)
class GroupRecord:
    """What a file says about the points of one group.

    Attributes
    ----------
    by, label : str, object
        What these points have in common; None if it is missing.
    n_points : int
    share : tuple of float
        Limits of the share of new points that are in the group.
    lower : float
        Lower limit of the error.
    bounds : mapping of str to StatedBound
        Upper limits of the error, of which the smallest counts.
    test : tuple of int or None
        Errors and points, where the vote itself was tested.
    counts : mapping of str to str, or None
        The matrices of `PAIRS`, packed until they are needed: there may be many.
    """

    by: str
    label: Any
    n_points: int
    share: tuple[float, float]
    lower: float
    bounds: Mapping[str, StatedBound]
    test: tuple[int, int] | None
    counts: Mapping[str, str] | None

    @property
    def points(self) -> str:
        """Which points this is about.

        Examples
        --------
        >>> about = dict.fromkeys(("n_points", "share", "lower", "bounds", "test", "counts"))
        >>> GroupRecord(by="site", label="north", **about).points
        "the points where site = 'north'"
        """
        plain = self.by.replace(" ", "_").isidentifier()
        by = self.by[:40] if plain else shortened(self.by)
        if self.label is None:
            return f"the points where {by} is missing"
        label = repr(self.label) if isinstance(self.label, float) else shortened(self.label)
        return f"the points where {by} = {label}"

    @property
    def printed(self) -> str | None:
        """The smallest upper limit of the error as it is printed, None if that says nothing."""
        best = min(self.bounds.values(), key=lambda stated: stated.value, default=None)
        return None if best is None or best.value >= 1.0 else best.printed

    def unpacked(self, n_voters: int) -> dict[str, IntArray]:
        """Return the lower triangles of the matrices in `PAIRS`."""
        packed = self.counts or {}
        return {name: unpack(packed[name], n_voters, f"groups.{name}") for name in packed}


@dataclass(frozen=True, eq=False, kw_only=True)
class GroupsRecord:
    """What a file says about groups, all at once with its failure probability.

    Attributes
    ----------
    n_groups : int
        Groups that the failure probability was divided among; some may not be in the file.
    n_samples : int
        Labelled points, in these groups or not.
    gaps : bool
        Whether the errors have lower limits.
    candidates : tuple of str
        Bounds among which the smallest counts, the same for all groups.
    members : tuple of GroupRecord
    """

    n_groups: int
    n_samples: int
    gaps: bool
    candidates: tuple[str, ...]
    members: tuple[GroupRecord, ...]

    def refuse_too_many(self, n_voters: int) -> None:
        """Refuse more groups and pairs of voters than a file may hold."""
        n_pairs = n_voters * (n_voters + 1) // 2 * sum(g.counts is not None for g in self.members)
        if len(self.members) > MAX_GROUPS or n_pairs > MAX_PAIRS:
            raise CertificateFileError(
                f"A certificate file holds up to {MAX_GROUPS} groups, and {MAX_PAIRS} pairs of"
                f" voters in all of them; these are {len(self.members)} and {n_pairs}. Certify"
                " fewer groups, or on points that no voter saw, which needs no pairs."
            )


def _only(labels: tuple[Any, ...]) -> Any:
    return labels[0] if len(labels) == 1 else refuse(labels, "groups.members.label", "one label")


GROUPS = converted(
    fields(
        n_groups=integer(1, MAX_GROUPS),
        n_samples=integer(1, MAX_POINTS),
        gaps=BOOLEAN,
        candidates=many(TEXT),
        members=many(
            converted(
                fields(
                    by=TEXT,
                    label=optional(converted(CLASSES, _only, lambda label: (label,))),
                    n_points=integer(0, MAX_POINTS),
                    share=converted(
                        fields(at_least=NUMBER, at_most=NUMBER),
                        lambda said: (said["at_least"], said["at_most"]),
                        lambda share: {"at_least": share[0], "at_most": share[1]},
                    ),
                    lower=NUMBER,
                    bounds=BOUNDS,
                    test=optional(TEST),
                    counts=optional(fields(**dict.fromkeys(PAIRS, TEXT))),
                ),
                lambda said: GroupRecord(**said),
                vars,
            )
        ),
    ),
    lambda said: GroupsRecord(**said),
    vars,
)
