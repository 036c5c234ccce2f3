"""``tandemvote watch``: whether a certificate is still true."""

from __future__ import annotations

from pathlib import Path

import typer

from tandemvote.cli import ALARM, options, outputs
from tandemvote.cli.messages import say


@options.grouped
def watch(
    certificate: Path = typer.Argument(
        metavar="CERTIFICATE", help="Certificate file of the model in use."
    ),
    labeled: str = typer.Argument(
        metavar="LABELED",
        help="CSV or Parquet file with one row per labeled sample, in the order of arrival.",
    ),
    *,
    target: str = typer.Option(
        "label", "--target", "-t", metavar="COLUMN", help="True labels; empty if not known yet."
    ),
    prediction: str = typer.Option("prediction", metavar="COLUMN", help="The model's predictions."),
    groups: str | None = typer.Option(
        None,
        metavar="COLUMN",
        help="Column of rows that belong together; the first row of each group counts.",
    ),
    picture: options.Picture = None,
    guarantee: options.Confidence,
) -> None:
    """Check whether new labels contradict a CERTIFICATE.

    The file may grow: each call reads all of it. If the certificate is true, an alarm is ever
    raised with a probability of at most 1 minus --confidence. The exit code is then 4.

    For example: tandemvote watch wine.json labeled.csv --target quality
    """
    outputs.check_outputs({"--picture": picture}, inputs=[labeled])
    from tandemvote import votes_io
    from tandemvote.certificate import Certificate
    from tandemvote.monitor import Monitor
    from tandemvote.verify.recount import written

    loaded = Certificate.load(certificate)
    classes = {written(label): label for label in loaded.counts.classes.tolist()}
    names = [target, prediction, *([] if groups is None else [groups])]
    columns = votes_io.read_columns(labeled, names)
    rows = [place for place, label in enumerate(columns[target]) if label]
    for name in (target, prediction):
        for place in rows:
            if columns[name][place] not in classes:
                raise typer.BadParameter(
                    f"{columns[name][place]!r:.40} in column {name!r}, row {place + 1}, is not a"
                    f" class of the certificate: {', '.join(map(repr, classes))}. Certify again if"
                    " there is a new class."
                )
    truth, predicted = ([classes[columns[n][place]] for place in rows] for n in names[:2])
    by = None if groups is None else [columns[groups][place] for place in rows]
    monitor = Monitor(loaded, confidence=guarantee.confidence)
    path = monitor.log_evidence(truth, predicted, groups=by)
    if picture is not None:
        from tandemvote.displays import MonitorDisplay

        MonitorDisplay(monitor, path).save(picture)
        say(f"Picture: {picture}", err=True)
    say(monitor.summary)
    raise typer.Exit(ALARM if monitor.alarm else 0)
