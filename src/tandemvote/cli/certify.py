"""``tandemvote certify``: from a table to a classifier with an error bound."""

from __future__ import annotations

import typer

from tandemvote.cli import options, outputs
from tandemvote.cli.options import Learner, Scheme


@options.grouped
def certify(
    data: str = options.DATA,
    *,
    columns: options.Columns,
    reading: options.FileReading,
    training: options.Training,
    forest: options.Forest,
    guarantee: options.Guarantee,
    files: options.Outputs,
    as_json: bool = options.JSON,
) -> None:
    """Train a classifier on DATA and certify its error rate.

    For example:

    tandemvote certify wine.csv --target quality --report wine.html

    tandemvote certify visits.csv --target outcome --groups patient --max-error 5%
    """
    _check_combinations(columns, training, forest, guarantee, files)
    outputs.check_outputs(vars(files), inputs=[data, training.unlabeled])
    from tandemvote.certificate.groups import check_n_groups
    from tandemvote.cli.training import audited, check_leaks, read_data, read_groupings, train
    from tandemvote.tables import read_features

    table = read_data(
        data, columns, reading, by=guarantee.by, order=training.order, quiet=guarantee.quiet
    )
    by = read_groupings(guarantee.by, table.target, [*table.kinds, *table.excluded])
    for name in {*by} & {*table.others}:  # before the training
        check_n_groups(name, len({*table.others[name]} - {None}))
    unlabeled = None
    if training.unlabeled is not None:
        unlabeled, _ = read_features(training.unlabeled, table.kinds, **vars(reading))
    findings = audited(table, columns, training, unlabeled)
    model, rows = train(
        table, columns, training, guarantee, findings, forest=forest, unlabeled=unlabeled
    )
    check_leaks(model[-1].certificate_, table.kinds, columns.allow)
    outputs.deliver(
        model[-1].certificate_,
        vars(files),
        guarantee,
        as_json=as_json,
        data=f"{len(table.y):,} labeled rows of {table.name}",
        by={name: table.others[name][rows] if name in table.others else name for name in by},
        model=model,
    )


def _check_combinations(
    columns: options.Columns,
    training: options.Training,
    forest: options.Forest,
    guarantee: options.Guarantee,
    files: options.Outputs,
) -> None:
    """Reject options that would be ignored, or fail after the training."""
    trees, boosting = training.scheme is Scheme.TREES, training.learner is Learner.BOOSTING
    of_models = {
        "--learner boosting": boosting,
        "--test-size": training.test_size != "auto",
        "--groups": columns.groups,
        "--order": training.order,
    }
    of_forest = [f"--{name.replace('_', '-')} requires --scheme trees." for name in forest.given]
    contradictions: dict[str, object] = dict.fromkeys(of_forest, not trees)
    contradictions |= {
        f"{name} requires --scheme committee or holdout. The trees of a forest are tested on"
        " out-of-bag rows, not on rows set aside.": trees and given
        for name, given in of_models.items()
    }
    contradictions |= {
        "--unlabeled requires --scheme trees. The committee and the hold-out are tested on labels,"
        " so rows without labels would change nothing.": training.unlabeled and not trees,
        "--by cannot be combined with --unlabeled: the groups of unlabeled rows are unknown.": (
            training.unlabeled and guarantee.by
        ),
        "--by predicted requires that every model is tested: use --scheme holdout, or --by"
        " class.": "predicted" in guarantee.by and training.scheme is not Scheme.HOLDOUT,
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
