"""``tandemvote demo``: certified forests on data that comes with scikit-learn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from tandemvote.estimators import CertifiedForestClassifier

SEED = 0


def demo(
    report: Annotated[Path, typer.Option(help="Where to write the HTML report.")] = Path(
        "report.html"
    ),
    voters: Annotated[int, typer.Option(min=2, help="Trees in each forest.")] = 100,
) -> None:
    """Certify forests on digits and breast-cancer data, and write a report. No network."""
    from sklearn.datasets import load_breast_cancer, load_digits  # noqa: PLC0415

    from tandemvote.report import write_report  # noqa: PLC0415

    sets = {"digits": load_digits, "breast cancer": load_breast_cancer}
    typer.echo("How often can a random forest's vote err? Bounds at 95 %, without a test set.\n")
    typer.echo(_line("data", "bagging", "weights", "FO", "TND", "out-of-bag error"))
    for name, load in sets.items():
        X, y = load(return_X_y=True)
        for bagging, share in (("full", None), ("reduced", 0.5)):
            for weights in ("uniform", "tandem"):
                forest = _grow(X, y, voters, share, weights)
                typer.echo(_line(name, bagging, weights, *_numbers(forest)))
    typer.echo(f"\nThe last certificate in full:\n\n{forest.certificate_}\n")
    typer.echo(forest.certificate_.guarantee)
    written = write_report(
        report,
        forest.certificate_,
        estimator=forest,
        votes=forest.certification_.votes,
        solution=forest.certification_.solution,
        data_description=f"scikit-learn's {name} data, {len(y)} points",
        command="tandemvote demo",
    )
    typer.echo(f"\nReport with pictures: {written}")


def _grow(
    X: Any, y: Any, voters: int, max_samples: float | None, weights: str
) -> CertifiedForestClassifier:
    from tandemvote import CertifiedForestClassifier  # noqa: PLC0415

    forest = CertifiedForestClassifier(
        voters, weights=weights, max_samples=max_samples, random_state=SEED
    )
    return forest.fit(X, y)


def _numbers(forest: CertifiedForestClassifier) -> tuple[str, str, str]:
    from tandemvote.certificate.decimals import rounded_up  # noqa: PLC0415

    first_order, tandem = (forest.bounds_[name].value for name in ("first_order", "tandem"))
    return rounded_up(first_order), rounded_up(tandem), f"{1 - forest.oob_score_:.3f}"


def _line(*cells: str) -> str:
    widths = (14, 9, 9, 7, 7, 16)
    return "".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True)).rstrip()
