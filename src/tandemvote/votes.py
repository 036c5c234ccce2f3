"""Room 2: who said what about which point, and who had never seen it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Voters = Callable[[Any], tuple[NDArray[np.integer[Any]], NDArray[Any]]]
"""From points to what every voter says of them: codes of shape (n_voters, n_points), and the
sorted labels behind the codes."""


@dataclass(frozen=True, eq=False)
class Votes:
    """Predictions of every voter on labelled points, and on unlabelled ones if there are any.

    Build it with `Votes.from_predictions`. Labels are kept as codes: positions in `classes`.

    Attributes
    ----------
    predictions : ndarray of int, shape (n_voters, n_samples)
        Code of the label each voter predicts; arbitrary where `held_out` is False.
    labels : ndarray of int, shape (n_samples,)
        Code of the true label.
    held_out : ndarray of bool, shape (n_voters, n_samples)
        True where the voter was not trained on the point: the sets S_h of the paper.
    classes : ndarray, shape (n_classes,)
        The labels behind the codes, sorted: all that occur among `labels` and the predictions.
    unlabelled : ndarray of int, shape (n_voters, n_unlabelled)
        Predicted codes on points without a label, which no voter was trained on.
    voters : callable or None
        The voters themselves, if they are at hand to vote on further points.

    Examples
    --------
    >>> votes = Votes.from_predictions([["a", "b"], ["a", "a"]], ["a", "b"])
    >>> votes
    Votes(2 voters, 2 labelled points, 2 classes)
    >>> votes.errors.tolist()
    [[False, False], [False, True]]
    """

    predictions: NDArray[np.integer[Any]]
    labels: NDArray[np.integer[Any]]
    held_out: NDArray[np.bool_]
    classes: NDArray[Any]
    unlabelled: NDArray[np.integer[Any]]
    voters: Voters | None = None

    @classmethod
    def from_predictions(
        cls,
        predictions: ArrayLike,
        labels: ArrayLike,
        held_out: ArrayLike | None = None,
        *,
        unlabelled: ArrayLike | None = None,
    ) -> Votes:
        """Check and encode predictions made anywhere.

        Parameters
        ----------
        predictions : array_like, shape (n_voters, n_samples)
            Labels of any type, one row a voter. Entries that are not held out are ignored and may
            be missing.
        labels : array_like, shape (n_samples,)
            True labels, of a type comparable with the predictions.
        held_out : array_like of bool, shape (n_voters, n_samples) or (n_samples,), optional
            True where the voter was not trained on the point. By default every voter has seen none
            of the points. The sets must not have been chosen by looking at the data.
        unlabelled : array_like, shape (n_voters, n_unlabelled), optional
            Predictions on further points of the same source, without labels, that no voter saw.

        Raises
        ------
        ValueError
            Whenever the arrays cannot be votes; the message names the way out.
        """
        predictions, labels = _array(predictions), _array(labels)
        if labels.ndim != 1 or predictions.ndim != 2 or predictions.shape[1] != labels.size:
            raise ValueError(
                f"predictions has shape {predictions.shape} and labels {labels.shape}; expected"
                " (n_voters, n_samples) and (n_samples,): one row a voter, one column a point."
                + (" Transpose predictions." if predictions.shape[:1] == labels.shape else "")
            )
        if predictions.size == 0:
            raise ValueError(
                f"{predictions.shape[0]} voters and {labels.size} points leave nothing to count."
                " Pass at least one voter and one labelled point."
            )
        mask = _mask(held_out, predictions.shape)
        if unlabelled is None:
            extra = np.empty((predictions.shape[0], 0), predictions.dtype)
        else:
            extra = _array(unlabelled)
        if extra.ndim != 2 or extra.shape[0] != predictions.shape[0]:
            raise ValueError(
                f"unlabelled has shape {extra.shape}; expected ({predictions.shape[0]},"
                " n_unlabelled): the same voters, one row each."
            )
        _refuse_missing(labels, "labels", "Drop these points, or pass them as unlabelled=.")
        _refuse_missing(
            np.where(mask, predictions, labels),
            "held-out predictions",
            "Set held_out to False where a voter gives no prediction because it was trained there.",
        )
        _refuse_missing(extra, "unlabelled", "Every voter must predict every unlabelled point.")
        _refuse_incomparable(predictions[mask], labels, extra)
        seen = [np.unique(labels), np.unique(predictions[mask]), np.unique(extra)]
        classes = np.unique(np.concatenate([part for part in seen if part.size]))
        # Predictions on points a voter was trained on mean nothing; the label stands in for them.
        return cls(
            predictions=_codes(np.where(mask, predictions, labels), classes),
            labels=_codes(labels, classes),
            held_out=mask,
            classes=classes,
            unlabelled=_codes(extra, classes),
        )

    @property
    def n_voters(self) -> int:
        """Number of voters M."""
        return int(self.predictions.shape[0])

    @property
    def n_samples(self) -> int:
        """Number of labelled points."""
        return int(self.labels.size)

    @property
    def n_unlabelled(self) -> int:
        """Number of unlabelled points."""
        return int(self.unlabelled.shape[1])

    @property
    def errors(self) -> NDArray[np.bool_]:
        """Where a voter errs on a point it had never seen, shape (n_voters, n_samples)."""
        return np.asarray((self.predictions != self.labels) & self.held_out)

    def chunks(self, size: int) -> Iterator[Votes]:
        """Cut the labelled points into consecutive parts of at most `size`."""
        for start in range(0, self.n_samples, size):
            part = slice(start, start + size)
            yield Votes(
                predictions=self.predictions[:, part],
                labels=self.labels[part],
                held_out=self.held_out[:, part],
                classes=self.classes,
                unlabelled=self.unlabelled[:, :0],
            )

    def __repr__(self) -> str:
        unlabelled = f", {self.n_unlabelled} unlabelled points" if self.n_unlabelled else ""
        return (
            f"Votes({self.n_voters} voters, {self.n_samples} labelled points{unlabelled},"
            f" {self.classes.size} classes)"
        )


def _array(values: ArrayLike) -> NDArray[Any]:
    """Array of the values as a person would type them: object arrays become what they hold."""
    array = np.asarray(values)
    if array.dtype == object and array.size:
        present = array[~_missing(array)]
        kinds = {type(value) for value in present.flat}
        if len(kinds) == 1 and present.size == array.size:
            return np.array(array.tolist())
    return array


def _missing(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Where an entry is NaN or None; a NaN is the value that differs from itself."""
    if array.dtype.kind == "f":
        return np.isnan(array)
    if array.dtype.kind == "O":
        missing = [value is None or value != value for value in array.flat]  # noqa: PLR0124
        return np.array(missing, bool).reshape(array.shape)
    return np.zeros(array.shape, bool)


def _mask(held_out: ArrayLike | None, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    if held_out is None:
        return np.ones(shape, bool)
    mask = np.asarray(held_out)
    if mask.dtype != bool or mask.shape not in (shape, shape[1:]):
        raise ValueError(
            f"held_out has shape {mask.shape} and dtype {mask.dtype}; expected booleans of shape"
            f" {shape}, True where the voter was not trained on the point."
        )
    mask = np.broadcast_to(mask, shape).copy()
    without = np.flatnonzero(~mask.any(axis=1))
    if without.size:
        raise ValueError(
            f"Voter {without[0]} has no held-out point ({without.size} of {shape[0]} voters have"
            " none), so nothing is known about its errors. Leave the voter out, or train it on"
            " fewer points."
        )
    return mask


def _refuse_missing(array: NDArray[Any], what: str, way_out: str) -> None:
    missing = _missing(array)
    if missing.any():
        position = tuple(int(i) for i in np.argwhere(missing)[0])
        raise ValueError(
            f"{int(missing.sum())} of {array.size} {what} are missing, the first at"
            f" {position if len(position) > 1 else position[0]}. {way_out}"
        )


def _refuse_incomparable(*arrays: NDArray[Any]) -> None:
    families: dict[str, str] = {}
    for array in arrays:
        for value in [array.flat[0]] if array.dtype.kind != "O" and array.size else array.flat:
            family = "text" if isinstance(value, str | bytes) else "numbers"
            families.setdefault(family, f"{value!r}")
    if len(families) > 1:
        raise ValueError(
            f"Labels and predictions mix text ({families['text']}) with numbers"
            f" ({families['numbers']}), so every comparison would count as an error. Convert both"
            " to one type, for example with astype(str)."
        )


def _codes(values: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.integer[Any]]:
    """Position of each value in the sorted classes, in the smallest sufficient integer type."""
    kind = np.min_scalar_type(max(classes.size - 1, 0))
    return np.searchsorted(classes, values).astype(kind)
