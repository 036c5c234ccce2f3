"""``tandemvote plan``: how many test rows guarantee an error rate."""

from __future__ import annotations

from tandemvote.cli import options
from tandemvote.cli.messages import say
from tandemvote.cli.options import option, share


@options.grouped
def plan(
    error: float = option(..., "SHARE", "Expected error rate.", parser=share),
    max_error: float = option(..., "SHARE", "Error rate to guarantee.", parser=share),
    power: float = option(0.8, "SHARE", "Probability of success at --error.", parser=share),
    *,
    guarantee: options.Confidence,
) -> None:
    """Plan how many labeled test rows guarantee an error rate of at most --max-error.

    For example:

    tandemvote plan --error 3% --max-error 5%
    """
    from tandemvote.metrics.planning import labels_in_all, labels_needed

    needed = labels_needed(error, max_error, confidence=guarantee.confidence, power=power)
    say(
        f"{needed:,} test rows guarantee an error rate of at most {100 * max_error:.4g}% with a"
        f" probability of {100 * power:.4g}%, if it is {100 * error:.4g}%.\ncertify sets aside this"
        f" many of {labels_in_all(needed):,} labeled rows (--test-size auto)."
    )
