import json

import numpy as np
import pytest

from tandemvote.auditing import Finding
from tandemvote.certificate import certify_votes
from tandemvote.record.document import PROFILE, Document, digest_of
from tandemvote.verify import verify_file
from tandemvote.votes.profile import Shares
from tandemvote.votes.votes import Votes


def some_votes(seed=0, *, n_voters=6, n_samples=400, n_classes=2, n_unlabeled=0, held_out=0.7):
    rng = np.random.default_rng(seed)
    n_rows = n_samples + n_unlabeled
    labels = rng.integers(n_classes, size=n_rows)
    wrong = rng.random((n_voters, n_rows)) < rng.beta(0.3, 2, n_rows)
    shift = rng.integers(1, n_classes, size=wrong.shape)
    predictions = (labels + wrong * shift) % n_classes
    return Votes.from_predictions(
        predictions[:, :n_samples],
        labels[:n_samples],
        rng.random((n_voters, n_samples)) < held_out,
        unlabeled=predictions[:, n_samples:],
    )


@pytest.fixture(scope="session")
def make_votes():
    return some_votes


@pytest.fixture(scope="session")
def make_certificate():
    """Certificates of many kinds, determined by their seed: every third one of a test set."""

    def make(seed=0, **sizes):
        rng = np.random.default_rng(seed)
        tested = seed % 3 == 1
        votes = some_votes(seed, **sizes, held_out=2 if tested else 0.7)
        concentration = rng.choice([0.1, 1.0, 100.0])
        weights = rng.dirichlet(np.full(votes.n_voters, concentration))
        return certify_votes(
            votes,
            weights="uniform" if tested else weights,
            prior=rng.dirichlet(np.full(votes.n_voters, 10.0)),
            bound="best" if seed % 2 else ("tandem", "test_set") if tested else "tandem",
            delta=float(rng.choice([0.05, 0.01, 0.3])),
            published=seed % 4 == 3,
            findings=[Finding(code="example", severity="note", message="A note.")],
        )

    return make


@pytest.fixture(scope="session")
def text_of_a_file(make_certificate):
    return json.dumps(make_certificate(1).document.to_json())


@pytest.fixture
def document(text_of_a_file):
    """The file of a certificate by all bounds, a test set among them."""
    return json.loads(text_of_a_file)


def _changed(document, place, value):
    changed = json.loads(json.dumps(document))
    *way, last = place
    part = changed
    for step in way:
        part = part[step]
    part[last] = value
    return changed


@pytest.fixture
def changed():
    """Change one field of a file, given by its keys and positions."""
    return _changed


@pytest.fixture
def problem_of():
    """Verify a document, with a new digest, as anyone can compute it."""

    def check(document, **options):
        document = {**document, "digest": digest_of(document)}
        return verify_file(Document.from_json(document), **options).problem

    return check


@pytest.fixture
def reprofiled():
    """Change the profile of a file: its leads and gaps, by a function of both."""

    def change(document, function):
        shares = PROFILE.read(document["certificates"][0]["profile"], "profile")
        leads, gaps = function(shares.leads, shares.gaps)
        place = ("certificates", 0, "profile")
        return _changed(document, place, PROFILE.write(Shares(leads, gaps)))

    return change
