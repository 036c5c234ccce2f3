"""Run one cell of a few whole models: what their vote, and each or two of them, get wrong."""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter
from typing import Any

from sklearn.ensemble import HistGradientBoostingClassifier

from reproduction.experiments import rows
from reproduction.experiments.cells import FoldsCell, PairsCell
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


def trained_by(cell: FoldsCell, cv: int | str, X: Array, y: Array) -> CertifiedClassifierCV:
    """Train the learner of a cell once per fold, or three times for pairs."""
    model = learner(cell.learner, cell.seed)
    vote = CertifiedClassifierCV(model, cv, bound="first_order", random_state=cell.seed)
    return vote.fit(X, y)


def fold_columns(vote: CertifiedClassifierCV) -> dict[str, Any]:
    """Return the columns of a row that say what each model got wrong on its fold."""
    return _as_texts(fold_errors=vote.counts_.errors, fold_sizes=vote.counts_.sizes)


def _as_texts(**counts: Iterable[int]) -> dict[str, str]:
    return {name: " ".join(map(str, numbers)) for name, numbers in counts.items()}


def run_folds(cell: FoldsCell, dataset: Dataset) -> list[rows.Row]:
    """Train the learner on the whole training part, and on its folds, and test all of them."""
    split = Split.of(cell, dataset)
    whole_errors = whole_test_errors(cell, split)
    found = []
    for n_folds in FOLDS:
        start = perf_counter()
        vote = trained_by(cell, n_folds, split.X, split.y)
        found.append(
            rows.FOLDS.row(
                **cell.columns,
                n_folds=n_folds,
                **fold_columns(vote),
                vote_test_errors=_test_errors(vote, split),
                whole_test_errors=whole_errors,
                **provenance(cell, dataset, split, seconds=perf_counter() - start),
            )
        )
    return found


def run_pairs(cell: PairsCell, dataset: Dataset) -> rows.Row:
    """Train the learner on the whole training part, and three times as pairs are trained."""
    start, split = perf_counter(), Split.of(cell, dataset)
    vote = trained_by(cell, "pairs", split.X, split.y)
    seen, seconds = vote.bounds_["winning_pair"].terms, perf_counter() - start
    return rows.PAIRS.row(
        **cell.columns,
        **_as_texts(pair_errors=seen["pair_errors"], pair_sizes=seen["pair_sizes"]),
        vote_test_errors=_test_errors(vote, split),
        whole_test_errors=whole_test_errors(cell, split),
        **provenance(cell, dataset, split, seconds=seconds),
    )


def whole_test_errors(cell: FoldsCell, split: Split) -> int:
    """Test the learner of a cell, trained on the whole training part."""
    return _test_errors(learner(cell.learner, cell.seed).fit(split.X, split.y), split)


def _test_errors(model: Any, split: Split) -> int:
    return int((model.predict(split.X_test) != split.y_test).sum())
