"""``tandemvote certify``: from a data file, or from predictions, to a guarantee."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tandemvote.cli import GATE_CLOSED
from tandemvote.cli.combinations import refuse_what_makes_no_sense
from tandemvote.cli.groups import (
    WORDS,
    certify_by,
    columns_beside_votes,
    columns_of_data,
    columns_of_votes,
)
from tandemvote.cli.language import in_options
from tandemvote.cli.options import (
    DataOptions,
    Delta,
    Deploy,
    Design,
    Json,
    Sharpening,
    TrainingOptions,
    Weights,
    existing,
    grouped,
)
from tandemvote.cli.outputs import OutputOptions, check_outputs, write_votes, write_whole

if TYPE_CHECKING:
    from tandemvote.certificate.by_group import GroupCertificates
    from tandemvote.certificate.certificate import Certificate
    from tandemvote.certification import Certification
    from tandemvote.tables import Dataset

DEPLOYED: dict[Deploy, dict[str, Any]] = {
    Deploy.VOTE: {},
    Deploy.REFIT: {"ensemble": False},
    Deploy.AVERAGE: {"voting": "soft"},
}
"""What the certified classifiers call it."""


@dataclass(frozen=True, kw_only=True)
class GuaranteeOptions:
    """The guarantee."""

    delta: Delta = 0.05
    max_error: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help=f"End with exit code {GATE_CLOSED} unless at most this is guaranteed.",
        ),
    ] = None
    by: Annotated[
        list[str],
        typer.Option(
            metavar="class|predicted|COLUMN",
            help="Certify groups of points as well: each true class (recall), each predicted one"
            " (precision), or each value of a column, a dropped one too; repeatable.",
        ),
    ] = field(default_factory=list)
    weights: Annotated[
        Weights | None,
        typer.Option(
            help="How much each voter counts: as minimises a bound, 'tandem' by default for trees;"
            " else equally."
        ),
    ] = None
    bound: Annotated[
        list[str],
        typer.Option(
            help="Bound to report, by default chosen by the kind of evidence; repeatable, or 'best'"
            " (each then pays for the choice)."
        ),
    ] = field(default_factory=list)
    sharpening: Annotated[
        Sharpening, typer.Option(help="Use held-out sets in full, or the bounds as published.")
    ] = Sharpening.HARMONIC

    def asked(self, design: Design | None, deploy: Deploy = Deploy.VOTE) -> dict[str, Any]:
        """Return what is asked of a certificate, for a design or for predictions."""
        by_bound = design is Design.TREES and deploy is Deploy.VOTE
        usual = Weights.TANDEM if by_bound else Weights.UNIFORM
        return {
            **DEPLOYED[deploy],
            "weights": (self.weights or usual).value,
            "bound": self.bound[0] if len(self.bound) == 1 else self.bound or "auto",
            "delta": self.delta,
            "sharpening": self.sharpening.value,
        }


@grouped
def certify(
    context: typer.Context,
    data: Annotated[
        str | None, typer.Argument(help="CSV, Parquet, LIBSVM or npz file with labels.")
    ] = None,
    *,
    design: Annotated[
        Design,
        typer.Option(
            help="folds: a few whole models, each evaluated on the fold it never saw; trees: the"
            " paper's forest, in which every tree votes; holdout: one model, and labels set aside"
            " to test it."
        ),
    ] = Design.FOLDS,
    deploy: Annotated[
        Deploy,
        typer.Option(
            help="What to certify and keep: the vote; with folds, refit: one model trained on all"
            " labels; with trees, average: the forest's averaged probabilities, as scikit-learn"
            " predicts. Both others need unlabelled points."
        ),
    ] = Deploy.VOTE,
    predictions: Annotated[
        str | None,
        typer.Option(
            help="Instead of DATA: a CSV or Parquet file with one row per point, a label column and"
            " one column per voter, empty where the voter was trained on that point. Labels are"
            " text: NA is a label, and 1 is not 1.0. For files of any size: a folder or quoted"
            " pattern of Parquet files."
        ),
    ] = None,
    test: Annotated[
        Path | None,
        typer.Option(
            callback=existing, help="Labelled file used for nothing else; it tests the vote."
        ),
    ] = None,
    guarantee: GuaranteeOptions,
    reading: DataOptions,
    training: TrainingOptions,
    outputs: OutputOptions,
    as_json: Json = False,
) -> None:
    """Certify a classifier trained on DATA, or the vote of given --predictions.

    For example: tandemvote certify wine.csv --target quality --report wine.html

    Or: tandemvote certify wine.csv --target quality --unlabelled more.csv --max-error 0.1

    Or: tandemvote certify wine.csv --target quality --unlabelled more.csv --deploy refit

    Or: tandemvote certify --predictions votes.csv --target label

    Exit codes: 0 done; 2 a mistake in the call or the data; 3 --max-error is not guaranteed; 70 a
    bug in tandemvote.
    """
    from tandemvote.cli.predictions import certify_predictions, connected  # noqa: PLC0415

    refuse_what_makes_no_sense(context, [design])
    check_outputs(outputs.paths, inputs=[data, predictions, test, training.unlabelled])
    model = dataset = None
    if predictions is not None:
        with connected(training.dask) as client:
            found, description = certify_predictions(
                predictions,
                reading.target or "label",
                guarantee.asked(None),
                unlabelled=training.unlabelled,
                ignore=[*reading.drop, *(name for name in guarantee.by if name not in WORDS)],
                client=client,
            )
        groups = columns_of_votes(guarantee.by, predictions)
    else:
        from tandemvote.cli import data as tables  # noqa: PLC0415
        from tandemvote.cli.designs import rows_apart, train  # noqa: PLC0415

        dataset = tables.read_data(str(data), reading)
        tested = None if test is None else tables.read_labelled(test, reading, like=dataset)
        rows, aside = rows_apart(dataset.n_samples, design, training, tested)
        if design is not Design.HOLDOUT:
            groups = columns_of_data(guarantee.by, str(data), dataset, reading, rows)
        elif tested is None:
            groups = columns_of_data(guarantee.by, str(data), dataset, reading, aside)
        else:
            groups = columns_of_data(guarantee.by, str(test), tested, reading)
        if outputs.votes is not None:
            columns_beside_votes(groups)
        more = tables.unlabelled_points(dataset, reading, training.unlabelled)
        with connected(training.dask):
            asked = guarantee.asked(design, deploy)
            model = train(design, dataset, asked, training, test=tested, unlabelled=more)
        found = model.certification_
        description = f"{dataset.n_samples:,} labelled rows of {Path(str(data)).name}"
    by_group = certify_by(found, groups)
    _show(found.certificate, by_group, as_json=as_json)
    about = {"estimator": model, "classes": by_group, "data": dataset}
    _write(outputs, found, groups, data_description=description, **about)
    if outputs.model is not None:
        _keep(model, dataset, outputs.model)
    _gate(found.certificate.value, guarantee.max_error)


def _show(certificate: Certificate, groups: GroupCertificates | None, *, as_json: bool) -> None:
    if not as_json:
        typer.echo(in_options(f"{certificate!r}\n\n{certificate.guarantee}"))
        if groups is not None:
            typer.echo(f"\nThis table and the guarantee each hold by themselves:\n{groups!r}")
        return
    typer.echo(
        json.dumps(
            {
                "value": certificate.value,
                "bound": certificate.bound,
                "delta": certificate.delta,
                "observed": certificate.observed,
                "guessing": certificate.guessing,
                "guarantee": certificate.guarantee,
                "bounds": {name: value.value for name, value in certificate.bounds.items()},
                "n_voters": certificate.counts.n_voters,
                "n_min": certificate.counts.n_min,
                "n_min_pairs": certificate.counts.n_min_pairs,
                "groups": [
                    {"by": each.by, "group": each.name, "value": each.value, "share": each.share}
                    for each in groups or ()
                ],
                "notes": certificate.notes,
                "assumptions": certificate.assumptions,
            }
        )
    )


def _write(
    outputs: OutputOptions, found: Certification, groups: dict[str, Any], **about: Any
) -> None:
    """Write the report, the certificate and the votes that were asked for."""
    if outputs.report is not None:
        from tandemvote.report import write_report  # noqa: PLC0415

        def write(path: Path) -> None:
            write_report(
                path,
                found,
                command=shlex.join(["tandemvote", *sys.argv[1:]]),
                words=in_options,
                **about,
            )

        typer.echo(f"Report: {write_whole(outputs.report, write)}", err=True)
    checks = {}
    if outputs.votes is not None:
        checks = write_votes(outputs.votes, found, columns_beside_votes(groups))
        typer.echo(f"Votes: {', '.join(map(str, dict.fromkeys(checks.values())))}", err=True)
    if outputs.certificate is not None:
        by_group = about["classes"]
        saved = found.certificate if by_group is None else by_group
        written = write_whole(outputs.certificate, saved.save)
        typer.echo(f"Certificate: {written}", err=True)
        words = [str(word) for option in checks.items() for word in option]
        typer.echo(
            f"Check it: {shlex.join(['tandemvote', 'verify', str(written), *words])}", err=True
        )


def _keep(model: Any, dataset: Dataset | None, path: Path) -> None:
    """Write the whole way from the columns of a table to labels."""
    from sklearn.pipeline import Pipeline  # noqa: PLC0415

    from tandemvote.model_file import JOBLIB_WARNING, save_model  # noqa: PLC0415

    if dataset is not None and dataset.encoder is not None:
        model = Pipeline([("columns", dataset.encoder), ("vote", model)])
    warning = f" ({JOBLIB_WARNING})" if path.suffix == ".joblib" else ""
    written = write_whole(path, lambda file: save_model(model, file))
    typer.echo(f"Model: {written}{warning}", err=True)


def _gate(value: float, max_error: float | None) -> None:
    from tandemvote.certificate.decimals import rounded_up  # noqa: PLC0415

    if max_error is not None and value > max_error:
        typer.echo(
            f"Not guaranteed: the error is at most {rounded_up(value)}, --max-error is"
            f" {max_error:g}.",
            err=True,
        )
        raise typer.Exit(GATE_CLOSED)
