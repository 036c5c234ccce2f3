"""``tandemvote predict``: labels of new rows."""

from __future__ import annotations

from pathlib import Path

import typer

from tandemvote.cli import options, outputs
from tandemvote.cli.messages import say
from tandemvote.spelling import printable


@options.grouped
def predict(
    model: Path = typer.Argument(help="File that certify --model wrote."),
    new: Path = typer.Argument(help="File with the same columns; labels are ignored."),
    *,
    output: Path | None = typer.Option(
        None, help="File to write, .csv or .parquet; by default CSV on the standard output."
    ),
    keep: list[str] = typer.Option(
        [], help="Column of NEW to copy, such as an identifier; repeatable."
    ),
    formulas: bool = typer.Option(
        False,
        "--formulas",
        help="Write text such as =A1+B1 to CSV as it is. By default it gets an apostrophe, so that"
        " a spreadsheet does not run it.",
    ),
    trusted: bool = typer.Option(
        False, "--trusted", help="Open a .joblib file, which can run the code of its author."
    ),
    reading: options.FileReading,
) -> None:
    """Predict the labels of NEW, one per row, with a certified MODEL.

    For example: tandemvote predict wine.skops new.csv --keep id --output predictions.csv
    """
    from tandemvote.model_file import classifier_of, encoder_of, load_model
    from tandemvote.tables import read_features
    from tandemvote.tables.file_content import read_column

    if "prediction" in keep:
        raise typer.BadParameter("--keep prediction is the name of the new column. Rename yours.")
    outputs.check_outputs({} if output is None else {"--output": output}, inputs=[model, new])
    loaded = load_model(model, trusted=trusted)
    classifier = classifier_of(loaded)
    like = encoder_of(loaded) or int(classifier.n_features_in_)
    predicted = classifier.predict(read_features(new, like=like, **reading.arguments))
    cells = {"decimal", "missing_values"}  # cells are copied as they are written
    how = {name: value for name, value in reading.arguments.items() if name not in cells}
    table = {name: read_column(new, name, **how) for name in keep} | {"prediction": predicted}
    if not formulas and (output is None or output.suffix == ".csv"):
        table = outputs.without_formulas(table)
    outputs.write_table(table, output)
    if output is not None:
        say(f"Predictions: {output}", err=True)
    certificate = classifier.certificate_
    for line in (certificate.guarantee, *certificate.findings):
        say(printable(str(line)), err=True)
