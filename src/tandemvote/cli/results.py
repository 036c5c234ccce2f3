"""What a command hands over: first the files, then the words, then the exit code."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import typer

from tandemvote.cli import GATE_CLOSED
from tandemvote.cli.messages import in_options, say
from tandemvote.cli.options import Guarantee
from tandemvote.cli.outputs import Outputs, VotesOutputs, write_votes

if TYPE_CHECKING:
    from tandemvote.certificate import Certificate, GroupCertificates


@dataclass(frozen=True, kw_only=True)
class Result:
    """A certificate, those of groups, and what they are about.

    `columns` group the samples that were given, by name. `data` describes the samples. The `model`
    is a fitted pipeline from the columns of a table to labels. `tables` are the options with which
    verify counts given votes again.
    """

    certificate: Certificate
    groups: GroupCertificates | None
    data: str
    columns: dict[str, Any] = field(default_factory=dict)
    model: Any = None
    tables: tuple[str, ...] = ()

    @property
    def whole(self) -> Certificate:
        """The certificate, with those of groups."""
        return replace(self.certificate, groups=self.groups)


def deliver(result: Result, files: VotesOutputs, guarantee: Guarantee, *, as_json: bool) -> None:
    """Write all files, print, and exit with an error code if the gate is closed."""
    lines = _write(result, files)
    (_print_json if as_json else _print)(result, all_bounds=guarantee.all_bounds)
    for line in lines:
        say(line, err=True)
    value, limit = result.certificate.value, guarantee.max_error
    if limit is not None and value > limit:
        from tandemvote.decimals import rounded_up

        proven = f"the error rate is at most {rounded_up(value)}, --max-error is {limit:g}."
        say(f"Not guaranteed: {proven} {result.certificate.labels_for(limit)}".rstrip(), err=True)
        raise typer.Exit(GATE_CLOSED)


def _write(result: Result, files: VotesOutputs) -> list[str]:
    """Write the files, each whole or not at all; return a line for each."""
    lines, check = [], ["tandemvote", "verify", str(files.certificate), *result.tables]
    if files.report is not None:
        from tandemvote.report import write_report

        certified = result.groups or (result.model or [result.certificate])[-1]
        write_report(files.report, certified=certified, description=result.data)
        lines.append(f"Report: {files.report}")
    if isinstance(files, Outputs) and files.votes is not None:
        votes = result.certificate.votes
        assert votes is not None, "those of trained models are in memory"
        written = write_votes(files.votes, votes, _next_to(result))
        lines.append(f"Votes: {', '.join(map(str, written.values()))}")
        check += [str(word) for option in written.items() for word in option]
    if files.certificate is not None:
        result.whole.save(files.certificate)
        lines += [f"Certificate: {files.certificate}", f"Check it: {shlex.join(check)}"]
    if isinstance(files, Outputs) and files.model is not None:
        from tandemvote.model_file import JOBLIB_WARNING, save_model

        save_model(result.model, files.model)
        warning = f" ({JOBLIB_WARNING})" if files.model.suffix == ".joblib" else ""
        lines.append(f"Model: {files.model}{warning}")
    return lines


def _next_to(result: Result) -> dict[str, list[str]]:
    """Return the groups of the samples of the votes as text, empty where they are missing."""
    rows = None if result.certificate.votes is None else result.certificate.votes.rows
    return {
        name: [
            "" if value is None else str(value) for value in values[... if rows is None else rows]
        ]
        for name, values in result.columns.items()
    }


def _print_json(result: Result, *, all_bounds: bool) -> None:
    certificate = result.certificate
    numbers = {
        "observed": certificate.observed,
        "guaranteed": certificate.value,
        "baseline": certificate.baseline,
    }
    bounds = {"bounds": certificate.bounds} if all_bounds else {}
    say(json.dumps({**numbers, **bounds, **result.whole.to_dict()}))


def _print(result: Result, *, all_bounds: bool) -> None:
    from tandemvote.bounds import get_bound
    from tandemvote.certificate.rendering import Table, as_text
    from tandemvote.decimals import rounded_up

    certificate = result.certificate
    advice = [certificate.advice] if certificate.advice else []
    lines = [certificate.basis, *map(str, certificate.findings), *advice]
    say(in_options(as_text(certificate.headline, lines)))
    if result.groups is not None:
        say(f"\nThis table and the bound above are each valid by themselves:\n{result.groups!r}")
    if all_bounds:
        rows = [
            [name, get_bound(name).label, rounded_up(value)]
            for name, value in certificate.bounds.items()
        ]
        lines = Table(["bound", "label", "error <="], "<<>", rows).lines()
        say("\n".join(["\nbounds, each valid by itself", *lines]))
