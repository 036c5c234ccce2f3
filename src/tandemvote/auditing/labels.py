"""Labels: what columns and neighboring rows reveal about them, and the target itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import bdtrc, chdtr, gammaln, lambertw
from scipy.stats import hypergeom

from tandemvote.auditing.cells import Column, factorize, is_whole
from tandemvote.auditing.columns import FALSE_ALARM, FEWEST_ROWS, NEARLY_ALL, SEVERAL
from tandemvote.auditing.finding import Clue, Finding, about_data
from tandemvote.votes.codes import Codes, as_array, is_missing
from tandemvote.votes.printable import shown

FEWEST_REPEATED = 20
"""Values with several rows, so that rows that belong together can be recognized."""

SHARED, NEARLY_SHARED = 0.4, 0.75
"""Excess agreement of labels, as a share of the possible one, of a warning and of an error."""

NOTEWORTHY = 0.1
"""Excess agreement of neighboring labels, as a share of the possible one."""

LABELS_IN_X = "leak", "error", "X contains the labels"
LEAK = "leak", "warning", "Columns that reveal the label"
NEARLY = "leak", "warning", "Columns with a value that reveals a class"

NEARLY_NONE = 0.1
"""Exceptions, as a share of the smaller side, with which a value still reveals a class."""

REPEATED_NAMES = "repeated_names", "note", "Columns that may name groups of rows"
NAME_OF_NAMES = re.compile(r"(?i:(^|[\W_])(id|name|nr|no|key))$|[a-z]I[Dd]$")

FEW_CLASSES = 30
ROWS_OF_A_CLASS = {"measurement": 15, "name": 5}
"""Rows that a class of more than a few needs on average, among numbers and among texts."""


def agreement_by_chance(codes: Codes) -> float:
    """Return the probability that two different rows have one code."""
    counts = np.bincount(codes)
    pairs = float((counts * (counts - 1.0)).sum())
    return pairs / max(codes.size * (codes.size - 1.0), 1.0)


def group_clues(
    suspects: Sequence[Column], columns: Sequence[Column], label: Codes, included: NDArray[np.bool_]
) -> Iterator[Clue]:
    """Report suspects with many values of several rows each that share their labels.

    Only the included rows are compared. It is an error if such rows are also similar in another
    column, or if the values have more equal numbers of rows than independent rows would have:
    otherwise the column may be a category that predicts the label.
    """
    rows = np.flatnonzero(included)
    for column in suspects:
        present = rows[column.codes[rows] >= 0]
        shared, text = _shared_labels(column.codes[present], label[present])
        if text:
            is_designed = _is_balanced(column) or _is_clustered(column, columns, label, included)
            severity = "error" if shared >= NEARLY_SHARED and is_designed else "warning"
            title = "Rows seem to belong together by column"
            yield ("grouped_rows", severity, title), column.name, text


def _shared_labels(codes: Codes, label: Codes) -> tuple[float, str]:
    """Return the excess agreement of labels of rows with one value, and the evidence if it counts.

    Neighboring values of a measurement share labels too; those of an identifier do not.
    """
    n_rows, chance = np.bincount(codes), agreement_by_chance(label)
    n_groups, n_classes = (n_rows > 1).sum(), label.max(initial=0) + 1
    if n_groups < max(FEWEST_REPEATED, n_classes + 1) or chance == 1:
        return 0.0, ""
    table = csr_array((np.ones(codes.size), (codes, label)))[n_rows > 0]
    n_rows = n_rows[n_rows > 0]
    several = n_rows > 1
    within = ((table * table).sum(axis=1) - n_rows)[several] / (n_rows * (n_rows - 1))[several]
    next_to = (table[1:] * table[:-1]).sum(axis=1) / (n_rows[1:] * n_rows[:-1])
    possible, disjoint = 1 - chance, n_rows[several] // 2
    shared = (within.mean() - chance) / possible
    if (
        shared < SHARED
        or next_to.mean() - chance > possible * shared / 2
        or bdtrc(np.floor((disjoint * within).sum()) - 1, disjoint.sum(), chance) >= FALSE_ALARM
    ):
        return 0.0, ""
    return shared, (
        f"{within.size} values of several rows, whose labels agree in {within.mean():.0%} of"
        f" pairs, {chance:.0%} by chance"
    )


def _is_balanced(column: Column) -> bool:
    """Return True if the values have more equal numbers of rows than independent rows have.

    Independent rows of equally likely values have Poisson numbers, of which those of 1 or more are
    seen; other probabilities only make them less equal. Their index of dispersion is about
    chi-square distributed.
    """
    n_rows = np.bincount(column.codes[column.codes >= 0])
    mean = n_rows.mean()
    rate = mean + lambertw(-mean * np.exp(-mean)).real  # before those of 0 are left out
    variance = mean * (1 + rate - mean)
    return bool(chdtr(n_rows.size - 1, ((n_rows - mean) ** 2).sum() / variance) < FALSE_ALARM)


def _is_clustered(
    column: Column, columns: Sequence[Column], label: Codes, included: NDArray[np.bool_]
) -> bool:
    """Return True if rows with one value are closer in another column than rows of one label.

    By a sign test: of each pair of rows, the first is compared with a random row of its label.
    """
    rng = np.random.default_rng(0)
    rows = rng.permutation(np.flatnonzero((column.codes >= 0) & included))
    rows = rows[np.argsort(column.codes[rows], kind="stable")]
    codes = column.codes[rows]
    odd = (np.arange(codes.size) - np.searchsorted(codes, codes)) % 2 == 1
    one, two = rows[np.flatnonzero(odd) - 1], rows[odd]
    by_label = rows[np.argsort(label[rows], kind="stable")]
    ends = np.searchsorted(label[by_label], [label[one], label[one] + 1])
    other = by_label[rng.integers(*ends)]
    used = (label[one] == label[two]) & (column.codes[one] != column.codes[other])
    one, two, other = one[used], two[used], other[used]
    others = [each for each in columns if each.name != column.name]
    for each in others:
        present = (each.codes[one] >= 0) & (each.codes[two] >= 0) & (each.codes[other] >= 0)
        near, far = (np.abs(each.codes[one] - each.codes[row])[present] for row in (two, other))
        if not each.is_number:
            near, far = near > 0, far > 0
        n_nearer, n_unequal = int((near < far).sum()), int((near != far).sum())
        if bdtrc(n_nearer - 1, n_unequal, 0.5) < FALSE_ALARM / len(others):
            return True
    return False


def repeated_names(columns: Sequence[Column]) -> Iterator[Clue]:
    """Report columns that look like names of groups of rows, whatever their labels are.

    Their name is that of an identifier; the values have more equal numbers of rows than independent
    rows would have; or they are texts whose rows follow each other.
    """
    for column in columns:
        codes = column.codes[column.codes >= 0]
        n_values, n_runs = column.distinct.size, 1 + np.count_nonzero(np.diff(codes))
        is_name = column.may_be_names and column.times is None
        if not is_name or not FEWEST_REPEATED <= n_values <= SEVERAL * codes.size:
            continue
        follows = not column.is_number and n_runs <= n_values / NEARLY_ALL
        if NAME_OF_NAMES.search(column.name) or follows or _is_balanced(column):
            text = f"{n_values} values, {codes.size / n_values:.1f} rows each"
            yield REPEATED_NAMES, column.name, text


def leak_clues(columns: Sequence[Column], label: Codes, *, name_of_y: str | None) -> Iterator[Clue]:
    """Report columns that determine the label of every row, separate or nearly reveal classes.

    By permutation tests: how many orders of the labels would be a leak as well.
    """
    for column in columns:
        text = _determines(column.codes, label, is_number=column.is_number)
        if text:
            yield LABELS_IN_X if column.name == name_of_y else LEAK, column.name, text
        elif text := _reveals(column, label):
            yield NEARLY, column.name, text


def _determines(codes: Codes, label: Codes, *, is_number: bool) -> str:
    """Return how the values of a column determine all labels, or nothing; gaps are left out."""
    codes, labels = codes[codes >= 0], label[codes >= 0]
    label_of = np.zeros(codes.max(initial=-1) + 1, np.intp)
    label_of[codes] = labels
    if codes.size < FEWEST_ROWS or (label_of[codes] != labels).any():
        return ""
    counts = np.bincount(labels)
    n_classes, n_changes = (counts > 0).sum(), (np.diff(label_of) != 0).sum()
    separates = is_number and n_changes == n_classes - 1
    log_ways = gammaln(n_classes + 1) if separates else label_of.size * np.log(n_classes)
    log_chance = log_ways + gammaln(counts + 1).sum() - gammaln(labels.size + 1)
    is_short = separates or label_of.size <= labels.size / 10
    if not is_short or log_chance >= np.log(FALSE_ALARM):
        return ""
    return "separates the classes" if separates else "determines the label"


def _reveals(column: Column, label: Codes) -> str:
    """Return the value, missing or not, that nearly all rows of some classes have, and no others.

    By the hypergeometric test of the rows with the value and the rows of these classes.
    """
    n_rows, of_class = label.size, np.bincount(label)
    codes = column.codes + 1  # 0 where the value is missing
    of_value = np.bincount(codes)
    fewest = max(of_class[of_class > 0].min(initial=n_rows), FEWEST_ROWS)
    frequent = np.flatnonzero(of_value >= fewest / 2)
    if not frequent.size:
        return ""
    place = np.full(of_value.size, frequent.size)
    place[frequent] = np.arange(frequent.size)
    pairs = np.bincount(
        place[codes] * of_class.size + label, minlength=(frequent.size + 1) * of_class.size
    )
    rows = pairs.reshape(-1, of_class.size)[:-1]
    is_of_value = rows > of_class / 2
    n_of_classes, n_both = (is_of_value * of_class).sum(axis=1), (is_of_value * rows).sum(axis=1)
    n_wrong = of_value[frequent] + n_of_classes - 2 * n_both
    smaller = np.minimum(n_of_classes, n_rows - n_of_classes)
    possible = np.flatnonzero((smaller > 0) & (n_wrong <= NEARLY_NONE * smaller))
    if not possible.size:
        return ""
    best = possible[n_wrong[possible].argmin()]
    # Each value could reveal any set of classes.
    ways = of_value.size * 2.0**of_class.size
    how = n_rows, n_of_classes[best], of_value[frequent[best]]
    if hypergeom.sf(n_both[best] - 1, *how) * ways >= FALSE_ALARM:
        return ""
    value = f"{column.distinct[frequent[best] - 1]!s:.20}" if frequent[best] else "missing"
    return f"{value} or not gives classes away in {n_rows - n_wrong[best]} of {n_rows} rows"


def missing_target(missing: NDArray[np.bool_], *columns: str) -> Finding:
    """Report rows without a label."""
    row = int(missing.argmax()) + 1
    message = f"{missing.sum()} of {missing.size} labels are missing, the first in row {row}."
    return about_data("missing_target", "error", message, columns=columns)


def target_findings(y: Any) -> tuple[list[Finding], Codes | None]:
    """Report what is wrong with labels, and return them as codes if they can be classes."""
    labels = as_array(y)
    if labels.ndim != 1 or not labels.size:
        return [], None
    missing = is_missing(labels)
    findings: list[Finding] = []
    if missing.any():
        findings.append(missing_target(missing))
    labels = labels[~missing]
    if labels.dtype.kind == "O" and {*map(type, labels)} <= {int, float}:
        labels = np.array(labels.tolist())
    distinct, codes = factorize(labels)
    n_rows, n_classes = codes.size, distinct.size
    kind = "measurement" if distinct.dtype.kind in "iuf" else "name"
    many = n_classes > FEW_CLASSES and n_rows < ROWS_OF_A_CLASS[kind] * n_classes
    if many or (kind == "measurement" and not is_whole(distinct)):
        message = f"The target looks like a {kind}: {n_classes} distinct values in {n_rows} rows."
        findings.append(about_data(f"{kind}_target", "error", message))
    if findings:
        return findings, None
    spelled: dict[str, list[Any]] = {}
    for label in distinct.tolist():
        spelled.setdefault(" ".join(str(label).split()).casefold(), []).append(label)
    if twice := [label for labels in spelled.values() if len(labels) > 1 for label in labels]:
        message = f"Labels that differ only in case or spaces: {shown(twice, 4)}."
        findings.append(about_data("label_spelling", "warning", message))
    if (once := int((np.bincount(codes) == 1).sum())) and n_classes > 1:
        message = f"{once} of {n_classes} classes {'have' if once > 1 else 'has'} a single row."
        findings.append(about_data("rare_classes", "warning", message))
    return findings, codes


def neighbor_findings(label: Codes) -> list[Finding]:
    """Report labels that agree with those of the next row more often than by chance."""
    n_pairs, chance = label.size - 1, agreement_by_chance(label)
    n_same = int((label[1:] == label[:-1]).sum())
    share = n_same / max(n_pairs, 1)
    if (
        n_pairs < FEWEST_ROWS
        or n_pairs - n_same < 2 * np.unique(label).size  # sorted by label, also if joined of two
        or share - chance < NOTEWORTHY * (1 - chance)
        or bdtrc(n_same - 1, n_pairs, chance) >= FALSE_ALARM
    ):
        return []
    message = f"{share:.0%} of rows have the label of the next row, {chance:.0%} by chance."
    return [about_data("row_order", "warning", message)]
