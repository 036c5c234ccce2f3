"""The command line, the only part of the library that prints."""

from __future__ import annotations

import sys

# Exit codes; 2 is a mistake in the call or the data.
WRONG = 1  # a certificate is wrong
GATE_CLOSED = 3  # --max-error is not guaranteed
ALARM = 4  # new labels contradict a certificate
INTERNAL_FAILURE = 70  # a bug in the library
STOPPED = 130  # by Ctrl-C


def main(arguments: list[str] | None = None) -> None:
    """Run the command ``tandemvote`` and exit with its code.

    A mistake in the call or in the data gives one line on the error stream and exit code 2.
    """
    try:
        from tandemvote.cli.app import run  # so that a missing extra gets one line, too
    except ImportError as error:
        if error.name not in ("typer", "rich"):
            raise
        print(
            f"Error: the command line needs the package {error.name!r}. "
            'Install the cli extra: pip install "tandemvote[cli]"',
            file=sys.stderr,
        )
        sys.exit(2)
    sys.exit(run(arguments))
