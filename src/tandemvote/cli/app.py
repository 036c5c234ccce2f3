"""The command's frame: its groups of commands, and how it ends."""

from __future__ import annotations

import sys
import traceback
from typing import Annotated

import typer

from tandemvote.cli.bounds import bounds
from tandemvote.cli.certify import certify
from tandemvote.cli.demo import demo
from tandemvote.cli.mistakes import INTERNAL_FAILURE, as_one_line
from tandemvote.cli.verify import verify

app = typer.Typer(
    name="tandemvote",
    help="Certified error rates for majority votes.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(demo)
app.command()(certify)
app.command()(verify)
app.command()(bounds)


def _show_version(wanted: bool) -> None:
    if wanted:
        from tandemvote import __version__  # noqa: PLC0415

        typer.echo(f"tandemvote {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


def run(arguments: list[str] | None = None, *, application: typer.Typer = app) -> int:
    """Run a command and return its exit code.

    0 for success, 2 for a mistake of the caller, 70 for a failure of the library.
    """
    try:
        code = application(arguments, standalone_mode=False)
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 130
    except Exception as error:
        message = as_one_line(error)
        if message is None:
            traceback.print_exception(error)
            return INTERNAL_FAILURE
        if message:
            print(message, file=sys.stderr)
        return 2
    return code if isinstance(code, int) else 0
