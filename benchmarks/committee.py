"""What a certificate adds to training the models of a committee, as ratios of CPU time in one run.

Target: at most 0.03 of the training. Predicting the test samples is part of it, and of any test on
held-out samples; the rest is the split, counting, bounding and the digests of the rows. A learner
that ignores its seed is trained once more than it has models, which counts as training here. Run
with OMP_NUM_THREADS=1.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from time import process_time
from typing import Any
from unittest.mock import patch

from forest import SHAPES, blobs
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

from tandemvote import CertifiedClassifier
from tandemvote.models import committee

LIMIT = 0.03
LEARNERS = {
    "forest": RandomForestClassifier(100, n_jobs=1),
    "boosting": HistGradientBoostingClassifier(max_iter=50),
}


def main() -> None:
    print(f"CPU time besides training a committee, as a share of it (limit {LIMIT})")
    print(f"{'learner':>10} {'shape':>16} {'classes':>8} {'testing':>8} the rest")
    for (name, learner), shape in product(LEARNERS.items(), SHAPES):
        testing, rest = shares(CertifiedClassifier(learner, random_state=0), *blobs(*shape))
        print(f"{name:>10} {shape[0]:>9} x {shape[1]:<4} {shape[2]:>8}", end=" ")
        print(f"{testing:>8.4f} {rest:>8.4f}", flush=True)


def shares(model: CertifiedClassifier, X: Any, y: Any) -> tuple[float, float]:
    """Return the time of testing and of the rest, over that of training."""
    spent = {"training": 0.0, "testing": 0.0}

    def timed(step: str, action: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **options: Any) -> Any:
            start = process_time()
            result = action(*args, **options)
            spent[step] += process_time() - start
            return result

        return run

    kind = committee.CertifiedClassifier
    train = timed("training", committee.train_members)
    test = timed("testing", kind._test_votes)
    with (
        patch.object(committee, "train_members", train),
        patch.object(kind, "_test_votes", test),
    ):
        start = process_time()
        model.fit(X, y)
        whole = process_time() - start
    training, testing = spent["training"], spent["testing"]
    return testing / training, (whole - training - testing) / training


if __name__ == "__main__":
    main()
