"""A certificate with all there is to report: a test set, optimised weights, many voters."""

import numpy as np
import pytest

from tandemvote import Certificate, VoteCounts, Votes
from tandemvote.weights import minimise

pytest.importorskip("matplotlib", reason="reports need the extra tandemvote[report]")
pytest.importorskip("jinja2", reason="reports need the extra tandemvote[report]")


@pytest.fixture(scope="session")
def votes():
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=800)
    wrong = rng.random((25, 800)) < rng.uniform(0.05, 0.3, size=(25, 1))
    return Votes.from_predictions(labels ^ wrong, labels, rng.random(wrong.shape) < 0.6)


@pytest.fixture(scope="session")
def solution(votes):
    return minimise(VoteCounts.from_votes(votes))


@pytest.fixture(scope="session")
def certificate(votes, solution):
    labels = np.arange(200) % 2
    test_votes = Votes.from_predictions((labels ^ (np.arange(200) < 9))[None], labels)
    return Certificate.from_counts(
        VoteCounts.from_votes(votes),
        weights=solution.weights,
        test_counts=VoteCounts.from_votes(test_votes),
        notes=["The voters were drawn by lot."],
    )
