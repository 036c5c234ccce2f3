"""``tandemvote verify``: check a certificate file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tandemvote.cli import INTERNAL_FAILURE, WRONG
from tandemvote.cli.messages import say
from tandemvote.cli.options import Json
from tandemvote.spelling import printable

if TYPE_CHECKING:
    from tandemvote.verify import Verdict
    from tandemvote.verify.document import CertificateRecord, Document


def verify(
    file: Path = typer.Argument(help="A certificate file."),
    *,
    rigorous: bool = typer.Option(
        False, "--rigorous", help="Prove every digit in ball arithmetic (requires python-flint)."
    ),
    votes: Path | None = typer.Option(
        None,
        metavar="FILE",
        help="Table of the labeled votes, to count them again: CSV or Parquet.",
    ),
    unlabeled: Path | None = typer.Option(
        None,
        metavar="FILE",
        help="Table of the votes on unlabeled samples, without labels; a deployed classifier is the"
        " last column.",
    ),
    target: str = typer.Option(
        "label", "--target", "-t", metavar="COLUMN", help="Label column of --votes."
    ),
    ignore: list[str] = typer.Option(
        [], metavar="COLUMN", help="Column of the tables that is not a voter; repeatable."
    ),
    empty_as_error: bool = typer.Option(
        False, "--empty-as-error", help="As for certify-votes: empty cells of --votes are errors."
    ),
    as_json: Json = False,
) -> None:
    """Recompute every number of a certificate FILE from its counts, independently.

    Exit codes: 0 everything holds; 1 something does not, and is named; 2 the file cannot be read;
    70 the check itself failed, which does not concern the file.
    """
    from tandemvote import votes_io
    from tandemvote.verify.document import Document
    from tandemvote.verify.json_text import read_document

    document = Document.from_json(read_document(file))
    given = [] if votes is None else votes_io.column_names(votes)
    by = {grouping.by for grouping in document.groupings} & {*given}
    skipped = {*ignore, *by}
    again: dict[str, Any] = {
        "votes": votes
        and votes_io.read_votes(
            votes, target=target, ignore=skipped, keep=None, empty_as_error=empty_as_error
        ),
        "unlabeled": unlabeled and votes_io.read_predictions(unlabeled, ignore=skipped),
        "columns": votes_io.read_columns(votes, by) if votes else {},
    }
    verdict = _checked(document, rigorous=rigorous, **again)
    unchecked = _unchecked(verdict, again)
    if as_json:
        found = {"valid": verdict.valid, "problem": verdict.problem, "unchecked": unchecked}
        say(json.dumps(found | {"guaranteed": document.whole.value, "delta": document.whole.delta}))
    elif verdict.problem is not None:
        say(printable(f"wrong: {verdict.problem}"))
    else:
        for line in _summary(verdict, rigorous=rigorous, unchecked=unchecked):
            say(printable(line))
    if not verdict.valid:
        raise typer.Exit(WRONG)


def _checked(document: Document, **options: Any) -> Verdict:
    """Check a document; a failure of the check itself must not look like a verdict."""
    from tandemvote.verify import CertificateFileError, verify_file

    try:
        return verify_file(document, **options)
    except (CertificateFileError, ImportError):
        raise
    except Exception as error:
        reason = printable(f"{type(error).__name__}: {error}")
        say(
            f"Error: the check itself failed ({reason}), which does not concern the file. Please"
            " report it with the file.",
            err=True,
        )
        raise typer.Exit(INTERNAL_FAILURE) from error


def _summary(verdict: Verdict, *, rigorous: bool, unchecked: list[str]) -> Iterator[str]:
    whole, *groups = verdict.document.certificates
    yield f"valid: error <= {whole.printed} with failure probability {whole.delta:g}"
    yield f"  {whole.bound} bound, {_subject(whole)}"
    if groups:
        yield f"  by group, by themselves and all at once with failure probability {whole.delta:g}:"
    for each in groups:
        assert each.group is not None
        bound = "no bound" if each.value >= 1 else f"error <= {each.printed}"
        yield f"    {bound} on {each.group.samples}"
    how = "proven in ball arithmetic" if rigorous else "in floating point, to 1e-9"
    yield f"  every number follows from the counts, {how}"
    yield from (f"  not checked: {each}" for each in unchecked)


def _subject(record: CertificateRecord) -> str:
    n_untested = int(record.untested.sum())
    if record.deployed is not None:
        return f"{record.deployed} through {record.n_voters} voters"
    if n_untested:
        return f"vote of {record.n_voters - n_untested} tested models and {n_untested} untested"
    return f"vote of {record.n_voters} voters"


def _unchecked(verdict: Verdict, again: dict[str, Any]) -> list[str]:
    """List what the file states and nothing given could check."""
    whole = verdict.document.whole
    more = whole.counts["disagreement_overlaps"] > whole.counts["overlaps"]
    unlabeled = whole.profile is not None or bool(more.any())
    stated = {
        "the counts of the labeled votes (give --votes)": again["votes"] is None,
        "the counts of unlabeled samples (give --unlabeled)": (
            unlabeled and again["unlabeled"] is None
        ),
    }
    return [
        *(words for words, applies in stated.items() if applies),
        *verdict.unchecked,
        f"the {len(whole.assumptions)} assumptions",
    ]
