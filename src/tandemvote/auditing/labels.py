"""What columns reveal about labels: rows that belong together, leaks, and the target itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, chdtr, gammaln

from tandemvote.auditing.cells import Column, factorize
from tandemvote.auditing.columns import FALSE_ALARM, FEWEST_ROWS, about_columns
from tandemvote.auditing.finding import Finding
from tandemvote.codes import as_array, is_missing

Codes = NDArray[np.intp]
Rows = NDArray[np.intp] | None

FEWEST_GROUPS = 20
"""Values with several rows, so that rows that belong together can be recognized."""

SHARED, NEARLY_SHARED = 0.4, 0.75
"""Excess agreement of labels, as a share of the possible one, of a warning and of an error."""

MANY_OF_THE_VALUES = 0.1
"""Share of the values that must have several rows."""

LARGEST_TABLE = 5_000_000
"""Entries of a table of values by classes."""

FEW_CLASSES = 30
ROWS_OF_A_CLASS = {"measurement": 15, "name": 5}
"""Rows that a class of more than a few needs on average, among numbers and among texts."""


def agreement_by_chance(label: Codes) -> float:
    """Return the probability that two different rows have one label."""
    counts = np.bincount(label)
    pairs = float((counts * (counts - 1.0)).sum())
    return pairs / max(label.size * (label.size - 1.0), 1.0)


def group_findings(
    columns: Sequence[Column],
    features: Sequence[Column],
    label: Codes,
    is_first: NDArray[np.bool_],
    sample: Rows,
) -> list[Finding]:
    """Report columns with many values of several rows each that share their labels.

    Only rows that do not repeat an earlier row are compared. It is an error if such rows are also
    similar in one of the features, or if the values have more equal numbers of rows than
    independent rows would have: otherwise the column may be a category that predicts the label.
    """
    found: dict[str, dict[Column, str]] = {"error": {}, "warning": {}}
    sampled, firsts = (label, is_first) if sample is None else (label[sample], is_first[sample])
    for column in columns:
        present = (column.codes >= 0) & firsts
        many = MANY_OF_THE_VALUES if sample is None else 0.0
        shared, text = _shared_labels(column.codes[present], sampled[present], many)
        if text and sample is not None:
            codes = factorize(column.values)[1]
            present = (codes >= 0) & is_first
            shared, text = _shared_labels(codes[present], label[present], MANY_OF_THE_VALUES)
        if text:
            others = [each for each in features if each is not column]
            designed = _is_balanced(column.codes) or _is_clustered(column, others, sampled, firsts)
            certain = shared >= NEARLY_SHARED and designed
            found["error" if certain else "warning"][column] = text
    advice = (
        "Pass such a column as groups to CertifiedClassifier or certify, and exclude it from X."
    )
    what = "Rows seem to belong together by column"
    return [
        *about_columns("grouped_rows", "error", what, found["error"], advice),
        *about_columns("grouped_rows", "warning", what, found["warning"], advice),
    ]


def _shared_labels(codes: Codes, label: Codes, many: float) -> tuple[float, str]:
    """Return the excess agreement of labels of rows with one value, and the evidence if it counts.

    Neighboring values of a measurement share labels too; those of an identifier do not.
    """
    n_rows, chance = np.bincount(codes), agreement_by_chance(label)
    n_values, n_classes = n_rows.size, int(label.max(initial=0)) + 1
    n_several = int((n_rows > 1).sum())
    if n_several < max(FEWEST_GROUPS, many * (n_rows > 0).sum()) or chance == 1:
        return 0.0, ""
    if n_values * n_classes > LARGEST_TABLE:
        return 0.0, ""
    pairs = np.bincount(codes * n_classes + label, minlength=n_values * n_classes)
    table, n_rows = pairs.reshape(n_values, n_classes)[n_rows > 0], n_rows[n_rows > 0]
    several = n_rows > 1
    within = (table * (table - 1)).sum(axis=1)[several] / (n_rows * (n_rows - 1))[several]
    next_to = (table[1:] * table[:-1]).sum(axis=1) / (n_rows[1:] * n_rows[:-1])
    shared, smooth = ((mean - chance) / (1 - chance) for mean in (within.mean(), next_to.mean()))
    if shared < SHARED or smooth > shared / 2:
        return 0.0, ""
    disjoint = n_rows[several] // 2
    if bdtrc(np.floor((disjoint * within).sum()) - 1, disjoint.sum(), chance) >= FALSE_ALARM:
        return 0.0, ""
    return shared, (
        f"{within.size} values of several rows, whose labels agree in {within.mean():.0%} of"
        f" pairs, {chance:.0%} by chance"
    )


def _is_balanced(codes: Codes) -> bool:
    """Return True if the values have more equal numbers of rows than independent rows have.

    By the index of dispersion: independent rows of equally likely values have a chi-square
    distribution, and other probabilities only make it larger.
    """
    n_rows = np.bincount(codes[codes >= 0])
    n_rows = n_rows[n_rows > 0]
    dispersion = ((n_rows - n_rows.mean()) ** 2).sum() / n_rows.mean()
    return bool(chdtr(n_rows.size - 1, dispersion) < FALSE_ALARM)


def _is_clustered(
    column: Column, others: Sequence[Column], label: Codes, included: NDArray[np.bool_]
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
    for each in others:
        present = (each.codes[one] >= 0) & (each.codes[two] >= 0) & (each.codes[other] >= 0)
        near, far = (np.abs(each.codes[one] - each.codes[row])[present] for row in (two, other))
        if not each.is_number:
            near, far = near > 0, far > 0
        n_nearer, n_unequal = int((near < far).sum()), int((near != far).sum())
        if bdtrc(n_nearer - 1, n_unequal, 0.5) < FALSE_ALARM / len(others):
            return True
    return False


def leak_findings(columns: Sequence[Column], y: Any, label: Codes, sample: Rows) -> list[Finding]:
    """Report columns that determine the label of every row, or separate the classes."""
    name, sampled = getattr(y, "name", None), label if sample is None else label[sample]
    certain: dict[Column, str] = {}
    found: dict[Column, str] = {}
    for column in columns:
        text = _leak(column.codes, column.distinct.size, sampled, column.is_number)
        if text and sample is not None:
            values, codes = factorize(column.values)
            text = _leak(codes, values.size, label, column.is_number)
        if not text:
            continue
        same = name is not None and column.name == str(name)
        (certain if same else found)[column] = text
    return [
        *about_columns(
            *("leak", "error", "X contains the labels", certain),
            "Exclude the column from X.",
        ),
        *about_columns(
            *("leak", "warning", "Columns that reveal the label", found),
            "Exclude them if they are not known before the label of a new row.",
        ),
    ]


def _leak(codes: Codes, n_values: int, label: Codes, ordered: bool) -> str:
    """Return how a column reveals labels, or "", by a permutation test."""
    present = codes >= 0
    if not present.all():
        codes, label = codes[present], label[present]
    if codes.size < FEWEST_ROWS:
        return ""
    label_of = np.zeros(n_values, np.intp)
    label_of[codes] = label
    if (label_of[codes] != label).any():
        return ""
    counts = np.bincount(label)
    n_classes = int((counts > 0).sum())
    log_orders = gammaln(counts + 1).sum() - gammaln(label.size + 1)
    if n_classes < 2:
        return ""
    if ordered and (np.diff(label_of) != 0).sum() == n_classes - 1:
        log_chance, text = gammaln(n_classes + 1) + log_orders, "separates the classes"
    elif n_values <= label.size / 10:
        log_chance, text = n_values * np.log(n_classes) + log_orders, "determines the label"
    else:
        return ""
    return text if log_chance < np.log(FALSE_ALARM) else ""


def target_findings(y: Any) -> tuple[list[Finding], Codes | None]:
    """Report what is wrong with labels, and return them as codes if they can be classes."""
    labels = as_array(y)
    if labels.ndim != 1 or not labels.size:
        return [], None
    missing = is_missing(labels)
    findings: list[Finding] = []
    if missing.any():
        findings.append(
            _target(
                "missing_target",
                f"{missing.sum()} of {labels.size} labels are missing, the first in row"
                f" {int(missing.argmax()) + 1}.",
                "Exclude rows without a label.",
            )
        )
    distinct, codes = factorize(_typed(labels[~missing]))
    n_rows, n_classes = codes.size, distinct.size
    numbers = distinct.dtype.kind in "iuf"
    kind = "measurement" if numbers else "name"
    many = n_classes > FEW_CLASSES and n_rows < ROWS_OF_A_CLASS[kind] * n_classes
    if many or (numbers and (distinct != np.floor(distinct)).any()):
        advice = "A classifier needs classes. Bin the values, or choose another target."
        message = f"The target looks like a {kind}: {n_classes} distinct values in {n_rows} rows."
        findings.append(_target(f"{kind}_target", message, advice))
    elif (once := int((np.bincount(codes) == 1).sum())) and n_classes > 1:
        message = f"{once} of {n_classes} classes {'have' if once > 1 else 'has'} a single row."
        advice = "Such classes cannot be both trained and tested. Merge or exclude them."
        findings.append(_target("rare_classes", message, advice, "warning"))
    can_be_classes = not any(each.severity == "error" for each in findings)
    return findings, codes if can_be_classes else None


def _typed(labels: NDArray[Any]) -> NDArray[Any]:
    """Return labels given as objects as an array of numbers, if that is what they are."""
    if labels.dtype.kind != "O":
        return labels if labels.dtype.kind in "iufb" else labels.astype(object)
    kinds = {type(label) for label in labels}
    return np.array(labels.tolist()) if kinds and kinds <= {int, float} else labels


def _target(code: str, message: str, advice: str, severity: str = "error") -> Finding:
    return Finding(code=code, severity=severity, message=message, advice=advice)
