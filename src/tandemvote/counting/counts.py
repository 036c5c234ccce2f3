"""All that the bounds need to know about votes, as integers."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property, reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.codes import Codes
from tandemvote.counting.held_out_sets import HeldOutSets
from tandemvote.counting.pairs import EXACT_CHUNK, equal_pairs, true_pairs
from tandemvote.inequalities.outward import FloatArray
from tandemvote.votes import Votes

__all__ = ["INTEGER_FIELDS", "FloatArray", "IntArray", "VoteCounts"]

IntArray = NDArray[np.int64]

CHUNK_BYTES = 2**26
"""Size of one float32 plane of a chunk; memory stays at a few of these."""

FEW_CLASSES = 8
"""Up to so many classes, one matrix product per class is faster than comparing rows in pairs."""


@dataclass(frozen=True, eq=False, kw_only=True)
class VoteCounts:
    """How often voters and pairs of voters err and disagree on points they were not trained on.

    Counts of disjoint sets of points of the same voters add up: ``a + b``.

    Attributes
    ----------
    errors, sizes : ndarray of int64, shape (n_voters,)
        Held-out points that each voter gets wrong, and all of them, abs(S_h).
    tandem_errors, overlaps : ndarray of int64, shape (n_voters, n_voters)
        Points held out for both voters that both get wrong, and all of them.
    disagreements, disagreement_overlaps : ndarray of int64, shape (n_voters, n_voters)
        Points, held out for both or unlabelled, on which their predictions differ, and all of them.
    lone_errors : ndarray of int64, shape (n_voters, n_voters)
        Points held out for both voters that exactly one of them gets wrong.
    classes : ndarray, shape (n_classes,)
        All labels that occur among labels and predictions.
    unlabelled_disagreements : ndarray of int64, shape (n_voters, n_voters)
        The part of `disagreements` that comes from unlabelled points.

    Examples
    --------
    >>> votes = Votes.from_predictions([[0, 1, 1], [0, 0, 1]], [0, 1, 0])
    >>> counts = VoteCounts.from_votes(votes)
    >>> counts.errors.tolist(), counts.tandem_errors.tolist()
    ([1, 2], [[1, 1], [1, 2]])
    >>> (counts + counts).overlaps.tolist()
    [[6, 6], [6, 6]]
    """

    errors: IntArray
    sizes: IntArray
    tandem_errors: IntArray
    overlaps: IntArray
    disagreements: IntArray
    disagreement_overlaps: IntArray
    lone_errors: IntArray
    classes: NDArray[Any]
    unlabelled_disagreements: IntArray = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.unlabelled_disagreements is None:
            zeros = np.zeros_like(np.asarray(self.disagreements))
            object.__setattr__(self, "unlabelled_disagreements", zeros)
        n_voters = np.size(self.errors)
        for name in INTEGER_FIELDS:
            array = np.asarray(getattr(self, name))
            shape = (n_voters,) if name in ("errors", "sizes") else (n_voters, n_voters)
            if array.dtype.kind not in "iu" or array.shape != shape:
                raise ValueError(
                    f"{name} has dtype {array.dtype} and shape {array.shape}; expected integers of"
                    f" shape {shape}."
                )
            array = array.astype(np.int64)
            if array.ndim == 2 and not np.array_equal(array, array.T):
                raise ValueError(f"{name} must be symmetric: a pair has no order.")
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, "classes", np.asarray(self.classes))
        for part, whole in (
            ("errors", "sizes"),
            ("tandem_errors", "overlaps"),
            ("disagreements", "disagreement_overlaps"),
            ("unlabelled_disagreements", "disagreements"),
            ("overlaps", "disagreement_overlaps"),
            ("lone_errors", "disagreements"),
        ):
            if ((getattr(self, part) < 0) | (getattr(self, part) > getattr(self, whole))).any():
                raise ValueError(f"{part} must lie between 0 and {whole} everywhere.")
        for diagonal, pairs in (("sizes", "overlaps"), ("errors", "tandem_errors")):
            if not np.array_equal(getattr(self, diagonal), np.diag(getattr(self, pairs))):
                raise ValueError(
                    f"The diagonal of {pairs} must equal {diagonal}: a voter paired with itself is"
                    " that voter."
                )
        # Without unlabelled points, and with two classes, counts coincide and are kept once.
        for name, other in (
            ("disagreement_overlaps", "overlaps"),
            ("lone_errors", "disagreements"),
        ):
            if np.array_equal(getattr(self, name), getattr(self, other)):
                object.__setattr__(self, name, getattr(self, other))

    @classmethod
    def _known_to_be_valid(cls, **arrays: NDArray[Any]) -> VoteCounts:
        """Skip the checks, which take longer than counting for thousands of voters."""
        counts = object.__new__(cls)
        counts.__setstate__(arrays)
        return counts

    @classmethod
    def from_votes(cls, votes: Votes) -> VoteCounts:
        """Count in chunks of points, so that memory stays flat and every product exact."""
        counts = reduce(add, map(_count, votes.chunks(_chunk_size(votes.n_voters))))
        return counts._with_unlabelled(votes.unlabelled, votes.classes)

    def __add__(self, other: VoteCounts) -> VoteCounts:
        if not isinstance(other, VoteCounts):
            return NotImplemented
        if self.n_voters != other.n_voters:
            raise ValueError(
                f"Cannot add counts of {self.n_voters} and {other.n_voters} voters: shards must"
                " come from the same voters in the same order."
            )
        sums: dict[tuple[int, int], IntArray] = {}  # counts that coincide are added once

        def added(mine: IntArray, theirs: IntArray) -> IntArray:
            if (id(mine), id(theirs)) not in sums:
                sums[id(mine), id(theirs)] = mine + theirs
            return sums[id(mine), id(theirs)]

        return VoteCounts._known_to_be_valid(
            classes=np.union1d(self.classes, other.classes),
            **{name: added(getattr(self, name), getattr(other, name)) for name in INTEGER_FIELDS},
        )

    def add_unlabelled(self, predictions: ArrayLike) -> VoteCounts:
        """Return counts whose disagreements include points without labels.

        Parameters
        ----------
        predictions : array_like, shape (n_voters, n_unlabelled)
            Predictions on points from the same source that no voter was trained on.

        Examples
        --------
        >>> counts = VoteCounts.from_votes(Votes.from_predictions([[0, 1], [0, 0]], [0, 1]))
        >>> more = counts.add_unlabelled([[0, 1, 1], [1, 0, 1]])
        >>> more.disagreements.tolist(), more.n_min_disagreement, more.n_min_pairs
        ([[0, 3], [3, 0]], 5, 2)
        """
        votes = Votes.without_labels(predictions)
        if votes.n_voters != self.n_voters:
            raise ValueError(
                f"predictions has {votes.n_voters} rows for {self.n_voters} voters; pass one row"
                " per voter, in the order of the counts."
            )
        return self._with_unlabelled(votes.predictions, votes.classes)

    def _with_unlabelled(self, codes: Codes, classes: NDArray[Any]) -> VoteCounts:
        n_points, size = codes.shape[1], _chunk_size(self.n_voters)
        if not n_points:
            return self
        parts = (codes[:, start : start + size] for start in range(0, n_points, size))
        differ = n_points - sum(_equal_everywhere(part, classes.size) for part in parts)
        return VoteCounts._known_to_be_valid(
            **self.__getstate__()
            | {
                "disagreements": self.disagreements + differ,
                "disagreement_overlaps": self.disagreement_overlaps + n_points,
                "unlabelled_disagreements": self.unlabelled_disagreements + differ,
                "classes": np.union1d(self.classes, classes),
            }
        )

    def subset(self, voters: ArrayLike) -> VoteCounts:
        """Return the counts of some of the voters, given by position or mask.

        Examples
        --------
        >>> counts = VoteCounts.from_votes(Votes.from_predictions([[0, 1], [0, 0]], [0, 1]))
        >>> counts.subset([1]).errors.tolist()
        [1]
        """
        chosen = np.arange(self.n_voters)[np.asarray(voters)]
        return VoteCounts(
            classes=self.classes,
            **{
                name: getattr(self, name)[np.ix_(*[chosen] * getattr(self, name).ndim)]
                for name in INTEGER_FIELDS
            },
        )

    @property
    def n_voters(self) -> int:
        """Number of voters M."""
        return int(self.errors.size)

    @property
    def n_classes(self) -> int:
        """Number of different labels seen."""
        return int(self.classes.size)

    @property
    def n_min(self) -> int:
        """Smallest held-out set, n1 = min_h abs(S_h)."""
        return self.voter_sets.smallest

    @property
    def n_min_pairs(self) -> int:
        """Smallest overlap, n2 = min_{h,h'} abs(S_h ∩ S_h')."""
        return self.pair_sets.smallest

    @property
    def n_min_disagreement(self) -> int:
        """Smallest overlap with the unlabelled points included, m."""
        return self.disagreement_sets.smallest

    @cached_property
    def n_unlabelled(self) -> int:
        """Number of unlabelled points."""
        if self.disagreement_overlaps is self.overlaps:
            return 0
        return int((self.disagreement_overlaps - self.overlaps).max())

    @cached_property
    def voter_sets(self) -> HeldOutSets:
        """The sets S_h."""
        return HeldOutSets(self.sizes)

    @cached_property
    def pair_sets(self) -> HeldOutSets:
        """The sets S_h ∩ S_h'."""
        return HeldOutSets(self.overlaps)

    @cached_property
    def disagreement_sets(self) -> HeldOutSets:
        """The same with the unlabelled points."""
        return HeldOutSets(self.disagreement_overlaps) if self.n_unlabelled else self.pair_sets

    @cached_property
    def gibbs_losses(self) -> FloatArray:
        """Error rate of each voter on its held-out points, L^(h)."""
        return _rates(self.errors, self.sizes, without_points=1.0)

    @cached_property
    def tandem_losses(self) -> FloatArray:
        """Rate at which two voters err together, L^(h, h'); 1 for a pair without common points."""
        return _rates(self.tandem_errors, self.overlaps, without_points=1.0)

    @cached_property
    def disagreement_rates(self) -> FloatArray:
        """Rate at which two voters disagree, D^(h, h'); 0 for a pair without common points."""
        return _rates(self.disagreements, self.disagreement_overlaps, without_points=0.0)

    @cached_property
    def labelled_disagreement_rates(self) -> FloatArray:
        """The same on the labelled points alone, where the tandem losses come from."""
        if not self.n_unlabelled:
            return self.disagreement_rates
        labelled = self.disagreements - self.unlabelled_disagreements
        return _rates(labelled, self.overlaps, without_points=0.0)

    @cached_property
    def lone_error_rates(self) -> FloatArray:
        """Rate at which exactly one of two voters errs; 1 for a pair without common points."""
        if self.lone_errors is self.disagreements and self.n_min_pairs and not self.n_unlabelled:
            return self.disagreement_rates
        return _rates(self.lone_errors, self.overlaps, without_points=1.0)

    def __getstate__(self) -> dict[str, Any]:
        """Leave what can be computed again out of pickles."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __setstate__(self, state: dict[str, NDArray[Any]]) -> None:
        for name, array in state.items():
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def __repr__(self) -> str:
        unlabelled = f", n_unlabelled={self.n_unlabelled}" if self.n_unlabelled else ""
        return (
            f"VoteCounts({self.n_voters} voters, {self.n_classes} classes, n_min={self.n_min},"
            f" n_min_pairs={self.n_min_pairs}{unlabelled})"
        )


INTEGER_FIELDS = tuple(part.name for part in fields(VoteCounts) if part.name != "classes")


def _rates(part: IntArray, whole: IntArray, *, without_points: float) -> FloatArray:
    if whole.all():
        rates = part / whole
    else:
        rates = np.full(part.shape, without_points)
        np.divide(part, whole, out=rates, where=whole > 0)
    rates.flags.writeable = False
    return rates


def _chunk_size(n_voters: int) -> int:
    return min(EXACT_CHUNK - 1, max(1, CHUNK_BYTES // (4 * n_voters)))


def _count(votes: Votes) -> VoteCounts:
    """Counts of one chunk: symmetric products of 0/1 planes."""
    held_out = votes.held_out
    wrong = votes.errors
    overlaps = true_pairs(held_out)
    tandem_errors = true_pairs(wrong)
    # Both err, or both are right, or exactly one of them errs.
    lone_errors = overlaps - tandem_errors - true_pairs(held_out & ~wrong)
    disagreements = lone_errors  # with two classes
    if votes.classes.size > 2:
        disagreements = overlaps - _equal(votes.predictions, held_out, overlaps, votes.classes.size)
    return VoteCounts._known_to_be_valid(
        errors=np.diag(tandem_errors).copy(),
        sizes=np.diag(overlaps).copy(),
        tandem_errors=tandem_errors,
        overlaps=overlaps,
        disagreements=disagreements,
        disagreement_overlaps=overlaps,
        lone_errors=lone_errors,
        classes=votes.classes.copy(),
        unlabelled_disagreements=np.zeros_like(overlaps),
    )


def _equal(
    codes: Codes, held_out: NDArray[np.bool_], overlaps: IntArray, n_classes: int
) -> IntArray:
    """Count the points held out for both voters of each pair for which both predict the same."""
    if n_classes > FEW_CLASSES:
        return equal_pairs(codes, held_out, overlaps)
    planes = ((codes == code) & held_out for code in range(n_classes))
    return sum(map(true_pairs, planes), np.zeros_like(overlaps))


def _equal_everywhere(codes: Codes, n_classes: int) -> IntArray:
    """Count the same on points that are held out for all voters."""
    n_voters, n_points = codes.shape
    overlaps = np.full((n_voters, n_voters), n_points)
    return _equal(codes, np.ones(codes.shape, bool), overlaps, n_classes)
