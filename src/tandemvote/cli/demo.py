"""``tandemvote demo``: certified classifiers on data that comes with scikit-learn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tandemvote.cli.outputs import check_outputs

SEED = 0
WIDTHS = (15, 33, 10, 12, 8)


def demo(
    report: Annotated[Path, typer.Option(help="Where to write the HTML report.")] = Path(
        "report.html"
    ),
    trees: Annotated[int, typer.Option(min=2, help="Trees in each forest.")] = 100,
) -> None:
    """Certify forests on digits and breast-cancer data, and write a report. No network."""
    check_outputs({"--report": report}, inputs=[])
    from sklearn.datasets import load_breast_cancer, load_digits  # noqa: PLC0415
    from sklearn.ensemble import RandomForestClassifier  # noqa: PLC0415

    from tandemvote import CertifiedClassifierCV, CertifiedForestClassifier  # noqa: PLC0415
    from tandemvote.certificate.decimals import rounded_up  # noqa: PLC0415
    from tandemvote.report import write_report  # noqa: PLC0415

    designs: dict[str, Any] = {
        "three forests, one per fold": CertifiedClassifierCV(
            RandomForestClassifier(trees), random_state=SEED
        ),
        "the paper: every tree votes": CertifiedForestClassifier(
            trees, weights="tandem", max_samples=0.5, random_state=SEED
        ),
    }
    typer.echo("How often can these classifiers err? All labels train, none is set aside.")
    typer.echo("Errors in percent; what is guaranteed holds with probability 95 %.\n")
    typer.echo(_line("data", "design", "observed", "guaranteed", "guessing"))
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
            typer.echo(_line(name, design, observed, guaranteed, guessing))
    found, description = shown[0]
    typer.echo(f"\nThe first certificate in full:\n\n{found.certificate}\n")
    typer.echo(found.certificate.guarantee)
    written = write_report(
        report,
        found,
        data_description=description,
        command="tandemvote demo",
    )
    typer.echo(f"\nReport with pictures: {written}")


def _line(*cells: str) -> str:
    return "".join(f"{cell:<{width}}" for cell, width in zip(cells, WIDTHS, strict=True)).rstrip()
