"""Run one cell of a model trained on all labels: what folds and unlabelled points say of it."""

from __future__ import annotations

from collections import Counter
from time import perf_counter

import numpy as np
from sklearn.model_selection import train_test_split

from reproduction.experiments.cells import DeployedCell
from reproduction.experiments.folds import fold_columns, learner, trained_by
from reproduction.experiments.protocol import DELTA, FOLDS, TEST_FRACTION, UNLABELLED_SHARES
from reproduction.experiments.rows import DEPLOYED, Row
from reproduction.experiments.splits import Array, Split, provenance
from tandemvote.bounds.vote_profile import VOTE_PROFILE
from tandemvote.tables import Dataset


def run_deployed(cell: DeployedCell, dataset: Dataset) -> list[Row]:
    """Train on the labelled half, on its folds, and on all but a hold-out of it."""
    start, split = perf_counter(), Split.of(cell, dataset)
    X, U, y, _ = train_test_split(split.X, split.y, test_size=0.5, random_state=cell.seed)
    deployed = learner(cell.learner, cell.seed).fit(X, y)
    voters = trained_by(cell, FOLDS[0], X, y)
    X_rest, X_hold_out, y_rest, y_hold_out = train_test_split(
        X, y, test_size=TEST_FRACTION, random_state=cell.seed
    )
    reduced = learner(cell.learner, cell.seed).fit(X_rest, y_rest)
    answers = deployed.predict(U)
    differs = reduced.predict(U) != answers
    own = np.searchsorted(voters.classes_, answers)
    said = voters.predict_voters(U)
    words = agreements(own, said)
    seconds = perf_counter() - start
    sizes = [min(int(share * len(y)), len(U)) for share in UNLABELLED_SHARES]
    return [
        DEPLOYED.row(
            **cell.columns,
            n_unlabelled=size,
            unlabelled_share=share,
            vote_profile=VOTE_PROFILE(
                voters.counts_, delta=DELTA, unlabelled=said[:, :size], deployed=own[:size]
            ).value,
            profile=" ".join(
                f"{word}:{count}" for word, count in sorted(Counter(words[:size]).items())
            ),
            **fold_columns(voters),
            hold_out_errors=int((reduced.predict(X_hold_out) != y_hold_out).sum()),
            n_hold_out=len(y_hold_out),
            hold_out_differs=int(differs[:size].sum()),
            deployed_test_errors=int((deployed.predict(split.X_test) != split.y_test).sum()),
            reduced_test_errors=int((reduced.predict(split.X_test) != split.y_test).sum()),
            n_labelled=len(y),
            **provenance(cell, dataset, split, seconds=seconds),
        )
        for size, share in zip(sizes, UNLABELLED_SHARES, strict=True)
    ]


def agreements(deployed: Array, voters: Array) -> list[str]:
    """Say at each point how many voters agree with a classifier, and on the best other label.

    Examples
    --------
    >>> agreements(np.array([0, 0, 1]), np.array([[0, 0, 2], [0, 1, 2], [0, 2, 0]]))
    ['3/0', '1/1', '0/2']
    """
    other = np.zeros(deployed.size, int)
    for label in np.unique(voters):
        other = np.maximum(other, ((voters == label) & (deployed != label)).sum(axis=0))
    agree = (voters == deployed).sum(axis=0)
    return [f"{a}/{b}" for a, b in zip(agree.tolist(), other.tolist(), strict=True)]
