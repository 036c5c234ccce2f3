"""``tandemvote certify``: from a data file, or from predictions, to a guarantee."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tandemvote.cli.bounds import Delta

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tandemvote.certificate.by_class import ClassCertificates
    from tandemvote.certificate.certificate import Certificate
    from tandemvote.certification import Certification
    from tandemvote.tables import Dataset


class Bagging(str, Enum):
    """How many points each tree draws: as many as there are, or half as many."""

    FULL = "full"
    REDUCED = "reduced"


class Weights(str, Enum):
    """How much each voter counts."""

    UNIFORM = "uniform"
    FIRST_ORDER = "first_order"
    TANDEM = "tandem"
    DISAGREEMENT = "disagreement"


class Sharpening(str, Enum):
    """How held-out sets of different sizes count: in full, or all as the smallest."""

    HARMONIC = "harmonic"
    PAPER = "paper"


SHARE_OF_POINTS = {Bagging.FULL: None, Bagging.REDUCED: 0.5}
FEWEST_ROWS = 20


def certify(
    data: Annotated[
        str | None,
        typer.Argument(help="CSV, Parquet, LIBSVM or npz file."),
    ] = None,
    *,
    target: Annotated[str | None, typer.Option(help="Label column.")] = None,
    predictions: Annotated[
        str | None,
        typer.Option(
            help="Instead of DATA: a CSV or Parquet file with one row per point, a label column and"
            " one column per voter, empty where the voter was trained on that point. Labels are"
            " text: NA is a label, and 1 is not 1.0. For files of any size: a folder or quoted"
            " pattern of Parquet files."
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            help="Column of --predictions that is not a voter, such as row names; repeatable."
        ),
    ] = None,
    voters: Annotated[int, typer.Option(min=1, help="Trees to grow.")] = 100,
    bagging: Annotated[
        Bagging, typer.Option(help="Points each tree draws: n, or n/2 (tighter pair bounds).")
    ] = Bagging.REDUCED,
    weights: Annotated[Weights, typer.Option(help="How much each voter counts.")] = Weights.TANDEM,
    bound: Annotated[
        list[str] | None,
        typer.Option(help="Bound to report, 'tandem' by default; repeatable, or 'best'."),
    ] = None,
    delta: Delta = 0.05,
    sharpening: Annotated[
        Sharpening, typer.Option(help="Use held-out sets in full, or the bounds as published.")
    ] = Sharpening.HARMONIC,
    per_class: Annotated[
        bool, typer.Option("--per-class", help="Certify the error on each true class as well.")
    ] = False,
    test_fraction: Annotated[
        float, typer.Option(min=0, max=0.9, help="Share of labels to set aside as a test set.")
    ] = 0.0,
    unlabelled: Annotated[
        Path | None,
        typer.Option(
            help="File of more points without labels, for --bound vote_profile; with --predictions,"
            " of the predictions on them."
        ),
    ] = None,
    drop_missing: Annotated[
        bool, typer.Option("--drop-missing", help="Leave out rows with missing cells.")
    ] = False,
    missing: Annotated[
        list[str] | None,
        typer.Option(
            help="CSV: text of a missing cell, '?' by default, besides empty cells, NA, NaN and the"
            " like; repeatable."
        ),
    ] = None,
    category: Annotated[
        list[str] | None,
        typer.Option(help="CSV: column of categories that look like numbers; repeatable."),
    ] = None,
    header: Annotated[
        bool | None,
        typer.Option(
            help="CSV: whether the first line names the columns, which are column1, column2, ..."
            " otherwise."
        ),
    ] = None,
    decimal: Annotated[str | None, typer.Option(help="CSV: the decimal sign, such as ','.")] = None,
    encoding: Annotated[
        str | None, typer.Option(help="CSV: such as latin-1; UTF-8 by default.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the forest and of the split.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Threads; -1 for all.")] = 1,
    dask: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler for counting or growing trees.")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Write an HTML report.")] = None,
    certificate_file: Annotated[
        Path | None,
        typer.Option("--certificate", help="Write a file that tandemvote verify can check."),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(help="Save the forest: .skops (runs no code when opened) or .joblib."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Certify a majority vote: of a forest grown on DATA, or of given --predictions.

    For example: tandemvote certify wine.csv --target quality --report wine.html

    Or: tandemvote certify --predictions votes.csv --target label

    Or: tandemvote certify --predictions 'votes/*.parquet' --dask tcp://scheduler:8786
    """
    from tandemvote.cli.predictions import certify_predictions, connected  # noqa: PLC0415

    if (data is None) == (predictions is None):
        raise typer.BadParameter("give either DATA or --predictions.")
    if jobs == 0:
        raise typer.BadParameter("--jobs is 0; give a number of threads, or -1 for all.")
    if model is not None:
        from tandemvote.model_file import model_path  # noqa: PLC0415

        model_path(model)  # before the work, not after it
    names = bound or ["auto"]
    if "test_set" in names and not test_fraction:
        raise typer.BadParameter(
            "--bound test_set needs labelled points used for nothing else: give DATA and"
            " --test-fraction, such as 0.2."
        )
    if "vote_profile" in names and unlabelled is None:
        raise typer.BadParameter("--bound vote_profile needs unlabelled points: give --unlabelled.")
    asked: dict[str, Any] = {
        "weights": weights.value,
        "bound": names[0] if len(names) == 1 else names,
        "delta": delta,
        "sharpening": sharpening.value,
    }
    given = {
        "missing_values": missing,
        "categories": category,
        "header": header,
        "decimal": decimal,
        "encoding": encoding,
    }
    reading = {option: value for option, value in given.items() if value is not None}
    if predictions is not None:
        if model or test_fraction or drop_missing or reading:
            raise typer.BadParameter(
                "--model, --test-fraction, --drop-missing, --missing, --category, --header,"
                " --decimal and --encoding go with DATA, not with --predictions."
            )
        forest = None
        with connected(dask) as client:
            certification, description = certify_predictions(
                predictions,
                target or "label",
                asked,
                unlabelled=unlabelled,
                ignore=ignore or [],
                client=client,
            )
    else:
        if ignore:
            raise typer.BadParameter("--ignore goes with --predictions, not with DATA.")
        dataset = _read(str(data), target, drop_missing=drop_missing, **reading)
        extra = _read_more(unlabelled, dataset, reading)
        trees = {
            "n_estimators": voters,
            "max_samples": SHARE_OF_POINTS[bagging],
            "random_state": seed,
            "n_jobs": jobs if dask is None else -1,
            "verbose": int(sys.stderr.isatty() and not as_json),
        }
        with connected(dask):
            forest, certification = _grow(
                dataset, asked, trees, test_fraction=test_fraction, unlabelled=extra, seed=seed
            )
        description = _describe(dataset)
    classes = _by_class(certification) if per_class else None
    _show(certification.certificate, classes, as_json=as_json)
    if report is not None:
        from tandemvote.report import write_report  # noqa: PLC0415

        written = write_report(
            report,
            certification.certificate,
            estimator=forest,
            votes=certification.votes,
            solution=certification.solution,
            classes=classes,
            data_description=description,
            command=shlex.join(["tandemvote", *sys.argv[1:]]),
        )
        typer.echo(f"Report: {written}", err=True)
    if certificate_file is not None:
        written = certification.certificate.save(certificate_file)
        typer.echo(f"Certificate: {written}", err=True)
    if model is not None:
        from tandemvote.model_file import JOBLIB_WARNING, save_model  # noqa: PLC0415

        warning = f" ({JOBLIB_WARNING})" if model.suffix == ".joblib" else ""
        typer.echo(f"Forest: {save_model(forest, model)}{warning}", err=True)


def _read(data: str, target: str | None, *, drop_missing: bool, **reading: Any) -> Dataset:
    from tandemvote.tables import DatasetError, read_table  # noqa: PLC0415
    from tandemvote.tables.errors import number_of  # noqa: PLC0415

    dataset = read_table(data, target=target, drop_missing=drop_missing, **reading)
    for note in dataset.notes:
        typer.echo(f"Note: {note}.", err=True)
    if dataset.n_samples < FEWEST_ROWS:
        raise DatasetError(
            f"{data} has {number_of(dataset.n_samples, 'row')}; fewer than {FEWEST_ROWS} show"
            " nothing. Give more rows: thousands for a useful guarantee."
        )
    return dataset


def _read_more(path: Path | None, like: Dataset, reading: dict[str, Any]) -> NDArray[Any] | None:
    from tandemvote.tables import read_features  # noqa: PLC0415

    return None if path is None else read_features(path, like=like, **reading)


def _describe(dataset: Dataset) -> str:
    remarks = "; ".join([dataset.origin, *dataset.notes])
    return (
        f"{dataset.name}: {dataset.n_samples} points, {dataset.n_features} features,"
        f" {dataset.n_classes} classes ({remarks})."
    )


def _grow(
    dataset: Dataset,
    asked: dict[str, Any],
    trees: dict[str, Any],
    *,
    test_fraction: float,
    unlabelled: NDArray[Any] | None,
    seed: int,
) -> tuple[Any, Certification]:
    """Grow a forest on the points that are not set aside, and certify it."""
    from sklearn.model_selection import train_test_split  # noqa: PLC0415

    from tandemvote import CertifiedForestClassifier  # noqa: PLC0415
    from tandemvote.certificate.certificate import TEST_SET  # noqa: PLC0415
    from tandemvote.ensembles.hold_out import votes_on  # noqa: PLC0415

    if not test_fraction:
        forest = CertifiedForestClassifier(**asked, **trees)
        forest.fit(dataset.X, dataset.y, X_unlabelled=unlabelled)
        return forest, forest.certification_
    # Not stratified: test points must be independent draws for the binomial limit to hold.
    X, X_test, y, y_test = train_test_split(
        dataset.X, dataset.y, test_size=test_fraction, random_state=seed
    )
    bound = asked["bound"]
    if TEST_SET in bound:
        # The forest does not know the test set; its own certificate has the other bounds.
        others = [] if bound == TEST_SET else [name for name in bound if name != TEST_SET]
        asked = {**asked, "bound": others or "first_order"}
    forest = CertifiedForestClassifier(**asked, **trees).fit(X, y, X_unlabelled=unlabelled)
    test_votes = votes_on(forest, X_test, y_test, what="test")
    return forest, forest.certification_.with_test_set(test_votes, bound)


def _by_class(certification: Certification) -> ClassCertificates:
    """Certify each class by the bounds of the certificate that apply to one class."""
    from tandemvote.api.classes import certify_classes  # noqa: PLC0415
    from tandemvote.certificate.certificate import TEST_SET, VOTE_PROFILE  # noqa: PLC0415

    if certification.votes is None:
        raise typer.BadParameter("--per-class needs predictions that fit in memory.")
    candidates = certification.certificate.candidates
    bounds = [name for name in candidates if name not in (TEST_SET, VOTE_PROFILE)]
    request = replace(certification.request, bound=bounds or "auto")
    return certify_classes(replace(certification, request=request, profile=None, test_votes=None))


def _show(certificate: Certificate, classes: ClassCertificates | None, *, as_json: bool) -> None:
    if not as_json:
        typer.echo(repr(certificate))
        typer.echo(f"\n{certificate.guarantee}")
        if classes is not None:
            typer.echo(f"\nThis table and the guarantee each hold by themselves:\n{classes!r}")
        return
    typer.echo(
        json.dumps(
            {
                "value": certificate.value,
                "bound": certificate.bound,
                "delta": certificate.delta,
                "guarantee": certificate.guarantee,
                "bounds": {name: value.value for name, value in certificate.bounds.items()},
                "n_voters": certificate.counts.n_voters,
                "n_min": certificate.counts.n_min,
                "n_min_pairs": certificate.counts.n_min_pairs,
                "classes": None
                if classes is None
                else {str(label): value for label, value in classes.values.items()},
                "notes": certificate.notes,
                "assumptions": certificate.assumptions,
            }
        )
    )
