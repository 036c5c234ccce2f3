"""What whole calls of certificates cost next to scikit-learn's own, as ratios of CPU time.

All times of a row are measured in one run: `certify_oob` over what `oob_score=True` adds to `fit`
(target: at most 1.5), and `CertifiedForestClassifier.fit` over `RandomForestClassifier.fit`. Run
with OMP_NUM_THREADS=1.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from tandemvote import CertifiedForestClassifier, certify_oob

SHAPES = ((16_000, 16, 26), (47_000, 8, 2), (20_000, 400, 10))
N_TREES = 100
LIMIT = 1.5
REPEATS = 3


def main() -> None:
    print(f"CPU times of whole calls, {N_TREES} trees (limit of certify_oob / oob_score: {LIMIT})")
    print(
        f"{'shape':>16} {'classes':>8} {'certify_oob / oob_score':>24} {'certified fit / fit':>20}"
    )
    for n_samples, n_features, n_classes in SHAPES:
        X, y = blobs(n_samples, n_features, n_classes)
        forest = RandomForestClassifier(N_TREES, n_jobs=1, random_state=0)
        certified = CertifiedForestClassifier(N_TREES, n_jobs=1, random_state=0)
        fit, _ = timed(lambda: forest.fit(X, y))  # noqa: B023  called at once
        certified_fit, _ = timed(lambda: certified.fit(X, y))  # noqa: B023
        certifying, _ = timed(lambda: certify_oob(forest, X, y), REPEATS)  # noqa: B023
        print(f"{n_samples:>10} x {n_features:<3} {n_classes:>8}", end=" ")
        print(f"{certifying / oob_score_time(forest, X, y):>24.2f} {certified_fit / fit:>20.3f}")


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
    """Return classes around overlapping centers, so that trees grow deep as on real data."""
    rng = np.random.default_rng(0)
    y = rng.integers(n_classes, size=n_samples)
    centers = rng.normal(size=(n_classes, n_features))
    return centers[y] + 1.5 * rng.normal(size=(n_samples, n_features)), y


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
