"""``tandemvote reproduce``: run, resume, inspect and render the paper's experiments."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tandemvote.experiments.cells import Cell
    from tandemvote.experiments.sources import DataSource

app = typer.Typer(no_args_is_help=True, help="Reproduce the paper: rows, tables, figures.")


class Family(str, Enum):
    """The families of experiments in the paper's appendix, and one beyond it."""

    A = "A"
    B = "B"
    C = "C"
    UNLABELLED = "unlabelled"
    BEYOND = "beyond"


Output = Annotated[Path, typer.Option("--output", "-o", help="Folder of rows and renderings.")]
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
        help="Of A, B, C, unlabelled, beyond; all but the last if not given; repeat for more.",
    ),
]
Repetitions = Annotated[
    int | None,
    typer.Option("--repetitions", "-r", min=1, help="Default 50, unlabelled 20, beyond 10."),
]

DEFAULT_OUTPUT = Path("reproduction")


@app.command()
def run(
    *,
    output: Output = DEFAULT_OUTPUT,
    data_home: DataHome = None,
    dataset: DatasetNames = None,
    file: Files = None,
    target: Target = None,
    drop_missing: DropMissing = False,
    family: Families = None,
    repetitions: Repetitions = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Another root of all draws, for an independent reproduction."),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Processes; -1 for all.")] = 1,
    dask: Annotated[str | None, typer.Option(help="Address of a Dask scheduler.")] = None,
    download: Annotated[bool, typer.Option(help="Fetch data sets that are not at hand.")] = True,
    render: Annotated[bool, typer.Option(help="Render tables and figures at the end.")] = True,
) -> None:
    """Run the cells that have no rows yet; stop it at any time, start it again to go on.

    For example: tandemvote reproduce run -d Letter -d Adult -r 5 --jobs 2 --output mine
    """
    from tandemvote.cli.progress import shown  # noqa: PLC0415
    from tandemvote.experiments.campaign import run_campaign  # noqa: PLC0415
    from tandemvote.experiments.store import RowStore  # noqa: PLC0415

    if jobs == 0:
        raise typer.BadParameter("--jobs is 0; give a number of processes, or -1 for all.")
    if render:
        _check_renderers()
    source, names = _chosen(data_home, dataset, file, target, drop_missing=drop_missing)
    at_hand = _at_hand(names, source, download=download)
    cells = _cells(at_hand, source, family, repetitions, seed)
    if not cells:
        raise typer.BadParameter("none of these data sets enters the chosen families.")
    store = RowStore(output)
    with shown() as progress:
        run_campaign(
            cells,
            store=store,
            source=source,
            n_jobs=jobs,
            dask_address=dask,
            on_start=progress.start,
            on_cell=progress.advance,
        )
    if render:
        _render(output)


@app.command()
def status(
    *,
    output: Output = DEFAULT_OUTPUT,
    data_home: DataHome = None,
    dataset: DatasetNames = None,
    file: Files = None,
    target: Target = None,
    drop_missing: DropMissing = False,
    family: Families = None,
    repetitions: Repetitions = None,
) -> None:
    """Say how many cells of each data set are done."""
    from tandemvote.experiments.store import RowStore  # noqa: PLC0415

    source, names = _chosen(data_home, dataset, file, target, drop_missing=drop_missing)
    cells = _cells(names, source, family, repetitions)
    done = RowStore(output).done()
    for name in names:
        own = [cell for cell in cells if cell.dataset == name]
        n_done = sum(cell in done for cell in own)
        typer.echo(f"{name:<16} {n_done:5d} of {len(own):5d} cells")
    typer.echo(f"{'all':<16} {sum(cell in done for cell in cells):5d} of {len(cells):5d} cells")


@app.command()
def render(output: Output = DEFAULT_OUTPUT) -> None:
    """Make tables, figures and the comparison with the paper, from the rows alone."""
    _check_renderers()
    _render(output)


def _check_renderers() -> None:
    """Say what is not installed before hours of work, not after."""
    from tandemvote.displays.extra import report_extra  # noqa: PLC0415

    for module in ("pandas", "matplotlib"):
        report_extra(module)


def _render(output: Path) -> None:
    from tandemvote.experiments.rendering import render_reproduction  # noqa: PLC0415

    for path in render_reproduction(output):
        typer.echo(path)


def _chosen(
    data_home: Path | None,
    names: list[str] | None,
    files: list[Path] | None,
    target: str | None,
    *,
    drop_missing: bool,
) -> tuple[DataSource, list[str]]:
    """Return where data sets come from, and which: all of the paper's if none is named."""
    from tandemvote.datasets import CATALOGUE, find_entry  # noqa: PLC0415
    from tandemvote.experiments.sources import DataSource, own_files  # noqa: PLC0415

    own = own_files(files or [])
    home = None if data_home is None else str(data_home)
    source = DataSource(home, own, target, drop_missing)
    chosen = [find_entry(name).name for name in names or []] + [name for name, _ in own]
    return source, list(dict.fromkeys(chosen)) or list(CATALOGUE)


def _at_hand(names: list[str], source: DataSource, *, download: bool) -> list[str]:
    """Return the data sets that can be run, and say which cannot, and which lost rows."""
    from tandemvote.datasets import DatasetError  # noqa: PLC0415

    skipped = source.skip(names, download=download)
    if len(skipped) == len(names):
        name, reason = next(iter(skipped.items()))
        others = f" So it is with {len(names) - 1} more." if len(names) > 1 else ""
        raise DatasetError(f"{name} cannot be had: {reason}{others}")
    for name, reason in skipped.items():
        typer.echo(f"Skipped {name}: {reason}", err=True)
    at_hand = [name for name in names if name not in skipped]
    for name in dict(source.files).keys() & set(at_hand):
        if n_dropped := source.load(name).n_dropped:
            typer.echo(f"Left out {n_dropped} of the rows of {name}: missing cells.", err=True)
    return at_hand


def _cells(
    names: list[str],
    source: DataSource,
    families: list[Family] | None,
    repetitions: int | None,
    seed: int | None = None,
) -> list[Cell]:
    """Return the cells of the families, and say which sets one of these leaves out."""
    from tandemvote.experiments.cells import PAPER_FAMILIES  # noqa: PLC0415
    from tandemvote.experiments.plan import plan_cells, unlabelled_obstacle  # noqa: PLC0415
    from tandemvote.experiments.seeds import ROOT  # noqa: PLC0415

    chosen = [family.value for family in families] if families else PAPER_FAMILIES
    # That the paper leaves out most of its own sets is no news, unless someone asks for them.
    told = names if families else dict(source.files)
    for name in told if "unlabelled" in chosen else ():
        if name in names and (reason := unlabelled_obstacle(name, source)):
            typer.echo(f"Left {name} out of the unlabelled family: {reason}.", err=True)
    root = ROOT if seed is None else seed
    return plan_cells(names, source=source, families=chosen, repetitions=repetitions, root=root)
