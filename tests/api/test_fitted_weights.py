"""One hold-out that both fits the weights and certifies the vote."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from tandemvote import Votes, certify, certify_fitted_weights
from tandemvote.bounds import dirichlet_on_votes


@pytest.fixture(scope="module")
def problem():
    X, y = make_classification(3000, 10, n_informative=5, random_state=0)
    rng = np.random.default_rng(0)
    models = [
        DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X[rows], y[rows])
        for depth in (1, 3, 6, 10)
        for rows in [rng.integers(1000, size=1000)]
    ]
    return [*models, GaussianNB().fit(X[:1000], y[:1000])], X, y


def test_the_certified_weights_are_those_voted_with(problem):
    models, X, y = problem
    vote = certify_fitted_weights(models, X[1000:2000], y[1000:2000])
    assert abs(vote.weights.sum() - 1) < 1e-9 and (vote.weights > 0).all()
    votes = Votes.from_predictions([m.predict(X[1000:2000]) for m in models], y[1000:2000])
    again = dirichlet_on_votes(votes, vote.weights * vote.bounds[vote.bound].terms["concentration"])
    assert vote.value == pytest.approx(again.value, abs=1e-9)
    said = np.array([m.predict(X[2000:]) for m in models])
    expected = (vote.weights @ said > 0.5).astype(int)
    np.testing.assert_array_equal(vote.predict(X[2000:]), expected)
    assert np.mean(vote.predict(X[2000:]) != y[2000:]) < vote.value < 0.35


def test_fitted_weights_beat_the_bounds_of_the_paper_on_the_same_points(problem):
    models, X, y = problem
    vote = certify_fitted_weights(models, X[1000:], y[1000:])
    published = certify(models, X[1000:], y[1000:], weights="tandem", sharpening="paper")
    assert vote.value < min(float(value) for value in published.bounds.values())


def test_votes_bring_their_points_and_models_need_some(problem):
    models, X, y = problem
    votes = Votes.from_predictions([[0, 1] * 50] * 2, [0, 1] * 50)
    vote = certify_fitted_weights(votes, delta=0.1)
    assert repr(vote).startswith("observed 0.0 %, guaranteed at most") and "90 %" in vote.guarantee
    with pytest.raises(ValueError, match="certify the models"):
        vote.predict(X)
    with pytest.raises(ValueError, match="Votes already hold"):
        certify_fitted_weights(votes, X, y)
    with pytest.raises(ValueError, match="X or y is missing"):
        certify_fitted_weights(models)
    out_of_bag = Votes.from_predictions(votes.predictions, votes.labels, votes.predictions == 0)
    with pytest.raises(ValueError, match=r"different held-out points.*hold_out_votes"):
        certify_fitted_weights(out_of_bag)
    assert any("test" in text or "Held-out" in text for text in vote.assumptions)


def test_voters_that_guess_get_a_guarantee_above_one_half_and_liars_none():
    labels = np.random.default_rng(1).integers(2, size=200)
    guesses = np.random.default_rng(2).integers(2, size=(5, 200))
    assert certify_fitted_weights(Votes.from_predictions(guesses, labels)).value > 0.5
    liars = certify_fitted_weights(Votes.from_predictions([1 - labels] * 3, labels))
    assert liars.value == 1.0 and liars.guarantee.startswith("No guarantee")
    assert repr(liars).startswith("observed 100.0 %, no guarantee")


def test_text_html_and_frame_name_the_bound_and_list_the_assumptions(problem):
    models, X, y = problem
    vote = certify_fitted_weights(models, X[1000:], y[1000:])
    assert vote.bound == "dirichlet" and vote.bounds["dirichlet"].value == vote.value
    page = vote._repr_html_()
    assert "bound: dirichlet (DIR)" in repr(vote) and "bound: dirichlet (DIR)" in page
    assert all(text in page for text in vote.assumptions)
    assert vote.to_frame().loc["dirichlet", "value"] == vote.value
