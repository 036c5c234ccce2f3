"""``tandemvote compare``: all designs side by side."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Annotated, Any

import typer

from tandemvote.cli.combinations import refuse_what_makes_no_sense
from tandemvote.cli.options import (
    DataOptions,
    Delta,
    Design,
    Json,
    Learner,
    TrainingOptions,
    grouped,
)
from tandemvote.cli.outputs import check_outputs

WORDS = {
    Design.FOLDS: "one model per fold",
    Design.TREES: "every tree votes",
    Design.HOLDOUT: "one model, tested",
}


@grouped
def compare(
    context: typer.Context,
    data: Annotated[str, typer.Argument(help="CSV, Parquet, LIBSVM or npz file with labels.")],
    *,
    delta: Delta = 0.05,
    reading: DataOptions,
    training: TrainingOptions,
    as_json: Json = False,
) -> None:
    """Certify DATA by every design, each at its share of delta: whichever row you take holds.

    For example: tandemvote compare wine.csv --target quality
    """
    from tandemvote.certificate.decimals import percent, rounded_up  # noqa: PLC0415
    from tandemvote.certificate.statement import Table  # noqa: PLC0415
    from tandemvote.cli.data import read_data  # noqa: PLC0415

    boosts = training.learner is Learner.BOOSTING
    designs = [each for each in Design if not (boosts and each is Design.TREES)]
    refuse_what_makes_no_sense(context, designs)
    check_outputs({}, inputs=[data, training.unlabelled])
    dataset, share = read_data(data, reading), delta / len(designs)
    rows = {each.value: _row(each, dataset, share, reading, training) for each in designs}
    if as_json:
        typer.echo(json.dumps({"delta": delta, "delta_each": share, "designs": rows}))
        return
    shown = [
        [
            name,
            WORDS[Design(name)],
            f"{100 * row['observed']:.1f} %",
            f"{rounded_up(100 * row['guaranteed'], 1)} %" if row["guaranteed"] < 1 else "none",
            f"{100 * row['guessing']:.1f} %",
            str(row["set_aside"]),
            f"{row['seconds']:.1f}",
        ]
        for name, row in rows.items()
    ]
    best = min(range(len(shown)), key=lambda number: rows[shown[number][0]]["guaranteed"])
    columns = ["design", "", "observed", "guaranteed", "guessing", "labels set aside", "seconds"]
    for line in Table(columns, "<<>>>>>", shown, best).lines():
        typer.echo(line)
    typer.echo(
        f"\nEvery row was given delta / {len(rows)}, so all hold together with probability at least"
        f" {percent(delta)}: take any.\nTo keep one, certify with the same options and"
        f" --design {shown[best][0]} --delta {share}"
    )


def _row(
    design: Design, dataset: Any, delta: float, reading: DataOptions, training: TrainingOptions
) -> dict[str, Any]:
    from tandemvote.cli.certify import GuaranteeOptions  # noqa: PLC0415
    from tandemvote.cli.data import unlabelled_points  # noqa: PLC0415
    from tandemvote.cli.designs import train  # noqa: PLC0415

    more = None
    if design is not Design.HOLDOUT:
        more = unlabelled_points(dataset, reading, training.unlabelled)
        training = replace(training, test_fraction=None)
    asked = GuaranteeOptions(delta=delta).asked(design)
    started = time.perf_counter()
    model = train(design, dataset, asked, training, unlabelled=more)
    seconds = time.perf_counter() - started
    certificate = model.certificate_
    aside = certificate.counts.n_min if design is Design.HOLDOUT else 0
    return {
        "observed": certificate.observed,
        "guaranteed": certificate.value,
        "guessing": certificate.guessing,
        "bound": certificate.bound,
        "set_aside": aside,
        "seconds": round(seconds, 2),
    }
