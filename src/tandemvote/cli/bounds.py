"""``tandemvote bounds``: bounds computed from numbers."""

from __future__ import annotations

import json
from inspect import signature
from typing import Annotated

import typer

EXAMPLE = "tandemvote bounds --gibbs-loss 0.21 --tandem-loss 0.12 --n 9460 --n-pairs 3360"


def _checked_delta(delta: float) -> float:
    if not 0 < delta < 1:
        raise typer.BadParameter(
            f"{delta:g} does not lie strictly between 0 and 1. Give the probability with which the"
            " guarantee may fail, such as 0.05."
        )
    return delta


Delta = Annotated[float, typer.Option(callback=_checked_delta, help="Failure probability.")]


def bounds(
    *,
    gibbs_loss: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="How often a random voter errs on points it never saw."),
    ] = None,
    tandem_loss: Annotated[
        float | None, typer.Option(min=0, max=1, help="How often two random voters err together.")
    ] = None,
    disagreement: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="How often two random voters disagree (two classes)."),
    ] = None,
    n: Annotated[
        float | None, typer.Option("--n", min=0, help="Fewest points behind any voter.")
    ] = None,
    n_pairs: Annotated[
        float | None, typer.Option(min=0, help="Fewest points behind any pair of voters.")
    ] = None,
    n_disagreement: Annotated[
        float | None,
        typer.Option(min=0, help="The same with unlabelled points; --n-pairs by default."),
    ] = None,
    kl_divergence: Annotated[
        float, typer.Option(min=0, help="KL divergence of the weights from the prior.")
    ] = 0.0,
    errors: Annotated[
        int | None, typer.Option(min=0, help="Errors of the vote on a test set.")
    ] = None,
    points: Annotated[int | None, typer.Option(min=1, help="Points of that test set.")] = None,
    delta: Delta = 0.05,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compute every bound for which the given numbers suffice.

    For example: tandemvote bounds --gibbs-loss 0.21 --tandem-loss 0.12 --n 9460 --n-pairs 3360
    """
    from tandemvote.bounds import BOUNDS  # noqa: PLC0415
    from tandemvote.certificate.decimals import rounded_up  # noqa: PLC0415

    if errors is not None and points is not None and errors > points:
        raise typer.BadParameter(f"--errors {errors} is more than --points {points}.")
    given = {
        "gibbs_loss": gibbs_loss,
        "tandem_loss": tandem_loss,
        "disagreement": disagreement,
        "n_min": n,
        "n_min_pairs": n_pairs,
        "n_min_disagreement": n_disagreement if n_disagreement is not None else n_pairs,
        "kl_divergence": kl_divergence,
        "n_errors": errors,
        "n_samples": points,
        "delta": delta,
    }
    known = {name: value for name, value in given.items() if value is not None}
    values = {}
    for name, bound in BOUNDS.items():
        wanted = signature(bound.formula).parameters
        if wanted.keys() <= known.keys():
            values[name] = bound.formula(**{term: known[term] for term in wanted})
    if not values:
        raise typer.BadParameter(
            "no bound can be computed from these numbers. Give --gibbs-loss with --n, --tandem-loss"
            f" with --n-pairs, or --errors with --points. Example: {EXAMPLE}"
        )
    if as_json:
        typer.echo(json.dumps({"delta": delta, "bounds": values}))
        return
    for name, value in values.items():
        bound = BOUNDS[name]
        typer.echo(f"{bound.label:<5} {rounded_up(value, 5)}  {name}: {bound.summary}")
