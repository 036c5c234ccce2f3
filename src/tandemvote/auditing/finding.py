"""What an audit reports about data: one record per problem, and all of them together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

SEVERITIES = ("error", "warning", "note")
"""An error voids the bound unless it is overridden by name; a note is merely worth knowing."""

CODES = (
    *("grouped_rows", "row_order", "identifier", "free_text", "copied_rows", "shared_rows"),
    *("time_order", "sorted_rows", "index_order", "leak"),
    *("missing_target", "measurement_target", "name_target", "rare_classes"),
    *("stray_text", "decimal_comma"),
)
"""Codes of the findings of `audit`: the names in ``allow=``."""


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
        words = " ".join(filter(None, [self.message, self.advice]))
        severity = f"overridden {self.severity}" if self.overridden else self.severity
        return f"{severity}: {words} [{self.code}]"


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
    allowed = [allow] if isinstance(allow, str) else list(allow)
    for code in allowed:
        if code not in CODES:
            raise ValueError(f"Invalid code in allow: {code!r}. Valid codes: {', '.join(CODES)}.")
    checked = Findings(
        replace(each, overridden=each.severity == "error" and each.code in allowed)
        for each in findings
    )
    if checked.errors:
        raise FindingsError(checked)
    return checked
