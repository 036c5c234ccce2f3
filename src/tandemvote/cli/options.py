"""Options: declared once, in groups that a command gets as one object."""

from __future__ import annotations

from collections.abc import Callable, Collection
from copy import copy
from dataclasses import dataclass, field, fields, is_dataclass
from decimal import Decimal
from enum import StrEnum
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from tandemvote.cli import GATE_CLOSED

CLASS, PREDICTED = "class", "predicted"
Scheme = StrEnum("Scheme", ["COMMITTEE", "HOLDOUT", "TREES"])
Learner = StrEnum("Learner", ["FOREST", "BOOSTING"])

Data = Annotated[
    str,
    typer.Argument(metavar="DATA", help="CSV, Parquet or Excel file; - for the standard input."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
LabelColumn = Annotated[
    str, typer.Option("--target", "-t", metavar="COLUMN", help="Column of the labels.")
]
NotVoters = Annotated[
    list[str], typer.Option("--drop", metavar="COLUMN", help="Column that is not a voter.")
]
EmptyAsError = Annotated[
    bool,
    typer.Option(
        "--empty-as-error",
        help="Count empty cells as votes for a wrong class, for voters that abstain.",
    ),
]
Picture = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Picture to write: .svg, .png or .pdf."),
]


def option(default: Any, about: str, *names: str, metavar: str | None = None, **more: Any) -> Any:
    """Declare an option of a group; if its default is a list, it is repeatable."""
    about += " Repeatable." * isinstance(default, list)
    info = typer.Option(*names, help=about, metavar=metavar, **more)
    return field(default_factory=lambda: default, metadata={"option": info})


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Let Typer see the options of every group among a command's parameters.

    A group is a dataclass; its docstring is the heading of its options in the help.
    """
    groups: dict[str, Any] = {}
    parameters: list[Parameter] = []
    for parameter in signature(command, eval_str=True).parameters.values():
        if not is_dataclass(parameter.annotation):
            parameters.append(parameter)
            continue
        group: Any = parameter.annotation
        groups[parameter.name], hints = group, get_type_hints(group)
        for each in fields(group):
            info = copy(each.metadata["option"])
            info.rich_help_panel = group.__doc__.rstrip(".")
            kind, default = Annotated[hints[each.name], info], each.default_factory()  # type: ignore[operator]
            parameters.append(
                Parameter(each.name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)
            )

    @wraps(command)
    def with_groups(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{each.name: given.pop(each.name) for each in fields(group)})
        command(**given)

    with_groups.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    with_groups.__annotations__ = {each.name: each.annotation for each in parameters}
    return with_groups


def share(given: str | float) -> float:
    """Return a share that is written as 0.05 or 5%."""
    text = str(given)  # the default passes through here as well
    number, percent = text.removesuffix("%"), text.endswith("%")
    try:
        value = float(Decimal(number) / 100 if percent else Decimal(number))
    except ArithmeticError:
        value = -1.0
    if not 0 <= value <= 1:
        raise typer.BadParameter(
            f"{text!r} is not a share. Give a number from 0 to 1, or a percentage such as 5%."
        )
    return value


def _parsed_confidence(given: str | float) -> float:
    value = share(given)
    if not 0.5 <= value < 1:
        raise typer.BadParameter(f"{value:g} is not at least 0.5 and below 1, such as 0.95 or 95%.")
    return value


def groupings(by: Collection[str], target: str | None, columns: Collection[str]) -> list[str]:
    """Return what --by names; the label column is "class", which must not be another column."""
    for name in {*by} & {CLASS, PREDICTED} & {*columns} - {target}:
        raise typer.BadParameter(
            f"--by {name} is ambiguous: the {name} of each row, or the column {name!r}. Rename the"
            " column."
        )
    return [CLASS if name == target else name for name in by]


def _parsed_test_size(given: str) -> float | int | str:
    """Return a share of the rows, a number of rows, or "auto"."""
    return int(given) if given.isdecimal() else given if given == "auto" else share(given)


@dataclass(frozen=True, kw_only=True)
class Confidence:
    """The guarantee."""

    confidence: float = option(
        0.95, "Probability with which the bound holds.", metavar="SHARE", parser=_parsed_confidence
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
        "Certify groups of rows as well: by class (recall), predicted (precision; not for a"
        " committee or trees), or a column.",
        metavar="COLUMN",
    )
    all_bounds: bool = option(False, "Print every bound that applies.", "--all-bounds")


@dataclass(frozen=True, kw_only=True)
class VoteGuarantee(Guarantee):
    """The guarantee."""

    weights: str = option(
        "uniform",
        "uniform, or the weights that minimize the bound first_order, tandem or disagreement.",
        metavar="WEIGHTS",
    )
    bound: list[str] = option(
        [],
        "Bound to report, by default chosen by the kind of evidence; or 'best'. Several bounds"
        " share the failure probability.",
        metavar="BOUND",
    )

    @property
    def request(self) -> dict[str, Any]:
        """The weights and the bound of the vote."""
        bound = self.bound[0] if len(self.bound) == 1 else self.bound or "auto"
        return {"weights": self.weights, "bound": bound}


@dataclass(frozen=True, kw_only=True)
class FileReading:
    """Reading CSV files."""

    decimal: str = option(".", "Decimal sign of numbers.", metavar="CHARACTER")
    missing_values: list[str] = option(
        [],
        "Text of a missing cell, besides empty cells, NA, NaN, ? and the like.",
        "--missing",
        metavar="TEXT",
    )


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Rows and columns of DATA."""

    target: str | None = option(None, "Column of the labels.", "--target", "-t", metavar="COLUMN")
    groups: str | None = option(
        None,
        "Column whose equal values mark rows that belong together, such as the patient. It is not a"
        " feature.",
        metavar="COLUMN",
    )
    drop: list[str] = option([], "Column to exclude.", metavar="COLUMN")
    category: list[str] = option([], "Column of numbers that are categories.", metavar="COLUMN")
    allow: list[str] = option(
        [], "Code of an error of the audit to override, such as identifier.", metavar="CODE"
    )


@dataclass(frozen=True, kw_only=True)
class Fitting:
    """Training on DATA."""

    trees: int = option(100, "Trees of each forest, rounds of boosting.", metavar="NUMBER", min=1)
    seed: int = option(0, "Seed of training and of the split.", metavar="NUMBER")


@dataclass(frozen=True, kw_only=True)
class Training(Fitting):
    """Training on DATA."""

    scheme: Scheme = option(
        Scheme.COMMITTEE,
        "committee: 4 models tested on rows set aside vote with one trained on all rows. holdout:"
        " one model is tested. trees: the paper's forest, without a test set.",
        metavar="SCHEME",
    )
    learner: Learner = option(
        Learner.FOREST, "forest, or boosting (gradient boosting).", metavar="LEARNER"
    )
    test_size: Any = option(
        "auto",
        "Share or number of the rows (of --groups) that test the models.",
        metavar="SIZE",
        parser=_parsed_test_size,
    )
    unlabeled: Path | None = option(
        None,
        "Unlabeled rows from the same distribution, for a tighter bound (--scheme trees).",
        metavar="FILE",
    )
