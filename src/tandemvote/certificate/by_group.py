"""What is promised about the points of each group: of a class, of a region, of a device."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from tandemvote.bounds import BoundValue
from tandemvote.certificate.certificate import Certificate
from tandemvote.certificate.decimals import percent, rounded_down, rounded_up
from tandemvote.certificate.statement import Statement, Table
from tandemvote.counting.counts import FloatArray

TRUE_CLASS, PREDICTED_CLASS = "true class", "predicted class"
MEASURES = {TRUE_CLASS: "recall", PREDICTED_CLASS: "precision"}
"""What 1 minus the error is called."""


@dataclass(frozen=True, kw_only=True)
class GroupGuarantee:
    """How often the vote can err on the points of one group.

    Attributes
    ----------
    by : str
        What the points are grouped by: "true class", "predicted class" or the name of a column.
    label : object
        The class or value that these points have; None where it is missing.
    value : float
        Upper limit of the error on these points: 1 says nothing.
    observed : float or None
        Error of the vote on these points, of the voters that did not see them: an estimate.
    bound, bounds : str, mapping of str to BoundValue
        The bounds among which `value` is the smallest, and the name of that one.
    delta : float
        The part of the failure probability that this group was given.
    n_points : int
        Labelled points of this group.
    remark : str
        Why `value` is 1, if it is.
    test, counts : tuple of int, mapping of str to str, or None
        What `bounds` were computed from, as a certificate file holds it.
    """

    by: str
    label: Any
    value: float
    observed: float | None
    bound: str
    delta: float
    bounds: Mapping[str, BoundValue]
    n_points: int
    remark: str = ""
    test: tuple[int, int] | None = None
    counts: Mapping[str, str] | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """The label as text."""
        return "missing" if self.label is None else str(self.label)

    @property
    def measure(self) -> str:
        """What the share of right answers is called: recall, precision, or nothing special."""
        return MEASURES.get(self.by, "")

    @property
    def sentence(self) -> str:
        """What is said about this group; true together with those of the other groups."""
        points = f"new points whose {self.by} is {self.name!r}"
        if self.value >= 1.0:
            return f"Nothing is shown for {points}: {self.remark}."
        measured = f" ({self._measured()})" if self.measure else ""
        return (
            f"Of {points} the vote errs on at most {rounded_up(100 * self.value, 1)} %{measured}."
        )

    def _measured(self) -> str:
        return f"{self.measure} >= {rounded_down(1 - Decimal(self.value))}" if self.measure else ""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class GroupCertificates(Statement):
    """Guarantees of one weighted vote for every group, which all hold at once.

    Build it with `certify_by_group`. ``found[label]`` is the guarantee of a group, ``found[by,
    label]`` where points were grouped in several ways; iterating gives all of them.

    Attributes
    ----------
    guarantees : tuple of GroupGuarantee
    certificate : Certificate
        That of the same vote on all points, which holds by itself with probability 1 - delta.
    candidates : tuple of str
        The bounds, fixed beforehand, among which the smallest counts for each group.
    delta : float
        With probability at least 1 - delta no limit of an error fails.
    n_samples : int
        Labelled points, in these groups or not.
    assumptions, notes
        As in `Certificate`.
    """

    guarantees: tuple[GroupGuarantee, ...]
    certificate: Certificate
    candidates: tuple[str, ...]
    n_samples: int

    def __len__(self) -> int:
        return len(self.guarantees)

    def __iter__(self) -> Iterator[GroupGuarantee]:
        return iter(self.guarantees)

    def __getitem__(self, key: Any) -> GroupGuarantee:
        found = [each for each in self if key in ((each.by, each.label), each.label)]
        if len(found) == 1:
            return found[0]
        listed = ", ".join(repr((each.by, each.label)) for each in found or self)
        wrong = "names several groups; choose one of" if found else "is not among the groups"
        raise KeyError(f"{key!r} {wrong} {listed}.")

    @property
    def weights(self) -> FloatArray:
        """The vote's weights."""
        return self.certificate.weights

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the certificate on all points, and these groups, for ``tandemvote verify``."""
        from tandemvote.certificate.file import save_certificate  # noqa: PLC0415

        return save_certificate(self.certificate, path, self)

    @property
    def by(self) -> tuple[str, ...]:
        """What the points are grouped by."""
        return tuple(dict.fromkeys(each.by for each in self))

    @property
    def values(self) -> Mapping[Any, float]:
        """Upper limit of the error on each group, by label, or by (by, label) if there are more."""
        several = len(self.by) > 1
        return {(each.by, each.label) if several else each.label: each.value for each in self}

    @property
    def guarantee(self) -> str:
        """The promise in words, one sentence per group."""
        if all(each.value >= 1.0 for each in self):
            return (
                "No guarantee: nothing below an error of 100 % could be shown for any group with"
                f" probability {percent(self.delta)}."
            )
        surely = f"With probability at least {percent(self.delta)} over the draw of the data,"
        sentences = " ".join(each.sentence for each in self)
        return f"{surely} all of this holds at once. {sentences}"

    def _headline(self) -> str:
        listed = " and ".join(self.by)
        return f"errors by {listed}, all at once with probability {percent(self.delta)}"

    def _basis(self) -> list[str]:
        n = self.weights.size
        vote = f"the hard weighted vote of {n} voter{'s' * (n > 1)}"
        return [f"{vote}; each of {len(self)} errors at delta / {len(self)}"]

    def _table(self) -> Table:
        several = len(self.by) > 1
        rows = [
            [
                *([each.by] if several else []),
                each.name,
                str(each.n_points),
                "" if each.observed is None else f"{each.observed:.3f}",
                "none" if each.value >= 1.0 else rounded_up(each.value),
                each.bounds[each.bound].label if each.bounds else "",
                each.remark or each._measured(),
            ]
            for each in self
        ]
        names = ["by"] * several + ["group" if several else self.by[0], "points", "observed"]
        return Table([*names, "error <=", "bound", ""], "<" * several + "<>>><<", rows)

    def _records(self) -> list[dict[str, Any]]:
        shown = ("by", "value", "observed", "bound", "delta", "n_points", "remark")
        return [
            {"group": each.name, **{name: getattr(each, name) for name in shown}} for each in self
        ]
