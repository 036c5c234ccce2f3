"""Files whose evidence contradicts itself."""

import numpy as np
import pytest

from tandemvote.certificate import certify_votes
from tandemvote.certificate.file import document_of
from tandemvote.decimals import rounded_up
from tandemvote.verify.fields import pack
from tandemvote.votes import Votes


def profiled():
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=1500)
    said = np.where(rng.random((7, 1500)) < 0.15, rng.integers(3, size=(7, 1500)), labels)
    votes = Votes.from_predictions(said[:, :1200], labels[:1200], unlabeled=said[:, 1200:])
    return document_of(certify_votes(votes, bound="vote_profile")).to_json()


def stating(document, value):
    """Return the document with another value of its only candidate."""
    stated = {"value": float(value).hex(), "printed": rounded_up(float(value))}
    record = document["certificates"][0]
    candidates = [{**record["candidates"][0], **stated}]
    return {**document, "certificates": [{**record, **stated, "candidates": candidates}]}


@pytest.mark.parametrize(
    ("lead", "gap", "rigorous"),
    [(0.55, 0.1, False), (0.5, 0.0, False), (0.7, 0.5, False), (0.55, 0.1, True)],
)
def test_unlabeled_samples_of_another_source_make_a_file_invalid(lead, gap, rigorous, problem_of):
    """For every stated value: the voters err at 0.1, and 30% and more of the vote differ."""
    forged = profiled()
    for name, share in (("leads", lead), ("gaps", gap)):
        forged["certificates"][0]["profile"][name] = pack(np.full(300, share))
    for value in (1e-11, 1.0):
        found = problem_of(stating(forged, value), rigorous=rigorous)
        assert "do not come from one source" in found


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
    with pytest.warns(match="contradict each other"):
        certificate = certify_votes(contradictory_counts(kind), bound=name)
    assert certificate.value == 1
    file = document_of(certificate).to_json()
    assert problem_of(file) is None
    assert problem_of(file, rigorous=True) is None
    assert f"the {name} bound" in problem_of(stating(file, 0.1))
