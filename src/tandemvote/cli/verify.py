"""``tandemvote verify``: check a certificate file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tandemvote.cli import WRONG, options
from tandemvote.cli.messages import say
from tandemvote.cli.options import flag, option
from tandemvote.votes.cell_text import value_of
from tandemvote.votes.decimals import percent
from tandemvote.votes.printable import printable

if TYPE_CHECKING:
    from tandemvote.verify import Verdict


@options.grouped
def verify(
    file: Path = typer.Argument(metavar="FILE", help="A certificate file."),
    *,
    rigorous: bool = flag("--rigorous", "Prove every digit in ball arithmetic, with python-flint."),
    votes: Path | None = option(None, "FILE", "Table of labeled votes, to count again."),
    unlabeled: Path | None = option(
        None, "FILE", "Votes on unlabeled samples; a deployed classifier is the last column."
    ),
    table: options.VoteColumns,
    as_json: bool = options.JSON,
) -> None:
    """Recompute every number of a certificate FILE from its counts, independently.

    Exit codes: 0 everything holds; 1 something does not, and is named; 2 the file cannot be read.
    """
    from tandemvote.record.document import Document
    from tandemvote.record.json_text import read_document
    from tandemvote.verify import verify_file
    from tandemvote.votes import reading, vote_tables

    document = Document.from_json(read_document(file))
    labeled, predictions, columns = None, None, {}
    if votes is not None:
        stated = {each.by for each in document.groupings}
        surveyed = vote_tables.SurveyedFiles(votes)
        by = [name for name in surveyed.columns if value_of(name) in stated]
        files = reading.VoteFiles(surveyed, **table.reading(by))
        labeled, cells = files.read(keep=None, columns=by)
        columns = {value_of(name): values for name, values in cells.items()}
    if unlabeled is not None:
        predictions = reading.read_predictions(unlabeled, drop=table.drop)
    verdict = verify_file(
        document, rigorous=rigorous, votes=labeled, unlabeled=predictions, columns=columns
    )
    unchecked = [*_unchecked(verdict, votes, unlabeled)]
    if as_json:
        found = {"valid": verdict.valid, "problem": verdict.problem, "unchecked": unchecked}
        say(json.dumps(found | {"guaranteed": document.whole.value, "delta": document.whole.delta}))
    elif verdict.problem is not None:
        say(printable(f"wrong: {verdict.problem}"))
    else:
        how = "proven in ball arithmetic" if rigorous else "in floating point, to 1e-9"
        lines = [*_summary(verdict), f"every number follows from the counts, {how}"]
        lines += [f"not checked: {each}" for each in unchecked]
        say("\n  ".join(map(printable, lines)))
    if not verdict.valid:
        raise typer.Exit(WRONG)


def _summary(verdict: Verdict) -> Iterator[str]:
    """Yield the certified bounds and what they are about."""
    from tandemvote.certificate.rendering import RecordInWords

    document = verdict.document
    whole = RecordInWords(**vars(document.whole))
    yield f"valid: {whole.headline}"
    yield whole.basis
    if document.groups:
        yield f"by group, all valid at once ({percent(whole.delta)} confidence):"
    for group, record in document.groups:
        limits = RecordInWords(**vars(record)).limits
        yield f"  {'no guarantee' if record.value >= 1 else f'error {limits}'} on {group.samples}"


def _unchecked(verdict: Verdict, votes: Path | None, unlabeled: Path | None) -> Iterator[str]:
    """Yield what the file states and nothing given could check."""
    whole = verdict.document.whole
    if votes is None:
        yield "the counts of the labeled votes (give --votes)"
    if unlabeled is None and (whole.profile is not None or whole.n_unlabeled):
        yield "the counts of unlabeled samples (give --unlabeled)"
    yield from verdict.unchecked
    yield f"the {len(whole.assumptions)} assumptions"
