"""What a certificate costs on top of a fitted forest, as ratios of CPU time in one run.

Targets: everything after `fit` takes at most 0.06 of the fit, and at most what `oob_score=True`
adds to it. Run with OMP_NUM_THREADS=1.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from tandemvote import Certificate, VoteCounts
from tandemvote.ensembles import out_of_bag_votes
from tandemvote.weights import minimise

SHAPES = ((16_000, 16, 26), (47_000, 8, 2), (20_000, 400, 10))
N_TREES = 100
LIMIT = 0.06
REPEATS = 3


def main() -> None:
    print(f"CPU time after fit of {N_TREES} trees, as a share of the fit (limit {LIMIT})")
    steps = ["votes", "counts", "weights", "bounds"]
    print(f"{'shape':>16} {'classes':>8}", *(f"{step:>8}" for step in steps), end=" ")
    print(f"{'total':>8} {'oob_score':>10}")
    for n_samples, n_features, n_classes in SHAPES:
        X, y = blobs(n_samples, n_features, n_classes)
        forest = RandomForestClassifier(N_TREES, n_jobs=1, random_state=0)
        fit, _ = timed(lambda: forest.fit(X, y))  # noqa: B023  called at once
        times = certificate_times(forest, X, y)
        shares = [spent / fit for spent in times]
        print(f"{n_samples:>10} x {n_features:<3} {n_classes:>8}", end=" ")
        print(*(f"{share:>8.4f}" for share in (*shares, sum(shares))), end=" ")
        print(f"{oob_score_time(forest, X, y) / fit:>10.4f}", flush=True)


def certificate_times(forest: RandomForestClassifier, X: Any, y: Any) -> list[float]:
    voting, votes = timed(lambda: out_of_bag_votes(forest, X, y), REPEATS)
    counting, counts = timed(lambda: VoteCounts.from_votes(votes), REPEATS)
    weighing, solution = timed(lambda: minimise(counts, "tandem"), REPEATS)
    bounding, _ = timed(lambda: Certificate.from_counts(counts, weights=solution.weights), REPEATS)
    return [voting, counting, weighing, bounding]


def oob_score_time(forest: RandomForestClassifier, X: Any, y: Any) -> float:
    """Time what `oob_score=True` adds: a warm start without new trees computes it alone."""

    def score() -> None:
        if hasattr(forest, "oob_score_"):
            del forest.oob_score_
        forest.fit(X, y)

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Warm-start fitting without increasing n_estimators")
        forest.set_params(warm_start=True)
        without, _ = timed(score, REPEATS)
        forest.set_params(oob_score=True)
        with_score, _ = timed(score, REPEATS)
    return with_score - without


def blobs(n_samples: int, n_features: int, n_classes: int) -> tuple[Any, Any]:
    """Return classes around overlapping centres, so that trees grow deep as on real data."""
    rng = np.random.default_rng(0)
    y = rng.integers(n_classes, size=n_samples)
    centres = rng.normal(size=(n_classes, n_features))
    return centres[y] + 1.5 * rng.normal(size=(n_samples, n_features)), y


def timed(action: Callable[[], Any], repeats: int = 1) -> tuple[float, Any]:
    """Return the smallest CPU time of some runs, which other programs disturb least."""
    times = []
    for _ in range(repeats):
        start = process_time()
        result = action()
        times.append(process_time() - start)
    return min(times), result


if __name__ == "__main__":
    main()
