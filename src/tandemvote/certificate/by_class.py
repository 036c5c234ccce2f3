"""What is promised about the points of each true class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from tandemvote.assumptions import standard_assumptions
from tandemvote.bounds import BoundValue
from tandemvote.certificate.decimals import percent, rounded_up
from tandemvote.certificate.statement import Statement, Table
from tandemvote.counting.counts import FloatArray
from tandemvote.inequalities.outward import outward


@dataclass(frozen=True, kw_only=True)
class ClassGuarantee:
    """How often the vote can err on points of one true class.

    Attributes
    ----------
    label : object
        The true class.
    value : float
        Upper bound of the error on points of this class; 1 says nothing.
    bound : str
        Name of the bound behind `value`.
    delta : float
        The share of the failure probability that this class was given.
    bounds : mapping of str to BoundValue
        The bounds among which `value` is the smallest.
    n_points : int
        Labelled points of this class behind `value`.
    remark : str
        Why `value` is 1, if it is.
    """

    label: Any
    value: float
    bound: str
    delta: float
    bounds: Mapping[str, BoundValue]
    n_points: int
    remark: str = ""

    @property
    def sentence(self) -> str:
        """What is said about this class; true together with those of the other classes."""
        if self.value >= 1.0:
            return f"Nothing is shown for new points whose true class is {self.label!r}."
        return (
            "Of new points whose true class is"
            f" {self.label!r} the vote errs on at most {rounded_up(100 * self.value, 1)} %."
        )


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ClassCertificates(Statement):
    """Guarantees of one weighted vote for every true class, which all hold at once.

    Build it with `certify_per_class`. ``certificates[label]`` is the guarantee for that class, and
    iterating gives all of them.

    Attributes
    ----------
    guarantees : tuple of ClassGuarantee
        One per class, in the order of the classes. Each was given delta / n_classes.
    delta : float
        With probability at least 1 - delta no guarantee fails.
    weights : ndarray of shape (n_voters,)
        The vote's weights.
    assumptions : tuple of str
        What must be true, in words, because no code can see it.
    notes : tuple of str
        What else a reader should know.
    """

    guarantees: tuple[ClassGuarantee, ...]
    delta: float
    weights: FloatArray
    assumptions: tuple[str, ...] = standard_assumptions(by_class=True)
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.guarantees)

    def __iter__(self) -> Iterator[ClassGuarantee]:
        return iter(self.guarantees)

    def __getitem__(self, label: Any) -> ClassGuarantee:
        for guarantee in self.guarantees:
            if guarantee.label == label:
                return guarantee
        listed = ", ".join(repr(guarantee.label) for guarantee in self.guarantees)
        raise KeyError(f"{label!r} is not among the classes ({listed}).")

    @property
    def values(self) -> Mapping[Any, float]:
        """Upper bound of the error on each class."""
        return MappingProxyType({each.label: each.value for each in self.guarantees})

    @property
    def guarantee(self) -> str:
        """The promise in words, one sentence per class."""
        if all(each.value >= 1.0 for each in self.guarantees):
            return (
                "No guarantee: nothing below an error of 100 % could be shown for any class with"
                f" probability {percent(self.delta)}."
            )
        sentences = " ".join(each.sentence for each in self.guarantees)
        return (
            f"With probability at least {percent(self.delta)} over the draw of the data, all of"
            f" this holds at once. {sentences}"
        )

    def mixed(self, frequencies: Mapping[Any, float]) -> float:
        """Bound the error of the vote on a source in which the classes are this frequent.

        The error is the mean of the errors on the classes, so it is at most the mean of the
        guarantees. That costs nothing more: it holds for all frequencies at once.

        Parameters
        ----------
        frequencies : mapping of label to float
            How frequent each class is; they must sum to 1. Classes left out have frequency 0.
        """
        total = sum(frequencies.values())
        if not abs(total - 1.0) <= 1e-9 or not all(share >= 0 for share in frequencies.values()):
            raise ValueError(
                f"frequencies are {dict(frequencies)!r}; expected numbers of at least 0 that sum to"
                " 1. Divide them by their sum."
            )
        mean = sum(share * self[label].value for label, share in frequencies.items())
        return outward(mean / total)

    def _headline(self) -> str:
        return f"errors by true class, all at once with probability {percent(self.delta)}"

    def _basis(self) -> list[str]:
        return [
            f"the hard weighted vote of {self.weights.size} voters; each of {len(self)} classes at"
            f" delta / {len(self)}"
        ]

    def _table(self) -> Table:
        rows = [
            [
                str(each.label),
                str(each.n_points),
                "none" if each.value >= 1.0 else rounded_up(each.value),
                each.bounds[each.bound].label if each.bounds else "",
                each.remark,
            ]
            for each in self.guarantees
        ]
        return Table(["class", "points", "error <=", "bound", ""], "<>><<", rows)

    def _records(self) -> list[dict[str, Any]]:
        return [
            {
                "class": each.label,
                "n_points": each.n_points,
                "value": each.value,
                "bound": each.bound,
                "delta": each.delta,
                "remark": each.remark,
            }
            for each in self.guarantees
        ]
