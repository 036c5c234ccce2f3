"""What a certificate adds to training three models on folds, as ratios of CPU time in one run.

Target: at most 0.03 of the training. Predicting the folds is part of it, and of any evaluation by
cross-validation; the rest is counting, bounding and the digests of the rows. Run with
OMP_NUM_THREADS=1.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from time import process_time
from typing import Any
from unittest.mock import patch

from forest import SHAPES, blobs
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

from tandemvote import CertifiedClassifierCV
from tandemvote.estimators import voting

LIMIT = 0.03
LEARNERS = {
    "forest": RandomForestClassifier(100, n_jobs=1),
    "boosting": HistGradientBoostingClassifier(max_iter=50),
}
STEPS = ("train", "left_out_votes")


def main() -> None:
    print(f"CPU time besides training three models, as a share of it (limit {LIMIT})")
    print(f"{'learner':>10} {'shape':>16} {'classes':>8} {'predicting':>11} {'the rest':>9}")
    for name, learner in LEARNERS.items():
        for n_samples, n_features, n_classes in SHAPES:
            predicting, rest = shares(learner, *blobs(n_samples, n_features, n_classes))
            print(f"{name:>10} {n_samples:>9} x {n_features:<4} {n_classes:>8}", end=" ")
            print(f"{predicting:>11.4f} {rest:>9.4f}", flush=True)


def shares(learner: Any, X: Any, y: Any) -> tuple[float, float]:
    """Return the time of predicting the folds and of all the rest, over that of the training."""
    spent = dict.fromkeys(STEPS, 0.0)

    def timed(step: str, action: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **options: Any) -> Any:
            start = process_time()
            result = action(*args, **options)
            spent[step] += process_time() - start
            return result

        return run

    with ExitStack() as patches:
        for step in STEPS:
            replaced = timed(step, getattr(voting, step))
            patches.enter_context(patch.object(voting, step, replaced))
        start = process_time()
        CertifiedClassifierCV(learner, random_state=0).fit(X, y)
        whole = process_time() - start
    training, predicting = (spent[step] for step in STEPS)
    return predicting / training, (whole - training - predicting) / training


if __name__ == "__main__":
    main()
