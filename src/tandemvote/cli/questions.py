"""``tandemvote compare``, ``plan`` and ``watch``: questions besides how often one model errs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import typer

from tandemvote.cli import ALARM, options, outputs
from tandemvote.cli.messages import say
from tandemvote.cli.options import flag, option, share

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


@options.grouped
def plan(
    error: float = option(..., "SHARE", "Expected error rate.", parser=share),
    max_error: float = option(..., "SHARE", "Error rate to guarantee.", parser=share),
    power: float = option(0.8, "SHARE", "Probability of success at --error.", parser=share),
    *,
    guarantee: options.Confidence,
) -> None:
    """Plan how many labeled test rows guarantee an error rate of at most --max-error.

    For example:

    tandemvote plan --error 3% --max-error 5%
    """
    from tandemvote.metrics.planning import labels_in_all, labels_needed

    needed = labels_needed(error, max_error, confidence=guarantee.confidence, power=power)
    say(
        f"{needed:,} test rows guarantee an error rate of at most {100 * max_error:.4g}% with a"
        f" probability of {100 * power:.4g}%, if it is {100 * error:.4g}%.\ncertify sets aside this"
        f" many of {labels_in_all(needed):,} labeled rows (--test-size auto)."
    )


@options.grouped
def watch(
    certificate: Path = typer.Argument(
        metavar="CERTIFICATE", help="Certificate file of the model in use."
    ),
    labeled: str = typer.Argument(
        metavar="LABELED",
        help="CSV or Parquet file: a row for every prediction, in the order of arrival.",
    ),
    *,
    target: str = option("label", "COLUMN", "True labels, empty if unknown.", "--target", "-t"),
    prediction: str = option("prediction", "COLUMN", "The model's predictions."),
    groups: str | None = option(
        None, "COLUMN", "Groups of rows, adjacent. The last group waits until another follows."
    ),
    picture: Path | None = options.PICTURE,
    guarantee: options.Confidence,
) -> None:
    """Check whether new labels contradict a CERTIFICATE.

    The file may grow, and labels may be filled in later: each call reads all of it. A row without a
    label counts as right until then. On an alarm the exit code is 4.

    If the certificate is true, the probability of ever raising one is at most 1 minus --confidence.

    For example:

    tandemvote watch wine.json labeled.csv --target quality
    """
    outputs.check_outputs({"picture": picture}, inputs=[labeled])
    import numpy as np

    from tandemvote.certificate import Certificate
    from tandemvote.monitoring.monitor import Monitor
    from tandemvote.votes import vote_tables

    monitor = Monitor(Certificate.load(certificate), confidence=guarantee.confidence)
    if groups is None and monitor.by_group:
        raise typer.BadParameter("The certificate is about groups. Name their column by --groups.")
    if groups is not None and not monitor.by_group:
        raise typer.BadParameter("The certificate is not about groups. Certify with --groups.")
    names = [target, prediction, *([] if groups is None else [groups])]
    if len(set(names)) < len(names):
        raise typer.BadParameter("--target, --prediction and --groups must be different columns.")
    columns, classes = vote_tables.read_columns(labeled, names), monitor.classes or []
    for name in names:
        for row, cell in enumerate(columns[name], 1):
            if not cell and name != target:
                raise typer.BadParameter(f"Row {row} of column {name!r} is empty. Fill it.")
            if cell and name != groups and cell not in classes:
                raise typer.BadParameter(
                    f"{cell!r:.40} in column {name!r}, row {row}, is not a class of the"
                    f" certificate: {', '.join(map(repr, classes))}. Certify again if there is a"
                    " new class."
                )
    path = monitor.update_evidence(
        np.array([label or None for label in columns[target]], object),
        columns[prediction],
        groups=None if groups is None else columns[groups],
        grows=True,
    )
    if picture is not None:
        from tandemvote.displays import MonitorDisplay

        MonitorDisplay(monitor, path).save(picture)
        say(f"Picture: {picture}", err=True)
    say(monitor.summary)
    raise typer.Exit(ALARM if monitor.alarm else 0)
