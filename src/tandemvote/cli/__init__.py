"""The command line, the only part of the library that prints."""

from __future__ import annotations

import sys


def main(arguments: list[str] | None = None) -> None:
    """Run the command ``tandemvote`` and leave with its exit code.

    A mistake in the call or in the data ends in one line on the error stream and exit code 2.
    """
    try:
        from tandemvote.cli.app import run  # noqa: PLC0415  so that a missing extra gets one line, too
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
