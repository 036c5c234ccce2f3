"""``tandemvote bounds``: bounds computed from numbers."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import typer

from tandemvote.cli import options
from tandemvote.cli.messages import say
from tandemvote.cli.options import option

ratio = partial(option, None, "SHARE", min=0, max=1)
number = partial(option, None, "NUMBER", min=0)


@dataclass(frozen=True)
class Numbers:
    """Observed quantities."""

    gibbs_loss: float | None = ratio("Error rate of a random voter on held-out samples.")
    tandem_loss: float | None = ratio("Rate of common errors of two random voters.")
    lone_error: float | None = ratio("Rate of samples on which exactly one of the two errs.")
    disagreement: float | None = ratio("Rate of disagreement of two random voters (two classes).")
    n_min: float | None = number("Held-out samples of the voter with the fewest.", "--n")
    n_min_pairs: float | None = number("Samples in the smallest pairwise overlap.", "--n-pairs")
    n_min_disagreement: float | None = number(
        "The same including unlabeled samples; --n-pairs by default.", "--n-disagreement"
    )
    kl_divergence: float = option(0.0, "NUMBER", "KL divergence from the prior.", min=0)
    n_errors: int | None = number("Errors of the vote on a test set.", "--errors")
    n_samples: int | None = number("Samples in the test set.", "--samples", min=1)


@options.grouped
def bounds(
    *,
    numbers: Numbers,
    voter: list[str] = option(
        [],
        "ERRORS/SAMPLES",
        "Errors of one voter of an equal vote on its held-out samples, such as 12/200 (coalition).",
    ),
    confidence: options.Confidence,
    as_json: bool = options.JSON,
) -> None:
    """Compute every bound for which the given numbers suffice.

    The bound vote_profile requires every unlabeled sample: use certify or certify-votes.

    For example:

    tandemvote bounds --gibbs-loss 0.2 --tandem-loss 0.1 --n 900 --n-pairs 300
    """
    from tandemvote.bounds import BOUNDS, Estimates, RequirementError
    from tandemvote.votes.decimals import rounded_up

    counts = [_errors_and_samples(text) for text in voter]
    if None not in (numbers.n_errors, numbers.n_samples):
        _errors_and_samples(f"{numbers.n_errors}/{numbers.n_samples}", "--errors/--samples")
    errors, sizes = zip(*counts, strict=True) if counts else (None, None)
    estimates = Estimates.from_numbers(**vars(numbers), errors=errors, sizes=sizes)
    values = {}
    for name, bound in BOUNDS.items():
        with suppress(RequirementError):
            values[name] = bound.function(estimates, confidence.delta)
    if not values:
        raise typer.BadParameter(
            "no bound can be computed from these numbers. Give --gibbs-loss with --n, --tandem-loss"
            " with --n-pairs, several --voter, or --errors with --samples."
        )
    if as_json:
        say(json.dumps({"delta": confidence.delta, "bounds": values}))
        return
    for name, value in values.items():
        bound = BOUNDS[name]
        say(f"{bound.label:<7} {rounded_up(value, 5)}  {name}: {bound.summary}")


def _errors_and_samples(text: str, name: str = "--voter") -> tuple[int, int]:
    """Return the numbers in a text such as 12/200."""
    errors, _, samples = text.partition("/")
    if errors.isdecimal() and samples.isdecimal() and int(errors) <= int(samples) != 0:
        return int(errors), int(samples)
    raise typer.BadParameter(f"{name} {text} is not valid; expected errors/samples, as in 12/200.")
