"""Options in groups: each is declared once, and a command gets a group as one object."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from enum import Enum
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer


class Design(str, Enum):
    """Which voters are trained on DATA, and on which points they are evaluated."""

    FOLDS = "folds"
    TREES = "trees"
    HOLDOUT = "holdout"


class Deploy(str, Enum):
    """What is certified: the vote itself, or another classifier through it."""

    VOTE = "vote"
    REFIT = "refit"
    AVERAGE = "average"


class Learner(str, Enum):
    """What a voter of folds, or the one model with a hold-out, is."""

    FOREST = "forest"
    BOOSTING = "boosting"


class Bagging(str, Enum):
    """How many points each tree draws: as many as there are, or half as many."""

    FULL = "full"
    REDUCED = "reduced"


class Weights(str, Enum):
    """How much each voter counts."""

    UNIFORM = "uniform"
    FIRST_ORDER = "first_order"
    TANDEM = "tandem"
    DISAGREEMENT = "disagreement"


class Sharpening(str, Enum):
    """How held-out sets of different sizes count: in full, or all as the smallest."""

    HARMONIC = "harmonic"
    PAPER = "paper"


class Format(str, Enum):
    """Kinds of data files."""

    CSV = "csv"
    PARQUET = "parquet"
    LIBSVM = "libsvm"
    NPZ = "npz"


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Let Typer see the options of every group among a command's parameters.

    A group is a dataclass; its docstring is the heading of its options in the help.
    """
    groups: dict[str, Any] = {}
    parameters = []
    hints = get_type_hints(command, include_extras=True)
    for parameter in signature(command).parameters.values():
        kind = hints[parameter.name]
        if is_dataclass(kind):
            groups[parameter.name] = kind
            parameters += _options_of(kind)
        else:
            parameters.append(parameter.replace(annotation=kind))

    @wraps(command)
    def with_groups(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{each.name: given.pop(each.name) for each in fields(group)})
        command(**given)

    with_groups.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    with_groups.__annotations__ = {each.name: each.annotation for each in parameters}
    return with_groups


def _options_of(group: Any) -> list[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for hint in hints.values():
        hint.__metadata__[0].rich_help_panel = group.__doc__.splitlines()[0].rstrip(".")
    return [
        Parameter(
            each.name,
            Parameter.KEYWORD_ONLY,
            default=[] if each.default is MISSING else each.default,
            annotation=hints[each.name],
        )
        for each in sorted(fields(group), key=lambda each: each.name not in group.__annotations__)
    ]


def _checked_delta(delta: float) -> float:
    if not 0 < delta < 1:
        raise typer.BadParameter(
            f"{delta:g} does not lie strictly between 0 and 1. Give the probability with which the"
            " guarantee may fail, such as 0.05."
        )
    return delta


def _checked_jobs(jobs: int) -> int:
    if jobs == 0:
        raise typer.BadParameter("0 threads do nothing; give a number, or -1 for all.")
    return jobs


def existing(path: Path | None) -> Path | None:
    """Refuse a file that is not there, before anything else is read."""
    if path is not None and not path.exists() and not {*"*?["} & {*str(path)}:
        raise typer.BadParameter(f"there is no file {path}. Check the path.")
    return path


Delta = Annotated[float, typer.Option(callback=_checked_delta, help="Failure probability.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """Reading files."""

    file_format: Annotated[
        Format | None, typer.Option("--format", help="If the ending does not tell.")
    ] = None
    separator: Annotated[
        str | None, typer.Option(help="CSV: sign between cells, or 'tab'; found by itself.")
    ] = None
    decimal: Annotated[str | None, typer.Option(help="CSV: the decimal sign, such as ','.")] = None
    encoding: Annotated[
        str | None, typer.Option(help="CSV: such as latin-1; UTF-8 by default.")
    ] = None
    header: Annotated[
        bool | None,
        typer.Option(
            help="CSV: whether the first line names the columns, which are column1, column2, ..."
            " otherwise."
        ),
    ] = None
    missing: Annotated[
        list[str],
        typer.Option(
            help="CSV: text of a missing cell, '?' by default, besides empty cells, NA, NaN and the"
            " like; repeatable."
        ),
    ] = field(default_factory=list)

    @property
    def arguments(self) -> dict[str, Any]:
        """Arguments for the readers of `tandemvote.tables`, without those left to them."""
        given = {
            "file_format": self.file_format and self.file_format.value,
            "separator": self.separator,
            "decimal": self.decimal,
            "encoding": self.encoding,
            "header": self.header,
            "missing_values": self.missing or None,
            "categories": getattr(self, "category", None) or None,
        }
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class DataOptions(FileOptions):
    """Reading files."""

    target: Annotated[str | None, typer.Option(help="Label column.")] = None
    drop: Annotated[
        list[str],
        typer.Option(
            "--drop",
            "--ignore",
            help="Column to leave out; with --predictions, one that is no voter; repeatable.",
        ),
    ] = field(default_factory=list)
    keep: Annotated[
        list[str],
        typer.Option(help="Column to use although it looks like a row number; repeatable."),
    ] = field(default_factory=list)
    category: Annotated[
        list[str],
        typer.Option(help="CSV: column of categories that are numbers; repeatable."),
    ] = field(default_factory=list)
    drop_missing: Annotated[
        bool, typer.Option("--drop-missing", help="Leave out rows with any missing cell.")
    ] = False
    drop_duplicates: Annotated[
        bool, typer.Option("--drop-duplicates", help="Leave out copies of rows.")
    ] = False
    drop_unlabelled: Annotated[
        bool, typer.Option("--drop-unlabelled", help="Leave out rows without a label.")
    ] = False
    use_unlabelled: Annotated[
        bool,
        typer.Option(
            "--use-unlabelled",
            help="Use rows without a label as unlabelled points. They must come from the same"
            " source: not be those that nobody could label.",
        ),
    ] = False


@dataclass(frozen=True, kw_only=True)
class TrainingOptions:
    """Training on DATA."""

    learner: Annotated[
        Learner, typer.Option(help="Random forests, or gradient boosting (not for trees).")
    ] = Learner.FOREST
    trees: Annotated[int, typer.Option(min=1, help="Trees of each forest.")] = 100
    folds: Annotated[int, typer.Option(min=2, help="Folds: one model each.")] = 3
    bagging: Annotated[
        Bagging, typer.Option(help="Trees: points each draws, n or n/2 (tighter pair bounds).")
    ] = Bagging.REDUCED
    test_fraction: Annotated[
        float | None,
        typer.Option(
            min=0, max=0.9, help="Share of labels to set aside: 0.2 for a hold-out, else none."
        ),
    ] = None
    unlabelled: Annotated[
        Path | None,
        typer.Option(
            callback=existing,
            help="File of more points of the same source, without labels, which make guarantees"
            " much tighter; with --predictions, of the predictions on them.",
        ),
    ] = None
    seed: Annotated[int, typer.Option(help="Seed of training and splits.")] = 0
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", callback=_checked_jobs, help="Threads; -1 for all.")
    ] = 1
    dask: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler for counting or growing trees.")
    ] = None
