"""Options: declared once, in groups that a command gets as one object."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass
from decimal import Decimal
from enum import StrEnum
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any, get_type_hints

import typer

from tandemvote.votes.confidence import failure_probability

Scheme = StrEnum("Scheme", ["COMMITTEE", "HOLDOUT", "TREES"])
Learner = StrEnum("Learner", ["FOREST", "BOOSTING"])
Ties = StrEnum("Ties", ["SMALLEST", "REFEREE"])


def option(default: Any, metavar: str, about: str, *names: str, **more: Any) -> Any:
    """Declare an option; if its default is a list, it may be repeated: COLUMN... in the help."""
    metavar += "..." * isinstance(default, list)
    return typer.Option(default, *names, help=about, metavar=metavar, **more)


def flag(name: str, about: str) -> Any:
    """Declare an option without a value."""
    return typer.Option(False, name, help=about)


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Let Typer see the options of every group among a command's parameters.

    A group is a dataclass; its docstring is the heading of its options in the help.
    """
    groups: dict[str, Any] = {}
    parameters: list[Parameter] = []
    for parameter in signature(command, eval_str=True).parameters.values():
        group: Any = parameter.annotation
        if not is_dataclass(group):
            parameters.append(parameter)
            continue
        groups[parameter.name], hints = group, get_type_hints(group)
        for each in fields(group):
            info: Any = each.default
            info.rich_help_panel = str(group.__doc__).rstrip(".")
            kind = hints[each.name]
            parameters.append(parameter.replace(name=each.name, default=info, annotation=kind))

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
    try:
        value = float(Decimal(text.removesuffix("%")) / (100 if text.endswith("%") else 1))
    except ArithmeticError:
        value = -1.0
    if not 0 <= value <= 1:
        raise typer.BadParameter(
            f"{text!r} is not a share. Give a number from 0 to 1, or a percentage such as 5%."
        )
    return value


def _parsed_test_size(given: str) -> float | int | str:
    """Return a share of the rows, a number of rows, or "auto"."""
    size = int(given) if given.isdecimal() else given if given == "auto" else share(given)
    if size in (0, 1):
        raise typer.BadParameter(
            f"{given!r} is not a test size. Give a share above 0 and below 1, or at least 2 rows."
        )
    return size


DATA = typer.Argument(metavar="DATA", help="CSV, Parquet or Excel file; - for the standard input.")
JSON = flag("--json", "Print JSON.")
PICTURE = option(None, "FILE", "Picture to write: .svg, .png or .pdf.")


@dataclass(frozen=True)
class Confidence:
    """The guarantee."""

    confidence: float = option(
        0.95, "SHARE", "Probability with which the bound holds.", parser=share
    )

    quiet = False  # an option of those that print a certificate

    def __post_init__(self) -> None:
        """Check the confidence before anything is read."""
        failure_probability(self.confidence)

    @property
    def delta(self) -> float:
        """Failure probability."""
        return failure_probability(self.confidence)


@dataclass(frozen=True)
class Guarantee(Confidence):
    """The guarantee."""

    max_error: float | None = option(
        None, "SHARE", "Exit with code 3 unless this error is guaranteed, such as 5%.", parser=share
    )
    by: list[str] = option(
        [], "COLUMN", "Certify groups: class (recall), predicted (precision), a column."
    )
    all_bounds: bool = flag("--all-bounds", "Print every bound that applies.")
    quiet: bool = flag("--quiet", "Print the error rates only, not what they rest on.")


WEIGHTS = "uniform, or first_order, tandem or disagreement, minimized."
BOUND = "Bound to report, or best; several share the confidence."
PUBLISHED = "Use the bounds in the form in which they were published."


def bounds_of(names: list[str]) -> str | list[str]:
    """Return the bounds that --bound names, "auto" without any."""
    return names[0] if len(names) == 1 else names or "auto"


def _parsed_prior(given: str) -> list[float]:
    """Return the numbers of --prior, which are separated by commas."""
    try:
        return [float(Decimal(part)) for part in given.split(",")]
    except ArithmeticError:
        raise typer.BadParameter(
            f"{given!r} is not valid. Give one number per voter, separated by commas."
        ) from None


@dataclass(frozen=True)
class VoteGuarantee(Guarantee):
    """The guarantee."""

    weights: str = option("uniform", "WEIGHTS", WEIGHTS)
    bound: list[str] = option([], "BOUND", BOUND)
    prior: Any = option(
        None,
        "NUMBERS",
        "Weights fixed before seeing the votes, such as 0.5,0.3,0.2; equal if not given.",
        parser=_parsed_prior,
    )
    published: bool = flag("--published", PUBLISHED)

    @property
    def request(self) -> dict[str, Any]:
        """The weights and the bound of the vote."""
        return {"weights": self.weights, "bound": bounds_of(self.bound)}


@dataclass(frozen=True)
class Forest:
    """The forest of the paper (--scheme trees)."""

    weights: str = option("tandem", "WEIGHTS", WEIGHTS)
    bound: list[str] = option([], "BOUND", BOUND)
    max_samples: Any = option(
        "0.5", "SIZE", "Draws of each bootstrap, 1 for all rows.", parser=share
    )
    published: bool = flag("--published", PUBLISHED)

    @property
    def given(self) -> list[str]:
        """Names of the options that were given."""
        usual = {"weights": "tandem", "bound": [], "max_samples": 0.5, "published": False}
        return [name for name, value in vars(self).items() if value != usual[name]]


@dataclass(frozen=True)
class VoteColumns:
    """Columns of votes."""

    target: str = option("label", "COLUMN", "Column of the labels.", "--target", "-t")
    drop: list[str] = option([], "COLUMN", "Column that is not a voter.")
    empty_as_error: bool = flag(
        "--empty-as-error", "Count empty cells as votes for a wrong class, for voters that abstain."
    )

    def reading(self, others: Iterable[str]) -> dict[str, Any]:
        """Return how a table of votes is read, of which `others` are not voters either."""
        return {**vars(self), "drop": [*self.drop, *others]}


@dataclass(frozen=True)
class FileReading:
    """Reading CSV files."""

    decimal: str = option(".", "CHARACTER", "Decimal sign of numbers.")
    missing_values: list[str] = option(
        [], "TEXT", "Text of missing cells, such as -99, besides NA, ? and the like.", "--missing"
    )


@dataclass(frozen=True)
class Columns:
    """Rows and columns of DATA."""

    target: str | None = option(None, "COLUMN", "Column of the labels.", "--target", "-t")
    groups: str | None = option(
        None, "COLUMN", "Column whose equal values belong together, such as patients."
    )
    groups_until: str | None = option(
        None, "TEXT", "Groups end before the last TEXT, such as / in P1/visit3."
    )
    drop: list[str] = option([], "COLUMN", "Column to exclude.")
    category: list[str] = option([], "COLUMN", "Column of numbers that are categories.")
    allow: list[str] = option([], "CODE", "Code of an error of the audit to override.")


@dataclass(frozen=True)
class Seed:
    """Training on DATA."""

    seed: int = option(0, "NUMBER", "Seed of training and of the split.")


@dataclass(frozen=True)
class Fitting(Seed):
    """Training on DATA."""

    trees: int = option(100, "NUMBER", "Trees of each forest, rounds of boosting.", min=1)


@dataclass(frozen=True)
class Drawing(Seed):
    """Training on DATA."""

    test_size: Any = option(
        "auto",
        "SIZE",
        "Share such as 30%, or number of rows (or groups), that test.",
        parser=_parsed_test_size,
    )
    order: str | None = option(
        None, "COLUMN", "Column of times, no feature: the latest rows are tested."
    )


@dataclass(frozen=True)
class Training(Fitting, Drawing):
    """Training on DATA."""

    scheme: Scheme = option(
        Scheme.COMMITTEE,
        "SCHEME",
        "committee of tested models and one of all rows; holdout, one tested model; trees, the"
        " forest of the paper.",
    )
    learner: Learner = option(Learner.FOREST, "LEARNER", "forest, or boosting (gradient boosting).")
    unlabeled: Path | None = option(
        None, "FILE", "Unlabeled rows of the same distribution (--scheme trees)."
    )


@dataclass(frozen=True)
class VotesOutputs:
    """Files to write."""

    report: Path | None = option(None, "FILE", "HTML report.")
    certificate: Path | None = option(None, "FILE", "JSON file that tandemvote verify can check.")


@dataclass(frozen=True)
class Outputs(VotesOutputs):
    """Files to write."""

    model: Path | None = option(
        None, "FILE", "Model for predict: .skops (runs no code when opened) or .joblib."
    )
    votes: Path | None = option(None, "FILE", "Votes for verify --votes: .csv or .parquet.")
