"""``tandemvote certify``: from a table to a classifier with an error bound."""

from __future__ import annotations

from dataclasses import replace

import typer

from tandemvote.cli import options, outputs
from tandemvote.cli.options import Learner, Scheme


@options.grouped
def certify(
    data: options.Data,
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
    _check_combinations(columns, training, guarantee, files)
    outputs.check_outputs(files.paths, inputs=[data, training.unlabeled])
    from tandemvote.cli import data as tables
    from tandemvote.cli.results import deliver
    from tandemvote.cli.schemes import train
    from tandemvote.tables import read_features

    table = tables.read_data(data, columns, reading, by=guarantee.by)
    by = tables.read_groupings(guarantee.by, table)
    unlabeled = None
    if training.unlabeled is not None:
        unlabeled, _ = read_features(training.unlabeled, table.columns(), **vars(reading))
    findings = tables.audited(table, columns, unlabeled)
    model, rows = train(table, columns, training, guarantee, unlabeled=unlabeled, findings=findings)
    by = {name: values if isinstance(values, str) else values[rows] for name, values in by.items()}
    certificate = model[-1].certificate_
    if by:
        certificate = replace(certificate, groups=certificate.by_group(by))
    deliver(
        certificate,
        files.paths,
        guarantee,
        as_json=as_json,
        data=f"{len(table.y):,} labeled rows of {table.name}",
        columns={name: values for name, values in by.items() if not isinstance(values, str)},
        model=model,
    )


def _check_combinations(
    columns: options.Columns,
    training: options.Training,
    guarantee: options.Guarantee,
    files: outputs.Outputs,
) -> None:
    """Reject options that would be ignored, or fail after the training."""
    trees = training.scheme is Scheme.TREES
    boosting = training.learner is Learner.BOOSTING
    contradictions = {
        "--learner boosting requires --scheme committee or holdout: boosted trees correct each"
        " other, so they cannot vote.": trees and boosting,
        "--test-size requires --scheme committee or holdout. No rows are set aside for --scheme"
        " trees.": trees and training.test_size != "auto",
        "--groups requires --scheme committee or holdout. The trees of a forest are tested on"
        " out-of-bag rows, and other rows of the same group have trained them.": (
            trees and columns.groups
        ),
        "--unlabeled requires --scheme trees. The committee and the hold-out are tested on labels,"
        " so rows without labels would change nothing.": training.unlabeled and not trees,
        "--by cannot be combined with --unlabeled: the groups of unlabeled rows are unknown.": (
            training.unlabeled and guarantee.by
        ),
        "--by predicted requires that every model is tested: use --scheme holdout, or --by"
        " class.": options.PREDICTED in guarantee.by and training.scheme is not Scheme.HOLDOUT,
        "--by label cannot be combined with --votes, which writes a column of this name. Rename"
        " it.": files.votes and {*guarantee.by} & {"label"} - {columns.target},
        "a .skops file cannot hold boosted models. Choose --model with the ending .joblib, for"
        " yourself and for those who trust you.": (
            boosting and files.model and files.model.suffix == ".skops"
        ),
    }
    for message, applies in contradictions.items():
        if applies:
            raise typer.BadParameter(message)
