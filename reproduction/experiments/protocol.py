"""What the paper fixes for all experiments: forests, splits, confidence, repetitions; and seeds.

Seeds depend on what is drawn, never on when or where: a cell run alone, in another order or on
another machine draws the same split and the same forest.
"""

from __future__ import annotations

import hashlib
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

N_TREES = 100
TEST_FRACTION = 0.2
DELTA = 0.05
FOREST_REPETITIONS = 50
UNLABELED_REPETITIONS = 20
FURTHER_REPETITIONS = 10
UNLABELED_SHARES = (0.1, 0.5, 1.0)
"""Unlabeled samples per labeled one, by which a model trained on all labels is certified."""

MEMBER_SHARE = 0.95
"""Share of the training rows for each member of a committee whose learner ignores its seed."""

LEARNERS = ("forest", "boosting")
LABELED_FRACTIONS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)

LARGE_BINARY = 8000
"""The unlabeled experiment takes the binary data sets with more samples than this."""

LEAST_LABELED = 20
"""With fewer samples to learn from, some tree's bootstrap may leave none of them out."""

BAGGINGS = MappingProxyType({"full": None, "reduced": 0.5})
"""Samples drawn with replacement for each tree, as ``max_samples``: n or n/2."""

OPTIMIZED_WEIGHTINGS = ("first_order", "tandem", "disagreement")
"""Bounds that choose weights, besides the uniform ones; the last for two classes only."""

WEIGHTINGS = ("uniform", *OPTIMIZED_WEIGHTINGS)


def paper_forest(*, bagging: str, seed: int) -> RandomForestClassifier:
    """Return the paper's forest, not yet grown: pure leaves, Gini, sqrt(d) features per split.

    Examples
    --------
    >>> paper_forest(bagging="reduced", seed=0).max_samples
    0.5
    """
    return RandomForestClassifier(
        n_estimators=N_TREES,
        criterion="gini",
        max_features="sqrt",
        max_samples=BAGGINGS[bagging],
        n_jobs=1,
        random_state=seed,
    )


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


ROOT = 20200713
"""Fixed for all committed rows; another value gives an independent reproduction."""


def seed_for(*identity: str | int | float, root: int = ROOT) -> int:
    """Return a 32-bit seed: the child of the root whose spawn key is the hash of the identity.

    Examples
    --------
    >>> seed_for("forest", "Letter", "full", 0) == seed_for("forest", "Letter", "full", 0)
    True
    >>> seed_for("forest", "Letter", "full", 0) == seed_for("forest", "Letter", "full", 1)
    False
    """
    digest = hashlib.sha256("\x1f".join(map(str, identity)).encode()).digest()
    spawn_key = tuple(int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4))
    sequence = np.random.SeedSequence(root, spawn_key=spawn_key)
    return int(sequence.generate_state(1)[0])
