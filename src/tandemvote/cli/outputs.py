"""Outputs of a command: files are checked first, then written whole, then words follow."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import typer

from tandemvote.atomic_files import written_whole
from tandemvote.cli import GATE_CLOSED
from tandemvote.cli.messages import finding_lines, say
from tandemvote.cli.options import Guarantee
from tandemvote.votes.cell_text import cell_of
from tandemvote.votes.extras import import_extra

if TYPE_CHECKING:
    from tandemvote.certificate import Certificate

ENDINGS = {
    "picture": (".svg", ".png", ".pdf"),
    "report": (".html", ".htm"),
    "certificate": (".json",),
    "model": (".skops", ".joblib"),
    "votes": (".csv", ".parquet"),
    "output": (".csv", ".parquet"),
}
PACKAGES = {
    "picture": ("matplotlib", "report"),
    "report": ("jinja2", "report"),
    ".skops": ("skops", "skops"),
    ".parquet": ("pyarrow", "data"),
}
"""Package that an option or the ending of a file requires, and its extra."""


def check_outputs(
    paths: Mapping[str, Path | None], *, inputs: Iterable[str | Path | None] = ()
) -> None:
    """Reject files that could not be written, before anything is computed."""
    taken = {Path(path).resolve(): "that is read" for path in inputs if path not in (None, "-")}
    for name, path in paths.items():
        if path is None:
            continue
        given, place = f"--{name} {path}", path.resolve()
        if path.suffix not in ENDINGS[name]:
            endings = " or ".join(ENDINGS[name])
            raise typer.BadParameter(f"{given} ends in {path.suffix!r}; expected {endings}.")
        if place in taken:
            problem = f"{given} is also the file {taken[place]}"
            raise typer.BadParameter(f"{problem}. Give each file its own name.")
        taken[place] = f"of --{name}"
        try:
            TemporaryFile(dir=path.parent).close()
        except OSError as error:
            problem = f"{given} cannot be written ({error.strerror})"
            raise typer.BadParameter(f"{problem}. Choose another place.") from error
        for need in {name, path.suffix} & {*PACKAGES}:
            import_extra(*PACKAGES[need])


def deliver(
    certificate: Certificate,
    files: Mapping[str, Path | None],
    guarantee: Guarantee,
    *,
    as_json: bool,
    data: str,
    by: Mapping[str, Any],
    model: Any = None,
    tables: Iterable[str] = (),
) -> None:
    """Write all files, print, and exit with an error code if the gate is closed.

    `data` describes the samples, and `by` groups them. The `model` is a fitted pipeline from the
    columns of a table to labels. `tables` are the options with which verify counts given votes
    again.
    """
    if by:
        certificate = replace(certificate, groups=certificate.by_group(by))
    lines, check = [], [*tables]
    if path := files["report"]:
        from tandemvote.report import write_report

        classifier = None if model is None else model[-1]
        write_report(path, certificate, classifier=classifier, description=data)
        lines.append(f"Report: {path}")
    if path := files.get("votes"):
        written = write_votes(path, certificate.votes, by)
        lines.append(f"Votes: {', '.join(map(str, written.values()))}")
        check += [str(word) for option in written.items() for word in option]
    if path := files["certificate"]:
        certificate.save(path)
        words = shlex.join(["tandemvote", "verify", str(path), *check])
        lines += [f"Certificate: {path}", f"Check it: {words}"]
    if path := files.get("model"):
        from tandemvote.model_files.model_file import JOBLIB_WARNING, save_model

        save_model(model, path)
        warning = f" ({JOBLIB_WARNING})" if path.suffix == ".joblib" else ""
        lines.append(f"Model: {path}{warning}")
    _print(certificate, guarantee, as_json=as_json)
    for line in [] if guarantee.quiet else lines:
        say(line, err=True)
    limit = guarantee.max_error
    if limit is not None and certificate.value > limit:
        proven = f"the error rate is {certificate.limits.replace('<=', 'at most')}"
        needed = certificate.labels_for(limit)
        words = f"Not guaranteed: {proven}, --max-error is {100 * limit:.4g}%. {needed}"
        say(words.rstrip(), err=True)
        raise typer.Exit(GATE_CLOSED)


def _print(certificate: Certificate, guarantee: Guarantee, *, as_json: bool) -> None:
    from tandemvote.bounds import get_bound
    from tandemvote.certificate.rendering import TextTable, as_text
    from tandemvote.votes.decimals import rounded_up

    if as_json:
        shown: dict[str, Any] = {"observed": certificate.observed, "guaranteed": certificate.value}
        shown |= {"baseline": certificate.baseline} | certificate.to_dict()
        say(json.dumps(shown | ({"bounds": certificate.bounds} if guarantee.all_bounds else {})))
        return
    advice = filter(None, [certificate.advice])
    lines = [certificate.basis, *finding_lines(certificate.findings), *advice]
    say(as_text(certificate.headline, [] if guarantee.quiet else lines))
    if certificate.groups is not None:
        words = "This table and the bound above are each valid by themselves:"
        say(f"\n{words}\n{certificate.groups!r}")
    if guarantee.all_bounds:
        bounds = certificate.bounds.items()
        rows = [[name, get_bound(name).label, rounded_up(value)] for name, value in bounds]
        table = TextTable(["bound", "label", "error <="], "<<>", rows)
        say(as_text("\nbounds, each valid by itself", [], table))


def write_votes(path: Path, votes: Any, by: Mapping[str, Any]) -> dict[str, Path]:
    """Write the votes of a certificate; return the files by the option of verify.

    The labeled votes have the columns by which their rows are grouped next to them.
    """
    import numpy as np

    names = votes.classes.astype(str)
    table: dict[str, Any] = {"label": names[votes.labels]}
    table |= _voters(np.where(votes.held_out, names[votes.predictions], ""))
    rows = slice(None) if votes.rows is None else votes.rows
    for name, values in by.items():
        if not isinstance(values, str):
            table[name] = ["" if each is None else str(each) for each in values[rows]]
    write_table(table, path)
    if not votes.n_unlabeled:
        return {"--votes": path}
    unlabeled = path.with_stem(f"{path.stem}.unlabeled")
    write_table(_voters(names[votes.unlabeled]), unlabeled)
    return {"--votes": path, "--unlabeled": unlabeled}


def _voters(predictions: Any) -> dict[str, Any]:
    return {f"voter{number}": cells for number, cells in enumerate(predictions, start=1)}


def without_formulas(columns: dict[str, Any]) -> dict[str, Any]:
    """Return columns with an apostrophe before texts that a spreadsheet would run as formulas."""
    return {cell_of(name): [*map(cell_of, columns[name])] for name in columns}


def write_table(columns: dict[str, Any], path: Path | None, *, formulas: bool = False) -> None:
    """Write columns as CSV or Parquet; without a path, as CSV to the standard output.

    In CSV, a spreadsheet runs text such as ``=A1+B1`` if `formulas` is True.
    """
    import pandas

    if not formulas and (path is None or path.suffix == ".csv"):
        columns = without_formulas(columns)
    frame = pandas.DataFrame(columns)
    if path is None:
        say(frame.to_csv(index=False, lineterminator="\n"), newline=False)
        return
    with written_whole(path) as unfinished:
        if path.suffix == ".parquet":
            frame.to_parquet(unfinished, index=False)
        else:
            frame.to_csv(unfinished, index=False)
