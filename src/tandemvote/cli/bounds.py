"""``tandemvote bounds``: bounds computed from numbers."""

from __future__ import annotations

import json
from inspect import signature
from typing import Annotated

import typer

from tandemvote.cli.options import Delta, Json

EXAMPLE = "tandemvote bounds --gibbs-loss 0.21 --tandem-loss 0.12 --n 9460 --n-pairs 3360"


def bounds(
    *,
    gibbs_loss: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="How often a random voter errs on points it never saw."),
    ] = None,
    tandem_loss: Annotated[
        float | None, typer.Option(min=0, max=1, help="How often two random voters err together.")
    ] = None,
    lone_error: Annotated[
        float | None,
        typer.Option(
            min=0, max=1, help="How often exactly one of the two errs, on the same points."
        ),
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
    voter: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ERRORS/POINTS",
            help="Errors of one voter of an equal vote on points it never saw, such as 12/200;"
            " once per voter (coalition).",
        ),
    ] = None,
    errors: Annotated[
        int | None, typer.Option(min=0, help="Errors of the vote on a test set.")
    ] = None,
    points: Annotated[int | None, typer.Option(min=1, help="Points of that test set.")] = None,
    delta: Delta = 0.05,
    as_json: Json = False,
) -> None:
    """Compute every bound for which the given numbers suffice.

    vote_profile looks at every unlabelled point and dirichlet at every vote: for these, certify.

    For example: tandemvote bounds --gibbs-loss 0.21 --tandem-loss 0.12 --n 9460 --n-pairs 3360
    """
    from tandemvote.bounds import BOUNDS  # noqa: PLC0415
    from tandemvote.certificate.decimals import rounded_up  # noqa: PLC0415

    if errors is not None and points is not None and errors > points:
        raise typer.BadParameter(f"--errors {errors} is more than --points {points}.")
    if tandem_loss is not None and lone_error is not None and tandem_loss + lone_error > 1:
        raise typer.BadParameter(
            f"--tandem-loss {tandem_loss:g} and --lone-error {lone_error:g} sum to more than 1, but"
            " both voters err or exactly one."
        )
    pairs = [_counted(text) for text in voter or ()]
    common = {"kl_divergence": kl_divergence, "delta": delta}
    given = {
        "gibbs_loss": gibbs_loss,
        "tandem_loss": tandem_loss,
        "lone_error": lone_error,
        "pair_gibbs_loss": None
        if tandem_loss is None or lone_error is None
        else tandem_loss + lone_error / 2,
        "disagreement": disagreement,
        "n_min": n,
        "n_min_pairs": n_pairs,
        "n_min_disagreement": n_disagreement if n_disagreement is not None else n_pairs,
        "errors": [wrong for wrong, _ in pairs] or None,
        "sizes": [of for _, of in pairs] or None,
        "n_errors": errors,
        "n_samples": points,
    }
    known = {name: value for name, value in given.items() if value is not None} | common
    values = {}
    for name, bound in BOUNDS.items():
        wanted = signature(bound.formula).parameters.keys() - {"posterior", "prior"}
        if wanted <= known.keys():
            values[name] = bound.formula(**{term: known[term] for term in wanted})
    if not values:
        raise typer.BadParameter(
            "no bound can be computed from these numbers. Give --gibbs-loss with --n, --tandem-loss"
            " with --n-pairs, several --voter, or --errors with --points. Example:"
            f" {EXAMPLE}"
        )
    if as_json:
        typer.echo(json.dumps({"delta": delta, "bounds": values}))
        return
    for name, value in values.items():
        bound = BOUNDS[name]
        typer.echo(f"{bound.label:<7} {rounded_up(value, 5)}  {name}: {bound.summary}")


def _counted(text: str) -> tuple[int, int]:
    """Return errors and points of one voter."""
    wrong, _, of = text.partition("/")
    if not (wrong.isdecimal() and of.isdecimal() and 0 <= int(wrong) <= int(of) and int(of)):
        raise typer.BadParameter(
            f"--voter {text} is not a number of errors among points, such as 12/200."
        )
    return int(wrong), int(of)
