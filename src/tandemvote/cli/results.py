"""What a command hands over: first the files, then the words, then the exit code."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tandemvote.cli import GATE_CLOSED
from tandemvote.cli.messages import in_options, say
from tandemvote.cli.options import Guarantee
from tandemvote.cli.outputs import write_votes

if TYPE_CHECKING:
    from tandemvote.certificate import Certificate


def deliver(
    certificate: Certificate,
    files: Mapping[str, Path | None],
    guarantee: Guarantee,
    *,
    as_json: bool,
    data: str,
    columns: Mapping[str, Any] | None = None,
    model: Any = None,
    tables: tuple[str, ...] = (),
) -> None:
    """Write all files, print, and exit with an error code if the gate is closed.

    `data` describes the samples, and `columns` group them. The `model` is a fitted pipeline from
    the columns of a table to labels. `tables` are the options with which verify counts given votes
    again.
    """
    paths = {option: path for option, path in files.items() if path is not None}
    lines, check = [], [*tables]
    if path := paths.get("--report"):
        from tandemvote.report import write_report

        certified = certificate.groups or (model or [certificate])[-1]
        write_report(path, certified=certified, description=data)
        lines.append(f"Report: {path}")
    if path := paths.get("--votes"):
        written = write_votes(path, certificate.votes, columns or {})
        lines.append(f"Votes: {', '.join(map(str, written.values()))}")
        check += [str(word) for option in written.items() for word in option]
    if path := paths.get("--certificate"):
        certificate.save(path)
        words = shlex.join(["tandemvote", "verify", str(path), *check])
        lines += [f"Certificate: {path}", f"Check it: {words}"]
    if path := paths.get("--model"):
        from tandemvote.model_file import JOBLIB_WARNING, save_model

        save_model(model, path)
        warning = f" ({JOBLIB_WARNING})" if path.suffix == ".joblib" else ""
        lines.append(f"Model: {path}{warning}")
    (_print_json if as_json else _print)(certificate, all_bounds=guarantee.all_bounds)
    for line in lines:
        say(line, err=True)
    limit = guarantee.max_error
    if limit is not None and certificate.value > limit:
        from tandemvote.decimals import rounded_up

        value = rounded_up(100 * Decimal(certificate.value), 1)
        proven = f"the error rate is at most {value}%, --max-error is {100 * limit:.4g}%."
        say(f"Not guaranteed: {proven} {certificate.labels_for(limit)}".rstrip(), err=True)
        raise typer.Exit(GATE_CLOSED)


def _print_json(certificate: Certificate, *, all_bounds: bool) -> None:
    numbers = {
        "observed": certificate.observed,
        "guaranteed": certificate.value,
        "baseline": certificate.baseline,
    }
    bounds = {"bounds": certificate.bounds} if all_bounds else {}
    say(json.dumps({**numbers, **bounds, **certificate.to_dict()}))


def _print(certificate: Certificate, *, all_bounds: bool) -> None:
    from tandemvote.bounds import get_bound
    from tandemvote.certificate.rendering import TextTable, as_text
    from tandemvote.decimals import rounded_up

    advice = [certificate.advice] if certificate.advice else []
    lines = [certificate.basis, *map(str, certificate.findings), *advice]
    say(in_options(as_text(certificate.headline, lines)))
    if certificate.groups is not None:
        words = "This table and the bound above are each valid by themselves:"
        say(f"\n{words}\n{certificate.groups!r}")
    if all_bounds:
        rows = [
            [name, get_bound(name).label, rounded_up(value)]
            for name, value in certificate.bounds.items()
        ]
        lines = TextTable(["bound", "label", "error <="], "<<>", rows).lines()
        say("\n".join(["\nbounds, each valid by itself", *lines]))
