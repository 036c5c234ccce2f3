"""Run one cell of a model trained on all labels, next to one with a hold-out."""

from __future__ import annotations

from time import perf_counter

from sklearn.model_selection import train_test_split

from reproduction.datasets import Dataset
from reproduction.experiments.cells import DeployedCell
from reproduction.experiments.protocol import TEST_FRACTION, UNLABELED_SHARES, learner
from reproduction.experiments.rows import DEPLOYED, Row
from reproduction.experiments.splits import Split, provenance


def run_deployed(cell: DeployedCell, dataset: Dataset) -> list[Row]:
    """Train on the labeled half, and on all but a hold-out of it."""
    start, split = perf_counter(), Split.of(cell, dataset)
    X, U, y, _ = train_test_split(split.X, split.y, test_size=0.5, random_state=cell.seed)
    deployed = learner(cell.learner, cell.seed).fit(X, y)
    X_rest, X_hold_out, y_rest, y_hold_out = train_test_split(
        X, y, test_size=TEST_FRACTION, random_state=cell.seed
    )
    reduced = learner(cell.learner, cell.seed).fit(X_rest, y_rest)
    differs = reduced.predict(U) != deployed.predict(U)
    seconds = perf_counter() - start
    sizes = [min(int(share * len(y)), len(U)) for share in UNLABELED_SHARES]
    return [
        DEPLOYED.row(
            **cell.columns,
            n_unlabeled=size,
            unlabeled_share=share,
            hold_out_errors=int((reduced.predict(X_hold_out) != y_hold_out).sum()),
            n_hold_out=len(y_hold_out),
            hold_out_differs=int(differs[:size].sum()),
            deployed_test_errors=int((deployed.predict(split.X_test) != split.y_test).sum()),
            reduced_test_errors=int((reduced.predict(split.X_test) != split.y_test).sum()),
            n_labeled=len(y),
            **provenance(cell, dataset, split, seconds=seconds),
        )
        for size, share in zip(sizes, UNLABELED_SHARES, strict=True)
    ]
