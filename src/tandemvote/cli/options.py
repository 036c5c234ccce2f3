"""Options: declared once, in groups that a command gets as one object."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, field, fields, is_dataclass
from decimal import Decimal
from enum import Enum
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from tandemvote.cli import GATE_CLOSED

Scheme = Enum(
    "Scheme", {"COMMITTEE": "committee", "HOLDOUT": "holdout", "TREES": "trees"}, type=str
)
Learner = Enum("Learner", {"FOREST": "forest", "BOOSTING": "boosting"}, type=str)
Weights = Enum(
    "Weights",
    {
        "UNIFORM": "uniform",
        "FIRST_ORDER": "first_order",
        "TANDEM": "tandem",
        "DISAGREEMENT": "disagreement",
    },
    type=str,
)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def option(default: Any, about: str, *names: str, **limits: Any) -> Any:
    """Declare an option of a group; if its default is a list, it is repeatable."""
    info = typer.Option(*names, help=about, **limits)
    return field(default_factory=lambda: default, metadata={"option": info})


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Let Typer see the options of every group among a command's parameters.

    A group is a dataclass; its docstring is the heading of its options in the help.
    """
    groups: dict[str, Any] = {}
    parameters: list[Parameter] = []
    for parameter in signature(command, eval_str=True).parameters.values():
        if is_dataclass(parameter.annotation):
            groups[parameter.name] = parameter.annotation
            parameters += _options_of(parameter.annotation)
        else:
            parameters.append(parameter)

    @wraps(command)
    def with_groups(**given: Any) -> None:
        if "context" in given:  # in which earlier releases of Typer leave what was typed as it is
            params = given["context"].params
            params.update({name: given[name] for name in params})
        for name, group in groups.items():
            given[name] = group(**{each.name: given.pop(each.name) for each in fields(group)})
        command(**given)

    with_groups.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    with_groups.__annotations__ = {each.name: each.annotation for each in parameters}
    return with_groups


def _options_of(group: Any) -> Iterator[Parameter]:
    hints = get_type_hints(group)
    # Options of its own come before those of the group that it extends.
    for each in sorted(fields(group), key=lambda each: each.name not in group.__annotations__):
        assert callable(each.default_factory), "as `option` declares it"
        info = copy(each.metadata["option"])
        info.rich_help_panel = group.__doc__.rstrip(".")
        kind, default = Annotated[hints[each.name], info], each.default_factory()
        yield Parameter(each.name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def share(given: str | float) -> float:
    """Return a share that is written as 0.05 or 5%."""
    text = str(given)  # the default passes through here as well
    number, percent = text.removesuffix("%"), text.endswith("%")
    try:
        value = float(Decimal(number) / 100 if percent else Decimal(number))
    except ArithmeticError:
        value = -1.0
    if not 0 <= value <= 1:
        raise typer.BadParameter(f"{text!r} is not a share. Give a number such as 0.05 or 5%.")
    return value


def _checked_confidence(confidence: float) -> float:
    if not 0.5 <= confidence < 1:
        raise typer.BadParameter(
            f"{confidence:g} is not at least 0.5 and below 1. Give the probability with which the"
            " bound holds, such as 0.95 or 95%."
        )
    return confidence


def _parsed_test_size(given: str | float) -> float | int:
    """Return a share of the rows, or a number of rows."""
    text = str(given)
    size = int(text) if text.isdecimal() else share(text)
    if 0 < size < 1 or (isinstance(size, int) and size >= 1):
        return size
    raise typer.BadParameter(
        f"{text!r} is not a test size. Give a share such as 0.2 or 20%, or a number of rows such"
        " as 500."
    )


def _checked_jobs(jobs: int) -> int:
    if jobs == 0:
        raise typer.BadParameter("--jobs must not be 0. Give a number, or -1 for all cores.")
    return jobs


def check_exists(path: Path | None) -> Path | None:
    """Reject a file that does not exist, before anything else is read."""
    if path is not None and not path.exists() and not {*"*?["} & {*str(path)}:
        raise typer.BadParameter(f"there is no file {path}. Check the path.")
    return path


@dataclass(frozen=True, kw_only=True)
class Confidence:
    """The guarantee."""

    confidence: float = option(
        0.95,
        "Probability with which the bound holds.",
        metavar="SHARE",
        parser=share,
        callback=_checked_confidence,
    )

    @property
    def delta(self) -> float:
        """Failure probability."""
        from tandemvote.decimals import failure_probability

        return failure_probability(self.confidence)


@dataclass(frozen=True, kw_only=True)
class Guarantee(Confidence):
    """The guarantee."""

    max_error: float | None = option(
        None,
        f"Exit with code {GATE_CLOSED} unless the guaranteed error is at most this, such as 5%.",
        metavar="SHARE",
        parser=share,
    )
    by: list[str] = option(
        [],
        "Certify groups of rows as well: by true class (recall), by predicted class (precision;"
        " --scheme holdout) or by a column; repeatable.",
        metavar="class|predicted|COLUMN",
    )
    all_bounds: bool = option(False, "Print every bound that applies.", "--all-bounds")


@dataclass(frozen=True, kw_only=True)
class VoteGuarantee(Guarantee):
    """The guarantee."""

    weights: Weights = option(
        Weights.UNIFORM,
        "Weight of each voter: equal, or the weights that minimize the named bound.",
    )
    bound: list[str] = option(
        [],
        "Bound to report, by default chosen by the kind of evidence; repeatable, or 'best' (several"
        " bounds share the failure probability).",
        metavar="BOUND",
    )

    @property
    def request(self) -> dict[str, Any]:
        """The weights and the bound of the vote."""
        bound = self.bound[0] if len(self.bound) == 1 else self.bound or "auto"
        return {"weights": self.weights.value, "bound": bound}


@dataclass(frozen=True, kw_only=True)
class FileReading:
    """Reading CSV files."""

    decimal: str = option(".", "Decimal sign of numbers.", metavar="CHARACTER")
    missing: list[str] = option(
        ["?"],
        "Text of a missing cell, besides empty cells, NA, NaN and the like; repeatable.",
        metavar="TEXT",
    )

    @property
    def file_options(self) -> dict[str, Any]:
        """Options of the readers of `tandemvote.tables`."""
        return {
            "decimal": self.decimal,
            "missing_values": self.missing,
        }


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Rows and columns of DATA."""

    target: str | None = option(None, "Label column.", "--target", "-t", metavar="COLUMN")
    groups: str | None = option(
        None,
        "Column whose equal values mark rows that belong together, such as the patient (committee,"
        " holdout). It is not a feature.",
        metavar="COLUMN",
    )
    drop: list[str] = option([], "Column to exclude; repeatable.", "--drop", metavar="COLUMN")
    category: list[str] = option(
        [], "Column of numbers that are categories; repeatable.", metavar="COLUMN"
    )
    allow: list[str] = option(
        [],
        "Code of an error of the audit to override, such as identifier; repeatable.",
        metavar="CODE",
    )


@dataclass(frozen=True, kw_only=True)
class Training:
    """Training on DATA."""

    scheme: Scheme = option(
        Scheme.COMMITTEE,
        "committee: 4 models tested on rows set aside vote with one trained on all rows. holdout:"
        " one model is tested. trees: the paper's forest, without a test set.",
    )
    learner: Learner = option(
        Learner.FOREST, "Random forests, or gradient boosting (committee, holdout)."
    )
    trees: int = option(100, "Trees of each forest.", min=1)
    test_size: Any = option(
        0.2,
        "Share or number of the rows (with --groups: of the groups) that test the models"
        " (committee, holdout).",
        metavar="SHARE|NUMBER",
        parser=_parsed_test_size,
    )
    unlabeled: Path | None = option(
        None,
        "File of unlabeled rows from the same distribution, for a tighter bound (trees).",
        metavar="FILE",
        callback=check_exists,
    )
    seed: int = option(0, "Seed of training and splits.")
    jobs: int = option(1, "Threads; -1 for all.", "--jobs", "-j", callback=_checked_jobs)
