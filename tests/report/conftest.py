"""Certificates to report: of a vote with fitted weights and many voters, and of a committee."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from tandemvote import CertifiedClassifier, Votes
from tandemvote.auditing import Finding
from tandemvote.certificate import certify_votes

pytest.importorskip("matplotlib", reason="reports need the extra tandemvote[report]")
pytest.importorskip("jinja2", reason="reports need the extra tandemvote[report]")


@pytest.fixture(scope="session")
def votes():
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=800)
    wrong = rng.random((25, 800)) < rng.uniform(0.05, 0.3, size=(25, 1))
    return Votes.from_predictions(labels ^ wrong, labels, rng.random(wrong.shape) < 0.6)


@pytest.fixture(scope="session")
def certificate(votes):
    finding = Finding(
        code="copied_rows", severity="warning", message="3 rows repeat.", advice="Look at them."
    )
    return certify_votes(votes, weights="tandem", findings=[finding])


@pytest.fixture(scope="session")
def committee():
    rng = np.random.default_rng(0)
    y = np.arange(600) % 3
    X = rng.normal(size=(600, 2)) + y[:, None]
    return CertifiedClassifier(DecisionTreeClassifier(), random_state=0).fit(
        X, y, groups=np.arange(600) // 2
    )
