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
    voting, votes = timed(lambda: out_of_bag_votes(forest, X, y))
    counting, counts = timed(lambda: VoteCounts.from_votes(votes))
    weighing, solution = timed(lambda: minimise(counts, "tandem"))
    bounding, _ = timed(lambda: Certificate.from_counts(counts, weights=solution.weights))
    return [voting, counting, weighing, bounding]


def oob_score_time(forest: RandomForestClassifier, X: Any, y: Any) -> float:
    """Time what `oob_score=True` adds: a warm start without new trees computes it alone."""
    forest.set_params(warm_start=True)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Warm-start fitting without increasing n_estimators")
        without, _ = timed(lambda: forest.fit(X, y))
        with_score, _ = timed(lambda: forest.set_params(oob_score=True).fit(X, y))
    return with_score - without


def blobs(n_samples: int, n_features: int, n_classes: int) -> tuple[Any, Any]:
    """Return classes around overlapping centres, so that trees grow deep as on real data."""
    rng = np.random.default_rng(0)
    y = rng.integers(n_classes, size=n_samples)
    centres = rng.normal(size=(n_classes, n_features))
    return centres[y] + 1.5 * rng.normal(size=(n_samples, n_features)), y


def timed(action: Callable[[], Any]) -> tuple[float, Any]:
    start = process_time()
    result = action()
    return process_time() - start, result


if __name__ == "__main__":
    main()
