"""Counts of the points of one true class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.counting.counts import INTEGER_FIELDS, VoteCounts
from tandemvote.votes import Votes


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """Counts of the votes on the points of one true class.

    Attributes
    ----------
    label : object
        The class.
    n_points : int
        Labelled points of this class.
    counts : VoteCounts
        All 0 if there are none.
    """

    label: Any
    n_points: int
    counts: VoteCounts


def class_counts(votes: Votes, classes: NDArray[Any]) -> list[ClassCounts]:
    """Count the votes on the points of each true class by itself.

    Unlabelled points are left out: they come from all classes, and a disagreement on points of
    another class says nothing about this one.

    Parameters
    ----------
    votes : Votes
    classes : ndarray, shape (n_classes,)
        The labels to count for, those of the votes among them. The theorems for two classes need
        to know how many there are, also on points of a single one.

    Examples
    --------
    >>> votes = Votes.from_predictions([["a", "b", "b"], ["b", "b", "b"]], ["a", "a", "b"])
    >>> for found in class_counts(votes, votes.classes):
    ...     print(found.label, found.n_points, found.counts.errors.tolist())
    a 2 [1, 2]
    b 1 [0, 0]
    """
    wrong, true_classes = votes.errors, votes.classes[votes.labels]
    found = []
    for label in classes:
        points = true_classes == label
        counts = _count(wrong[:, points], votes.held_out[:, points])
        name = label.item() if isinstance(label, np.generic) else label
        found.append(ClassCounts(name, int(points.sum()), replace(counts, classes=classes)))
    return found


def _count(wrong: NDArray[np.bool_], held_out: NDArray[np.bool_]) -> VoteCounts:
    """Count with "right" and "wrong" for labels, as fast for many classes as for two.

    Given the true class this is all that errors and common errors depend on. Different labels count
    with two classes alone, where they are the same as one right and one wrong.
    """
    if wrong.shape[1]:
        return VoteCounts.from_votes(
            Votes(
                predictions=wrong.astype(np.uint8),
                labels=np.zeros(wrong.shape[1], np.uint8),
                held_out=held_out,
                classes=np.arange(2),
                unlabelled=np.zeros((len(wrong), 0), np.uint8),
            )
        )
    one_point = VoteCounts.from_votes(Votes.from_predictions(np.zeros((len(wrong), 1)), [0]))
    return replace(
        one_point, **{name: np.zeros_like(getattr(one_point, name)) for name in INTEGER_FIELDS}
    )
