"""Messages: parameters become options, and a closed pipe ends nothing."""

from __future__ import annotations

import ast
import os
import re
import sys
from shlex import quote

import typer

OPTIONS = {
    "bound": "--bound",
    "by": "--by",
    "confidence": "--confidence",
    "drop": "--drop",
    "empty_as_error": "--empty-as-error",
    "error": "--error",
    "ignore": "--ignore",
    "keep": "--keep",
    "max_error": "--max-error",
    "power": "--power",
    "target": "--target",
    "test_size": "--test-size",
    "trusted": "--trusted",
    "weights": "--weights",
}
"""Parameters with a value, such as ``bound='tandem'``, and their options."""

PHRASES = {
    r"\bmax_samples=0\.5\b": "--bagging reduced",
    r"\breferee=False\b": "--scheme holdout",
    r"\b(Pass |pass )?X_unlabeled\b": "--unlabeled",
    r"\bCertifiedClassifier\w*": "--scheme committee",
    r"\btest_size\b": "--test-size",
    r"\bn_(samples|groups)=(\d+) \1\b": r"\2 \1",
    r"\bgroups has\b": "--groups has",
    r"\bPass more samples\b": "Give more rows",
}
"""What else a message of the library names in Python's words."""

ASSIGNED = re.compile(rf"\b({'|'.join(OPTIONS)})=(\[[^]]*\]|'[^']*'|\"[^\"]*\"|\w+(?:\.\w+)*)")


def in_options(message: str) -> str:
    """Replace the parameters that a message of the library names by options.

    Examples
    --------
    >>> in_options("Exclude it with drop=['row id', 'b'], or use bound='auto'.")
    "Exclude it with --drop 'row id' --drop b, or use --bound auto."
    """
    message = ASSIGNED.sub(_typed, message)
    for parameter, option in PHRASES.items():
        message = re.sub(parameter, option, message)
    return message


def _typed(assigned: re.Match[str]) -> str:
    """Return ``name=value`` as it is typed on the command line."""
    option = OPTIONS[assigned[1]]
    try:
        value = ast.literal_eval(assigned[2])
    except (ValueError, SyntaxError):
        return assigned[0]
    if value is True:
        return option
    values = value if isinstance(value, list) else [value]
    return " ".join(f"{option} {quote(str(each))}" for each in values)


def say(text: str, *, err: bool = False, newline: bool = True) -> None:
    """Print; if nobody reads any more, go on, so that the exit code stays what it is."""
    try:
        typer.echo(text, err=err, nl=newline)
    except BrokenPipeError:
        stream = sys.stderr if err else sys.stdout
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
