import numpy as np
import pytest

from tandemvote import Certificate, VoteCounts, Votes
from tandemvote.certificate.file import document_of
from tandemvote.hard_vote import VoteProfile


def some_votes(seed=0, n_voters=6, n_samples=400, n_classes=2, n_unlabelled=0):
    rng = np.random.default_rng(seed)
    n_points = n_samples + n_unlabelled
    labels = rng.integers(n_classes, size=n_points)
    wrong = rng.random((n_voters, n_points)) < rng.beta(0.3, 2, n_points)
    shift = rng.integers(1, n_classes, size=wrong.shape)
    predictions = (labels + wrong * shift) % n_classes
    return Votes.from_predictions(
        predictions[:, :n_samples],
        labels[:n_samples],
        rng.random((n_voters, n_samples)) < 0.7,
        unlabelled=predictions[:, n_samples:],
    )


@pytest.fixture
def make_votes():
    return some_votes


@pytest.fixture
def make_certificate():
    """Certificates of many kinds, told apart by their seed."""

    def make(seed=0, **sizes):
        rng = np.random.default_rng(seed)
        votes = some_votes(seed, **sizes)
        counts = VoteCounts.from_votes(votes)
        concentration = rng.choice([0.1, 1.0, 100.0])
        weights = rng.dirichlet(np.full(counts.n_voters, concentration))
        test = Votes.from_predictions([rng.random(200) < 0.1], np.zeros(200, bool))
        return Certificate.from_counts(
            counts,
            weights=weights,
            prior=rng.dirichlet(np.full(counts.n_voters, 10.0)),
            bound="best" if seed % 2 else "tandem",
            delta=float(rng.choice([0.05, 0.01, 0.3])),
            sharpening="paper" if seed % 4 == 3 else "harmonic",
            profile=VoteProfile.of(votes.unlabelled, weights) if votes.n_unlabelled else None,
            test_counts=VoteCounts.from_votes(test) if seed % 3 else None,
            notes=["a note"],
        )

    return make


@pytest.fixture
def document(make_certificate):
    return document_of(make_certificate(1))
