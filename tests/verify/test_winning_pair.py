"""The verifier's own winning pairs, and certificates that rest on them."""

import numpy as np
import pytest

from tandemvote import Certificate, VoteCounts, Votes
from tandemvote.certificate.file import document_of
from tandemvote.certificate.file_record import CertificateRecord, digest_of
from tandemvote.verify import verify_file

KINDS = {
    "two voters": (2, None, None),
    "three equal voters": (3, None, None),
    "three with weights": (3, [0.4, 0.35, 0.25], None),
    "exactly half": (3, [0.5, 0.25, 0.25], None),
    "one rules": (3, [0.7, 0.2, 0.1], None),
    "a prior": (3, None, [0.6, 0.3, 0.1]),
    "a prior of one voter": (3, None, [0.0, 1.0, 0.0]),
    "a prior next to one voter": (3, [0.5, 0.25, 0.25], [1.0, 1e-160, 1e-160]),
    "products below all floats": (3, [0.5, 0.25, 0.25], [1.0, 1e-170, 1e-180]),
    "two of five": (5, [0.4, 0.3, 0.1, 0.1, 0.1], None),
    "no two of five": (5, None, None),
}


def certificate(n_voters, weights=None, prior=None):
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=2000)
    wrong = rng.random((n_voters, 2000)) < rng.uniform(0.02, 0.15, (n_voters, 1))
    said = (labels + wrong * rng.integers(1, 3, 2000)) % 3
    votes = Votes.from_predictions(said, labels, rng.random(wrong.shape) < 0.5)
    counts = VoteCounts.from_votes(votes)
    if prior is not None and weights is None:
        weights = prior  # no weight where there is no prior
    return Certificate.from_counts(counts, weights=weights, prior=prior, bound="winning_pair")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rigorous", [False, True])
def test_certificates_of_winning_pairs_survive_the_file_and_are_verified(tmp_path, kind, rigorous):
    issued = certificate(*KINDS[kind])
    verdict = verify_file(issued.save(tmp_path / "certificate.json"), rigorous=rigorous)
    assert verdict.valid, verdict.problem
    truth = verdict.enclosures["winning_pair"]
    slack = 0 if rigorous else 1e-12
    assert truth.high - slack <= issued.value <= truth.low + 1e-9
    loaded = Certificate.load(tmp_path / "certificate.json")
    assert loaded.value == issued.value and loaded.bound == "winning_pair"
    assert (issued.value < 1) == (kind not in ("no two of five", "a prior of one voter"))


@pytest.mark.parametrize("factor", [1 - 1e-7, 1 + 1e-7])
def test_another_value_is_found_out(factor):
    issued = certificate(3)
    document = document_of(issued)
    (stated,) = (bound for bound in document["bounds"] if bound["name"] == "winning_pair")
    other = {**stated, "value": (issued.value * factor).hex()}
    document = {**document, "bounds": [other]}
    record = CertificateRecord.from_document({**document, "digest": digest_of(document)})
    assert "the winning_pair bound is" in verify_file(record).problem
