"""``tandemvote verify``: check a certificate that someone else made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tandemvote.verify import Verdict


def verify(
    file: Annotated[Path, typer.Argument(help="A certificate file.")],
    *,
    rigorous: Annotated[
        bool,
        typer.Option("--rigorous", help="Prove every decimal in ball arithmetic (python-flint)."),
    ] = False,
    votes: Annotated[
        Path | None, typer.Option(help="The votes' table: count them again, too.")
    ] = None,
    target: Annotated[str, typer.Option(help="Label column of the votes.")] = "label",
) -> None:
    """Recompute every number of a certificate FILE from its counts, by formulas of their own.

    Exit code 0: all of it holds. 1: something does not, and it is named. 2: not readable.
    """
    from tandemvote.verify import verify_file  # noqa: PLC0415

    table = None
    if votes is not None:
        from tandemvote.datasets import read_votes  # noqa: PLC0415

        table = read_votes(votes, target=target)
    verdict = verify_file(file, rigorous=rigorous, votes=table)
    if not verdict.valid:
        typer.echo(f"wrong: {verdict.problem}")
        raise typer.Exit(1)
    for line in _summary(verdict, rigorous=rigorous, recounted=table is not None):
        typer.echo(line)


def _summary(verdict: Verdict, *, rigorous: bool, recounted: bool) -> list[str]:
    record = verdict.record
    how = "proven in ball arithmetic" if rigorous else "in floating point, to 1e-9"
    unlabelled = record.counts["disagreement_overlaps"][0] > record.counts["overlaps"][0]
    unseen = [
        *([] if recounted else ["the counting (give --votes)"]),
        *(["the counts of unlabelled points"] if recounted and unlabelled else []),
        *(["the counts of the test set"] if recounted and record.test else []),
        f"the {len(record.attestations)} attestations",
    ]
    return [
        f"valid: error <= {record.printed} with failure probability {record.delta:g}",
        f"  by {record.bound}, weighted vote of {record.n_voters} voters",
        f"  every number follows from the counts, {how}",
        *(["  the counts are those of the votes"] if recounted else []),
        f"  not checked: {', '.join(unseen)}",
    ]
