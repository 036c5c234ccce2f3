"""``tandemvote certify-votes``: from predictions made anywhere to an error bound."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tandemvote.cli import options, outputs
from tandemvote.cli.combinations import CLASS, PREDICTED, check_ambiguous, check_bounds
from tandemvote.cli.messages import say

if TYPE_CHECKING:
    from tandemvote.auditing import Finding
    from tandemvote.counts import VoteCounts
    from tandemvote.votes import Votes
    from tandemvote.votes_io import VoteFiles


@options.grouped
def certify_votes(
    votes: str = typer.Argument(
        help="CSV or Parquet file with one row per sample, a label column and one column per voter,"
        " empty where the voter was trained on the sample. Labels are text: NA is a label, and 1"
        " is not 1.0. For files of any size: a folder or quoted pattern of Parquet files."
    ),
    *,
    target: str = typer.Option("label", "--target", "-t", metavar="COLUMN", help="Label column."),
    unlabeled: Path | None = typer.Option(
        None,
        metavar="FILE",
        callback=options.check_exists,
        help="File with predictions of the same voters on unlabeled samples from the same"
        " distribution.",
    ),
    ignore: list[str] = typer.Option(
        [], metavar="COLUMN", help="Column that is not a voter; repeatable."
    ),
    keep: list[str] = typer.Option(
        [],
        metavar="COLUMN",
        help="Column that is a voter although it does not look like one; repeatable.",
    ),
    empty_as_error: bool = typer.Option(
        False,
        "--empty-as-error",
        help="Count empty cells as votes for a wrong class, for voters that abstain.",
    ),
    dask: str | None = typer.Option(
        None,
        metavar="ADDRESS",
        help="Address of a Dask scheduler, for counting votes in Parquet files.",
    ),
    guarantee: options.VoteGuarantee,
    files: outputs.VotesOutputs,
    as_json: options.Json = False,
) -> None:
    """Certify the vote of the predictions in VOTES.

    For example: tandemvote certify-votes votes.csv --target label --certificate vote.json

    Or: tandemvote certify-votes 'votes/*.parquet' --target label --weights tandem

    Exit codes: 0 done; 2 a mistake in the call or the data; 3 --max-error is not guaranteed; 70 a
    bug in tandemvote.
    """
    check_bounds(guarantee.bound, by=guarantee.by, unlabeled=unlabeled is not None)
    outputs.check_outputs(files.paths, inputs=[votes, unlabeled])
    from tandemvote import certificate as certificates
    from tandemvote import votes_io
    from tandemvote.cli.results import Result, deliver
    from tandemvote.cli.running import connected

    if dask is not None and not votes_io.is_parquet(votes):
        raise typer.BadParameter("--dask requires Parquet files; text is read at once.")
    columns = [name for name in guarantee.by if name not in (CLASS, PREDICTED, target)]
    table: dict[str, Any] = {"target": target, "ignore": [*ignore, *columns], "keep": keep}
    table["empty_as_error"] = empty_as_error
    if len(columns) < len(guarantee.by):
        check_ambiguous(guarantee.by, {*votes_io.column_names(votes)} - {target})
    request = guarantee.request
    large = _open_large(votes, **table, always=dask is not None)
    evidence: Votes | VoteCounts
    findings: list[Finding] = []
    if large is not None:
        _check_large(guarantee, unlabeled, request)
        with connected(dask) as client:
            evidence = _counted(large, client)
    else:
        evidence = votes_io.read_votes(votes, **table, unlabeled=unlabeled)
        findings = _about_missing(evidence)
    certificate = certificates.certify_votes(
        evidence, **request, delta=guarantee.delta, findings=findings
    )
    values = votes_io.read_columns(votes, columns)
    by: dict[str, Any] = {name: [cell or None for cell in values[name]] for name in columns}
    words = {CLASS: CLASS, PREDICTED: PREDICTED, target: CLASS}
    by |= {words[name]: words[name] for name in guarantee.by if name in words}
    result = Result(
        certificate=certificate,
        groups=certificate.by_group(by) if by else None,
        data=f"Predictions of {evidence.n_voters} voters, {Path(votes).name}",
        tables=(
            _tables(votes, target, unlabeled, ignore, empty_as_error=empty_as_error)
            if large is None
            else ()
        ),
    )
    deliver(result, files, guarantee, as_json=as_json)


def _tables(
    votes: str, target: str, unlabeled: Path | None, ignore: list[str], *, empty_as_error: bool
) -> tuple[str, ...]:
    """Return the options with which verify reads the same tables."""
    words = ["--votes", votes, *(["--target", target] if target != "label" else [])]
    words += ["--empty-as-error"] * empty_as_error
    words += [] if unlabeled is None else ["--unlabeled", str(unlabeled)]
    return (*words, *(word for name in ignore for word in ("--ignore", name)))


def _open_large(path: str, *, keep: list[str], always: bool, **table: Any) -> VoteFiles | None:
    """Return Parquet files to be counted in parts; None if the table is to be read at once."""
    from tandemvote.votes_io import VoteFiles, cells, check_voters

    if not cells.is_parquet(path):
        return None
    files = VoteFiles(path, **table)
    if not always and files.n_samples * files.n_voters <= cells.BATCH_CELLS:
        return None
    check_voters(next(iter(files)), files.voters, keep=keep)
    return files


def _check_large(
    guarantee: options.VoteGuarantee, unlabeled: Path | None, request: dict[str, Any]
) -> None:
    """Reject before hours of counting what can be rejected without the classes."""
    import numpy as np

    from tandemvote.certificate.pipeline import check_request

    for option, given in {"--unlabeled": unlabeled, "--by": guarantee.by}.items():
        if given:
            raise typer.BadParameter(f"{option} requires votes that fit in memory.")
    check_request(**request, classes=np.arange(2))


def _counted(files: VoteFiles, client: Any) -> VoteCounts:
    """Count votes in parts, with a progress bar."""
    from tandemvote.cli.running import progress
    from tandemvote.votes_io import count_votes

    say(f"Counting {files.n_samples} rows.", err=True)
    with progress() as bars:
        task = bars.add_task("rows", total=files.n_samples)
        return count_votes(files, client=client, progress=partial(bars.advance, task))


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
