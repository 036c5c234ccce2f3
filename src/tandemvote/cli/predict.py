"""``tandemvote predict``: labels of new rows."""

from __future__ import annotations

from pathlib import Path

import typer

from tandemvote.cli import options, outputs
from tandemvote.cli.messages import say
from tandemvote.cli.options import flag, option
from tandemvote.votes.printable import printable

PREDICTION = "prediction"


@options.grouped
def predict(
    model: Path = typer.Argument(
        metavar="MODEL", help="File that certify --model wrote.", exists=True, dir_okay=False
    ),
    new: str = typer.Argument(
        metavar="NEW", help="Table with the same columns in any order; - for the standard input."
    ),
    *,
    output: Path | None = option(
        None, "FILE", "File (.csv or .parquet) instead of the standard output.", "--output", "-o"
    ),
    keep: list[str] = option([], "COLUMN", "Column of NEW to copy, such as an identifier."),
    formulas: bool = flag("--formulas", "Write text such as =A1+B1 without an apostrophe."),
    trusted: bool = flag("--trusted", "Open a .joblib file, which can run its author's code."),
    reading: options.FileReading,
) -> None:
    """Predict the labels of NEW, one per row, with a certified MODEL.

    For example:

    tandemvote predict wine.skops new.csv --keep id -o predictions.csv
    """
    if PREDICTION in keep:
        raise typer.BadParameter("--keep prediction is the name of the new column. Rename yours.")
    outputs.check_outputs({"output": output}, inputs=[model, new])
    from tandemvote.model_files.model_file import load_model
    from tandemvote.tables import read_features
    from tandemvote.tables.encoding import describe_unknown

    loaded = load_model(model, trusted=trusted)
    columns = getattr(loaded, "named_steps", {}).get("columns")
    if columns is None:
        raise typer.BadParameter(f"{model} was not written by tandemvote certify --model.")
    certificate = loaded[-1].certificate_
    X, copied = read_features(new, columns.kinds, copied=keep, **vars(reading))
    table = {name: copied[name] for name in keep} | {PREDICTION: loaded[1:].predict(X)}
    outputs.write_table(table, output, formulas=formulas)
    lines = [] if output is None else [f"Predictions: {output}"]
    lines += [*describe_unknown(loaded, X), certificate.guarantee]
    lines += [str(each) for each in certificate.findings if each.severity != "note"]
    for line in lines:
        say(printable(line), err=True)
