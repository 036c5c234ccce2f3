"""``tandemvote certify-votes``: from predictions made anywhere to an error bound."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tandemvote.cli import options, outputs
from tandemvote.cli.messages import progress, say

if TYPE_CHECKING:
    from tandemvote.auditing import Finding
    from tandemvote.counts import VoteCounts
    from tandemvote.votes import Votes
    from tandemvote.votes_io import VoteFiles


@options.grouped
def certify_votes(
    votes: str = typer.Argument(
        metavar="VOTES",
        help="CSV or Parquet file with one row per sample, a label column and one column per voter,"
        " empty where the voter was trained on the sample. Labels are text: NA is a label, and 1"
        " is not 1.0. For files of any size: a folder or quoted pattern of Parquet files.",
    ),
    *,
    target: options.LabelColumn = "label",
    unlabeled: Path | None = typer.Option(
        None,
        metavar="FILE",
        help="Predictions of the same voters on unlabeled samples from the same distribution.",
    ),
    drop: options.NotVoters = [],  # noqa: B006  Typer requires a list
    keep: list[str] = typer.Option(
        [],
        metavar="COLUMN",
        help="Column that is a voter although it does not look like one. Repeatable.",
    ),
    empty_as_error: options.EmptyAsError = False,
    guarantee: options.VoteGuarantee,
    files: outputs.VotesOutputs,
    as_json: options.Json = False,
) -> None:
    """Certify the vote of the predictions in VOTES.

    For example: tandemvote certify-votes votes.csv --target label --certificate vote.json

    Or: tandemvote certify-votes 'votes/*.parquet' --target label --weights tandem
    """
    outputs.check_outputs(files.paths, inputs=[votes, unlabeled])
    import numpy as np

    from tandemvote import certificate as certificates
    from tandemvote import votes_io
    from tandemvote.abstention import check_empty_rows
    from tandemvote.certificate.pipeline import check_request
    from tandemvote.cli.results import deliver

    check_request(**guarantee.request, classes=np.arange(2))  # before hours of counting
    names = votes_io.column_names(votes)
    by = options.groupings(guarantee.by, target, {*names} - {target})
    columns = [name for name in by if name not in (options.CLASS, options.PREDICTED)]
    table: dict[str, Any] = {"target": target, "drop": [*drop, *columns], "keep": keep}
    table["empty_as_error"] = empty_as_error
    large = _open_large(votes, **table)
    evidence: Votes | VoteCounts
    findings: list[Finding] = []
    if large is not None:
        if unlabeled or by:
            raise typer.BadParameter("--unlabeled and --by require votes that fit in memory.")
        evidence = _counted(large)
    else:
        evidence = votes_io.read_votes(votes, **table, unlabeled=unlabeled)
        findings = _about_missing(evidence)
    check_empty_rows(evidence)
    certificate = certificates.certify_votes(
        evidence, **guarantee.request, delta=guarantee.delta, findings=findings
    )
    if by:
        cells = votes_io.read_columns(votes, columns)
        values = {name: [cell or None for cell in cells[name]] for name in columns}
        groups = certificate.by_group({name: values.get(name, name) for name in by})
        certificate = replace(certificate, groups=groups)
    tables = (
        *("--votes", votes),
        *(("--target", target) if target != "label" else ()),
        *("--empty-as-error",) * empty_as_error,
        *(() if unlabeled is None else ("--unlabeled", str(unlabeled))),
        *(word for name in drop for word in ("--drop", name)),
    )
    deliver(
        certificate,
        files.paths,
        guarantee,
        as_json=as_json,
        data=f"Predictions of {evidence.n_voters} voters, {Path(votes).name}",
        tables=() if large is not None else tables,
    )


def _open_large(path: str, *, keep: list[str], **table: Any) -> VoteFiles | None:
    """Return Parquet files to be counted in parts; None if the table is to be read at once."""
    from tandemvote.votes_io import VoteFiles, cells, check_voters

    if not cells.is_parquet(path):
        return None
    files = VoteFiles(path, **table)
    if files.n_samples * files.n_voters <= cells.BATCH_CELLS:
        return None
    check_voters(next(iter(files)), files.voters, keep=keep)
    return files


def _counted(files: VoteFiles) -> VoteCounts:
    """Count votes in parts, with a progress bar."""
    from tandemvote.votes_io import count_votes

    say(f"Counting {files.n_samples:,} rows.", err=True)
    with progress() as bars:
        task = bars.add_task("rows", total=files.n_samples)
        return count_votes(files, progress=partial(bars.advance, task))


def _about_missing(votes: Votes) -> list[Finding]:
    """Report predictions such as NA, which count as errors."""
    import numpy as np

    from tandemvote.auditing import Finding
    from tandemvote.tables.files import MISSING_TEXTS

    labels = votes.classes[np.unique(votes.labels)].tolist()
    findings = []
    for text in sorted({*MISSING_TEXTS} & {*votes.classes.tolist()} - {*labels}):
        predicted = votes.predictions == np.searchsorted(votes.classes, text)
        n = int((predicted & votes.held_out).sum())
        message = f"{n} predictions are {text!r}, which is not a label. They count as errors."
        advice = "Leave the cell empty only where a voter was trained on the sample."
        findings.append(
            Finding(code="missing_text", severity="warning", message=message, advice=advice)
        )
    return findings
