"""``tandemvote datasets``: the paper's data sets and where to get them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tandemvote.datasets import CatalogueEntry

app = typer.Typer(no_args_is_help=True, help="List, describe and fetch the paper's data sets.")

Name = Annotated[str, typer.Argument(help="A data set of the paper.")]
DataHome = Annotated[
    Path | None, typer.Option(help="Folder with prepared data sets; also TANDEMVOTE_DATA.")
]


@app.command("list")
def list_datasets(data_home: DataHome = None) -> None:
    """List the paper's data sets and say which are at hand."""
    from tandemvote.datasets import CATALOGUE, available_datasets  # noqa: PLC0415

    at_hand = set(available_datasets(data_home))
    typer.echo(f"{'data set':<14} {'points':>6} {'features':>8} {'classes':>7}  at hand")
    for entry in CATALOGUE.values():
        typer.echo(
            f"{entry.name:<14} {entry.n_samples:6d} {entry.n_features:8d} {entry.n_classes:7d}"
            f"  {_standing(entry, data_home) if entry.name in at_hand else 'no'}"
        )


def _standing(entry: CatalogueEntry, data_home: Path | None) -> str:
    """Say yes, and of which kind the copy is where no digest of the original is known."""
    from tandemvote.datasets import DatasetError, load_entry  # noqa: PLC0415

    if entry.digest is not None:
        return "yes"
    try:
        dataset = load_entry(entry, data_home=data_home, download=False)
    except DatasetError:
        return f"no, {entry.prepared_name} is not this data set"
    return f"yes, {'reconstructed' if dataset.reconstructed else dataset.origin}"


@app.command()
def show(name: Name) -> None:
    """Describe one data set: its source, files and facts."""
    from tandemvote.datasets import find_entry  # noqa: PLC0415

    entry = find_entry(name)
    typer.echo(f"{entry.name}: {entry.source}")
    typer.echo(f"{entry.n_samples} points, {entry.n_features} features, {entry.n_classes} classes")
    typer.echo(f"class frequencies from {entry.c_min:.4f} to {entry.c_max:.4f}")
    for file in entry.files:
        typer.echo(f"from {file.urls[0]}")
    if entry.note:
        typer.echo(entry.note)


@app.command()
def fetch(
    name: Name,
    data_home: DataHome = None,
    raw: Annotated[
        Path | None, typer.Option(help="Folder with the published files, fetched by hand.")
    ] = None,
) -> None:
    """Fetch one data set, check it and keep a prepared copy."""
    from tandemvote.datasets import load_dataset, prepare_dataset  # noqa: PLC0415

    if raw is None:
        typer.echo(repr(load_dataset(name, data_home=data_home)))
    else:
        typer.echo(repr(prepare_dataset(name, raw, data_home=data_home)))
