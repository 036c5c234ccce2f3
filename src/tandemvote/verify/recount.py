"""Count votes again: the pairs by sets of samples, the vote by the rules that voters follow.

Where a certificate rests on the disagreement bound, its weights may depend on one half of the
unlabeled samples and the profile of the vote is that of the other; otherwise both are about all of
them. The halves and the order of the profile are drawn by the predictions of the unlabeled samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.metrics.metric import METRICS, outcomes_of
from tandemvote.record.document import Document, Record
from tandemvote.record.encodings import FloatArray, IntArray
from tandemvote.votes.cell_text import written
from tandemvote.votes.codes import Codes
from tandemvote.votes.draws import shuffled
from tandemvote.votes.names import CLASS, PREDICTED
from tandemvote.votes.pair_counts import true_pairs
from tandemvote.votes.profile import vote_leads
from tandemvote.votes.votes import Votes, select_samples
from tandemvote.votes.weighted_vote import is_test_error, observed_vote

ROUNDING = 1e-9
"""Largest difference of a share from the sum of the weights behind it."""

CHUNK = 2**14
"""Samples that are counted at a time."""

Mask = NDArray[np.bool_]


def recount(
    document: Document,
    votes: Votes | None,
    unlabeled: ArrayLike | None,
    columns: Mapping[str, Sequence[str]],
) -> Iterator[str]:
    """List where a file differs from a new count of what `verify_file` was given.

    Where the file is about a deployed classifier, its predictions are the last row of
    `unlabeled`.
    """
    whole, values_by = document.whole, dict(columns)
    if votes is not None:
        votes = in_classes(whole, votes)
        yield from _other_votes(whole, votes)
        yield from _other_measure(whole, votes)
        values_by[CLASS] = votes.classes[votes.labels].tolist()
        if votes.held_out.all():
            values_by[PREDICTED] = votes.classes[observed_vote(votes, whole.weights)].tolist()
    if unlabeled is not None:
        yield from _other_unlabeled(whole, in_classes(whole, Votes.without_labels(unlabeled)))
    for grouping in document.groupings:
        stated = set(map(written, grouping.labels))
        for value in sorted({*map(written, values_by.get(grouping.by, ()))} - stated)[:1]:
            yield (
                f"{grouping.by[:40]!r} has the value {value[:40]!r}, which the file does not"
                " list among the groups that share delta"
            )
    for group, record in document.groups:
        if group.by in values_by:
            inside = [written(value) == written(group.label) for value in values_by[group.by]]
            problems = _other_group(record, votes, np.array(inside, bool))
            yield from (f"on {group.samples}: {problem}" for problem in problems)


def _other_group(record: Record, votes: Votes | None, inside: Mask) -> Iterator[str]:
    """List where a certificate of a group differs from the samples that a column has in it."""
    n_samples = inside.size if votes is None else votes.n_samples
    if inside.size != n_samples or inside.sum() != record.n_samples:
        yield f"the file counts {record.n_samples} samples, the column {inside.sum()}"
    elif inside.any() and votes is not None:
        yield from _other_votes(record, select_samples(votes, inside))


def _other_votes(record: Record, votes: Votes) -> Iterator[str]:
    """List where the counts of labeled samples in a record are not those of the votes."""
    yield from _other_voters(record, votes)
    for sets, (what, stated) in zip(labeled_sets(votes), record.shared.items(), strict=True):
        yield from _differences(f"the numbers of common {what}", stated, _together(sets))
    for what, planes in indicators(record, votes).items():
        yield from _differences(f"the {what}", record.totals[what], planes.sum(axis=-1))


def _other_voters(record: Record, votes: Votes, *, deployed: bool = False) -> Iterator[str]:
    """Report another number of voters than in the file, or a label that it does not have."""
    if votes.n_voters != record.n_voters + deployed:
        also = " and, in the last column, the deployed classifier" * deployed
        yield (
            f"the file is about {record.n_voters} voters{also}; the votes have {votes.n_voters};"
            " exclude other columns with --drop"
        )
    for label in votes.classes[len(record.classes) :][:1]:
        yield f"the votes have the label {label!r:.40}, which is not among those of the file"


def _other_measure(record: Record, votes: Votes) -> Iterator[str]:
    """List counts of a metric that are not those of the votes."""
    if (measure := record.measure) is None:
        return
    code = None if measure.positive is None else record.classes.index(measure.positive)
    stated = {"counts": measure.tests, "observed counts": measure.observed}
    counted_again = outcomes_of(votes, record.weights, measure.costs)
    for (what, tests), each in zip(stated.items(), counted_again, strict=True):
        counted = METRICS[record.metric].count(each, code)
        if counted != [*tests]:
            yield f"the {what} of {record.metric} are not those of the votes: {counted[:3]}"


def _other_unlabeled(record: Record, votes: Votes) -> Iterator[str]:
    """List where the unlabeled counts and the profile of a record are not those of the votes."""
    yield from _other_voters(record, votes, deployed=record.deployed is not None)
    n_profile = 0 if record.profile is None else record.profile.n_samples
    counted = profiled = np.arange(votes.n_unlabeled)
    if record.n_unlabeled + n_profile == votes.n_unlabeled and n_profile:
        counted, profiled = map(np.sort, np.array_split(shuffled(votes.unlabeled), 2))
    if record.n_unlabeled != counted.size or n_profile not in (0, profiled.size):
        yield (
            f"the file counts {record.n_unlabeled} unlabeled samples and has a profile of"
            f" {n_profile}; the votes are about {votes.n_unlabeled}"
        )
    predictions = votes.unlabeled
    together = _together(unlabeled_sets(record, predictions[: record.n_voters, counted]))
    what = "the numbers of common predictions of unlabeled samples"
    yield from _differences(what, record.unlabeled_agreements, together)
    if record.profile is not None:
        order = shuffled(predictions[:, profiled])
        counted_again = leads_and_gaps(record, predictions[:, profiled])
        for name, again in zip(("leads", "gaps"), counted_again, strict=True):
            stated = getattr(record.profile, name)
            if not (np.abs(stated - again[order]) <= ROUNDING).all():  # each vote moves all samples
                yield f"the {name} of unlabeled samples, or their order, are not those of the votes"


def _differences(what: str, stated: ArrayLike, counted: ArrayLike) -> Iterator[str]:
    """Show the first place where numbers are not those of the votes."""
    stated, counted = np.atleast_1d(stated), np.atleast_1d(counted)
    for place in np.argwhere(~(np.abs(stated - counted) <= ROUNDING))[:1].tolist():
        where = f" at {', '.join(map(str, place))}" if stated.size > 1 else ""
        one, other = (f"{numbers[tuple(place)]:.10g}" for numbers in (stated, counted))
        yield f"{what} differ{where}: {one} in the file and {other} in the votes"


def _together(sets: Sequence[Mask]) -> IntArray:
    """Count the common members of the sets of two voters."""
    starts = range(0, sets[0].shape[1], CHUNK)
    parts = (each[:, start : start + CHUNK] for each in sets for start in starts)
    return np.asarray(sum(map(true_pairs, parts)))


def labeled_sets(votes: Votes) -> list[list[Mask]]:
    """Return which labeled samples are in the sets that `shared` counts, one row per voter."""
    held_out, right = votes.held_out, votes.predictions == votes.labels
    equal = [held_out & (votes.predictions == code) for code in range(votes.classes.size)]
    return [[held_out], [held_out & ~right], [held_out & right], equal]


def unlabeled_sets(record: Record, predictions: Codes) -> list[Mask]:
    """Return which unlabeled samples are in the sets of equal predictions, one row per voter."""
    return [predictions == c for c in range(len(record.classes))]


def indicators(record: Record, votes: Votes) -> dict[str, Mask]:
    """Return which samples count in each of the totals of a record."""
    predicted = observed_vote(votes, record.weights)
    voted = predicted >= 0
    counted: dict[str, Mask] = {
        "samples by class": votes.labels == np.arange(votes.classes.size)[:, None],
        "errors and samples of the vote": np.stack([voted & (predicted != votes.labels), voted]),
        "test errors": is_test_error(votes, record.weights)[None, :],
    }
    return {name: planes for name, planes in counted.items() if name in record.totals}


def leads_and_gaps(record: Record, predictions: Codes) -> tuple[FloatArray, FloatArray]:
    """Return the profile of predictions, those of a deployed classifier in the last row."""
    deployed = None if record.deployed is None else predictions[-1]
    return vote_leads(predictions[: record.n_voters], record.weights, deployed)


def in_classes(record: Record, votes: Votes) -> Votes:
    """Return votes with the classes of a file, in its order, before any that it does not have."""
    names = [written(label) for label in votes.classes.tolist()]
    all_names = list(dict.fromkeys([*map(written, record.classes), *names]))
    position = np.array([all_names.index(name) for name in names])
    predictions, labels = position[votes.predictions], position[votes.labels]
    classes, unlabeled = np.array(all_names, object), position[votes.unlabeled]
    return Votes(predictions, labels, votes.held_out, classes, unlabeled, ties=record.ties)
