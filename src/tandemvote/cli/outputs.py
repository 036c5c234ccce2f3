"""Files that a command writes: checked before the work, written whole after it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import typer

from tandemvote.cli.messages import say
from tandemvote.cli.options import option
from tandemvote.extras import import_extra
from tandemvote.whole_files import written_whole

TABLE_ENDINGS = (".csv", ".parquet")
ENDINGS = {
    "--picture": (".svg", ".png", ".pdf"),
    "--report": (".html", ".htm"),
    "--certificate": (".json",),
    "--model": (".skops", ".joblib"),
    "--votes": TABLE_ENDINGS,
    "--output": TABLE_ENDINGS,
}
PACKAGES = {
    "--picture": ("matplotlib", "report"),
    "--report": ("jinja2", "report"),
    ".skops": ("skops", "skops"),
    ".parquet": ("pyarrow", "data"),
}
"""Package that an option or the ending of a file requires, and its extra."""


@dataclass(frozen=True, kw_only=True)
class VotesOutputs:
    """Files to write."""

    report: Path | None = option(None, "HTML report.", metavar="FILE")
    certificate: Path | None = option(
        None, "JSON file that tandemvote verify can check.", metavar="FILE"
    )

    @property
    def paths(self) -> dict[str, Path | None]:
        """The files to write, by option."""
        return {f"--{name}": path for name, path in vars(self).items()}


@dataclass(frozen=True, kw_only=True)
class Outputs(VotesOutputs):
    """Files to write."""

    model: Path | None = option(
        None,
        "Model for tandemvote predict: .skops (runs no code when opened) or .joblib.",
        metavar="FILE",
    )
    votes: Path | None = option(
        None, "The votes, .csv or .parquet, which verify --votes counts again.", metavar="FILE"
    )


def check_outputs(
    paths: dict[str, Path | None], *, inputs: Iterable[str | Path | None] = ()
) -> None:
    """Reject files that could not be written, before anything is computed."""
    taken = {Path(path).resolve(): "that is read" for path in inputs if path not in (None, "-")}
    for name, path in paths.items():
        if path is None:
            continue
        if path.suffix not in ENDINGS[name]:
            endings = " or ".join(ENDINGS[name])
            raise typer.BadParameter(f"{name} {path} ends in {path.suffix!r}; expected {endings}.")
        if path.resolve() in taken:
            raise typer.BadParameter(
                f"{name} {path} is also the file {taken[path.resolve()]}. Give each file its own"
                " name."
            )
        taken[path.resolve()] = f"of {name}"
        try:
            TemporaryFile(dir=path.parent).close()
        except OSError as error:
            raise typer.BadParameter(
                f"{name} {path} cannot be written ({error.strerror}). Choose another place."
            ) from error
        for need in {name, path.suffix} & {*PACKAGES}:
            import_extra(*PACKAGES[need])


def write_votes(path: Path, votes: Any, columns: Mapping[str, Any]) -> dict[str, Path]:
    """Write the votes of a certificate; return the files by the option of verify.

    The labeled votes have the columns by which their rows are grouped next to them.
    """
    import numpy as np

    names = votes.classes.astype(str)
    predicted = np.where(votes.held_out, names[votes.predictions], "")
    rows = ... if votes.rows is None else votes.rows
    by = {
        name: ["" if each is None else str(each) for each in columns[name][rows]]
        for name in columns
    }
    tables = {"--votes": {"label": names[votes.labels], **_voters(predicted), **by}}
    if votes.n_unlabeled:
        tables["--unlabeled"] = _voters(names[votes.unlabeled])
    written = {}
    for name, table in tables.items():
        word = "" if name == "--votes" else name.replace("--", ".")
        written[name] = path.with_name(f"{path.stem}{word}{path.suffix}")
        write_table(table, written[name])
    return written


def _voters(predictions: Any) -> dict[str, Any]:
    return {f"voter{number}": cells for number, cells in enumerate(predictions, start=1)}


FORMULA_MARKS = ("=", "+", "-", "@", "\t", "\r")
"""First characters of a cell that make spreadsheets run it as a formula, unless it is a number."""


def without_formulas(columns: dict[str, Any]) -> dict[str, Any]:
    """Return columns with an apostrophe before texts that a spreadsheet would run as formulas."""
    return {_as_text(name): [_as_text(cell) for cell in columns[name]] for name in columns}


def _as_text(cell: Any) -> Any:
    if not isinstance(cell, str) or not cell.startswith(FORMULA_MARKS):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def write_table(columns: dict[str, Any], path: Path | None) -> None:
    """Write columns as CSV or Parquet; without a path, as CSV to the standard output."""
    import pandas

    frame = pandas.DataFrame(columns)
    if path is None:
        say(frame.to_csv(index=False, lineterminator="\n"), newline=False)
        return
    with written_whole(path) as unfinished:
        if path.suffix == ".parquet":
            frame.to_parquet(unfinished, index=False)
        else:
            frame.to_csv(unfinished, index=False)
