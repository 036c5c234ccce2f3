"""What all tests share: how long and how randomly hypothesis may search, impossible votes."""

import gc
import os
from itertools import combinations

import numpy as np
import pytest
from hypothesis import settings

from tandemvote import VoteCounts, Votes

# The tests themselves run on all cores; joblib waits 10 ms for each small forest on two threads.
os.environ.setdefault("LOKY_MAX_CPU_COUNT", "1")

# A slow machine is no failure, and 20 examples of each property are enough for every change.
# Continuous integration draws the same examples every time; elsewhere each run looks at new ones.
settings.register_profile("patient", deadline=None, max_examples=20)
settings.register_profile("reproducible", deadline=None, max_examples=20, derandomize=True)
settings.load_profile("reproducible" if os.environ.get("CI") else "patient")


def pytest_collection_finish():
    """Let the garbage collector ignore modules and thousands of tests: all live to the end."""
    gc.freeze()


@pytest.fixture
def contradictory_counts():
    """Counts of samples from two sources, told apart by what they pretend too much of."""

    def make(kind):
        rng = np.random.default_rng(0)
        if kind == "disagreement":  # hardly an error, and coin flips where there is no label
            labels = rng.integers(2, size=2000)
            predictions = labels ^ (rng.random((10, 2000)) < 0.02)
            unlabeled = rng.integers(2, size=(10, 1000))
            return VoteCounts.from_votes(
                Votes.from_predictions(predictions, labels, unlabeled=unlabeled)
            )
        if kind == "pairs":  # every two voters share samples of their own, where one of them errs
            pair = np.repeat(list(combinations(range(10), 2)), 400, axis=0)
            held_out = (pair == np.arange(10)[:, None, None]).any(axis=2)
            wrong, labels = pair[:, 0] == np.arange(10)[:, None], rng.integers(2, size=len(pair))
            return VoteCounts.from_votes(Votes.from_predictions(labels ^ wrong, labels, held_out))
        # Some samples judge all voters, the others one each; so pairs see only the former.
        n_voters, n_common = (2, 1000) if kind == "lone" else (10, 1000)
        owner = np.append(np.full(n_common, -1), np.repeat(np.arange(n_voters), 4000))
        wrong = np.zeros((n_voters, owner.size), bool)
        if kind == "tandem":
            wrong[:, :n_common] = True
        elif kind == "no tandem":
            wrong[:, n_common:] = rng.random((n_voters, owner.size - n_common)) < 0.5
        elif kind == "lone":
            wrong[0, :n_common] = True
        held_out = (owner == -1) | (owner == np.arange(n_voters)[:, None])
        labels = rng.integers(2, size=owner.size)
        return VoteCounts.from_votes(Votes.from_predictions(labels ^ wrong, labels, held_out))

    return make


collect_ignore = ["typing"]  # for type checkers; it never runs
