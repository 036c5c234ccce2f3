"""``tandemvote certify``: from a table to a classifier with an error bound."""

from __future__ import annotations

from pathlib import Path

import typer

from tandemvote.cli import options, outputs
from tandemvote.cli.combinations import check_combinations


@options.grouped
def certify(
    context: typer.Context,
    data: Path = typer.Argument(help="CSV, Parquet, LIBSVM or npz file with labels."),
    *,
    scheme: options.Scheme = typer.Option(
        options.Scheme.COMMITTEE,
        help="committee: four models are tested on rows set aside, a fifth (the referee) is trained"
        " on all rows, and the five vote; holdout: one model is tested on rows set aside; trees:"
        " the paper's forest, in which every tree votes and no row is set aside.",
    ),
    guarantee: options.Guarantee,
    reading: options.Reading,
    training: options.Training,
    files: outputs.Outputs,
    as_json: options.Json = False,
) -> None:
    """Train a classifier on DATA and certify its error rate.

    For example: tandemvote certify wine.csv --target quality --report wine.html

    Or: tandemvote certify visits.csv --target outcome --groups patient

    Or: tandemvote certify wine.csv --target quality --scheme trees --unlabeled more.csv

    Exit codes: 0 done; 2 a mistake in the call or the data; 3 --max-error is not guaranteed; 70 a
    bug in tandemvote.
    """
    check_combinations(context)
    outputs.check_outputs(files.paths, inputs=[data, training.unlabeled])
    from tandemvote.cli import data as tables
    from tandemvote.cli.results import Result, deliver
    from tandemvote.cli.running import connected
    from tandemvote.cli.schemes import train

    dataset = tables.read_data(data, reading, by=guarantee.by, groups=training.groups)
    by = tables.groupings(guarantee.by, dataset)
    columns = {name: values for name, values in by.items() if not isinstance(values, str)}
    if files.votes is not None:
        tables.check_names_of_votes(columns)
    unlabeled, findings = tables.read_unlabeled(dataset, reading, training.unlabeled)
    with connected(training.dask):
        model = train(scheme, dataset, guarantee, training, unlabeled=unlabeled, findings=findings)
    certificate = model.certificate_
    result = Result(
        certificate=certificate,
        groups=certificate.by_group(by) if by else None,
        data=f"{dataset.n_samples:,} labeled rows of {data.name}",
        columns=columns,
        model=model,
        encoder=dataset.encoder,
    )
    deliver(result, files, guarantee, as_json=as_json)
