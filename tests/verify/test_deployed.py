"""Files about a deployed classifier: recomputed, recounted, and not to be taken for the vote."""

import json

import numpy as np
import pytest

from tandemvote.certificate import certify_votes
from tandemvote.record.assumptions import standard_assumptions
from tandemvote.record.document import Document
from tandemvote.verify import verify_file
from tandemvote.votes.votes import Votes


def drawn(n_voters, n_classes=3, n_samples=300, n_unlabeled=120):
    rng = np.random.default_rng(n_voters)
    labels = rng.integers(n_classes, size=n_samples + n_unlabeled)
    wrong = rng.random((n_voters + 1, labels.size)) < 0.1
    predictions = (labels + wrong * rng.integers(1, n_classes, size=wrong.shape)) % n_classes
    return Votes.from_predictions(
        predictions[:-1, :n_samples], labels[:n_samples], unlabeled=predictions[:-1, n_samples:]
    ), predictions[-1, n_samples:]  # fmt: skip


@pytest.fixture(scope="module", params=[(1, 300), (1, 60), (3, 300)], ids=str)
def certified(request):
    votes, deployed = drawn(request.param[0], n_samples=request.param[1])
    certificate = certify_votes(votes.with_deployed(deployed))
    assert certificate.bound == "vote_profile" and certificate.observed is None
    return votes, deployed, json.dumps(certificate.document.to_json())


@pytest.fixture
def issued(certified):
    """Votes, predictions of another classifier, and the file of its certificate."""
    votes, deployed, text = certified
    return votes, deployed, json.loads(text)


@pytest.mark.parametrize("rigorous", [False, True])
def test_honest_files_are_valid(issued, rigorous):
    votes, deployed, document = issued
    predictions = np.vstack([votes.unlabeled, deployed])
    verdict = verify_file(
        Document.from_json(document), rigorous=rigorous, votes=votes, unlabeled=predictions
    )
    assert verdict.problem is None


def test_a_smaller_value_is_found(issued, problem_of):
    _, _, document = issued
    record = document["certificates"][0]
    value = float.fromhex(record["value"]) * (1 - 1e-6)
    record["value"] = record["candidates"]["vote_profile"] = value.hex()
    assert "by its own counts" in problem_of(document)


def test_a_bound_for_the_deployed_classifier_is_not_one_for_the_vote(issued, problem_of):
    """Without its name the profile must be that of a vote, with the assumptions of one."""
    _, _, document = issued
    vote = {"deployed": None, "assumptions": list(standard_assumptions(profile=True, drawn=True))}
    document["certificates"][0].update(vote)
    assert "the vote has a share of" in problem_of(document)


def test_the_assumptions_about_the_deployed_classifier_must_be_listed(issued, problem_of):
    _, _, document = issued
    record = document["certificates"][0]
    texts = record["assumptions"]
    for place in range(len(texts)):
        record["assumptions"] = texts[:place] + texts[place + 1 :]
        assert "the assumptions lack one" in problem_of(document)
    record["assumptions"] = list(standard_assumptions(profile=True))
    assert "not about the vote of the models" in problem_of(document)


def test_a_bound_about_the_vote_is_not_one_about_another_classifier(issued, problem_of):
    votes, _, document = issued
    other = certify_votes(votes, bound="first_order").document.to_json()
    texts = document["certificates"][0]["assumptions"]
    other["certificates"][0].update(deployed="Oracle", assumptions=texts)
    assert "are not about the deployed classifier" in problem_of(other)
    document["certificates"][0]["profile"] = None
    assert "requires a profile" in problem_of(document)


def test_bounds_about_the_vote_are_rejected(issued):
    votes, deployed, _ = issued
    for bound in ("test_set", "first_order"):
        with pytest.raises(ValueError, match="about the vote, not about the deployed classifier"):
            certify_votes(votes.with_deployed(deployed), bound=bound)


def test_another_prediction_of_the_deployed_classifier_is_found(issued, problem_of):
    votes, deployed, document = issued
    for sample in np.flatnonzero((votes.unlabeled == deployed).all(axis=0))[::40].tolist():
        changed = deployed.copy()
        changed[sample] = (changed[sample] + 1) % 3
        predictions = np.vstack([votes.unlabeled, changed])
        problem = problem_of(document, unlabeled=predictions)
        assert (
            "the leads of unlabeled samples, or their order, are not those of the votes" in problem
        )


def test_predictions_without_those_of_the_deployed_classifier_are_too_few(issued, problem_of):
    votes, _, document = issued
    problem = problem_of(document, unlabeled=votes.unlabeled)
    assert "in the last column, the deployed classifier" in problem
