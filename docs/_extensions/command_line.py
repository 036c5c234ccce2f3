"""List the options of every command from the program itself: ``.. command-line::``."""

import inspect
from collections.abc import Callable
from enum import Enum
from typing import get_args

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from typer import Context
from typer.models import ArgumentInfo


def written(text: str) -> str:
    """Return a help text as one line of reStructuredText that shows it as it stands."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("*", r"\*").replace("`", r"\`")


def option(parameter: inspect.Parameter) -> tuple[str, str]:
    """Return an option or argument as it is typed, and its help."""
    name, kind, info = parameter.name, parameter.annotation, parameter.default
    default = info.default
    choices = [
        each.value
        for one in (kind, *get_args(kind))
        if inspect.isclass(one) and issubclass(one, Enum)
        for each in one
    ]
    value = info.metavar or "|".join(choices) or ("" if kind is bool else name.upper())
    text = written(info.help or "")
    if isinstance(info, ArgumentInfo):
        return f"``{value}``", text
    typed = " ".join(info.param_decls or [f"--{name.replace('_', '-')}"])
    default = default.value if isinstance(default, Enum) else default
    if isinstance(default, (str, int, float)) and not isinstance(default, bool) and default != "":
        text += f" Default: {written(str(default))}."
    return f"``{typed} {value}``".replace(" ``", "``"), text


def section(command: Callable[..., None]) -> list[str]:
    """Return a heading, the help and the options of one command."""
    title = f"``{command.__name__.replace('_', '-')}``"
    lines = [title, "-" * len(title), ""]
    for paragraph in inspect.getdoc(command).split("\n\n"):
        lines += [written(paragraph), ""]
    lines += [".. list-table::", "   :widths: 2 5", ""]
    parameters = inspect.signature(command, eval_str=True).parameters.values()
    for parameter in parameters:
        if parameter.annotation is Context:
            continue
        typed, text = option(parameter)
        lines += [f"   * - {typed}", f"     - {text}"]
    return [*lines, ""]


class CommandLine(SphinxDirective):
    """Insert one section per command."""

    def run(self) -> list[nodes.Node]:
        """Read the commands and let the page read the sections on."""
        from tandemvote.cli.app import app  # noqa: PLC0415

        commands = [registered.callback for registered in app.registered_commands]
        lines = [line for command in commands for line in section(command)]
        self.state_machine.insert_input(StringList(lines, "command line"), "command line")
        return []


def setup(app: Sphinx):
    """Register the directive."""
    app.add_directive("command-line", CommandLine)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
