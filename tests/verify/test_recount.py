"""Everything that a file counts can be counted again, and a change of any vote is found."""

from dataclasses import replace

import numpy as np
import pytest

from tandemvote.certificate import certify_votes
from tandemvote.verify import verify_file
from tandemvote.verify.recount import recount
from tandemvote.votes.votes import Votes

pytestmark = pytest.mark.filterwarnings("ignore::tandemvote.bounds.VacuousBoundWarning")


def with_whole(document, **changes):
    return replace(document, certificates=(replace(document.whole, **changes),))


def test_votes_are_counted_again(make_votes, tmp_path):
    votes = make_votes(3, n_classes=3, n_unlabeled=4)
    path = certify_votes(votes).save(tmp_path / "file.json")
    assert verify_file(path, votes=votes).problem is None
    predictions = votes.predictions.copy()
    voter, sample = np.argwhere(votes.held_out)[7]
    predictions[voter, sample] = (predictions[voter, sample] + 1) % 3
    other = Votes.from_predictions(predictions, votes.labels, votes.held_out)
    assert " in the votes" in verify_file(path, votes=other).problem
    as_floats = Votes.from_predictions(
        votes.predictions.astype(float), votes.labels, votes.held_out
    )
    assert verify_file(path, votes=as_floats).problem is None
    renamed = Votes.from_predictions(votes.predictions + 7, votes.labels + 7, votes.held_out)
    assert "not among those of the file" in verify_file(path, votes=renamed).problem
    fewer = Votes.from_predictions(predictions[:4], votes.labels, votes.held_out[:4])
    assert "the votes have 4" in verify_file(path, votes=fewer).problem


@pytest.fixture(params=[(2, "tandem"), (3, "tandem"), (2, "disagreement"), (2, "best")], ids=str)
def counted(request, make_votes):
    """Votes with unlabeled samples, of which weights may take half, and their document."""
    n_classes, bound = request.param
    votes = make_votes(3, n_classes=n_classes, n_unlabeled=61)
    weights = "disagreement" if bound == "disagreement" else "tandem"
    return votes, certify_votes(votes, bound=bound, weights=weights).document


def test_unlabeled_samples_are_counted_again(counted):
    votes, document = counted
    unlabeled = votes.classes[votes.unlabeled]
    assert verify_file(document, votes=votes, unlabeled=unlabeled).problem is None
    # The order of the samples does not enter the draws.
    assert verify_file(document, unlabeled=unlabeled[:, ::-1]).problem is None


def test_another_prediction_of_an_unlabeled_sample_is_found(counted):
    votes, document = counted
    rng = np.random.default_rng(0)
    for _ in range(20):
        predictions = votes.classes[votes.unlabeled].copy()
        voter, sample = rng.integers(predictions.shape[0]), rng.integers(predictions.shape[1])
        predictions[voter, sample] = (predictions[voter, sample] + 1) % votes.classes.size
        assert "unlabeled sample" in next(recount(document, None, predictions, {}))


def test_other_unlabeled_samples_are_found(counted):
    votes, document = counted
    predictions = votes.classes[votes.unlabeled]
    assert "the votes are about 60" in verify_file(document, unlabeled=predictions[:, :-1]).problem
    assert "the votes have 5" in verify_file(document, unlabeled=predictions[:-1]).problem
    strange = np.where(np.arange(61) == 7, 99, predictions)
    assert "the label '99', which is not among" in verify_file(document, unlabeled=strange).problem


def test_the_profile_is_that_of_the_weights_in_the_file(counted):
    votes, document = counted
    profile = document.whole.profile
    leads = profile.leads.copy()
    other = int(np.flatnonzero(leads != leads[0])[0])
    leads[[0, other]] = leads[[other, 0]]
    changed = with_whole(document, profile=replace(profile, leads=leads))
    (problem,) = recount(changed, None, votes.classes[votes.unlabeled], {})
    assert "the leads of unlabeled samples, or their order, are not" in problem


def test_samples_that_the_file_does_not_have_are_found(make_votes):
    votes = make_votes(3)
    document = certify_votes(votes).document
    assert "has a profile of 0" in verify_file(document, unlabeled=votes.predictions).problem


def of_class(votes, document):
    return [(votes.labels == code).sum() for code, _ in enumerate(document.whole.classes)]


@pytest.mark.parametrize("held_out", [0.1, 0.7, 2])
@pytest.mark.parametrize("weights", ["uniform", "tandem"])
def test_observed_errors_and_classes_are_counted_again(make_votes, held_out, weights):
    """With few voters per sample, ties are common, and how they end is part of the count."""
    votes = make_votes(5, n_voters=12, n_classes=4, held_out=held_out)
    document = certify_votes(votes, weights=weights, bound="first_order").document
    whole = document.whole
    assert list(whole.class_counts) == of_class(votes, document)
    assert list(recount(document, votes, None, {})) == []
    for name in ("n_errors", "n_samples"):
        number = getattr(whole.voted, name) - 1
        wrong = with_whole(document, voted=whole.voted._replace(**{name: number}))
        (problem,) = recount(wrong, votes, None, {})
        assert "the errors and samples of the vote differ at" in problem
    first, second, *rest = whole.class_counts
    wrong = with_whole(document, class_counts=(first - 1, second + 1, *rest))
    assert "the samples by class differ at 0" in next(recount(wrong, votes, None, {}))


@pytest.fixture(params=[None, [0.3, 0.3, 0.1, 0.1, 0.1, 0.1]], ids=["uniform", "given"])
def tested(request, make_votes):
    """Votes that test themselves, an even number of them, and their document."""
    votes = make_votes(2, n_classes=3, held_out=2)
    names = np.array(["ant", "bee", "cat"])
    votes = Votes.from_predictions(names[votes.predictions], names[votes.labels])
    weights = "uniform" if request.param is None else request.param
    return votes, certify_votes(votes, weights=weights, bound="test_set").document


def test_the_voters_vote_again_on_the_test_set(tested):
    votes, document = tested
    assert verify_file(document, votes=votes).problem is None


def test_another_test_set_is_found(tested):
    votes, document = tested
    names = votes.classes[votes.predictions]
    labels = votes.classes[votes.labels]
    for other in (
        Votes.from_predictions(names[:, :-1], labels[:-1]),
        Votes.from_predictions(names, np.roll(labels, 1)),
        Votes.from_predictions(names[::-1], labels),
    ):
        assert "in the votes" in verify_file(document, votes=other).problem
    test = document.whole.test
    wrong = with_whole(document, test=test._replace(n_errors=test.n_errors + 1))
    assert "the test errors differ" in next(recount(wrong, votes, None, {}))
    mask = np.ones(names.shape, bool)
    mask[2, 7] = False
    silent = Votes.from_predictions(names, labels, mask)
    assert "in the votes" in verify_file(document, votes=silent).problem


def test_ties_go_to_the_smallest_class_and_equal_weights_tie():
    # Thirds do not sum to 1 in floating point; as votes they must tie all the same.
    predictions = np.array([["b", "c", "b"], ["a", "b", "b"], ["c", "a", "a"]])
    for labels, n_errors in ((["a", "a", "b"], 0), (["b", "c", "a"], 3)):
        votes = Votes.from_predictions(predictions, labels)
        document = certify_votes(votes, weights=[1 / 3] * 3, bound="test_set").document
        assert document.whole.test.n_errors == n_errors
        assert list(recount(document, votes, None, {})) == []


def test_ties_end_as_the_classes_of_the_file_are_ordered():
    """Of integers 2 is before 10; as text it is not."""
    labels = np.array([2, 10] * 100)
    document = certify_votes(Votes.from_predictions([labels, 12 - labels], labels)).document
    assert document.whole.test.n_errors == 100
    text = labels.astype(str)
    votes = Votes.from_predictions([text, np.roll(text, 1)], text)
    assert votes.classes.tolist() == ["10", "2"]
    assert list(recount(document, votes, None, {})) == []


@pytest.mark.parametrize("labels", [[False, True], [0.5, 1.5], ["é", "z"], [-3, 2**40]])
def test_labels_of_every_kind_are_recounted(labels):
    rng = np.random.default_rng(0)
    y = rng.choice(labels, 50)
    votes = Votes.from_predictions([y, np.roll(y, 1)], y)
    assert verify_file(certify_votes(votes).document, votes=votes).problem is None
