"""``tandemvote certify``, from data or predictions to a guarantee, and ``tandemvote predict``."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tandemvote.cli import GATE_CLOSED, options, outputs
from tandemvote.cli.combinations import refuse_what_makes_no_sense

if TYPE_CHECKING:
    from tandemvote.certificate.by_group import GroupCertificates
    from tandemvote.certificate.certificate import Certificate
    from tandemvote.certification import Certification


@options.grouped
def certify(
    context: typer.Context,
    data: str | None = typer.Argument(None, help="CSV, Parquet, LIBSVM or npz file with labels."),
    *,
    scheme: options.Scheme = typer.Option(
        options.Scheme.COMMITTEE,
        help="committee: four models are tested on rows set aside, a fifth (the referee) is trained"
        " on all rows, and the five vote; holdout: one model is tested on rows set aside; trees:"
        " the paper's forest, in which every tree votes and no row is set aside.",
    ),
    predictions: str | None = typer.Option(
        None,
        help="Instead of DATA: a CSV or Parquet file with one row per point, a label column and"
        " one column per voter, empty where the voter was trained on that point. Labels are text:"
        " NA is a label, and 1 is not 1.0. For files of any size: a folder or quoted pattern of"
        " Parquet files.",
    ),
    guarantee: options.Guarantee,
    reading: options.Reading,
    training: options.Training,
    files: outputs.Outputs,
    as_json: options.Json = False,
) -> None:
    """Certify a classifier trained on DATA, or the vote of given --predictions.

    For example: tandemvote certify wine.csv --target quality --report wine.html

    Or: tandemvote certify visits.csv --target outcome --groups patient

    Or: tandemvote certify wine.csv --target quality --scheme trees --unlabelled more.csv

    Or: tandemvote certify --predictions votes.csv --target label

    Exit codes: 0 done; 2 a mistake in the call or the data; 3 --max-error is not guaranteed; 70 a
    bug in tandemvote.
    """
    refuse_what_makes_no_sense(context)
    outputs.check_outputs(files.paths, inputs=[data, predictions, training.unlabelled])
    from tandemvote.certificate.decimals import rounded_up
    from tandemvote.cli import data as tables
    from tandemvote.cli.predictions import certify_predictions
    from tandemvote.cli.running import connected
    from tandemvote.cli.schemes import train

    model = dataset = None
    beside: dict[str, list[str]] = {}
    if predictions is not None:
        given = guarantee, reading, training
        with connected(training.dask) as client:
            found, description = certify_predictions(predictions, *given, client=client)
        groups = tables.groups_of_predictions(guarantee.by, predictions)
    else:
        dataset = tables.read_data(str(data), reading, by=guarantee.by, groups=training.groups)
        groups = tables.groups_of_data(guarantee.by, dataset)
        if files.votes is not None:
            tables.refuse_names_of_votes(groups)
        unlabelled, notes = tables.unlabelled_points(dataset, reading, training.unlabelled)
        with connected(training.dask):
            model = train(scheme, dataset, guarantee, training, unlabelled=unlabelled)
        if scheme is not options.Scheme.TREES:
            groups = tables.select_rows(groups, model.test_indices_)
        beside = tables.columns_beside_votes(groups)
        found = model.certification_
        caveats = [*(f"{caveat}." for caveat in dataset.caveats), *notes]
        if caveats:
            found = replace(found, notes=[*found.notes, *caveats])
            model.certification_, model.certificate_ = found, found.certificate
        description = f"{dataset.n_samples:,} labelled rows of {Path(str(data)).name}"
    by_group = tables.certify_by(found, groups)
    _show(found.certificate, by_group, as_json=as_json)
    about = {"estimator": model, "data": dataset, "data_description": description}
    _write(files, found, by_group, beside, about)
    value, limit = found.certificate.value, guarantee.max_error
    if limit is not None and value > limit:
        proven = f"the error is at most {rounded_up(value)}, --max-error is {limit:g}."
        typer.echo(f"Not guaranteed: {proven}", err=True)
        raise typer.Exit(GATE_CLOSED)


def _show(certificate: Certificate, groups: GroupCertificates | None, *, as_json: bool) -> None:
    if not as_json:
        typer.echo(options.in_options(f"{certificate!r}\n\n{certificate.guarantee}"))
        if groups is not None:
            typer.echo(f"\nThis table and the guarantee each hold by themselves:\n{groups!r}")
        return
    names = ("value", "bound", "delta", "observed", "guessing", "guarantee")
    shown = {name: getattr(certificate, name) for name in names}
    shown["bounds"] = {name: value.value for name, value in certificate.bounds.items()}
    counts = certificate.counts
    tested = counts.sizes > 0
    shown["n_voters"], shown["n_untested"] = counts.n_voters, certificate.n_untested
    shown["n_min"] = int(counts.sizes[tested].min(initial=counts.sizes.max()))
    shown["n_min_pairs"] = int(counts.overlaps[tested][:, tested].min(initial=shown["n_min"]))
    shown["groups"] = [
        {"by": each.by, "group": each.name, "value": each.value} for each in groups or ()
    ]
    shown |= {"notes": certificate.notes, "assumptions": certificate.assumptions}
    typer.echo(json.dumps(shown))


def _write(
    files: outputs.Outputs,
    found: Certification,
    by_group: GroupCertificates | None,
    beside: dict[str, list[str]],
    about: dict[str, Any],
) -> None:
    """Write the files that were asked for, and say where they are and how to check them."""
    if files.report is not None:
        from tandemvote.report import write_report

        command = shlex.join(["tandemvote", *sys.argv[1:]])
        said = about | {"classes": by_group, "command": command, "words": options.in_options}
        written = outputs.write_whole(files.report, partial(write_report, certified=found, **said))
        typer.echo(f"Report: {written}", err=True)
    checks = {}
    if files.votes is not None:
        checks = outputs.write_votes(files.votes, found, beside)
        typer.echo(f"Votes: {', '.join(map(str, dict.fromkeys(checks.values())))}", err=True)
    if files.certificate is not None:
        saved = found.certificate if by_group is None else by_group
        written = outputs.write_whole(files.certificate, saved.save)
        words = [str(word) for check in checks.items() for word in check]
        check = shlex.join(["tandemvote", "verify", str(written), *words])
        typer.echo(f"Certificate: {written}\nCheck it: {check}", err=True)
    if files.model is not None:
        from sklearn.pipeline import Pipeline

        from tandemvote.model_file import JOBLIB_WARNING, save_model

        model, encoder = about["estimator"], about["data"].encoder
        if encoder is not None:  # the whole way from the columns of a table to labels
            model = Pipeline([("columns", encoder), ("vote", model)])
        written = outputs.write_whole(files.model, partial(save_model, model))
        warning = f" ({JOBLIB_WARNING})" if written.suffix == ".joblib" else ""
        typer.echo(f"Model: {written}{warning}", err=True)


@options.grouped
def predict(
    model: Path = typer.Argument(help="What certify --model wrote."),
    new: Path = typer.Argument(help="File with the same columns; labels optional."),
    *,
    output: Path | None = typer.Option(
        None, help="Where to write, .csv or .parquet; else CSV on the standard output."
    ),
    keep: list[str] = typer.Option(
        [], help="Column of NEW to copy, such as an identifier; repeatable."
    ),
    trusted: bool = typer.Option(
        False, "--trusted", help="Open a .joblib file, which can run its maker's code."
    ),
    reading: options.FileReading,
) -> None:
    """Predict the labels of NEW, one per row, by a certified MODEL.

    For example: tandemvote predict wine.skops new.csv --keep id --output predictions.csv
    """
    from tandemvote.model_file import classifier_of, encoder_of, load_model
    from tandemvote.tables import read_features
    from tandemvote.tables.votes_table import read_column

    if "prediction" in keep:
        raise typer.BadParameter("--keep prediction: labels predicted have this name. Rename it.")
    outputs.check_outputs({} if output is None else {"--output": output}, inputs=[model, new])
    kept = load_model(model, trusted=trusted)
    classifier = classifier_of(kept)
    like = encoder_of(kept) or int(classifier.n_features_in_)
    predicted = classifier.predict(read_features(new, like=like, **reading.arguments))
    cells = {"decimal", "missing_values"}  # which are copied as they are written
    how = {name: value for name, value in reading.arguments.items() if name not in cells}
    table = {name: read_column(new, name, **how) for name in keep} | {"prediction": predicted}
    if output is None:
        outputs.write_table(table, None)
    else:
        written = outputs.write_whole(output, partial(outputs.write_table, table))
        typer.echo(f"Predictions: {written}", err=True)
    notes = (f"Note: {note}" for note in classifier.certificate_.notes)
    typer.echo("\n".join([classifier.certificate_.guarantee, *notes]), err=True)
