"""Voters that answer only where enough of them agree."""

import numpy as np
import pytest
from scipy.stats import beta
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from tandemvote import CertifiedClassifierCV, Votes, certify_agreement


@pytest.fixture(scope="module")
def data():
    return make_classification(1500, 8, n_informative=5, n_classes=3, flip_y=0.1, random_state=1)


@pytest.fixture(scope="module")
def model(data):
    X, y = data
    tree = DecisionTreeClassifier(max_depth=5)
    return CertifiedClassifierCV(tree, random_state=0).fit(X[:900], y[:900])


def test_where_all_must_agree_one_voter_fixed_in_advance_has_the_whole_delta(model):
    found = certify_agreement(model)
    wrong, n = int(model.counts_.errors[0]), int(model.counts_.sizes[0])
    assert found.value == pytest.approx(beta.ppf(0.95, wrong + 1, n - wrong))
    assert found.value < model.certificate_.value


def test_a_majority_of_three_is_the_vote_itself(model):
    vote = model.certificate_.bounds["coalition"]
    assert certify_agreement(model, quorum=2).value == pytest.approx(vote.value)


@pytest.mark.parametrize("quorum", [2, 3])
def test_answers_are_given_where_enough_voters_agree(quorum, model, data):
    X, y = data
    labels, accepted = certify_agreement(model, quorum=quorum).predict(X[900:])
    said = np.array([estimator.predict(X[900:]) for estimator in model.estimators_])
    agreeing = np.array([np.bincount(column, minlength=3).max() for column in said.T])
    assert np.array_equal(accepted, agreeing >= quorum)
    winners = np.array([np.bincount(column, minlength=3).argmax() for column in said.T])
    assert np.array_equal(labels, winners[accepted])
    wrong = (labels != y[900:][accepted]).sum() / len(accepted)
    assert wrong <= certify_agreement(model, quorum=quorum).value


def test_it_says_what_it_promises_and_what_it_rests_on(model):
    found = certify_agreement(model)
    assert repr(found).startswith("all 3 voters agree and are wrong: at most ")
    assert "all 3 voters agree on a wrong label on at most" in found.guarantee
    assert "at least 2 of 3 voters" in certify_agreement(model, quorum=2).guarantee
    assert found.to_frame()["errors"].tolist() == model.counts_.errors.tolist()
    assert any("independent draws" in text for text in found.assumptions)
    page = found._repr_html_()
    assert "What it rests on" in page


def test_what_cannot_be_is_refused(model):
    for quorum in (0, 4):
        with pytest.raises(ValueError, match=f"quorum is {quorum} and there are 3 voters"):
            certify_agreement(model, quorum=quorum)
    votes = Votes.from_predictions([[0, 1] * 50] * 3, [0, 1] * 50)
    with pytest.raises(ValueError, match="Certify the models themselves"):
        certify_agreement(votes).predict([[0]])
