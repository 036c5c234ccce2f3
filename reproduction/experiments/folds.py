"""Run one cell of whole models trained on folds: what their vote and each of them gets wrong."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from sklearn.ensemble import HistGradientBoostingClassifier

from reproduction.experiments.cells import FoldsCell
from reproduction.experiments.protocol import FOLDS, paper_forest
from reproduction.experiments.rows import FoldsRow
from reproduction.experiments.splits import Split, provenance
from tandemvote import CertifiedClassifierCV
from tandemvote.tables import Dataset


def learner(name: str, seed: int) -> Any:
    """Return the classifier of that name, not yet trained: the paper's forest, or boosting.

    Examples
    --------
    >>> type(learner("boosting", 0)).__name__
    'HistGradientBoostingClassifier'
    """
    if name == "boosting":
        return HistGradientBoostingClassifier(random_state=seed)
    return paper_forest(bagging="full", seed=seed)


def run_folds(cell: FoldsCell, dataset: Dataset) -> list[FoldsRow]:
    """Train the learner on the whole training part, and on its folds, and test all of them."""
    split = Split.of(cell, dataset)
    whole = learner(cell.learner, cell.seed).fit(split.X, split.y)
    whole_errors = int((whole.predict(split.X_test) != split.y_test).sum())
    rows = []
    for n_folds in FOLDS:
        start = perf_counter()
        vote = CertifiedClassifierCV(
            learner(cell.learner, cell.seed), n_folds, bound="first_order", random_state=cell.seed
        ).fit(split.X, split.y)
        rows.append(
            FoldsRow(
                **cell.columns,
                n_folds=n_folds,
                fold_errors=" ".join(map(str, vote.counts_.errors)),
                fold_sizes=" ".join(map(str, vote.counts_.sizes)),
                vote_test_errors=int((vote.predict(split.X_test) != split.y_test).sum()),
                whole_test_errors=whole_errors,
                **provenance(cell, dataset, split, seconds=perf_counter() - start),
            )
        )
    return rows
