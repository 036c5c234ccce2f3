"""``python -m reproduction``: run, resume, inspect and render the paper's experiments."""

from __future__ import annotations

from enum import StrEnum
from math import isnan
from pathlib import Path
from time import monotonic
from typing import Annotated

import typer

from reproduction.datasets import (
    CATALOG,
    CatalogEntry,
    available_datasets,
    find_entry,
    load_dataset,
    load_entry,
    prepare_dataset,
)
from reproduction.experiments.campaign import plan_cells, run_campaign, unlabeled_obstacle
from reproduction.experiments.cells import PAPER_FAMILIES, Cell
from reproduction.experiments.protocol import ROOT
from reproduction.experiments.sources import DataSource, own_files
from reproduction.experiments.store import RowStore
from reproduction.report.comparison import compare
from reproduction.report.frames import read_frame
from reproduction.report.readme import COLUMN_WORDS
from reproduction.report.rendering import render_reproduction
from tandemvote.cli.app import run as run_application
from tandemvote.tables import DatasetError

app = typer.Typer(
    name="python -m reproduction",
    help="Reproduce the paper: its data sets, rows, tables and figures.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
datasets = typer.Typer(no_args_is_help=True, help="List, describe and fetch the paper's data sets.")
app.add_typer(datasets, name="datasets")

RESULTS = Path(__file__).parent / "results"
SECONDS_BETWEEN_LINES = 10.0


class Family(StrEnum):
    """The families of experiments in the paper's appendix, and three beyond it."""

    A = "A"  # uniform against optimized weights, full bagging
    B = "B"  # full against reduced bagging, uniform weights
    C = "C"  # full against reduced bagging, optimized weights
    UNLABELED = "unlabeled"  # DIS against TND and FO with few labeled samples
    BEYOND = "beyond"  # the paper's bounds against those that came after, on the forests of A
    COMMITTEE = "committee"  # models tested together and a referee, against a hold-out
    DEPLOYED = "deployed"  # one model trained on all labels, certified through a hold-out


Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        help="Folder of rows and renderings.",
        show_default="the committed results",
    ),
]
DataHome = Annotated[
    Path | None, typer.Option(help="Folder with prepared data sets; also TANDEMVOTE_DATA.")
]
DatasetNames = Annotated[
    list[str] | None,
    typer.Option("--dataset", "-d", help="A data set of the paper; repeat for more."),
]
Files = Annotated[
    list[Path] | None,
    typer.Option("--file", "-f", help="A data file of your own; repeat for more."),
]
Target = Annotated[str | None, typer.Option(help="Label column of your own files.")]
DropMissing = Annotated[
    bool, typer.Option("--drop-missing", help="Leave out rows of your files with missing cells.")
]
Families = Annotated[
    list[Family] | None,
    typer.Option(
        "--family",
        help=(
            "Of A, B, C, unlabeled, beyond, committee, deployed; the first four if not given; "
            "repeat for more."
        ),
    ),
]
Repetitions = Annotated[
    int | None,
    typer.Option("--repetitions", "-r", min=1, help="Default 50, unlabeled 20, others 10."),
]
Name = Annotated[str, typer.Argument(help="A data set of the paper.")]


def run(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit code: 0 for success, 2 for a mistake of the caller."""
    return run_application(arguments, application=app)


@app.command("run")
def run_cells(
    *,
    output: Output = RESULTS,
    data_home: DataHome = None,
    dataset: DatasetNames = None,
    file: Files = None,
    target: Target = None,
    drop_missing: DropMissing = False,
    family: Families = None,
    repetitions: Repetitions = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Another root of all seeds, for an independent reproduction."),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Processes; -1 for all.")] = 1,
    dask: Annotated[str | None, typer.Option(help="Address of a Dask scheduler.")] = None,
    download: Annotated[bool, typer.Option(help="Download data sets that are missing.")] = True,
    render: Annotated[bool, typer.Option(help="Render tables and figures at the end.")] = True,
) -> None:
    """Run the cells that have no rows yet; stop it at any time, start it again to go on.

    For example: python -m reproduction run -d Letter -d Adult -r 5 --jobs 2 --output mine
    """
    if jobs == 0:
        raise typer.BadParameter("--jobs is 0; give a number of processes, or -1 for all.")
    source, names = _chosen(data_home, dataset, file, target, drop_missing=drop_missing)
    available = _available(names, source, download=download)
    cells = _cells(available, source, family, repetitions, seed)
    if not cells:
        raise typer.BadParameter("none of these data sets enters the chosen families.")
    progress = _Progress()
    run_campaign(
        cells,
        store=RowStore(output),
        source=source,
        n_jobs=jobs,
        dask_address=dask,
        on_start=progress.start,
        on_cell=progress.advance,
    )
    if render:
        render_results(output)


@app.command()
def status(
    *,
    output: Output = RESULTS,
    data_home: DataHome = None,
    dataset: DatasetNames = None,
    file: Files = None,
    target: Target = None,
    drop_missing: DropMissing = False,
    family: Families = None,
    repetitions: Repetitions = None,
) -> None:
    """Say how many cells of each data set are done."""
    source, names = _chosen(data_home, dataset, file, target, drop_missing=drop_missing)
    cells = _cells(names, source, family, repetitions)
    done = RowStore(output).done()
    for name in names:
        own = [cell for cell in cells if cell.dataset == name]
        n_done = sum(cell in done for cell in own)
        typer.echo(f"{name:<16} {n_done:5d} of {len(own):5d} cells")
    typer.echo(f"{'all':<16} {sum(cell in done for cell in cells):5d} of {len(cells):5d} cells")


@app.command("render")
def render_results(output: Output = RESULTS) -> None:
    """Make tables, figures and the comparison with the paper, from the rows alone."""
    for path in render_reproduction(output):
        typer.echo(path)


@app.command()
def paper(
    name: Name = "Pendigits",
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the rows.")] = Path(
        "build/paper"
    ),
    data_home: DataHome = None,
    repetitions: Annotated[int, typer.Option("--repetitions", "-r", min=1)] = 3,
) -> None:
    """Grow a few forests on one data set, and print the paper's numbers next to theirs."""
    run_cells(
        output=output,
        data_home=data_home,
        dataset=[name],
        family=[Family.A],
        repetitions=repetitions,
        render=False,
    )
    store = RowStore(output)
    compared = compare(read_frame(store, "forests"), read_frame(store, "unlabeled"))
    ours = compared[(compared["dataset"] == find_entry(name).name) & compared["ours"].notna()]
    typer.echo(f"{'weights':<12} {'':<21} {'printed':>10} {'ours':>10}  standard errors")
    for cell in ours.to_dict("records"):
        words = COLUMN_WORDS[cell["column"]]
        printed = ">1" if isnan(cell["paper"]) else f"{cell['paper']:.5g}"
        errors = "-" if isnan(cell["standard_errors"]) else f"{cell['standard_errors']:+.1f}"
        typer.echo(
            f"{cell['weighting']:<12} {words:<21} {printed:>10} {cell['ours']:>10.5g}  {errors:>6}"
        )


@datasets.command("list")
def list_datasets(data_home: DataHome = None) -> None:
    """List the paper's data sets and say which need no download."""
    available = set(available_datasets(data_home))
    typer.echo(f"{'data set':<14} {'samples':>6} {'features':>8} {'classes':>7}  available")
    for entry in CATALOG.values():
        typer.echo(
            f"{entry.name:<14} {entry.n_samples:6d} {entry.n_features:8d} {entry.n_classes:7d}"
            f"  {_standing(entry, data_home) if entry.name in available else 'no'}"
        )


@datasets.command()
def show(name: Name) -> None:
    """Describe one data set: its source, files and facts."""
    entry = find_entry(name)
    typer.echo(f"{entry.name}: {entry.source}")
    typer.echo(f"{entry.n_samples} samples, {entry.n_features} features, {entry.n_classes} classes")
    typer.echo(f"class frequencies from {entry.c_min:.4f} to {entry.c_max:.4f}")
    for file in entry.files:
        typer.echo(f"from {file.urls[0]}")
    if entry.note:
        typer.echo(entry.note)


@datasets.command()
def fetch(
    name: Name,
    data_home: DataHome = None,
    raw: Annotated[
        Path | None, typer.Option(help="Folder with the published files, fetched by hand.")
    ] = None,
) -> None:
    """Download one data set, check it and keep a prepared copy."""
    if raw is None:
        typer.echo(repr(load_dataset(name, data_home=data_home)))
    else:
        typer.echo(repr(prepare_dataset(name, raw, data_home=data_home)))


class _Progress:
    """One line now and then about the cells of a run."""

    def __init__(self) -> None:
        self.n_left = self.n_run = 0
        self.said = self.started = monotonic()

    def start(self, n_left: int, n_done: int) -> None:
        self.n_left, self.started = n_left, monotonic()
        typer.echo(f"Cells to run: {n_left}; done before: {n_done}")

    def advance(self, cell: Cell) -> None:
        self.n_run += 1
        now = monotonic()
        if now - self.said >= SECONDS_BETWEEN_LINES or self.n_run == self.n_left:
            self.said = now
            minutes = (now - self.started) / 60
            typer.echo(f"{self.n_run}/{self.n_left} cells, {minutes:.1f} min: {cell.name}")


def _standing(entry: CatalogEntry, data_home: Path | None) -> str:
    """Say yes, and what kind of copy it is where no digest of the original is known."""
    if entry.digest is not None:
        return "yes"
    try:
        dataset = load_entry(entry, data_home=data_home, download=False)
    except DatasetError:
        return f"no, {entry.prepared_name} is not this data set"
    return f"yes, {dataset.origin}"


def _chosen(
    data_home: Path | None,
    names: list[str] | None,
    files: list[Path] | None,
    target: str | None,
    *,
    drop_missing: bool,
) -> tuple[DataSource, list[str]]:
    """Return where data sets come from, and which: all of the paper's if none is named."""
    own = own_files(files or [])
    home = None if data_home is None else str(data_home)
    source = DataSource(home, own, target, drop_missing)
    chosen = [find_entry(name).name for name in names or []] + [name for name, _ in own]
    return source, list(dict.fromkeys(chosen)) or list(CATALOG)


def _available(names: list[str], source: DataSource, *, download: bool) -> list[str]:
    """Return the data sets that can be run, and say which cannot, and which lost rows."""
    skipped = source.skip(names, download=download)
    if len(skipped) == len(names):
        name, reason = next(iter(skipped.items()))
        others = f" Neither are {len(names) - 1} more." if len(names) > 1 else ""
        raise DatasetError(f"{name} is not available: {reason}{others}")
    for name, reason in skipped.items():
        typer.echo(f"Skipped {name}: {reason}", err=True)
    available = [name for name in names if name not in skipped]
    for name in dict(source.files).keys() & set(available):
        if n_dropped := source.load(name).n_dropped:
            typer.echo(f"Left out {n_dropped} of the rows of {name}: missing cells.", err=True)
    return available


def _cells(
    names: list[str],
    source: DataSource,
    families: list[Family] | None,
    repetitions: int | None,
    seed: int | None = None,
) -> list[Cell]:
    """Return the cells of the families, and say which data sets one of them leaves out."""
    chosen = [family.value for family in families] if families else PAPER_FAMILIES
    # The paper leaves out most of its own sets; that is said only to someone who asks for them.
    told = names if families else dict(source.files)
    for name in told if "unlabeled" in chosen else ():
        if name in names and (reason := unlabeled_obstacle(name, source)):
            typer.echo(f"Left {name} out of the unlabeled family: {reason}.", err=True)
    root = ROOT if seed is None else seed
    return plan_cells(names, source=source, families=chosen, repetitions=repetitions, root=root)
