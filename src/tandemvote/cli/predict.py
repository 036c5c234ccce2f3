"""``tandemvote predict``: labels for new rows by a model that certify kept."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import typer

from tandemvote.cli.options import FileOptions, grouped
from tandemvote.cli.outputs import check_outputs, write_table, write_whole


@grouped
def predict(
    model: Path = typer.Argument(help="What certify --model wrote."),
    new: Path = typer.Argument(help="File with the same columns; labels optional."),
    *,
    output: Path | None = typer.Option(
        None, help="Where to write, .csv or .parquet; else CSV on the standard output."
    ),
    keep: list[str] = typer.Option(
        [], help="Column of NEW to copy, such as an identifier; repeatable."
    ),
    trusted: bool = typer.Option(
        False, "--trusted", help="Open a .joblib file, which can run its maker's code."
    ),
    reading: FileOptions,
) -> None:
    """Predict the labels of NEW, one per row, by a certified MODEL.

    For example: tandemvote predict wine.skops new.csv --keep id --output predictions.csv
    """
    from tandemvote.model_file import encoder_of, load_model, vote_of
    from tandemvote.tables import read_features
    from tandemvote.tables.votes_table import read_column

    check_outputs({} if output is None else {"--output": output}, inputs=[model, new])
    kept = load_model(model, trusted=trusted)
    vote = vote_of(kept)
    like = encoder_of(kept) or int(vote.n_features_in_)
    predicted = vote.predict(read_features(new, like=like, **reading.arguments))
    table = {name: read_column(new, name) for name in keep} | {"prediction": predicted}
    if output is None:
        write_table(table, None)
    else:
        written = write_whole(output, partial(write_table, table))
        typer.echo(f"Predictions: {written}", err=True)
    typer.echo(f"{vote.certificate_.guarantee}", err=True)
