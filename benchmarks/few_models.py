"""What a certificate adds to training three models, as ratios of CPU time in one run.

Target: at most 0.03 of the training. Predicting the points that a model left out is part of it, and
of any evaluation by cross-validation; the rest is counting, bounding and the digests of the rows.
Run with OMP_NUM_THREADS=1.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from itertools import product
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
DESIGNS = ("pairs", 3)


def main() -> None:
    print(f"CPU time besides training three models, as a share of it (limit {LIMIT})")
    print(f"{'learner':>10} {'shape':>16} {'classes':>8} {'cv':>6} {'predicting':>11}", "the rest")
    for (name, learner), shape in product(LEARNERS.items(), SHAPES):
        X, y = blobs(*shape)
        for cv in DESIGNS:
            predicting, rest = shares(CertifiedClassifierCV(learner, cv, random_state=0), X, y)
            print(f"{name:>10} {shape[0]:>9} x {shape[1]:<4} {shape[2]:>8} {cv:>6}", end=" ")
            print(f"{predicting:>11.4f} {rest:>8.4f}", flush=True)


def shares(model: CertifiedClassifierCV, X: Any, y: Any) -> tuple[float, float]:
    """Return the time of predicting points left out and of the rest, over that of training."""
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
        model.fit(X, y)
        whole = process_time() - start
    training, predicting = (spent[step] for step in STEPS)
    return predicting / training, (whole - training - predicting) / training


if __name__ == "__main__":
    main()
