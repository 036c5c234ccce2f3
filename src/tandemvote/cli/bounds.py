"""``tandemvote bounds``: bounds computed from numbers."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import partial

import typer

from tandemvote.cli.messages import say
from tandemvote.cli.options import Confidence, Json, grouped

share = partial(typer.Option, None, metavar="SHARE", min=0, max=1)
number = partial(typer.Option, None, metavar="NUMBER", min=0)


@grouped
def bounds(
    *,
    gibbs_loss: float | None = share(help="Error rate of a random voter on held-out samples."),
    tandem_loss: float | None = share(help="Rate of common errors of two random voters."),
    lone_error: float | None = share(help="Rate of samples on which exactly one of the two errs."),
    disagreement: float | None = share(
        help="Rate of disagreement of two random voters (two classes)."
    ),
    n_min: float | None = number(
        "--n", help="Number of held-out samples of the voter with the fewest."
    ),
    n_min_pairs: float | None = number(
        "--n-pairs", help="Number of samples in the smallest pairwise overlap."
    ),
    n_min_disagreement: float | None = number(
        "--n-disagreement", help="The same including unlabeled samples; --n-pairs by default."
    ),
    kl_divergence: float = typer.Option(
        0.0, metavar="NUMBER", min=0, help="KL divergence of the weights from the prior."
    ),
    voter: list[str] = typer.Option(
        [],
        metavar="ERRORS/SAMPLES",
        help="Errors of one voter of an equal vote on its held-out samples, such as 12/200;"
        " once per voter (coalition).",
    ),
    n_errors: int | None = number("--errors", help="Errors of the vote on a test set."),
    n_samples: int | None = typer.Option(
        None, "--samples", metavar="NUMBER", min=1, help="Samples in the test set."
    ),
    confidence: Confidence,
    as_json: Json = False,
) -> None:
    """Compute every bound for which the given numbers suffice.

    The bound vote_profile requires every unlabeled sample: use certify or certify-votes.

    For example: tandemvote bounds --gibbs-loss 0.21 --tandem-loss 0.12 --n 9460 --n-pairs 3360
    """
    from tandemvote.bounds import BOUNDS, Estimates, RequirementError
    from tandemvote.decimals import rounded_up

    counts = [_errors_and_samples(text) for text in voter]
    if n_errors is not None and n_samples is not None and n_errors > n_samples:
        raise typer.BadParameter(f"--errors {n_errors} is more than --samples {n_samples}.")
    estimates = Estimates.from_numbers(
        gibbs_loss=gibbs_loss,
        n_min=n_min,
        tandem_loss=tandem_loss,
        n_min_pairs=n_min_pairs,
        disagreement=disagreement,
        n_min_disagreement=n_min_disagreement,
        lone_error=lone_error,
        kl_divergence=kl_divergence,
        errors=[errors for errors, _ in counts] or None,
        sizes=[samples for _, samples in counts] or None,
        n_errors=n_errors,
        n_samples=n_samples,
    )
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


def _errors_and_samples(text: str) -> tuple[int, int]:
    """Return the numbers in a text such as 12/200."""
    errors, _, samples = text.partition("/")
    if errors.isdecimal() and samples.isdecimal() and int(errors) <= int(samples) != 0:
        return int(errors), int(samples)
    raise typer.BadParameter(f"--voter {text} is not valid; expected errors/samples, as in 12/200.")
