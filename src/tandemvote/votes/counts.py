"""Integer counts of votes that do not depend on the weights of the voters."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields, replace
from functools import cached_property, reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.inequalities.outward import FloatArray
from tandemvote.votes.codes import comparable
from tandemvote.votes.pair_counts import EXACT_CHUNK, PairCounts, equal_pairs, true_pairs
from tandemvote.votes.set_sizes import IntArray, SetSizes
from tandemvote.votes.votes import Votes

CHUNK_BYTES = 2**26  # of one float32 plane of a chunk; memory stays at a few of these


@dataclass(frozen=True, eq=False, kw_only=True)
class VoteCounts(PairCounts):
    """Errors and disagreements of voters and pairs, counted on samples they were not trained on.

    Counts of disjoint sets of samples of the same voters add up: ``a + b``.

    Attributes
    ----------
    errors, sizes : ndarray of int64, shape (n_voters,)
        Held-out samples that each voter misclassifies, and all of them, abs(S_h).
    tandem_errors, overlaps : ndarray of int64, shape (n_voters, n_voters)
        Samples held out for both voters that both misclassify, and all of them.
    disagreements, disagreement_overlaps : ndarray of int64, shape (n_voters, n_voters)
        Samples, held out for both or unlabeled, on which their predictions differ, and all of them.
    lone_errors : ndarray of int64, shape (n_voters, n_voters)
        Samples held out for both voters that exactly one of them misclassifies.
    unlabeled_disagreements : ndarray of int64, shape (n_voters, n_voters)
        The part of `disagreements` that comes from unlabeled samples.
    classes : ndarray, shape (n_classes,)
        All labels that occur among labels and predictions.
    class_counts : Counter
        Number of labeled samples of each class.
    one_row_per_group : bool
        Whether the labeled samples are one random row of each of many groups.
    latest : str or None
        Time of the first labeled samples, if these are the latest ones of all.
    group : str or None
        The group, in words, if the labeled samples were chosen by the group that they belong to.
    drawn : bool
        Whether some of the labeled samples were drawn among those that were given.
    partner_errors : ndarray of int64, shape (n_voters, n_voters), or None
        Entry (h, k): errors of voter k on samples held out for both, to check held-out sets.
    n_covered : int or None
        Samples held out for at least one voter, to check held-out sets.

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
    classes: NDArray[Any]
    class_counts: Counter[Any]
    one_row_per_group: bool = False
    latest: str | None = None
    group: str | None = None
    drawn: bool = False
    partner_errors: IntArray | None = None
    n_covered: int | None = None

    @classmethod
    def from_votes(cls, votes: Votes) -> VoteCounts:
        """Count in chunks of samples, so that memory stays flat and every product exact.

        Parameters
        ----------
        votes : Votes
            Predictions of the voters.

        Returns
        -------
        VoteCounts
            The counts.

        Examples
        --------
        >>> VoteCounts.from_votes(Votes.from_predictions([[0, 1, 1], [0, 0, 1]], [0, 1, 0]))
        VoteCounts(2 voters, 2 classes, n_min=3, n_min_pairs=3)
        """
        size = min(EXACT_CHUNK - 1, max(1, CHUNK_BYTES // (4 * votes.n_voters)))
        counts = replace(reduce(add, map(_count, votes.chunks(size))), drawn=votes.drawn)
        for start in range(0, votes.n_unlabeled, size):
            codes = votes.unlabeled[:, start : start + size]
            overlaps = np.full(counts.overlaps.shape, codes.shape[1])
            everywhere = np.ones(codes.shape, bool)
            differ = overlaps - equal_pairs(codes, everywhere, overlaps, votes.classes.size)
            counts = replace(
                counts,
                disagreements=counts.disagreements + differ,
                disagreement_overlaps=counts.disagreement_overlaps + overlaps,
                unlabeled_disagreements=counts.unlabeled_disagreements + differ,
            )
        return counts

    def __add__(self, other: VoteCounts) -> VoteCounts:
        if self.n_voters != other.n_voters:
            raise ValueError(
                f"Cannot add counts of {self.n_voters} and {other.n_voters} voters: shards must"
                " come from the same voters in the same order."
            )
        if self.one_row_per_group != other.one_row_per_group:
            raise ValueError(
                "Cannot add counts of single rows of groups and of all rows. Draw one row of each"
                " group in every shard."
            )
        if self.latest != other.latest:
            raise ValueError(
                f"Cannot add counts of rows from {self.latest!r} and from {other.latest!r} on."
                " Test the same latest rows in every shard."
            )
        if self.group != other.group:
            raise ValueError(
                f"Cannot add counts of {self.group or 'all samples'} and of"
                f" {other.group or 'all samples'}. Use those of the certificate on all samples."
            )
        names = [*INTEGER_FIELDS]
        for name in ("partner_errors", "n_covered"):  # unknown if it is unknown of either
            if getattr(self, name) is not None and getattr(other, name) is not None:
                names.append(name)
        return VoteCounts(
            classes=np.union1d(*comparable(self.classes, other.classes)),
            class_counts=self.class_counts + other.class_counts,
            one_row_per_group=self.one_row_per_group,
            latest=self.latest,
            group=self.group,
            drawn=self.drawn or other.drawn,
            **{name: getattr(self, name) + getattr(other, name) for name in names},
        )

    @property
    def n_samples(self) -> int:
        """Number of labeled samples."""
        return self.class_counts.total()

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
        """Smallest overlap with the unlabeled samples included, m."""
        return self.disagreement_sets.smallest

    @cached_property
    def n_unlabeled(self) -> int:
        """Number of unlabeled samples."""
        return int((self.disagreement_overlaps - self.overlaps).max())

    @cached_property
    def voter_sets(self) -> SetSizes:
        """Sizes of the held-out sets of voters, S_h."""
        return SetSizes(self.sizes)

    @cached_property
    def pair_sets(self) -> SetSizes:
        """Sizes of the common held-out sets of pairs, S_h ∩ S_h'."""
        return SetSizes(self.overlaps)

    @cached_property
    def disagreement_sets(self) -> SetSizes:
        """Sizes of the common held-out sets of pairs with the unlabeled samples added."""
        return SetSizes(self.disagreement_overlaps) if self.n_unlabeled else self.pair_sets

    @cached_property
    def gibbs_losses(self) -> FloatArray:
        """Error rate of each voter on its held-out samples, L^(h)."""
        return _rates(self.errors, self.sizes, without_samples=1.0)

    @cached_property
    def tandem_losses(self) -> FloatArray:
        """Share of samples that both voters of a pair misclassify, L^(h, h'); 1 without samples."""
        return _rates(self.tandem_errors, self.overlaps, without_samples=1.0)

    @cached_property
    def disagreement_rates(self) -> FloatArray:
        """Share of samples on which a pair of voters disagrees, D^(h, h'); 0 without samples."""
        return _rates(self.disagreements, self.disagreement_overlaps, without_samples=0.0)

    @cached_property
    def labeled_disagreement_rates(self) -> FloatArray:
        """Share of labeled samples, behind the tandem losses, on which a pair disagrees."""
        labeled = self.disagreements - self.unlabeled_disagreements
        return _rates(labeled, self.overlaps, without_samples=0.0)

    @cached_property
    def lone_error_rates(self) -> FloatArray:
        """Share of samples that exactly one voter of a pair misclassifies; 1 without samples."""
        return _rates(self.lone_errors, self.overlaps, without_samples=1.0)

    def __getstate__(self) -> dict[str, Any]:
        """Leave what can be computed again out of pickles."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __repr__(self) -> str:
        unlabeled = f", n_unlabeled={self.n_unlabeled}" if self.n_unlabeled else ""
        return (
            f"VoteCounts({self.n_voters} voters, {self.n_classes} classes, n_min={self.n_min},"
            f" n_min_pairs={self.n_min_pairs}{unlabeled})"
        )


INTEGER_FIELDS = ("errors", "sizes", *(part.name for part in fields(PairCounts)))


def _rates(part: IntArray, whole: IntArray, *, without_samples: float) -> FloatArray:
    rates = np.full(part.shape, without_samples)
    return np.divide(part, whole, out=rates, where=whole > 0)


def _count(votes: Votes) -> VoteCounts:
    """Counts of one chunk: symmetric products of 0/1 planes."""
    held_out, wrong, n_classes = votes.held_out, votes.errors, votes.classes.size
    overlaps, tandem_errors = true_pairs(held_out), true_pairs(wrong)
    partner_errors = true_pairs(held_out, wrong)
    # Exactly one of them errs: the errors of either without those of both, twice.
    lone_errors = partner_errors + partner_errors.T - 2 * tandem_errors
    disagreements = lone_errors  # with two classes
    if n_classes > 2:
        disagreements = overlaps - equal_pairs(votes.predictions, held_out, overlaps, n_classes)
    return VoteCounts(
        errors=np.diag(tandem_errors).copy(),
        sizes=np.diag(overlaps).copy(),
        tandem_errors=tandem_errors,
        overlaps=overlaps,
        disagreements=disagreements,
        disagreement_overlaps=overlaps,
        lone_errors=lone_errors,
        classes=votes.classes.copy(),
        unlabeled_disagreements=np.zeros_like(overlaps),
        class_counts=Counter(votes.classes[votes.labels].tolist()),
        one_row_per_group=votes.one_row_per_group,
        latest=votes.latest,
        group=votes.group,
        partner_errors=partner_errors,
        n_covered=int(held_out.any(axis=0).sum()),
    )
