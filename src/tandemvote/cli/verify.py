"""``tandemvote verify``: check a certificate file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tandemvote.cli import INTERNAL_FAILURE
from tandemvote.spelling import printable

if TYPE_CHECKING:
    from tandemvote.certificate.file_record import CertificateRecord
    from tandemvote.verify import Verdict

TABLES = {"votes": "the votes", "unlabelled": "the unlabelled points", "test": "the test set"}


def verify(
    file: Path = typer.Argument(help="A certificate file."),
    *,
    rigorous: bool = typer.Option(
        False, "--rigorous", help="Prove every digit in ball arithmetic (python-flint)."
    ),
    votes: Path | None = typer.Option(
        None, help="Table of the labelled votes, to be counted again."
    ),
    unlabelled: Path | None = typer.Option(
        None,
        help="The same for the unlabelled points; no label column, a deployed classifier last.",
    ),
    test: Path | None = typer.Option(
        None, help="The same for the test set; one voter is the vote itself."
    ),
    target: str = typer.Option("label", help="Label column of the tables."),
    ignore: list[str] = typer.Option(
        [], help="Column of the tables that is not a voter; repeatable."
    ),
) -> None:
    """Recompute every number of a certificate FILE from its counts, independently.

    Exit code 0: everything holds. 1: something does not; it is named. 2: the file cannot be read.
    70: the check itself failed, which says nothing about the file.
    """
    from tandemvote.certificate.file_record import CertificateRecord
    from tandemvote.certificate.file_text import read_document
    from tandemvote.verify.votes_file import read_columns, read_predictions, read_votes

    record = CertificateRecord.from_document(read_document(file))
    grouped, by = votes, set()
    if record.groups is not None:
        by = {group.by for group in record.groups.members}
        grouped = test if "test_set" in record.groups.candidates else votes
    no_voters = {*ignore, *by}
    originals: dict[str, Any] = {
        "votes": votes and read_votes(votes, target=target, ignore=no_voters),
        "unlabelled": unlabelled and read_predictions(unlabelled, ignore=no_voters),
        "test": test and read_votes(test, target=target, ignore=no_voters),
    }
    columns = read_columns(grouped, by) if grouped else {}
    verdict = _checked(record, rigorous=rigorous, columns=columns, **originals)
    if not verdict.valid:
        typer.echo(printable(f"wrong: {verdict.problem}"))
        raise typer.Exit(1)
    given = [name for name, table in originals.items() if table is not None]
    for line in _summary(verdict, rigorous=rigorous, recounted=given):
        typer.echo(printable(line))


def _checked(record: CertificateRecord, **options: Any) -> Verdict:
    """Check a record; a failure of the check itself must not look like a verdict."""
    from tandemvote.verify import CertificateFileError, verify_file

    try:
        return verify_file(record, **options)
    except (CertificateFileError, ImportError):
        raise
    except Exception as error:
        reason = printable(f"{type(error).__name__}: {error}")
        typer.echo(
            f"Error: the check failed ({reason}), which says nothing about the file. Please report"
            " it with the file.",
            err=True,
        )
        raise typer.Exit(INTERNAL_FAILURE) from error


def _summary(verdict: Verdict, *, rigorous: bool, recounted: list[str]) -> Iterator[str]:
    record = verdict.record
    unlabelled = record.counts["disagreement_overlaps"][0, 0] > record.counts["overlaps"][0, 0]
    there = {"votes": True, "unlabelled": unlabelled or record.profile is not None}
    there["test"] = record.test is not None
    n_untested = int((record.counts["overlaps"].diagonal() == 0).sum())
    about = f"weighted vote of {record.n_voters} voters"
    if n_untested:
        about = f"vote of {record.n_voters - n_untested} tested models and {n_untested} untested"
    if record.deployed is not None:
        about = f"for {record.deployed}, not a vote, through {record.n_voters} voters"
    yield f"valid: error <= {record.printed} with failure probability {record.delta:g}"
    yield f"  by {record.bound}, {about}"
    yield from _groups(verdict)
    how = "proven in ball arithmetic" if rigorous else "in floating point, to 1e-9"
    yield f"  every number follows from the counts, {how}"
    if recounted:
        yield f"  the counts are those of {' and '.join(TABLES[name] for name in recounted)}"
    unseen = [name for name in TABLES if there[name] and name not in recounted]
    counting = [f"the counting of {TABLES[name]} (give --{name})" for name in unseen]
    yield f"  not checked: {', '.join([*counting, f'the {len(record.attestations)} attestations'])}"


def _groups(verdict: Verdict) -> Iterator[str]:
    """Say what holds on groups of points, and which of them were not counted again."""
    if verdict.record.groups is None:
        return
    members = verdict.record.groups.members
    yield f"  and by themselves, all at once with failure probability {verdict.record.delta:g}:"
    for group in members:
        limit = "nothing is shown" if group.printed is None else f"error <= {group.printed}"
        yield f"    {limit} on {group.points}"
    by = dict.fromkeys(group.by for group in members if group.by not in verdict.recounted_groups)
    if by:
        yield f"    not recounted: groups {', '.join(f'by {name[:40]}' for name in by)}"
