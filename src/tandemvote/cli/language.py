"""The library's messages in the words of the command line: options for parameters."""

from __future__ import annotations

import re

PHRASES = {
    r"\bX_unlabelled\b": "--unlabelled",
    r"\bX_test( and y_test)?\b": "--test",
    r"\bbound='(\w+)'": r"--bound \1",
    r"\bCertifiedClassifierCV\b": "--design folds",
    r"\btrusted=True": "--trusted",
    r"\bnumber of splits n_splits=": "--folds ",
    r": n_samples=\d+": "",
    r"\bmax_samples=0\.5\b": "--bagging reduced",
}
"""Messages about tables choose their words themselves, by `DatasetError.on_command_line`."""


def in_options(message: str) -> str:
    """Put options in the place of parameters.

    Examples
    --------
    >>> in_options("Pass X_unlabelled, or say bound='tandem'.")
    'Pass --unlabelled, or say --bound tandem.'
    """
    for parameter, option in PHRASES.items():
        message = re.sub(parameter, option, message)
    return message
