"""``tandemvote predict``: labels for new rows by a model that certify kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tandemvote.cli.options import FileOptions, grouped
from tandemvote.cli.outputs import check_outputs, write_table, write_whole


@grouped
def predict(
    model: Annotated[Path, typer.Argument(help="What certify --model wrote.")],
    new: Annotated[Path, typer.Argument(help="File with the same columns; labels optional.")],
    *,
    output: Annotated[
        Path | None,
        typer.Option(help="Where to write, .csv or .parquet; else CSV on the standard output."),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(help="Column of NEW to copy, such as an identifier; repeatable."),
    ] = None,
    trusted: Annotated[
        bool,
        typer.Option("--trusted", help="Open a .joblib file, which can run its maker's code."),
    ] = False,
    reading: FileOptions,
) -> None:
    """Predict the labels of NEW, one per row, by a certified MODEL.

    For example: tandemvote predict wine.skops new.csv --keep id --output predictions.csv
    """
    from tandemvote.cli.data import read_new  # noqa: PLC0415
    from tandemvote.model_file import load_model, vote_of  # noqa: PLC0415
    from tandemvote.tables.votes_table import read_column  # noqa: PLC0415

    paths = {} if output is None else {"--output": output}
    check_outputs(paths, inputs=[model, new])
    kept = load_model(model, trusted=trusted)
    vote = vote_of(kept)
    predicted = vote.predict(read_new(new, kept, reading))
    table = {name: read_column(new, name) for name in keep or ()} | {"prediction": predicted}
    if output is None:
        write_table(table, None)
    else:
        written = write_whole(output, lambda path: write_table(table, path))
        typer.echo(f"Predictions: {written}", err=True)
    typer.echo(f"{vote.certificate_.guarantee}", err=True)
