"""``tandemvote watch``: whether new labels contradict a certificate."""

from __future__ import annotations

from pathlib import Path

import typer

from tandemvote.cli import ALARM, options, outputs
from tandemvote.cli.messages import say
from tandemvote.cli.options import option


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
