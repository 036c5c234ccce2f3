"""Certificates of groups: the same way on fewer samples, at a share of the failure probability."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.bounds import VacuousBoundWarning
from tandemvote.certificate.evidence_fields import fields_of, votes_for, with_values
from tandemvote.certificate.rendering import TextTable, as_text, rate
from tandemvote.record.assumptions import GROUPS
from tandemvote.record.document import Group, Grouping
from tandemvote.votes.codes import as_array, is_missing
from tandemvote.votes.decimals import in_percent, percent, rounded_down, rounded_up
from tandemvote.votes.evidence import Evidence
from tandemvote.votes.index_order import check_same_order
from tandemvote.votes.names import CLASS, PREDICTED, TEST_SET, VOTE_PROFILE
from tandemvote.votes.parameter_error import ParameterError
from tandemvote.votes.printable import printable
from tandemvote.votes.votes import REFEREE, Votes, select_samples
from tandemvote.votes.weighted_vote import weighted_vote

if TYPE_CHECKING:
    from tandemvote.certificate.certificate import Certificate

Mask = NDArray[np.bool_]

COMPLEMENTS = {CLASS: "recall", PREDICTED: "precision"}
"""Names of 1 minus the error rate."""

MAX_GROUPS = 100
"""A column with more distinct values is taken for a number or a name, not for a group."""


@dataclass(frozen=True, eq=False, repr=False)
class GroupCertificates:
    """Certificates of the same classifier for every group, which all hold at once.

    ``found[label]`` is the certificate of a group, ``found[by, label]`` if samples are grouped in
    several ways. Iteration gives all of them.

    Attributes
    ----------
    certificate : Certificate
        The certificate on all samples. It holds alone, with the whole of delta.
    members : tuple of Certificate
        The certificates of the groups.
    groupings : tuple of Grouping
        All labels of every grouping.

    Examples
    --------
    >>> from tandemvote import certify
    >>> votes = Votes.from_predictions([["a", "b", "a", "b"] * 50], ["a", "b", "b", "b"] * 50)
    >>> found = certify(votes).by_group("class")
    >>> found["a"].observed, round(found["a"].value, 3), found["a"].confidence
    (0.0, 0.071, 0.975)
    """

    certificate: Certificate
    members: tuple[Certificate, ...]
    groupings: tuple[Grouping, ...]

    def __len__(self) -> int:
        return len(self.members)

    def __iter__(self) -> Iterator[Certificate]:
        return iter(self.members)

    @property
    def _keys(self) -> list[tuple[str, Any]]:
        """Name of the grouping, and label, of every group."""
        return [(each.group.by, each.group.label) for each in self if each.group is not None]

    def __getitem__(self, key: Any) -> Certificate:
        named = zip(self._keys, self, strict=True)
        found = [each for (by, label), each in named if key in ((by, label), label)]
        if len(found) != 1:
            names = ", ".join(map(repr, self._keys))
            raise KeyError(f"{key!r} is the label of {len(found)} of the groups {names}.")
        return found[0]

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the certificate on all samples and those of the groups to one file.

        Parameters
        ----------
        path : path
            The file.

        Returns
        -------
        pathlib.Path
            The file.

        Examples
        --------
        See `Certificate.save`.
        """
        return replace(self.certificate, groups=self).save(path)

    @property
    def headline(self) -> str:
        """The bounded quantity and the confidence."""
        listed = printable(" and ".join(each.by for each in self.groupings))
        delta = percent(self.certificate.delta)
        return f"error rates by {listed}, all valid at once ({delta} confidence)"

    def table(self) -> TextTable:
        """Return one row of text per group.

        Returns
        -------
        TextTable
            The table that is printed.

        Examples
        --------
        See `Certificate.by_group`.
        """
        names = ["by", "group"] if len(self.groupings) > 1 else [self.groupings[0].by]
        rows = []
        for (by, label), each in zip(self._keys, self, strict=True):
            row = [
                *[by, "missing" if label is None else str(label)][-len(names) :],
                str(each.counts.n_samples),
                "" if each.observed is None else rate(each.observed),
                "none" if each.value >= 1.0 else in_percent(each.value, rounded_up),
                "",
            ]
            if by in COMPLEMENTS and each.value < 1.0:
                row[-1] = f"{COMPLEMENTS[by]} >= {rounded_down(1 - Decimal(each.value))}"
            rows.append(row)
        columns = [*names, "samples", "observed", "error <=", ""]
        return TextTable(columns, "<" * len(names) + ">>><", rows)

    def __repr__(self) -> str:
        return as_text(self.headline, [], self.table())


def certify_groups(whole: Certificate, by: Any) -> GroupCertificates:
    """Certify the vote of a certificate on each group of its samples; see `by_group`."""
    votes = votes_for("by_group", whole)
    if VOTE_PROFILE in whole.candidates:
        raise ValueError(
            f"{VOTE_PROFILE!r} rests on unlabeled samples, whose groups are unknown. Certify"
            " held-out samples alone to get bounds by group."
        )
    masks = {name: _masks(name, values, votes, whole) for name, values in _named(by).items()}
    groupings = tuple(Grouping(by=name, labels=tuple(each)) for name, each in masks.items())
    members = []
    for name, groups in masks.items():
        delta = whole.delta / len(masks) / len(groups)
        for label, mask in groups.items():
            members.append(_certify_group(whole, votes, Group(by=name, label=label), mask, delta))
    return GroupCertificates(whole, tuple(members), groupings)


def _certify_group(
    whole: Certificate, votes: Votes, group: Group, mask: Mask, delta: float
) -> Certificate:
    inside = replace(select_samples(votes, mask), group=group.samples)
    evidence = Evidence.of(inside, whole.weights, fitted=whole.fitted)
    certificate = replace(
        whole,
        **fields_of(evidence, whole.candidates),
        votes=inside,
        delta=delta,
        findings=(),
        assumptions=(*whole.assumptions, GROUPS),
        group=group,
    )
    with warnings.catch_warnings():  # the table shows which groups have no bound
        warnings.simplefilter("ignore", VacuousBoundWarning)
        return with_values(certificate)


def _named(by: Any) -> dict[str, Any]:
    """Return groupings by their names."""
    named = {by if isinstance(by, str) else str(getattr(by, "name", None) or "group"): by}
    if isinstance(by, Mapping) or hasattr(by, "columns"):
        named = {str(name): by[name] for name in getattr(by, "columns", by)}
    if not named:
        raise ValueError("by is empty. Pass 'class', 'predicted', or one value per sample.")
    return named


def _masks(name: str, values: Any, votes: Votes, whole: Certificate) -> dict[Any, Mask]:
    """Return the samples of each label of one grouping, the labels sorted."""
    if isinstance(values, str):
        return _by_class(values, votes, whole)
    if name in COMPLEMENTS:
        raise ValueError(f"by={name!r} is the name of another grouping. Rename the column.")
    check_same_order(votes.index, {f"by={name!r}": values})
    array, n_given = as_array(values), votes.n_given or votes.n_samples
    if array.shape != (n_given,):
        raise ValueError(
            f"by={name!r} has shape {array.shape}; expected ({n_given},): one value per sample, in"
            " the order of the samples that were given."
        )
    array = array if votes.rows is None else array[votes.rows]
    missing = is_missing(array)
    known = array[~missing]
    distinct = dict.fromkeys(list(known) if known.dtype.kind in "mM" else known.tolist())
    # An array of objects may hold numpy's numbers, which are no JSON.
    labels = [each.item() if isinstance(each, np.number | np.bool_) else each for each in distinct]
    check_n_groups(name, len(labels))
    order = getattr(getattr(values, "cat", values), "categories", None)
    for key in (float, None, str) if order is None else (list(order).index,):
        with suppress(TypeError, ValueError):  # text of numbers, others, labels of several types
            labels.sort(key=key)
            break
    groups = {}
    for label in labels:
        groups[label] = np.zeros(votes.n_samples, bool)
        groups[label][~missing] = known == label
    return groups | ({None: missing} if missing.any() else {})


def check_n_groups(name: str, n_groups: int) -> None:
    """Raise ValueError for a column with too many distinct values, apart from missing ones."""
    if n_groups > MAX_GROUPS:
        raise ParameterError(
            f"by={name!r} has {n_groups} distinct values; at most {MAX_GROUPS} are supported."
            " Bin the column with edges chosen without looking at this data.",
            by=name,
        )


def _by_class(by: str, votes: Votes, whole: Certificate) -> dict[Any, Mask]:
    if by not in COMPLEMENTS:
        raise ValueError(
            f"Invalid by={by!r}. Use 'class', 'predicted', or pass one value per sample."
        )
    codes = votes.labels
    if by == PREDICTED:
        if TEST_SET not in whole.candidates or whole.ties == REFEREE:
            raise ParameterError(
                "by='predicted' requires samples that test the whole predictor: held-out samples,"
                " fixed weights and no referee. Group by class, or do without a referee.",
                by=PREDICTED,
            )
        codes = weighted_vote(votes.predictions, whole.weights, votes.classes.size)
    return {label: codes == code for code, label in enumerate(votes.classes.tolist())}
