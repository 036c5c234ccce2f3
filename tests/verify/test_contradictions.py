"""Files whose evidence contradicts itself."""

import numpy as np
import pytest

from tandemvote import Certificate, VoteCounts, Votes
from tandemvote.certificate import file_fields
from tandemvote.certificate.decimals import rounded_up
from tandemvote.certificate.file import document_of
from tandemvote.certificate.file_record import CertificateRecord, digest_of
from tandemvote.hard_vote import VoteProfile
from tandemvote.verify import verify_file


def document():
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=1500)
    said = np.where(rng.random((7, 1500)) < 0.15, rng.integers(3, size=(7, 1500)), labels)
    votes = Votes.from_predictions(said[:, :1200], labels[:1200])
    return document_of(
        Certificate.from_counts(
            VoteCounts.from_votes(votes),
            bound="vote_profile",
            profile=VoteProfile.of(said[:, 1200:], np.full(7, 1 / 7)),
        )
    )


def stating(document, name, value):
    """Return the document with another value of a bound, and of the guarantee if it rests on it."""
    stated = {"value": float(value).hex(), "printed": rounded_up(float(value))}
    next(bound for bound in document["bounds"] if bound["name"] == name).update(stated)
    if document["guarantee"]["bound"] == name:
        document["guarantee"].update(stated)
    document["digest"] = digest_of(document)
    return document


def problem_of(document, *, rigorous=False):
    return verify_file(CertificateRecord.from_document(document), rigorous=rigorous).problem


@pytest.mark.parametrize(
    ("lead", "gap", "rigorous"),
    [(0.55, 0.1, False), (0.5, 0.0, False), (0.7, 0.5, False), (0.55, 0.1, True)],
)
def test_unlabelled_points_of_another_source_make_a_file_invalid(lead, gap, rigorous):
    """Whatever value it states: the voters err at 0.1 and split 30 % and more of the vote."""
    forged = document()
    for name, share in (("leads", lead), ("gaps", gap)):
        forged["profile"][name] = file_fields.pack(np.full(300, share))
    for value in (1e-11, 1.0):
        found = problem_of(stating(forged, "vote_profile", value), rigorous=rigorous)
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
def test_contradictory_estimates_allow_no_value_but_one(name, kind, contradictory_counts):
    with pytest.warns(match="contradict each other"):
        certificate = Certificate.from_counts(contradictory_counts(kind), bound=name)
    assert certificate.value == 1
    file = document_of(certificate)
    assert problem_of(file) is None
    assert problem_of(file, rigorous=True) is None
    assert f"the {name} bound" in problem_of(stating(file, name, 0.1))
