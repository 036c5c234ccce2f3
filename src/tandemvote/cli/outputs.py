"""Files that a command writes: checked before the work, written whole after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import typer

from tandemvote.cli.options import option

if TYPE_CHECKING:
    from tandemvote.certification import Certification
    from tandemvote.votes import Votes

TABLE_ENDINGS = (".csv", ".parquet")
ENDINGS = {
    "--report": (".html", ".htm"),
    "--certificate": (".json",),
    "--model": (".skops", ".joblib"),
    "--votes": TABLE_ENDINGS,
    "--output": TABLE_ENDINGS,
}
PACKAGES = {
    "--report": ("matplotlib", "jinja2", "pandas"),
    ".skops": ("skops",),
    ".csv": ("pandas",),
    ".parquet": ("pandas", "pyarrow"),
}
"""What an option or a file's ending needs besides the core of the library."""


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """Files to write."""

    report: Path | None = option(None, "HTML report.")
    certificate: Path | None = option(None, "JSON file that tandemvote verify can check.")
    votes: Path | None = option(
        None,
        "The votes, .csv or .parquet, which verify --votes counts again. Votes on unlabelled rows"
        " go into a second file.",
    )
    model: Path | None = option(
        None,
        "Everything from columns to labels, for tandemvote predict: .skops (runs no code when"
        " opened) or .joblib.",
    )

    @property
    def paths(self) -> dict[str, Path]:
        """The files asked for, by option."""
        return {f"--{name}": path for name, path in vars(self).items() if path is not None}


def check_outputs(paths: dict[str, Path], *, inputs: Iterable[str | Path | None]) -> None:
    """Refuse files that could not be written, before anything is computed."""
    read = [Path(path) for path in inputs if path is not None]
    taken = {path.resolve(): "that is read" for path in read}
    for name, path in paths.items():
        if problem := _problem(path, ENDINGS[name], taken):
            raise typer.BadParameter(f"{name} {path}{problem}")
        taken[path.resolve()] = f"of {name}"
    needs = [*paths, *(path.suffix for path in (*read, *paths.values()))]
    needed = {package for need in needs for package in PACKAGES.get(need, ())}
    if absent := sorted(package for package in needed if find_spec(package) is None):
        are = "is" if len(absent) == 1 else "are"
        raise typer.BadParameter(
            f"this needs {', '.join(absent)}, which {are} not installed. Install everything:"
            ' pip install "tandemvote[all]"'
        )


def _problem(path: Path, endings: tuple[str, ...], taken: dict[Path, str]) -> str:
    """Say why a file cannot be written, if it cannot."""
    if path.suffix not in endings:
        return f" ends in {path.suffix!r}; expected {' or '.join(endings)}."
    if path.is_dir():
        return " is a folder. Name a file in it."
    if not path.parent.is_dir():
        return f": there is no folder {path.parent}. Make it, or choose another."
    if path.resolve() in taken:
        return f" is also the file {taken[path.resolve()]}. Give each a name of its own."
    try:
        TemporaryFile(dir=path.parent).close()
    except OSError as error:
        return f": the folder cannot be written to ({error.strerror}). Choose another place."
    return ""


def write_whole(path: Path, write: Callable[[Path], Any]) -> Path:
    """Write a file beside its place, and move it there once it is complete."""
    unfinished = path.with_name(f".{path.stem}.unfinished{path.suffix}")
    try:
        write(unfinished)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path


def write_votes(path: Path, found: Certification, groups: dict[str, list[str]]) -> dict[str, Path]:
    """Write the votes behind a certificate; return the files by the option of verify.

    Beside the labelled votes stands what their points are grouped by.
    """
    votes = found.votes
    assert votes is not None, "votes of trained models are kept"
    tables = {"--votes": _labelled(votes) | groups}
    if votes.n_unlabelled:
        tables["--unlabelled"] = _columns(votes.classes[votes.unlabelled])
    written = {}
    for name, table in tables.items():
        word = "" if name == "--votes" else name.replace("--", ".")
        place = path.with_name(f"{path.stem}{word}{path.suffix}")
        written[name] = write_whole(place, partial(write_table, table))
    return written | ({"--test": path} if found.test_votes is votes else {})


def write_table(columns: dict[str, Any], path: Path | None) -> None:
    """Write columns as CSV or Parquet; without a path, as CSV to the standard output."""
    import pandas

    frame = pandas.DataFrame(columns)
    if path is None:
        typer.echo(frame.to_csv(index=False, lineterminator="\n"), nl=False)
    elif path.suffix == ".parquet":
        frame.to_parquet(path, index=False)
    else:
        frame.to_csv(path, index=False)


def _labelled(votes: Votes) -> dict[str, Any]:
    import numpy as np

    said = votes.classes[votes.predictions].astype(str)
    label = {"label": votes.classes[votes.labels]}
    return label | _columns(np.where(votes.held_out, said, ""))


def _columns(said: Any) -> dict[str, Any]:
    return {f"voter{number}": cells for number, cells in enumerate(said, start=1)}
