"""``tandemvote bounds``: bounds computed from numbers."""

from __future__ import annotations

import json
from functools import partial
from inspect import signature
from typing import Any

import typer

from tandemvote.cli.options import Confidence, Json, grouped

EXAMPLE = "tandemvote bounds --gibbs-loss 0.21 --tandem-loss 0.12 --n 9460 --n-pairs 3360"

share = partial(typer.Option, None, min=0, max=1)
number = partial(typer.Option, None, min=0)


@grouped
def bounds(
    context: typer.Context,
    *,
    gibbs_loss: float | None = share(help="How often a random voter errs on points it never saw."),
    tandem_loss: float | None = share(help="How often two random voters err together."),
    lone_error: float | None = share(
        help="How often exactly one of the two errs, on the same points."
    ),
    disagreement: float | None = share(help="How often two random voters disagree (two classes)."),
    n_min: float | None = number("--n", help="Fewest points behind any voter."),
    n_min_pairs: float | None = number(
        "--n-pairs", help="Fewest points behind any pair of voters."
    ),
    n_min_disagreement: float | None = number(
        "--n-disagreement", help="The same with unlabelled points; --n-pairs by default."
    ),
    kl_divergence: float = typer.Option(
        0.0, min=0, help="KL divergence of the weights from the prior."
    ),
    voter: list[str] = typer.Option(
        [],
        metavar="ERRORS/POINTS",
        help="Errors of one voter of an equal vote on points it never saw, such as 12/200;"
        " once per voter (coalition).",
    ),
    n_errors: int | None = number("--errors", help="Errors of the vote on a test set."),
    n_samples: int | None = typer.Option(None, "--points", min=1, help="Points of that test set."),
    confidence: Confidence,
    as_json: Json = False,
) -> None:
    """Compute every bound for which the given numbers suffice.

    vote_profile looks at every unlabelled point: for it, certify.

    For example: tandemvote bounds --gibbs-loss 0.21 --tandem-loss 0.12 --n 9460 --n-pairs 3360
    """
    from tandemvote.bounds import BOUNDS
    from tandemvote.certificate.decimals import rounded_up

    if n_errors is not None and n_samples is not None and n_errors > n_samples:
        raise typer.BadParameter(f"--errors {n_errors} is more than --points {n_samples}.")
    given: dict[str, Any] = dict(context.params)
    if n_min_disagreement is None:
        given["n_min_disagreement"] = n_min_pairs
    known = {name: value for name, value in given.items() if value is not None}
    known["delta"] = confidence.delta
    if tandem_loss is not None and lone_error is not None:
        if tandem_loss + lone_error > 1:
            raise typer.BadParameter(
                f"--tandem-loss {tandem_loss:g} and --lone-error {lone_error:g} sum to more than 1,"
                " but both voters err or exactly one."
            )
        known["pair_gibbs_loss"] = tandem_loss + lone_error / 2
    if voter:
        known["errors"], known["sizes"] = _counted(voter)
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
        typer.echo(json.dumps({"delta": confidence.delta, "bounds": values}))
        return
    for name, value in values.items():
        bound = BOUNDS[name]
        typer.echo(f"{bound.label:<7} {rounded_up(value, 5)}  {name}: {bound.summary}")


def _counted(texts: list[str]) -> tuple[list[int], list[int]]:
    """Return errors and points of voters."""
    errors, points = [], []
    for text in texts:
        wrong, _, of = text.partition("/")
        if not (wrong.isdecimal() and of.isdecimal() and int(wrong) <= int(of) and int(of)):
            raise typer.BadParameter(
                f"--voter {text} is not a number of errors among points, such as 12/200."
            )
        errors.append(int(wrong))
        points.append(int(of))
    return errors, points
