"""``tandemvote plan``: how many labels show a goal."""

from __future__ import annotations

from typing import Any

import typer

from tandemvote.cli import options
from tandemvote.cli.messages import say


def _share(default: Any, about: str) -> Any:
    return typer.Option(default, help=about, metavar="SHARE", parser=options.share)


@options.grouped
def plan(
    error: float = _share(..., "Expected error rate, such as the observed one."),
    max_error: float = _share(..., "Goal: the error rate that the labels are to guarantee."),
    power: float = _share(
        0.8, "Probability of success if the expected error rate is the true one."
    ),
    *,
    guarantee: options.Confidence,
) -> None:
    """Plan how many labeled test rows guarantee an error rate of at most --max-error.

    For example: tandemvote plan --error 3% --max-error 5%
    """
    from tandemvote.planning import labels_in_all, labels_needed

    needed = labels_needed(error, max_error, confidence=guarantee.confidence, power=power)
    say(
        f"{needed:,} test rows guarantee an error rate of at most {100 * max_error:.4g}% with a"
        f" probability of {100 * power:.4g}%, if it is {100 * error:.4g}%.\ncertify sets aside this"
        f" many of {labels_in_all(needed):,} labeled rows (--test-size auto)."
    )
