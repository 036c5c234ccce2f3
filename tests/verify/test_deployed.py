"""Files about a deployed classifier: recomputed, recounted, and no word of them can be changed."""

import numpy as np
import pytest

from tandemvote import Votes, certify
from tandemvote.assumptions import standard_assumptions
from tandemvote.certificate.file import certificate_of, document_of
from tandemvote.certificate.file_record import CertificateRecord, digest_of
from tandemvote.verify import CertificateFileError, verify_file


def drawn(n_voters, n_classes=3, n_samples=300, n_unlabelled=120):
    rng = np.random.default_rng(n_voters)
    labels = rng.integers(n_classes, size=n_samples + n_unlabelled)
    wrong = rng.random((n_voters + 1, labels.size)) < 0.1
    said = (labels + wrong * rng.integers(1, n_classes, size=wrong.shape)) % n_classes
    return Votes.from_predictions(
        said[:-1, :n_samples], labels[:n_samples], unlabelled=said[:-1, n_samples:]
    ), said[-1, n_samples:]  # fmt: skip


@pytest.fixture(params=[(1, 300), (1, 60), (3, 300), (7, 300)], ids=str)
def issued(request):
    """Votes of some voters, what another classifier says, and the document about it."""
    votes, own = drawn(request.param[0], n_samples=request.param[1])
    return votes, own, document_of(certify(votes, deployed=own, weights="uniform"))


def read(document):
    return CertificateRecord.from_document({**document, "digest": digest_of(document)})


@pytest.mark.parametrize("rigorous", [False, True])
def test_honest_files_are_valid(issued, rigorous):
    votes, own, document = issued
    said = np.vstack([votes.unlabelled, own])
    verdict = verify_file(read(document), rigorous=rigorous, votes=votes, unlabelled=said)
    assert verdict.problem is None
    stated, truth = (
        float.fromhex(document["guarantee"]["value"]),
        verdict.enclosures["vote_profile"],
    )
    assert 0 <= stated - truth.low < 1e-8


def test_a_smaller_value_is_found(issued):
    _, _, document = issued
    value = float.fromhex(document["guarantee"]["value"]) * (1 - 1e-6)
    smaller = {"value": value.hex(), "printed": document["guarantee"]["printed"]}
    forged = {
        **document,
        "guarantee": {**document["guarantee"], **smaller},
        "bounds": [{**document["bounds"][0], **smaller}],
    }
    assert "by its own counts" in verify_file(read(forged)).problem


def test_what_holds_for_the_deployed_classifier_is_not_sold_as_a_promise_for_the_vote(issued):
    """Without its name the profile must be that of a vote, with the assumptions of one."""
    _, _, document = issued
    forged = {
        **document,
        "deployed": None,
        "attestations": list(standard_assumptions(profile=True)),
    }
    assert not verify_file(read(forged)).valid
    with pytest.raises(ValueError, match="unlabelled point"):
        certificate_of(read(forged))


def test_the_assumptions_about_the_deployed_classifier_must_stand_in_the_file(issued):
    _, _, document = issued
    for place in range(len(document["attestations"])):
        fewer = document["attestations"][:place] + document["attestations"][place + 1 :]
        assert "attestations lack" in verify_file(read({**document, "attestations": fewer})).problem
    vote = {**document, "attestations": list(standard_assumptions(profile=True))}
    assert "not about the vote of the voters" in verify_file(read(vote)).problem


def test_a_bound_about_the_vote_is_no_bound_about_another_classifier(issued):
    votes, _, document = issued
    other = document_of(certify(votes, bound="first_order"))
    forged = {**other, "deployed": "Oracle", "attestations": document["attestations"]}
    assert "is about the vote" in verify_file(read(forged)).problem
    with pytest.raises(CertificateFileError, match="only the bound vote_profile"):
        certificate_of(read(forged))
    bare = {**document, "profile": None}
    assert "has no profile of it" in verify_file(read(bare)).problem


def test_another_prediction_of_the_deployed_classifier_is_found(issued):
    votes, own, document = issued
    for point in np.flatnonzero((votes.unlabelled == own).all(axis=0))[::20].tolist():
        changed = own.copy()
        changed[point] = (changed[point] + 1) % 3
        said = np.vstack([votes.unlabelled, changed])
        assert f"at unlabelled point {point} the deployed classifier has" in (
            verify_file(read(document), unlabelled=said).problem
        )


def test_predictions_without_those_of_the_deployed_classifier_are_too_few(issued):
    votes, _, document = issued
    problem = verify_file(read(document), unlabelled=votes.unlabelled).problem
    assert "in the last column, the deployed classifier" in problem
