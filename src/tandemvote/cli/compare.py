"""``tandemvote compare`` and ``tandemvote demo``: designs side by side."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from tandemvote.cli import options
from tandemvote.cli.combinations import refuse_what_makes_no_sense
from tandemvote.cli.outputs import check_outputs

WORDS = {
    "pairs": "three models, tested in pairs",
    "folds": "one model per fold",
    "trees": "every tree votes",
    "holdout": "one model, tested",
}


@options.grouped
def compare(
    context: typer.Context,
    data: str = typer.Argument(help="CSV, Parquet, LIBSVM or npz file with labels."),
    *,
    confidence: options.Confidence,
    reading: options.Reading,
    training: options.Training,
    as_json: options.Json = False,
) -> None:
    """Certify DATA by every design, each at its share of delta: whichever row you take holds.

    For example: tandemvote compare wine.csv --target quality
    """
    from tandemvote.certificate.decimals import percent, rounded_up
    from tandemvote.certificate.statement import Table
    from tandemvote.cli.data import caveats_of, read_data, unlabelled_points
    from tandemvote.cli.designs import train

    boosts = training.learner is options.Learner.BOOSTING
    designs = [each for each in options.Design if not (boosts and each is options.Design.TREES)]
    refuse_what_makes_no_sense(context, designs)
    check_outputs({}, inputs=[data, training.unlabelled])
    dataset, delta = read_data(data, reading), confidence.delta
    more, notes = unlabelled_points(dataset, reading, training.unlabelled)
    share = delta / len(designs)
    rows: dict[str, dict[str, Any]] = {}
    for design in designs:
        asked = options.Guarantee(delta=share).asked(design)
        tests = design is options.Design.HOLDOUT
        chosen = training if tests else replace(training, test_fraction=None)
        started = time.perf_counter()
        model = train(design, dataset, asked, chosen, unlabelled=None if tests else more)
        certificate = model.certificate_
        rows[design.value] = {
            "observed": certificate.observed,
            "guaranteed": certificate.value,
            "guessing": certificate.guessing,
            "bound": certificate.bound,
            "set_aside": certificate.counts.n_min if tests else 0,
            "seconds": round(time.perf_counter() - started, 2),
            "notes": certificate.notes,
        }
    if as_json:
        said = {"delta": delta, "delta_each": share, "designs": rows}
        typer.echo(json.dumps(said | {"notes": [*caveats_of(dataset, None), *notes]}))
        return
    shown = []
    for name, row in rows.items():
        observed, guessing = f"{100 * row['observed']:.1f} %", f"{100 * row['guessing']:.1f} %"
        limit = f"{rounded_up(100 * row['guaranteed'], 1)} %" if row["guaranteed"] < 1 else "none"
        aside, seconds = str(row["set_aside"]), f"{row['seconds']:.1f}"
        shown.append([name, WORDS[name], observed, limit, guessing, aside, seconds])
    best = min(rows, key=lambda name: rows[name]["guaranteed"])
    columns = ["design", "", "observed", "guaranteed", "guessing", "labels set aside", "seconds"]
    for line in Table(columns, "<<>>>>>", shown, [*rows].index(best)).lines():
        typer.echo(line)
    typer.echo(
        f"\nEvery row was given delta / {len(rows)}, so all hold together with probability at least"
        f" {percent(delta)}: take any.\nTo keep one, certify with the same options and"
        f" --design {best} --delta {share}"
    )


def demo(
    report: Path = typer.Option("report.html", help="Where to write the HTML report."),
    trees: int = typer.Option(100, min=2, help="Trees in each forest."),
) -> None:
    """Certify forests on digits and breast-cancer data, and write a report. No network."""
    check_outputs({"--report": report}, inputs=[])
    from sklearn.datasets import load_breast_cancer, load_digits
    from sklearn.ensemble import RandomForestClassifier

    from tandemvote import CertifiedClassifier, CertifiedForestClassifier
    from tandemvote.certificate.decimals import rounded_up
    from tandemvote.report import write_report

    few: Any = CertifiedClassifier(RandomForestClassifier(trees), random_state=0)
    paper: Any = CertifiedForestClassifier(trees, weights="tandem", max_samples=0.5, random_state=0)
    designs = {"five forests": few, "the paper: every tree votes": paper}
    typer.echo("How often can these classifiers err? All labels train, none is set aside.")
    typer.echo("Errors in percent; what is guaranteed holds with probability 95 %.\n")
    line = "{:<15}{:<33}{:<10}{:<12}{}".format
    typer.echo(line("data", "design", "observed", "guaranteed", "guessing"))
    shown = []
    for name, load in (("digits", load_digits), ("breast cancer", load_breast_cancer)):
        X, y = load(return_X_y=True)
        for design, model in designs.items():
            found = model.fit(X, y).certification_
            shown.append((found, f"scikit-learn's {name} data, {len(y)} points"))
            certificate = found.certificate
            observed, guessing = f"{100 * certificate.observed:.1f}", 100 * certificate.guessing
            guaranteed = rounded_up(100 * certificate.value, 1)
            typer.echo(line(name, design, observed, guaranteed, f"{guessing:.1f}"))
    found, description = shown[0]
    typer.echo(f"\nThe first certificate in full:\n\n{found.certificate}\n")
    typer.echo(found.certificate.guarantee)
    written = write_report(report, found, data_description=description, command="tandemvote demo")
    typer.echo(f"\nReport with pictures: {written}")
