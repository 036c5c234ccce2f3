"""``tandemvote compare``: whether one model is better than another."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from tandemvote.cli import options, outputs
from tandemvote.cli.messages import say

if TYPE_CHECKING:
    from tandemvote.models.compare import Comparison


@options.grouped
def compare(
    data: str = typer.Argument(
        metavar="DATA",
        help="Table with labels, to train on; or with --predictions, a table of predictions: a"
        " label column and one column per model, the first of which is compared with the others.",
    ),
    *,
    predictions: bool = typer.Option(
        False, "--predictions", help="DATA has predictions of models on test rows."
    ),
    learner: list[options.Learner] = typer.Option(
        [],
        metavar="forest|boosting",
        help="Learner to train. Repeatable. The first one is compared with the others.",
    ),
    picture: options.Picture = None,
    fitting: options.Fitting,
    guarantee: options.Confidence,
    columns: options.Columns,
    reading: options.FileReading,
    as_json: options.Json = False,
) -> None:
    """Compare models on the same test rows.

    For example: tandemvote compare wine.csv --target quality --learner forest --learner boosting

    Or: tandemvote compare predictions.csv --predictions --target label
    """
    outputs.check_outputs({"--picture": picture}, inputs=[data])
    if predictions == bool(learner) or len(set(learner)) != len(learner) or len(learner) == 1:
        raise typer.BadParameter("Give --predictions, or at least two different --learner.")
    if predictions:
        compared = _read(data, columns, guarantee.confidence)
    else:
        holdout = {"scheme": options.Scheme.HOLDOUT, **vars(fitting)}
        training = [options.Training(learner=each, **holdout) for each in learner]
        compared = _trained(data, columns, reading, training, guarantee)
    if picture is not None:
        from tandemvote.displays import ComparisonDisplay

        ComparisonDisplay(compared).save(picture)
        say(f"Picture: {picture}", err=True)
    for each in compared:
        say(json.dumps(each.to_dict()) if as_json else repr(each))


def _read(path: str, columns: options.Columns, confidence: float) -> list[Comparison]:
    """Compare the columns of a table of predictions."""
    from tandemvote import votes_io
    from tandemvote.models.compare import compare_all
    from tandemvote.models.held_out import Samples

    target, groups = columns.target or "label", columns.groups
    skipped = {target, groups, *columns.drop}
    names = [name for name in votes_io.column_names(path) if name not in skipped]
    cells = votes_io.read_columns(path, [*names, target, *([groups] if groups else [])])
    for name in (*names, target):
        if "" in cells[name]:
            row = cells[name].index("") + 1
            raise typer.BadParameter(f"Row {row} of column {name!r} is empty. Fill or drop it.")
    by = cells[groups] if groups else None
    given, samples = [cells[name] for name in names], Samples(None, cells[target], by)
    return compare_all(given, samples, confidence=confidence, names=names)


def _trained(
    path: str,
    columns: options.Columns,
    reading: options.FileReading,
    learners: list[options.Training],
    guarantee: options.Confidence,
) -> list[Comparison]:
    """Train learners on the same rows and compare them on the others."""
    from tandemvote.cli.data import audited, read_data
    from tandemvote.cli.schemes import train
    from tandemvote.models.compare import compare_all
    from tandemvote.models.held_out import Samples

    table = read_data(path, columns, reading)
    findings = audited(table, columns)
    models = [
        train(table, columns, each, guarantee, unlabeled=None, findings=findings)[0][-1]
        for each in learners
    ]
    rows = models[0].test_indices_  # the seed determines them
    by = None if columns.groups is None else table.others[columns.groups][rows]
    compared = compare_all(
        [each.predict(table.X.iloc[rows]) for each in models],
        Samples(None, table.y[rows], by),
        confidence=guarantee.confidence,
        names=[each.learner.value for each in learners],
    )
    return [replace(each, findings=tuple(findings)) for each in compared]
