"""Run one cell of whole models trained on folds: what their vote and each of them gets wrong."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from sklearn.ensemble import HistGradientBoostingClassifier

from reproduction.experiments import rows
from reproduction.experiments.cells import FoldsCell
from reproduction.experiments.protocol import FOLDS, paper_forest
from reproduction.experiments.splits import Array, Split, provenance
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


def trained_on_folds(cell: FoldsCell, n_folds: int, X: Array, y: Array) -> CertifiedClassifierCV:
    """Train the learner of a cell once per fold."""
    model = learner(cell.learner, cell.seed)
    vote = CertifiedClassifierCV(model, n_folds, bound="first_order", random_state=cell.seed)
    return vote.fit(X, y)


def fold_columns(vote: CertifiedClassifierCV) -> dict[str, Any]:
    """Return the columns of a row that say what each model got wrong on its fold."""
    counts = {"fold_errors": vote.counts_.errors, "fold_sizes": vote.counts_.sizes}
    return {name: " ".join(map(str, numbers)) for name, numbers in counts.items()}


def run_folds(cell: FoldsCell, dataset: Dataset) -> list[rows.Row]:
    """Train the learner on the whole training part, and on its folds, and test all of them."""
    split = Split.of(cell, dataset)
    whole = learner(cell.learner, cell.seed).fit(split.X, split.y)
    whole_errors = int((whole.predict(split.X_test) != split.y_test).sum())
    found = []
    for n_folds in FOLDS:
        start = perf_counter()
        vote = trained_on_folds(cell, n_folds, split.X, split.y)
        found.append(
            rows.FOLDS.row(
                **cell.columns,
                n_folds=n_folds,
                **fold_columns(vote),
                vote_test_errors=int((vote.predict(split.X_test) != split.y_test).sum()),
                whole_test_errors=whole_errors,
                **provenance(cell, dataset, split, seconds=perf_counter() - start),
            )
        )
    return found
