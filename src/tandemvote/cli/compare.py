"""``tandemvote compare``: all designs side by side."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

import typer

from tandemvote.cli.combinations import refuse_what_makes_no_sense
from tandemvote.cli.options import (
    Confidence,
    DataOptions,
    Design,
    GuaranteeOptions,
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
    data: str = typer.Argument(help="CSV, Parquet, LIBSVM or npz file with labels."),
    *,
    confidence: Confidence,
    reading: DataOptions,
    training: TrainingOptions,
    as_json: Json = False,
) -> None:
    """Certify DATA by every design, each at its share of delta: whichever row you take holds.

    For example: tandemvote compare wine.csv --target quality
    """
    from tandemvote.certificate.decimals import percent, rounded_up
    from tandemvote.certificate.statement import Table
    from tandemvote.cli.data import read_data

    boosts = training.learner is Learner.BOOSTING
    designs = [each for each in Design if not (boosts and each is Design.TREES)]
    refuse_what_makes_no_sense(context, designs)
    check_outputs({}, inputs=[data, training.unlabelled])
    dataset, delta = read_data(data, reading), confidence.delta
    share = delta / len(designs)
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
    best = min(rows, key=lambda name: rows[name]["guaranteed"])
    columns = ["design", "", "observed", "guaranteed", "guessing", "labels set aside", "seconds"]
    for line in Table(columns, "<<>>>>>", shown, [*rows].index(best)).lines():
        typer.echo(line)
    typer.echo(
        f"\nEvery row was given delta / {len(rows)}, so all hold together with probability at least"
        f" {percent(delta)}: take any.\nTo keep one, certify with the same options and"
        f" --design {best} --delta {share}"
    )


def _row(
    design: Design, dataset: Any, delta: float, reading: DataOptions, training: TrainingOptions
) -> dict[str, Any]:
    from tandemvote.cli.data import unlabelled_points
    from tandemvote.cli.designs import train

    more = None
    if design is not Design.HOLDOUT:
        more = unlabelled_points(dataset, reading, training.unlabelled)
        training = replace(training, test_fraction=None)
    asked = GuaranteeOptions(delta=delta).asked(design)
    started = time.perf_counter()
    certificate = train(design, dataset, asked, training, unlabelled=more).certificate_
    seconds = time.perf_counter() - started
    return {
        "observed": certificate.observed,
        "guaranteed": certificate.value,
        "guessing": certificate.guessing,
        "bound": certificate.bound,
        "set_aside": certificate.counts.n_min if design is Design.HOLDOUT else 0,
        "seconds": round(seconds, 2),
    }
