"""Options: declared once, in groups that a command gets as one object."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, field, fields, is_dataclass
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
Bagging = Enum("Bagging", {"FULL": "full", "REDUCED": "reduced"}, type=str)
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
Format = Enum(
    "Format", {"CSV": "csv", "PARQUET": "parquet", "LIBSVM": "libsvm", "NPZ": "npz"}, type=str
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


def _checked_confidence(confidence: float) -> float:
    if not 0.5 <= confidence < 1:
        raise typer.BadParameter(
            f"{confidence:g} is not at least 0.5 and below 1. Give the probability with which the"
            " bound holds, such as 0.95."
        )
    return confidence


def _parsed_test_size(text: str) -> float | int | str:
    """Return "auto", a share of the rows or a number of rows."""
    if text == "auto":
        return text
    try:
        size = int(text) if text.isdecimal() else float(text)
    except ValueError:
        size = 0
    if (isinstance(size, int) and size >= 1) or 0 < size < 1:
        return size
    raise typer.BadParameter(
        f"{text!r} is not a test size. Give 'auto', a share such as 0.2, or a number of rows such"
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
        0.95, "Probability with which the bound holds.", callback=_checked_confidence
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
        f"Exit with code {GATE_CLOSED} unless the guaranteed error is at most this.",
        min=0,
        max=1,
    )
    by: list[str] = option(
        [],
        "Certify groups of rows as well: each true class (recall), each predicted class"
        " (precision; with --scheme holdout), or each value of a column, which may be a feature;"
        " repeatable.",
        metavar="class|predicted|COLUMN",
    )
    weights: Weights | None = option(
        None,
        "Weight of each voter: equal, or the weights that minimize the named bound. By default"
        " tandem for the trees of certify --scheme trees, uniform for certify-votes.",
    )
    bound: list[str] = option(
        [],
        "Bound to report for trees or votes, by default chosen by the kind of evidence;"
        " repeatable, or 'best' (several bounds share the failure probability).",
    )
    all_bounds: bool = option(False, "Print every bound that applies.", "--all-bounds")

    def request(self, usual: Weights) -> dict[str, Any]:
        """Return the weights and the bound of a vote."""
        return {
            "weights": (self.weights or usual).value,
            "bound": self.bound[0] if len(self.bound) == 1 else self.bound or "auto",
        }


@dataclass(frozen=True, kw_only=True)
class FileReading:
    """Reading files."""

    file_format: Format | None = option(
        None, "File format, if the name of the file does not show it.", "--format"
    )
    separator: str | None = option(
        None, "CSV: character between cells, or 'tab'; detected by default."
    )
    decimal: str | None = option(None, "CSV: the decimal sign, such as ','.")
    encoding: str | None = option(None, "CSV: such as latin-1; UTF-8 by default.")
    header: bool | None = option(
        None,
        "CSV: whether the first line names the columns, which are column1, column2, ... otherwise.",
    )
    missing: list[str] = option(
        [],
        "CSV: text of a missing cell, '?' by default, besides empty cells, NA, NaN and the like;"
        " repeatable.",
    )

    @property
    def arguments(self) -> dict[str, Any]:
        """Arguments for the readers of `tandemvote.tables`, without those not given."""
        given = {
            "file_format": self.file_format and self.file_format.value,
            "separator": self.separator,
            "decimal": self.decimal,
            "encoding": self.encoding,
            "header": self.header,
            "missing_values": self.missing or None,
        }
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class Reading(FileReading):
    """Reading files."""

    target: str | None = option(None, "Label column; required for CSV and Parquet.")
    drop: list[str] = option([], "Column to exclude; repeatable.", "--drop")
    keep: list[str] = option(
        [], "Column to use although it looks like a row number; repeatable.", "--keep"
    )
    category: list[str] = option(
        [], "Column of categories that are numbers, in CSV or Parquet; repeatable."
    )
    drop_missing: bool = option(False, "Exclude rows with any missing cell.", "--drop-missing")
    drop_duplicates: bool = option(False, "Exclude copies of rows.", "--drop-duplicates")
    drop_unlabeled: bool = option(False, "Exclude rows without a label.", "--drop-unlabeled")
    use_unlabeled: bool = option(
        False,
        "Trees: use rows without a label as unlabeled rows. Their labels must be missing at"
        " random.",
        "--use-unlabeled",
    )

    @property
    def arguments(self) -> dict[str, Any]:
        """The same, with the rows to exclude and the numbers that are categories."""
        given = {"drop_missing": self.drop_missing, "drop_duplicates": self.drop_duplicates}
        return super().arguments | given | ({"categories": self.category} if self.category else {})


@dataclass(frozen=True, kw_only=True)
class Training:
    """Training on DATA."""

    learner: Learner = option(
        Learner.FOREST, "Random forests, or gradient boosting (not with --scheme trees)."
    )
    trees: int = option(100, "Trees of each forest.", min=1)
    test_size: str = option(
        "auto",
        "Committee, holdout: share or number of the rows (with --groups: of the groups) that test"
        " the models; auto is 0.2, and less from 8,000 rows on.",
        metavar="auto|SHARE|NUMBER",
        callback=_parsed_test_size,
    )
    groups: str | None = option(
        None,
        "Committee, holdout: column whose equal values mark rows that belong together, such as the"
        " patient. Whole groups are tested, by one random row each; the column is not a feature.",
        metavar="COLUMN",
    )
    bagging: Bagging = option(
        Bagging.REDUCED, "Trees: rows each draws, n or n/2 (tighter pair bounds)."
    )
    unlabeled: Path | None = option(
        None,
        "Trees: file of unlabeled rows from the same distribution, which make the bound much"
        " tighter.",
        callback=check_exists,
    )
    seed: int = option(0, "Seed of training and splits.")
    jobs: int = option(1, "Threads; -1 for all.", "--jobs", "-j", callback=_checked_jobs)
    dask: str | None = option(None, "Address of a Dask scheduler, for training models.")
