"""The tables that commands read, and what is said about them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tandemvote.cli.options import DataOptions, FileOptions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tandemvote.tables import Dataset

FEWEST_ROWS = 20


def read_data(path: str, options: DataOptions) -> Dataset:
    """Read DATA and say on the error stream how."""
    from tandemvote.tables import DatasetError  # noqa: PLC0415
    from tandemvote.tables.errors import number_of  # noqa: PLC0415

    dataset = read_labelled(path, options)
    if dataset.n_samples < FEWEST_ROWS:
        raise DatasetError(
            f"{path} has {number_of(dataset.n_samples, 'row')}; fewer than {FEWEST_ROWS} show"
            " nothing. Give more rows: thousands for a useful guarantee."
        )
    typer.echo(f"Read {dataset.n_samples:,} rows: {dataset.columns_summary}.", err=True)
    used = "used as points without one" if options.use_unlabelled else "left out"
    for note in dataset.notes:
        said = note.replace("without a label left out", f"without a label {used}")
        typer.echo(f"Note: {said}.", err=True)
    return dataset


def read_labelled(
    path: str | Path, options: DataOptions, *, like: Dataset | None = None
) -> Dataset:
    """Read labelled points; like others, with their columns and classes."""
    from tandemvote.tables import read_table  # noqa: PLC0415

    columns = {"drop": options.drop, "keep": options.keep} if like is None else {"like": like}
    return read_table(
        path,
        target=options.target,
        drop_missing=options.drop_missing,
        drop_duplicates=options.drop_duplicates,
        drop_unlabelled=options.drop_unlabelled or options.use_unlabelled,
        **columns,
        **options.arguments,
    )


def unlabelled_points(
    dataset: Dataset, options: DataOptions, path: Path | None
) -> NDArray[Any] | None:
    """Return the points without labels that were asked for, if any."""
    from tandemvote.tables import DatasetError, read_features  # noqa: PLC0415

    if options.use_unlabelled and dataset.X_unlabelled is None:
        raise DatasetError(
            f"{dataset.name}: every row has a label, so --use-unlabelled finds none. Leave it out."
        )
    if path is None:
        return dataset.X_unlabelled if options.use_unlabelled else None
    return read_features(path, like=dataset, **options.arguments)


def read_new(path: Path, model: Any, options: FileOptions) -> NDArray[Any]:
    """Read new points as a model that was kept wants them, encoded."""
    from tandemvote.model_file import encoder_of, vote_of  # noqa: PLC0415
    from tandemvote.tables import read_features  # noqa: PLC0415

    like = encoder_of(model) or int(vote_of(model).n_features_in_)
    return read_features(path, like=like, **options.arguments)
