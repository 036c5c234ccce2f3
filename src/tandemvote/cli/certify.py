"""``tandemvote certify``: from a table to a classifier with an error bound."""

from __future__ import annotations

import typer

from tandemvote.cli import options, outputs
from tandemvote.cli.combinations import check_combinations


@options.grouped
def certify(
    context: typer.Context,
    data: str = typer.Argument(help="CSV, Parquet or Excel file; - for the standard input."),
    *,
    columns: options.Columns,
    reading: options.FileReading,
    training: options.Training,
    guarantee: options.Guarantee,
    files: outputs.Outputs,
    as_json: options.Json = False,
) -> None:
    """Train a classifier on DATA and certify its error rate.

    For example: tandemvote certify wine.csv --target quality --report wine.html

    Or: tandemvote certify visits.csv --target outcome --groups patient --max-error 5%
    """
    check_combinations(context)
    outputs.check_outputs(files.paths, inputs=[data, training.unlabeled])
    from tandemvote.cli import data as tables
    from tandemvote.cli.results import Result, deliver
    from tandemvote.cli.schemes import train

    table = tables.read_data(data, columns, reading, by=guarantee.by)
    by = tables.groupings(guarantee.by, table)
    if files.votes is not None:
        tables.check_names_of_votes(table.beside)
    unlabeled = tables.read_unlabeled(table, columns, reading, training.unlabeled)
    findings = tables.audited(table, columns, unlabeled)
    model, rows = train(table, columns, training, guarantee, unlabeled=unlabeled, findings=findings)
    by = {name: values if isinstance(values, str) else values[rows] for name, values in by.items()}
    certificate = model[-1].certificate_
    result = Result(
        certificate=certificate,
        groups=certificate.by_group(by) if by else None,
        data=f"{len(table.y):,} labeled rows of {table.name}",
        columns={name: values for name, values in by.items() if not isinstance(values, str)},
        model=model,
    )
    deliver(result, files, guarantee, as_json=as_json)
