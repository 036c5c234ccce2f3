"""Everything a file counts can be counted again, and a change of any vote is found."""

from dataclasses import replace

import numpy as np
import pytest

from tandemvote import CertifiedForestClassifier, Votes, certify
from tandemvote.certificate.file import document_of
from tandemvote.certificate.file_record import CertificateRecord
from tandemvote.ensembles import voter_predictions
from tandemvote.verify import verify_file
from tandemvote.verify.recount import recount

pytestmark = pytest.mark.filterwarnings("ignore::tandemvote.bounds.VacuousBoundWarning")


def record_of(certificate):
    return CertificateRecord.from_document(document_of(certificate))


@pytest.fixture(params=[(2, "tandem"), (3, "tandem"), (2, "disagreement"), (2, "best")], ids=str)
def counted(request, make_votes):
    """Votes with unlabelled points, of which weights may take half, and their record."""
    n_classes, bound = request.param
    votes = make_votes(3, n_classes=n_classes, n_unlabelled=61)
    weights = "disagreement" if bound == "disagreement" else "tandem"
    return votes, record_of(certify(votes, bound=bound, weights=weights))


def test_unlabelled_points_are_counted_again(counted):
    votes, record = counted
    verdict = verify_file(record, votes=votes, unlabelled=votes.classes[votes.unlabelled])
    assert verdict.problem is None


def test_another_prediction_of_an_unlabelled_point_is_found(counted):
    votes, record = counted
    rng = np.random.default_rng(0)
    for _ in range(20):
        said = votes.classes[votes.unlabelled].copy()
        voter, point = rng.integers(said.shape[0]), rng.integers(said.shape[1])
        said[voter, point] = (said[voter, point] + 1) % votes.classes.size
        assert "unlabelled point" in next(recount(record, None, said, None))


def test_other_unlabelled_points_are_found(counted):
    votes, record = counted
    said = votes.classes[votes.unlabelled]
    assert "the votes are about 60" in verify_file(record, unlabelled=said[:, :-1]).problem
    assert "5 predict" in verify_file(record, unlabelled=said[:-1]).problem
    strange = np.where(np.arange(61) == 7, 99, said)
    assert "the label '99', which is not among" in verify_file(record, unlabelled=strange).problem


def test_the_profile_is_that_of_the_weights_in_the_file(counted):
    votes, record = counted
    leads = record.profile["leads"].copy()
    other = int(np.flatnonzero(leads != leads[0])[0])
    leads[[0, other]] = leads[[other, 0]]
    changed = replace(record, profile={**record.profile, "leads": leads})
    problems = list(recount(changed, None, votes.classes[votes.unlabelled], None))
    assert len(problems) == 1
    assert "a share" in problems[0]


def test_points_the_file_does_not_have_are_found(make_votes):
    votes = make_votes(3)
    record = record_of(certify(votes))
    assert "has a profile of 0" in verify_file(record, unlabelled=votes.predictions).problem
    assert verify_file(record, test=votes).problem == "the file has no test set"


# The test set.


def random_table(seed, n=500, n_classes=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, np.array(["ant", "bee", "cat"])[(X @ rng.normal(size=(4, n_classes))).argmax(axis=1)]


@pytest.fixture(params=["uniform", "tandem"])
def tested(request):
    """A forest, its record with a test set, and the votes of its trees there."""
    X, y = random_table(0)
    # An even number of equal trees: ties are common, and how they end is part of the count.
    forest = CertifiedForestClassifier(6, weights=request.param, max_depth=2, random_state=0)
    forest.fit(X[:300], y[:300])
    record = record_of(forest.certify_with_test(X[300:], y[300:], bound="test_set"))
    said = forest.classes_[voter_predictions(forest.forest_, X[300:])]
    return forest, record, said, X[300:], y[300:]


def test_the_voters_vote_again_on_the_test_set(tested):
    forest, record, said, X, y = tested
    assert record.test == (int((forest.predict(X) != y).sum()), 200)
    assert verify_file(record, test=Votes.from_predictions(said, y)).problem is None


def test_the_vote_itself_is_counted_again_on_the_test_set(tested):
    forest, record, _, X, y = tested
    assert verify_file(record, test=Votes.from_predictions([forest.predict(X)], y)).problem is None


def test_another_test_set_is_found(tested):
    forest, record, said, X, y = tested
    for votes in (
        Votes.from_predictions(said[:, :-1], y[:-1]),
        Votes.from_predictions(said, np.roll(y, 1)),
        Votes.from_predictions([np.roll(forest.predict(X), 1)], y),
    ):
        assert "test points in the file" in verify_file(record, test=votes).problem
    three = Votes.from_predictions(said[:3], y)
    assert "3 predict the test set" in verify_file(record, test=three).problem
    mask = np.ones(said.shape, bool)
    mask[2, 7] = False
    silent = Votes.from_predictions(said, y, mask)
    assert verify_file(record, test=silent).problem == "voter 2 predicts nothing at test point 7"


def test_ties_go_to_the_smallest_class_and_equal_weights_tie(make_votes):
    # Thirds do not sum to 1 in floating point; as votes they must tie all the same.
    said = np.array([["b", "c", "b"], ["a", "b", "b"], ["c", "a", "a"]])
    votes = make_votes(0, n_voters=3)
    labelled = Votes.from_predictions(np.array(["a", "b"])[votes.predictions], ["a", "b"] * 200)
    record = record_of(certify(labelled, weights=[1 / 3] * 3, bound="tandem"))
    for labels, n_errors in ((["a", "a", "b"], 0), (["b", "c", "a"], 3)):
        stated = replace(record, test=(n_errors, 3), digest="", expected_digest="")
        test = Votes.from_predictions(said, labels)
        assert list(recount(stated, None, None, test)) == []
        other = replace(stated, test=(3 - n_errors, 3))
        assert len(list(recount(other, None, None, test))) == 1
