"""From rows to tables, figures and the comparison with the paper."""

from __future__ import annotations

import os
from pathlib import Path

from reproduction.experiments.store import RowStore, StoreError
from reproduction.report.beyond import FIGURE, beyond_page
from reproduction.report.committee import (
    BOUNDS_FIGURE,
    committee_page,
    committee_table,
    ratio_table,
)
from reproduction.report.committee import FIGURE as COMMITTEE_FIGURE
from reproduction.report.comparison import compare, read_explanations
from reproduction.report.deployed import deployed_page, deployed_table, unlabeled_table
from reproduction.report.figures import all_figures, save
from reproduction.report.figures.distances import bound_distances
from reproduction.report.figures.schemes import scheme_bounds, scheme_ratios
from reproduction.report.figures.style import house_style
from reproduction.report.findings import all_findings
from reproduction.report.frames import read_frame, shown
from reproduction.report.layout import TextTable
from reproduction.report.readme import write_readme
from reproduction.report.tables import all_tables, beyond_table


def render_reproduction(folder: str | os.PathLike[str]) -> list[Path]:
    """Render everything that the rows in a folder allow, complete or not; return the files."""
    renderers = (render_paper, render_beyond, render_committee, render_deployed)
    written = [path for render in renderers for path in render(folder)]
    if not written:
        raise StoreError(f"There are no rows in {folder}. Run `python -m reproduction run` first.")
    return written


def render_paper(folder: str | os.PathLike[str]) -> list[Path]:
    """Render ``README.md``, ``comparison.csv``, ``tables/`` and ``figures/`` of the paper."""
    folder, store = Path(folder), RowStore(folder)
    forests, unlabeled, weights = (
        read_frame(store, table) for table in ("forests", "unlabeled", "weights")
    )
    if forests.empty and unlabeled.empty:
        return []
    names = {**shown(forests), **shown(unlabeled)}
    tables = all_tables(forests, names)
    written = [path for table in tables for path in _write_table(folder, table)]
    figures = []
    for name, figure in all_figures(forests, unlabeled, weights):
        figures.append(name)
        written += save(figure, folder / "figures" / name)
    comparison = compare(forests, unlabeled)
    written.append(_write(folder / "comparison.csv", comparison.to_csv(index=False).rstrip("\n")))
    readme = write_readme(
        forests=forests,
        unlabeled=unlabeled,
        comparison=comparison,
        explanations=read_explanations(folder / "explanations.csv"),
        findings=all_findings(forests, unlabeled, weights, names),
        tables=tables,
        figures=figures,
    )
    written.append(_write(folder / "README.md", readme.rstrip("\n")))
    return written


def render_beyond(folder: str | os.PathLike[str]) -> list[Path]:
    """Render ``beyond.md``, its table and its figure, if there are rows of that family."""
    folder = Path(folder)
    rows = read_frame(RowStore(folder), "beyond")
    if rows.empty:
        return []
    table = beyond_table(rows)
    with house_style():
        figure = bound_distances(rows)
    return [
        *_write_table(folder, table),
        *save(figure, folder / "figures" / FIGURE),
        _write(folder / "beyond.md", beyond_page(rows, table)),
    ]


def render_committee(folder: str | os.PathLike[str]) -> list[Path]:
    """Render ``committee.md``, its tables and its figure, if there are rows of that family."""
    folder = Path(folder)
    rows = read_frame(RowStore(folder), "committee")
    if rows.empty:
        return []
    ratios, table = ratio_table(rows), committee_table(rows)
    with house_style():
        figures = {COMMITTEE_FIGURE: scheme_ratios(rows)}
        beyond = read_frame(RowStore(folder), "beyond")
        if not beyond.empty:
            figures[BOUNDS_FIGURE] = scheme_bounds(rows, beyond)
    return [
        *_write_table(folder, ratios),
        *_write_table(folder, table),
        *(path for name, each in figures.items() for path in save(each, folder / "figures" / name)),
        _write(folder / "committee.md", committee_page(rows, ratios, table)),
    ]


def render_deployed(folder: str | os.PathLike[str]) -> list[Path]:
    """Render ``deployed.md`` and its tables, if there are rows of that family."""
    folder = Path(folder)
    rows = read_frame(RowStore(folder), "deployed")
    if rows.empty:
        return []
    tables = deployed_table(rows), unlabeled_table(rows)
    page = _write(folder / "deployed.md", deployed_page(rows, tables))
    return [*(path for table in tables for path in _write_table(folder, table)), page]


def _write_table(folder: Path, table: TextTable) -> list[Path]:
    stem = folder / "tables" / table.name
    return [
        _write(stem.with_suffix(".md"), f"{table.caption}\n\n{table.markdown()}"),
        _write(stem.with_suffix(".tex"), table.latex()),
    ]


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")
    return path
