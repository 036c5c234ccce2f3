"""Files whose evidence contradicts itself."""

from dataclasses import replace

import numpy as np
import pytest

from tandemvote.certificate import certify_votes
from tandemvote.record.document import Document
from tandemvote.votes.decimals import rounded_up
from tandemvote.votes.profile import VoteProfile
from tandemvote.votes.votes import Votes


def profiled():
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=1500)
    predictions = np.where(rng.random((5, 1500)) < 0.15, rng.integers(3, size=(5, 1500)), labels)
    votes = Votes.from_predictions(
        predictions[:, :1200], labels[:1200], unlabeled=predictions[:, 1200:]
    )
    return certify_votes(votes, bound="vote_profile").document.to_json()


def stating(document, value):
    """Return the document with another value of its only candidate."""
    stated = {"value": float(value).hex(), "printed": rounded_up(float(value))}
    record = document["certificates"][0]
    candidates = {record["bound"]: stated["value"]}
    return {**document, "certificates": [{**record, **stated, "candidates": candidates}]}


@pytest.mark.parametrize("rigorous", [False, True])
def test_unlabeled_samples_of_another_source_make_a_file_invalid(rigorous, problem_of):
    """For every stated value: the voters err at 0.1 and predict unlabeled samples at random."""
    document = Document.from_json(profiled())
    predictions = np.random.default_rng(1).integers(3, size=(5, 300))
    differ = (predictions[:, None] != predictions).sum(axis=2)
    profile = VoteProfile.of(predictions, document.whole.weights)
    counts = document.whole.counts
    disagreements = counts.disagreements - counts.unlabeled_disagreements + differ
    counts = replace(counts, disagreements=disagreements, unlabeled_disagreements=differ)
    record = replace(document.whole, counts=counts, profile=profile)
    forged = replace(document, certificates=(record,)).to_json()
    for value in (1e-11, 1.0):
        problem = problem_of(stating(forged, value), rigorous=rigorous)
        assert "are not drawn from the same distribution" in problem


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("disagreement", "disagreement"),
        ("c1", "disagreement"),
        ("c_tandem", "tandem"),
        ("c_box", "tandem"),
        ("split_kl_cantelli", "pairs"),
    ],
)
def test_contradictory_estimates_allow_no_value_but_one(
    name, kind, contradictory_counts, problem_of
):
    # Counts without the errors of partners, as in a file: these held-out sets depend on the data.
    counts = replace(contradictory_counts(kind), partner_errors=None)
    with pytest.warns(match="contradict each other"):
        certificate = certify_votes(counts, bound=name)
    assert certificate.value == 1
    file = certificate.document.to_json()
    assert problem_of(file) is None
    assert problem_of(file, rigorous=True) is None
    assert f"the {name} bound" in problem_of(stating(file, 0.1))
