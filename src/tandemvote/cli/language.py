"""The library's messages in the words of the command line: options for parameters."""

from __future__ import annotations

import re

PHRASES = {
    r"\b[\w.]+(=\S+)? \((--[^)]+)\)": r"\2",  # a message that names both
    r"\bdrop_missing=True": "--drop-missing",
    r"\bUse drop_missing=False": "Leave out --drop-missing",
    r"\bX_unlabelled\b": "--unlabelled",
    r"\bX_test( and y_test)?\b": "--test",
    r"\b(by|pass) file_format\b": r"\1 --format",
    r"\bby target\b": "by --target",
    r"\bLeave target out\b": "Leave out --target",
    r"; target names another array": "; --target names another array",
    r"\bbound='(\w+)'": r"--bound \1",
    r"\bsharpening='(\w+)'": r"--sharpening \1",
    r"\bCertifiedClassifierCV\b": "--design folds",
    r"\ba test set\.": "a test set (--test).",
    r"\bname the separator\b": "name it by --separator",
    r"\btrusted=True": "--trusted",
    r"\bmax_samples=0\.5\b": "--bagging reduced",
}


def in_options(message: str) -> str:
    """Put options in the place of parameters.

    Examples
    --------
    >>> in_options("Pass header=False (--no-header), or drop_missing=True.")
    'Pass --no-header, or --drop-missing.'
    """
    for parameter, option in PHRASES.items():
        message = re.sub(parameter, option, message)
    return message
