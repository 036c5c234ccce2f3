"""``tandemvote certify``: from a data file, or from predictions, to a guarantee."""

from __future__ import annotations

import json
import shlex
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tandemvote.cli import GATE_CLOSED
from tandemvote.cli.combinations import refuse_what_makes_no_sense
from tandemvote.cli.options import (
    DataOptions,
    Deploy,
    Design,
    GuaranteeOptions,
    Json,
    TrainingOptions,
    existing,
    grouped,
    in_options,
)
from tandemvote.cli.outputs import OutputOptions, check_outputs, write_votes, write_whole

if TYPE_CHECKING:
    from tandemvote.certificate.by_group import GroupCertificates
    from tandemvote.certificate.certificate import Certificate
    from tandemvote.certification import Certification
    from tandemvote.tables import Dataset


@grouped
def certify(
    context: typer.Context,
    data: str | None = typer.Argument(None, help="CSV, Parquet, LIBSVM or npz file with labels."),
    *,
    design: Design = typer.Option(
        Design.FOLDS,
        help="folds: a few whole models, each evaluated on the fold it never saw; trees: the"
        " paper's forest, in which every tree votes; holdout: one model, and labels set aside to"
        " test it.",
    ),
    deploy: Deploy = typer.Option(
        Deploy.VOTE,
        help="What to certify and keep: the vote; with folds, refit: one model trained on all"
        " labels; with trees, average: the forest's averaged probabilities, as scikit-learn"
        " predicts. Both others need unlabelled points.",
    ),
    predictions: str | None = typer.Option(
        None,
        help="Instead of DATA: a CSV or Parquet file with one row per point, a label column and"
        " one column per voter, empty where the voter was trained on that point. Labels are text:"
        " NA is a label, and 1 is not 1.0. For files of any size: a folder or quoted pattern of"
        " Parquet files.",
    ),
    test: Path | None = typer.Option(
        None, callback=existing, help="Labelled file used for nothing else; it tests the vote."
    ),
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
    refuse_what_makes_no_sense(context, [design])
    check_outputs(outputs.paths, inputs=[data, predictions, test, training.unlabelled])
    from tandemvote.certificate.decimals import rounded_up
    from tandemvote.cli import data as tables
    from tandemvote.cli.designs import certify_predictions, connected, rows_apart, train

    model = dataset = None
    if predictions is not None:
        with connected(training.dask) as client:
            found, description = certify_predictions(
                predictions,
                reading.target or "label",
                guarantee.asked(None),
                unlabelled=training.unlabelled,
                ignore=[*reading.drop, *({*guarantee.by} - {*tables.GROUPS_OF_VOTES})],
                client=client,
            )
        groups = tables.groups_of_predictions(guarantee.by, predictions)
    else:
        dataset = tables.read_data(str(data), reading, by=guarantee.by)
        tested = None
        if test is not None:
            tested = tables.read_labelled(test, reading, by=guarantee.by, like=dataset)
        rows, aside = rows_apart(dataset.n_samples, design, training, tested)
        if design is Design.HOLDOUT and tested is not None:
            groups = tables.groups_of_data(guarantee.by, tested)
        else:
            voted = aside if design is Design.HOLDOUT else rows
            groups = tables.groups_of_data(guarantee.by, dataset, voted)
        if outputs.votes is not None:
            tables.columns_beside_votes(groups)
        more = tables.unlabelled_points(dataset, reading, training.unlabelled)
        with connected(training.dask):
            asked = guarantee.asked(design, deploy)
            model = train(design, dataset, asked, training, test=tested, unlabelled=more)
        found = model.certification_
        description = f"{dataset.n_samples:,} labelled rows of {Path(str(data)).name}"
    by_group = tables.certify_by(found, groups)
    _show(found.certificate, by_group, as_json=as_json)
    about = {"estimator": model, "data": dataset, "data_description": description}
    _write(outputs, found, by_group, groups, **about)
    if outputs.model is not None:
        _keep(model, dataset, outputs.model)
    value, limit = found.certificate.value, guarantee.max_error
    if limit is not None and value > limit:
        said = (
            f"Not guaranteed: the error is at most {rounded_up(value)}, --max-error is {limit:g}."
        )
        typer.echo(said, err=True)
        raise typer.Exit(GATE_CLOSED)


def _show(certificate: Certificate, groups: GroupCertificates | None, *, as_json: bool) -> None:
    if not as_json:
        typer.echo(in_options(f"{certificate!r}\n\n{certificate.guarantee}"))
        if groups is not None:
            typer.echo(f"\nThis table and the guarantee each hold by themselves:\n{groups!r}")
        return
    names = ("value", "bound", "delta", "observed", "guessing", "guarantee")
    shown = {name: getattr(certificate, name) for name in names}
    shown["bounds"] = {name: value.value for name, value in certificate.bounds.items()}
    for name in ("n_voters", "n_min", "n_min_pairs"):
        shown[name] = getattr(certificate.counts, name)
    shown["groups"] = [
        {"by": each.by, "group": each.name, "value": each.value, "share": each.share}
        for each in groups or ()
    ]
    shown |= {"notes": certificate.notes, "assumptions": certificate.assumptions}
    typer.echo(json.dumps(shown))


def _write(
    outputs: OutputOptions,
    found: Certification,
    by_group: GroupCertificates | None,
    groups: dict[str, Any],
    **about: Any,
) -> None:
    """Write the report, the certificate and the votes that were asked for."""
    if outputs.report is not None:
        from tandemvote.report import write_report

        command = shlex.join(["tandemvote", *sys.argv[1:]])
        about |= {"classes": by_group, "command": command, "words": in_options}
        written = write_whole(outputs.report, partial(write_report, certified=found, **about))
        typer.echo(f"Report: {written}", err=True)
    checks = {}
    if outputs.votes is not None:
        from tandemvote.cli.data import columns_beside_votes

        checks = write_votes(outputs.votes, found, columns_beside_votes(groups))
        typer.echo(f"Votes: {', '.join(map(str, dict.fromkeys(checks.values())))}", err=True)
    if outputs.certificate is not None:
        saved = found.certificate if by_group is None else by_group
        written = write_whole(outputs.certificate, saved.save)
        words = [str(word) for option in checks.items() for word in option]
        check = shlex.join(["tandemvote", "verify", str(written), *words])
        typer.echo(f"Certificate: {written}\nCheck it: {check}", err=True)


def _keep(model: Any, dataset: Dataset | None, path: Path) -> None:
    """Write the whole way from the columns of a table to labels."""
    from sklearn.pipeline import Pipeline

    from tandemvote.model_file import JOBLIB_WARNING, save_model

    if dataset is not None and dataset.encoder is not None:
        model = Pipeline([("columns", dataset.encoder), ("vote", model)])
    warning = f" ({JOBLIB_WARNING})" if path.suffix == ".joblib" else ""
    written = write_whole(path, lambda file: save_model(model, file))
    typer.echo(f"Model: {written}{warning}", err=True)
