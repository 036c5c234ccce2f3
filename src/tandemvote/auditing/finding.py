"""One thing that a reader of a certificate should know about its data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

SEVERITIES = ("error", "warning", "note")
"""An error voids the bound unless it is overridden by name; a note is merely worth knowing."""


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
    >>> print(Finding(code="time_index", severity="warning", message="The index holds times."))
    warning: The index holds times. [time_index]
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
