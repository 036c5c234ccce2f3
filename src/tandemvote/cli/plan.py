"""``tandemvote plan``: how many labels show a goal."""

from __future__ import annotations

import typer

from tandemvote.cli import options
from tandemvote.cli.messages import say


@options.grouped
def plan(
    error: float = typer.Option(
        ..., help="Expected error rate, such as the observed one.", min=0, max=1
    ),
    max_error: float = typer.Option(
        ..., help="Goal: the error rate that the labels are to guarantee.", min=0, max=1
    ),
    *,
    power: float = typer.Option(
        0.8, help="Probability of success if the expected error rate is the true one."
    ),
    guarantee: options.Confidence,
) -> None:
    """Plan how many labeled test rows guarantee an error rate of at most --max-error.

    For example: tandemvote plan --error 0.03 --max-error 0.05
    """
    from tandemvote.planning import labels_in_all, labels_needed

    needed = labels_needed(error, max_error, confidence=guarantee.confidence, power=power)
    say(
        f"{needed:,} test rows guarantee an error rate of at most {100 * max_error:.4g}% with a"
        f" probability of {100 * power:.4g}%, if it is {100 * error:.4g}%."
    )
    say(
        f"certify sets so many aside from {labels_in_all(needed):,} labeled rows"
        " (--test-size auto)."
    )
