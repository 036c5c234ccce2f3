"""``tandemvote compare``: which of several models errs less often."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import typer

from tandemvote.cli import options, outputs
from tandemvote.cli.messages import say
from tandemvote.cli.options import flag, option

Predicted = tuple[dict[str, Any], Any, Any, Sequence[Any]]
"""Predictions by the name of the model, labels, groups, and findings about the table."""


@options.grouped
def compare(
    data: str = typer.Argument(
        metavar="DATA",
        help="Table with labels, to train on; or with --predictions, a table of predictions: a"
        " label column and one column per model, the first of which is compared with the others.",
    ),
    *,
    predictions: bool = flag("--predictions", "DATA has predictions of models on test rows."),
    learner: list[options.Learner] = option(
        [], "forest|boosting", "Learner to train. The first one is compared with the others."
    ),
    picture: Path | None = options.PICTURE,
    fitting: options.Fitting,
    guarantee: options.Confidence,
    columns: options.Columns,
    reading: options.FileReading,
    as_json: bool = options.JSON,
) -> None:
    """Compare models on the same test rows.

    For example:

    tandemvote compare wine.csv --target kind --learner forest --learner boosting

    tandemvote compare predictions.csv --predictions --target label
    """
    outputs.check_outputs({"picture": picture}, inputs=[data])
    if predictions == bool(learner) or len(set(learner)) != len(learner) or len(learner) == 1:
        raise typer.BadParameter("Give --predictions, or at least two different --learner.")
    from tandemvote.models.held_out import Samples
    from tandemvote.monitoring.comparison import compare_all

    if predictions:
        models, y, groups, findings = _read(data, columns)
    else:
        scheme = options.Scheme.HOLDOUT
        holdout = partial(
            options.Training, **vars(fitting), scheme=scheme, test_size="auto", order=None
        )
        training = [holdout(learner=each, unlabeled=None) for each in learner]
        models, y, groups, findings = _trained(data, columns, reading, training, guarantee)
    predicted, samples = [*models.values()], Samples(None, y, groups)
    compared = compare_all(predicted, samples, confidence=guarantee.confidence, names=[*models])
    compared = [replace(each, findings=tuple(findings)) for each in compared]
    if picture is not None:
        from tandemvote.displays import ComparisonDisplay

        ComparisonDisplay(compared).save(picture)
        say(f"Picture: {picture}", err=True)
    for each in compared:
        say(json.dumps(each.to_dict()) if as_json else repr(each))


def _read(path: str, columns: options.Columns) -> Predicted:
    """Read a table of predictions."""
    from tandemvote.votes import vote_tables

    target, groups = columns.target or "label", columns.groups
    skipped = {target, groups, *columns.drop}
    names = [name for name in vote_tables.column_names(path) if name not in skipped]
    cells = vote_tables.read_columns(path, [*names, target, *([groups] if groups else [])])
    for name in (*names, target):
        if "" in cells[name]:
            row = cells[name].index("") + 1
            raise typer.BadParameter(f"Row {row} of column {name!r} is empty. Fill or drop it.")
    by = cells[groups] if groups else None
    return {name: cells[name] for name in names}, cells[target], by, ()


def _trained(
    path: str,
    columns: options.Columns,
    reading: options.FileReading,
    learners: list[options.Training],
    guarantee: options.Confidence,
) -> Predicted:
    """Train learners on the same rows of a table, and predict the others."""
    from tandemvote.cli.training import audited, read_data, train

    table = read_data(path, columns, reading)
    findings = audited(table, columns, learners[0])
    models = {
        each.learner.value: train(table, columns, each, guarantee, findings)[0][-1]
        for each in learners
    }
    rows = next(iter(models.values())).test_indices_  # the seed determines them
    by = None if columns.groups is None else table.others[columns.groups][rows]
    predicted = {name: model.predict(table.X.iloc[rows]) for name, model in models.items()}
    return predicted, table.y[rows], by, findings
