"""From rows to tables, figures and the comparison with the paper."""

from __future__ import annotations

import os
from pathlib import Path

from tandemvote.experiments.comparison import compare
from tandemvote.experiments.explanations import read_explanations
from tandemvote.experiments.figures import all_figures, save
from tandemvote.experiments.findings import all_findings
from tandemvote.experiments.frames import read_frame
from tandemvote.experiments.readme import write_readme
from tandemvote.experiments.store import RowStore, StoreError
from tandemvote.experiments.tables import all_tables


def render_reproduction(folder: str | os.PathLike[str]) -> list[Path]:
    """Render everything that the rows in a folder allow, complete or not.

    Parameters
    ----------
    folder : path
        Holds ``forests.csv`` and ``unlabelled.csv``, or a run in progress. An ``explanations.csv``
        says why cells differ from the paper.

    Returns
    -------
    list of path
        The files written: ``README.md``, ``comparison.csv``, ``tables/`` and ``figures/``.

    Raises
    ------
    StoreError
        If there are no rows at all.
    """
    folder, store = Path(folder), RowStore(folder)
    forests, unlabelled, weights = (
        read_frame(store, table) for table in ("forests", "unlabelled", "weights")
    )
    if forests.empty and unlabelled.empty:
        raise StoreError(f"There are no rows in {folder}. Run `tandemvote reproduce run` first.")
    written = []
    for table in (tables := all_tables(forests)):
        for ending, text in ((".md", table.markdown()), (".tex", table.latex())):
            heading = f"{table.caption}\n\n" if ending == ".md" else ""
            written.append(_write(folder / "tables" / f"{table.name}{ending}", heading + text))
    names = []
    for name, figure in all_figures(forests, unlabelled, weights):
        names.append(name)
        written += save(figure, folder / "figures" / name)
    comparison = compare(forests, unlabelled)
    written.append(_write(folder / "comparison.csv", comparison.to_csv(index=False).rstrip("\n")))
    readme = write_readme(
        forests=forests,
        unlabelled=unlabelled,
        comparison=comparison,
        explanations=read_explanations(folder / "explanations.csv"),
        findings=all_findings(forests, unlabelled),
        tables=tables,
        figures=names,
    )
    written.append(_write(folder / "README.md", readme.rstrip("\n")))
    return written


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")
    return path
