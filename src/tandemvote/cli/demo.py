"""``tandemvote demo``: certified classifiers on data that comes with scikit-learn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from tandemvote.cli.outputs import check_outputs


def demo(
    report: Path = typer.Option("report.html", help="Where to write the HTML report."),
    trees: int = typer.Option(100, min=2, help="Trees in each forest."),
) -> None:
    """Certify forests on digits and breast-cancer data, and write a report. No network."""
    check_outputs({"--report": report}, inputs=[])
    from sklearn.datasets import load_breast_cancer, load_digits
    from sklearn.ensemble import RandomForestClassifier

    from tandemvote import CertifiedClassifierCV, CertifiedForestClassifier
    from tandemvote.certificate.decimals import rounded_up
    from tandemvote.report import write_report

    designs: dict[str, Any] = {
        "three forests, one per fold": CertifiedClassifierCV(
            RandomForestClassifier(trees), random_state=0
        ),
        "the paper: every tree votes": CertifiedForestClassifier(
            trees, weights="tandem", max_samples=0.5, random_state=0
        ),
    }
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
            observed, guessing = (
                f"{100 * error:.1f}" for error in (certificate.observed, certificate.guessing)
            )
            guaranteed = rounded_up(100 * certificate.value, 1)
            typer.echo(line(name, design, observed, guaranteed, guessing))
    found, description = shown[0]
    typer.echo(f"\nThe first certificate in full:\n\n{found.certificate}\n")
    typer.echo(found.certificate.guarantee)
    written = write_report(report, found, data_description=description, command="tandemvote demo")
    typer.echo(f"\nReport with pictures: {written}")
