"""What is promised about the points of each true class."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tandemvote.assumptions import standard_assumptions
from tandemvote.bounds import BoundValue
from tandemvote.certificate.decimals import percent, rounded_up
from tandemvote.counts import FloatArray
from tandemvote.inequalities.outward import outward

if TYPE_CHECKING:
    import pandas

COLUMNS = ("class", "points", "error <=", "bound")


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


@dataclass(frozen=True, eq=False, kw_only=True)
class ClassCertificates:
    """Guarantees of one weighted vote for every true class, which all hold at once.

    Build it with `certify_per_class`. ``certificates[label]`` is the guarantee for that class, and
    iterating gives all of them.

    Attributes
    ----------
    guarantees : tuple of ClassGuarantee
        One a class, in the order of the classes. Each was given delta / n_classes.
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
        """The promise in words, one sentence a class."""
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

    def to_frame(self) -> pandas.DataFrame:
        """One row a class as a pandas frame."""
        import pandas  # noqa: PLC0415  an extra: only frames need it

        return pandas.DataFrame(
            {
                "n_points": [each.n_points for each in self.guarantees],
                "value": [each.value for each in self.guarantees],
                "bound": [each.bound for each in self.guarantees],
                "delta": [each.delta for each in self.guarantees],
                "remark": [each.remark for each in self.guarantees],
            },
            index=pandas.Index([each.label for each in self.guarantees], name="class"),
        )

    def __repr__(self) -> str:
        rows = [COLUMNS, *(_cells(each)[:4] for each in self.guarantees)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [self._headline(), f"  {self._basis()}", ""]
        for cells, remark in zip(
            rows, ["", *(each.remark for each in self.guarantees)], strict=True
        ):
            name, *numbers = cells
            padded = [f"{text:>{width}}" for text, width in zip(numbers, widths[1:], strict=True)]
            lines.append("  ".join(["  " + f"{name:<{widths[0]}}", *padded, remark]).rstrip())
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        header = "".join(f"<th>{html.escape(name)}</th>" for name in (*COLUMNS, ""))
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in _cells(each)) + "</tr>"
            for each in self.guarantees
        )
        listed = "".join(
            f"<li>{html.escape(text)}</li>" for text in (*self.notes, *self.assumptions)
        )
        return (
            f"<div><p><strong>{html.escape(self._headline())}</strong><br>"
            f"{html.escape(self._basis())}</p>"
            f"<table><thead><tr>{header}</tr></thead><tbody>{rows}</tbody></table>"
            f"<details><summary>What it rests on</summary><ul>{listed}</ul></details></div>"
        )

    def _headline(self) -> str:
        return f"errors by true class, all at once with probability {percent(self.delta)}"

    def _basis(self) -> str:
        return (
            f"the hard weighted vote of {self.weights.size} voters; each of {len(self)} classes at"
            f" delta / {len(self)}"
        )


def _cells(guarantee: ClassGuarantee) -> tuple[str, ...]:
    shown = "none" if guarantee.value >= 1.0 else rounded_up(guarantee.value)
    label = guarantee.bounds[guarantee.bound].label if guarantee.bounds else ""
    return (str(guarantee.label), str(guarantee.n_points), shown, label, guarantee.remark)
