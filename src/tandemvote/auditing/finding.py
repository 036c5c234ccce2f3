"""Findings of an audit: one record per problem, and all of them together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from tandemvote.votes.codes import LABEL_THEM
from tandemvote.votes.parameter_error import ParameterError

SEVERITIES = ("error", "warning", "note")
"""An error voids the bound unless it is overridden by name; a note is for information."""

ADVICE = {
    "grouped_rows": "Pass such a column as groups to CertifiedClassifier or certify, and exclude it"
    " from X.",
    "row_order": "If neighboring rows belong together, pass groups; if rows are in the order of"
    " time, pass order=COLUMN when fitting a committee, which then tests the latest rows.",
    "identifier": "Models can memorize rows by such columns. Exclude them, or convert texts such as"
    " $1,200.50 to numbers.",
    "free_text": "Use a text pipeline, or exclude them.",
    "copied_rows": "If they are copies, remove them: copies make the bound too small.",
    "shared_rows": "Pass unlabeled samples that are not among X.",
    "fitted_parameter": "It may have learned from the test rows. Pass it unfitted, as a part of the"
    " estimator, or certify it on held-out rows.",
    "rows_in_parameter": "They may be test rows. Pass rows that are not in X.",
    "time_order": "If new rows will be later, pass order=COLUMN when fitting a committee, which"
    " then tests the latest rows.",
    "sorted_rows": "If that is the order of time, pass order=COLUMN when fitting a committee, which"
    " then tests the latest rows.",
    "index_order": "Values are matched by position. Reorder with .loc[X.index]; if the order is"
    " right, pass .to_numpy().",
    "leak": "Exclude them if they are not known before the label of a new row.",
    "missing_target": LABEL_THEM,
    "measurement_target": "A classifier needs classes. Bin the values, or choose another target.",
    "name_target": "A classifier needs classes. Merge them, or choose another target.",
    "rare_classes": "Such classes cannot be both trained and tested. Merge or exclude them.",
    "stray_text": "Correct such cells; pass missing_values=TEXT if they stand for missing"
    " entries, or categories=COLUMN if these are categories.",
    "text_values": "Pass categories=COLUMN, which keeps every value. missing_values=TEXT would"
    " empty all such cells.",
    "missing_code": "If it stands for missing entries, pass missing_values=TEXT.",
    "grouped_names": "If they are rows of one patient or the like, pass the beginnings as groups;"
    " excluding the column leaves the rows dependent.",
    "repeated_names": "Are they groups, such as patients? Then pass the column as groups.",
    "label_spelling": "If such labels are one class, write it in one way.",
    "decimal_comma": "For decimal commas, pass decimal=','. Remove commas that group thousands.",
}
"""Advice for each finding of `audit`."""

CODES = tuple(ADVICE)
"""Codes of the findings of `audit`: the names in ``allow=``."""


class Cure(NamedTuple):
    """Parameters that cure a finding, with their values, and what they do."""

    parameters: Mapping[str, tuple[str, ...]]
    effect: str


def cures(finding: Finding) -> list[Cure]:
    """Return parameters that cure a finding about columns; the first of several does no harm.

    Examples
    --------
    >>> finding = Finding(code="identifier", severity="error", message="...", columns=("id",))
    >>> [dict(cure.parameters) for cure in cures(finding)]
    [{'drop': ('id',)}]
    """
    columns, cells = finding.columns, tuple(finding.evidence.values())
    drop = Cure({"drop": columns}, "excludes what a model can memorize")
    groups = Cure({"groups": columns[:1]}, "tests rows of groups on which no model was trained")
    until = {"groups": columns[:1], "groups_until": tuple(cell[-1:] for cell in cells[:1])}
    missing = Cure({"missing_values": cells}, "empties such cells")
    categories = Cure({"categories": columns}, "keeps every value, as a category")
    order = Cure({"order": columns[:1]}, "tests the latest rows, if new rows will be later")
    known = {
        "identifier": [drop],
        "grouped_rows": [groups],
        "repeated_names": [groups],
        "grouped_names": [Cure(until, "the same, by the beginnings")],
        "stray_text": [missing, categories],
        "text_values": [categories, missing],
        "missing_code": [missing],
        "decimal_comma": [Cure({"decimal": (",",)}, "reads 3,14 as a number")],
        "time_order": [order],
        "sorted_rows": [order],
        "leak": [
            Cure({"drop": columns}, "if it is not known before the label"),
            Cure({"allow": ("leak",)}, "if it is"),
        ],
    }
    return [] if columns[:1] == ("index",) else known.get(finding.code, [])


ABOUT_TIME = ("time_order", "sorted_rows")
"""Findings that do not matter if the latest rows are tested."""

MOST_SHOWN = 3


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something that was found in the data, or in how it was used.

    Attributes
    ----------
    code : str
        Short name, such as "copied_rows": the name by which it can be overridden.
    severity : {"error", "warning", "note"}
        An error is raised unless it is overridden; the others are reported.
    message, advice : str
        What was found, with numbers, and what to do about it.
    columns : tuple of str
        Names of the columns that it concerns.
    evidence : mapping of str to str
        Numbers behind the message, as text.
    overridden : bool
        Whether somebody decided to go on in spite of an error.

    Examples
    --------
    >>> print(Finding(code="time_order", severity="warning", message="The index holds times."))
    warning: The index holds times. [time_order]
    """

    code: str
    severity: str
    message: str
    advice: str = ""
    columns: tuple[str, ...] = ()
    evidence: Mapping[str, str] = field(default_factory=dict)
    overridden: bool = False

    def __str__(self) -> str:
        if self.overridden:  # whoever overrides an error has read the advice
            return f"overridden {self.severity}: {self.message} [{self.code}]"
        words = " ".join(filter(None, [self.message, self.advice]))
        return f"{self.severity}: {words} [{self.code}]"


def about_data(code: str, severity: str, message: str, **fields: Any) -> Finding:
    """Return a finding with the advice of its code."""
    return Finding(code=code, severity=severity, message=message, advice=ADVICE[code], **fields)


Clue = tuple[tuple[str, str, str], str, str] | tuple[tuple[str, str, str], str, str, str]
"""Result of a test of a column: code, severity and title of the finding, name, evidence.

Evidence that is a cell is followed by where it is.
"""


def about_columns(clues: Iterable[Clue]) -> list[Finding]:
    """Return one finding about all columns whose clues have one code, severity and title."""
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    words: dict[tuple[str, str, str], str] = {}
    for kind, name, text, *place in clues:
        found.setdefault(kind, {})[name] = text
        words.setdefault(kind, f"{text!r:.40} {place[0]}" if place else text)
    findings = []
    for (code, severity, title), evidence in found.items():
        first, *others = evidence
        shown = words[code, severity, title]
        named = ", ".join([f"{first!r} ({shown})", *map(repr, others[: MOST_SHOWN - 1])])
        more = f" and {len(evidence) - MOST_SHOWN} more" * (len(evidence) > MOST_SHOWN)
        fields = {"columns": tuple(evidence), "evidence": evidence}
        findings.append(about_data(code, severity, f"{title}: {named}{more}.", **fields))
    return findings


class Findings(tuple[Finding, ...]):
    """The findings of an audit, errors first; printing shows one line for each.

    Examples
    --------
    >>> print(Findings())
    The audit found nothing suspicious.
    >>> findings = Findings([Finding(code="leak", severity="warning", message="Column 'a' ...")])
    >>> findings.codes, len(findings.errors)
    (('leak',), 0)
    """

    __slots__ = ()

    def __new__(cls, findings: Iterable[Finding] = ()) -> Findings:
        """Sort findings by severity."""
        ordered = sorted(findings, key=lambda each: SEVERITIES.index(each.severity))
        return super().__new__(cls, ordered)

    @property
    def codes(self) -> tuple[str, ...]:
        """Codes of the findings, in their order."""
        return tuple(each.code for each in self)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """Errors that are not overridden."""
        return tuple(each for each in self if each.severity == "error" and not each.overridden)

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "The audit found nothing suspicious."

    __repr__ = __str__


class FindingsError(ValueError):
    """The audit found errors that are not overridden; `findings` holds everything it found."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        codes = sorted({each.code for each in findings.errors})
        lines = "\n".join(f"- {each}" for each in findings)
        super().__init__(
            f"The audit found {len(findings.errors)} error{'s' * (len(findings.errors) > 1)}:\n"
            f"{lines}\nCorrect the data, or override errors by name with allow={codes}."
        )


def check_findings(findings: Iterable[Finding], allow: Iterable[str] = ()) -> Findings:
    """Return findings with the errors in `allow` marked as overridden; raise if others remain.

    Examples
    --------
    >>> finding = Finding(code="identifier", severity="error", message="Column 'id' ...")
    >>> print(check_findings([finding], allow=["identifier"]))
    overridden error: Column 'id' ... [identifier]
    """
    allowed = [allow] if isinstance(allow, str) or not isinstance(allow, Iterable) else [*allow]
    if unknown := [code for code in allowed if code not in CODES]:
        message = f"Invalid allow={unknown[0]!r}. Valid codes: {', '.join(CODES)}."
        raise ParameterError(message, allow=unknown[0])
    checked = Findings(
        replace(each, overridden=each.severity == "error" and each.code in allowed)
        for each in findings
    )
    if checked.errors:
        raise FindingsError(checked)
    return checked
