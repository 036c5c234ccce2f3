"""Votes with held-out sets that differ from voter to voter, and figures closed after each test."""

import numpy as np
import pytest

from tandemvote import Votes, certify

pyplot = pytest.importorskip("matplotlib.pyplot", reason="pictures need tandemvote[report]")
pyplot.switch_backend("Agg")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    pyplot.close("all")


def random_votes(*, n_voters=7, n_samples=300, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_classes, size=n_samples)
    wrong = rng.random((n_voters, n_samples)) < rng.uniform(0.05, 0.4, size=(n_voters, 1))
    shift = rng.integers(1, n_classes, size=wrong.shape)
    predictions = np.where(wrong, (labels + shift) % n_classes, labels)
    held_out = rng.random(wrong.shape) < 0.6
    return Votes.from_predictions(predictions, labels, held_out)


@pytest.fixture
def votes():
    return random_votes()


@pytest.fixture
def weights():
    values = np.random.default_rng(1).random(7)
    return values / values.sum()


@pytest.fixture
def certificate(votes, weights):
    return certify(votes, weights=weights)
