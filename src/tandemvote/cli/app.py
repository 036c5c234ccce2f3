"""The application: its commands, its exit codes, and errors in one line."""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from tandemvote import __version__
from tandemvote.cli import INTERNAL_FAILURE, STOPPED
from tandemvote.cli.audit import audit
from tandemvote.cli.bounds import bounds
from tandemvote.cli.certify import certify
from tandemvote.cli.certify_votes import certify_votes
from tandemvote.cli.compare import compare
from tandemvote.cli.demo import demo
from tandemvote.cli.messages import as_text, describe, say
from tandemvote.cli.plan import plan
from tandemvote.cli.predict import predict
from tandemvote.cli.verify import verify
from tandemvote.cli.watch import watch
from tandemvote.votes.extras import MissingExtraError
from tandemvote.votes.printable import printable

app = typer.Typer(
    name="tandemvote",
    help="How often will this classifier be wrong? Certified error rates, with or without a test"
    " set.",
    epilog="Exit codes: 0 done; 1 a certificate is wrong (verify); 2 a mistake in the call or"
    " the data; 3 --max-error is not guaranteed; 4 alarm (watch); 70 a bug in tandemvote; 130"
    " stopped.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)
COMMANDS = {
    each.__name__.replace("_", "-"): each
    for each in (demo, audit, certify, certify_votes, predict, verify, compare, plan, watch, bounds)
}


class WithoutTypes:
    """Help that shows metavars, and no Python types such as <bool>."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters of a command and its option --help."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for each in params:
            shown = each.metavar if each.param_type_name == "option" else None
            each.display_type_rich = lambda ctx, shown=shown: shown
        return params


class Command(WithoutTypes, TyperCommand):
    """A command."""


class Group(WithoutTypes, TyperGroup):
    """The program without a command."""


for command in COMMANDS.values():
    app.command(cls=Command)(command)


def _show_version(wanted: bool) -> None:
    if wanted:
        say(f"tandemvote {__version__}")
        raise typer.Exit


@app.callback(cls=Group)
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


def run(arguments: list[str] | None = None, *, application: typer.Typer = app) -> int:
    """Run a command and return its exit code, one of those that its help lists."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            code = application(arguments, standalone_mode=False)
    except SystemExit:  # of Click and Rich, when nobody reads the help that they print
        return 0
    except KeyboardInterrupt:
        code = STOPPED
    except Exception as error:
        message = as_one_line(error, sys.argv[1:] if arguments is None else arguments)
        if message is None:
            say("".join(traceback.format_exception(error)), err=True)
            return INTERNAL_FAILURE
        if message:
            say(message, err=True)
        return 2
    if code == STOPPED:  # Typer returns it as well
        say("Stopped.", err=True)
    return code if isinstance(code, int) else 0


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    say(f"Warning: {printable(' '.join(str(message).split()))}", err=True)


def as_one_line(error: Exception, arguments: Sequence[str] = ()) -> str | None:
    """Return the line to print, or None if the error is a bug and needs its traceback."""
    if hasattr(error, "findings"):  # a FindingsError, whose module is slow to import
        return "\n".join(describe(error.findings, arguments))
    if hasattr(error, "format_message"):  # Typer's own errors, whichever Click it was built on
        message = error.format_message().removeprefix("Invalid value: ")
        message = message.replace(": Value error, ", ": ")
        # Without arguments a group shows its help, and its error has no message.
        command = getattr(getattr(error, "ctx", None), "info_name", None)
        path = f"tandemvote {command}" if command in COMMANDS else "tandemvote"
        message = printable(" ".join(message.split()))
        end = "" if message.endswith((".", "?")) else "."
        return f"Error: {message}{end} See '{path} --help'." if message else ""
    if isinstance(error, MemoryError):
        return "Error: out of memory. Use fewer rows, trees or classes."
    # The library rejects values with ValueError. Folders that cannot be written to and schedulers
    # that do not respond are OSErrors.
    if isinstance(error, ValueError | OSError | MissingExtraError):
        return f"Error: {as_text(error)}"
    return None
