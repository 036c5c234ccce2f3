"""Deployed classifiers are certified through voters and unlabeled samples, by their names."""

from functools import cache

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from tandemvote import CertifiedForestClassifier, Votes, certify, certify_oob
from tandemvote.bounds import ContradictionError, single_voter_bound
from tandemvote.certificate import Certificate
from tandemvote.record.assumptions import standard_assumptions


def blobs(seed, n, shift=0.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    return rng.normal(size=(n, 4)) + 3 * np.eye(3, 4)[y] + shift, np.array(["a", "b", "c"])[y]


X, y = blobs(0, 900)
U, hidden = blobs(1, 700)
HELD_OUT = (X[500:], y[500:])


@cache
def bagged():
    return RandomForestClassifier(30, max_samples=0.5, random_state=0).fit(X, y)


@cache
def old():
    """A model that was trained on the first rows and is tested on the others."""
    return RandomForestClassifier(20, random_state=1).fit(X[:500], y[:500])


@cache
def refitted():
    return RandomForestClassifier(20, random_state=1).fit(X, y)


def refitted_predictions():
    return refitted().predict(U)


def test_the_averaged_predict_of_a_forest_is_certified_through_its_trees():
    certificate = certify_oob(bagged(), X, y, X_unlabeled=U, deployed=bagged())
    assert (bagged().predict(U) != hidden).mean() < certificate.value < 0.4
    assert certificate.deployed == "RandomForestClassifier"
    assert list(certificate.bounds) == ["vote_profile"]
    np.testing.assert_array_equal(certificate.predict(U), bagged().predict(U))


def test_a_model_refitted_after_a_hold_out_is_certified_through_the_old_one():
    certificate = certify(old(), *HELD_OUT, X_unlabeled=U, deployed=refitted())
    assert certificate.value == single_voter_bound(
        n_errors=int((old().predict(HELD_OUT[0]) != HELD_OUT[1]).sum()),
        n_samples=400,
        n_differ=int((old().predict(U) != refitted().predict(U)).sum()),
        n_unlabeled=700,
    )
    np.testing.assert_array_equal(certificate.predict(U), refitted().predict(U))


def test_predictions_say_the_same_as_the_classifier_that_made_them():
    models = [
        GaussianNB().fit(X[:300], y[:300]),
        old(),
        DecisionTreeClassifier().fit(X[:500], y[:500]),
    ]
    whole = certify(models, *HELD_OUT, X_unlabeled=U, deployed=refitted())
    array = certify(models, *HELD_OUT, X_unlabeled=U, deployed=refitted().predict(U))
    votes = Votes.from_predictions(
        [model.predict(HELD_OUT[0]) for model in models],
        HELD_OUT[1],
        unlabeled=[model.predict(U) for model in models],
    )
    assert whole.value == array.value == certify(votes, deployed=list(refitted().predict(U))).value
    with pytest.raises(ValueError, match="does not hold the models"):
        array.predict(U)


def test_without_a_profile_the_certificate_is_about_the_vote():
    """Weights that minimize the disagreement take the only unlabeled sample."""
    y = [0, 1] * 50
    votes = Votes.from_predictions([y, y], y, unlabeled=[[0], [0]]).with_deployed([1])
    certificate = certify(votes, weights="disagreement", bound="tandem")
    assert certificate.deployed is None and "vote" in certificate.guarantee
    assert set(certificate.assumptions) == set(standard_assumptions())


def test_the_certificate_names_the_classifier_and_what_no_label_has_shown():
    certificate = certify(old(), *HELD_OUT, X_unlabeled=U, deployed=refitted())
    assert certificate.basis.startswith("RandomForestClassifier through 1 voter;")
    assert "the error rate of RandomForestClassifier on new data" in certificate.guarantee
    assert certificate.observed is None
    (finding,) = certificate.findings
    assert finding.code == "deployed"
    assert "No labeled sample has tested RandomForestClassifier itself" in finding.message
    assumptions = " ".join(certificate.assumptions)
    assert "the distribution that the deployed classifier will be used on" in assumptions
    assert "neither the deployed classifier nor a model" in assumptions
    assert "about the weighted majority vote" not in assumptions


def test_the_file_keeps_whom_it_is_about(tmp_path):
    certificate = certify(old(), *HELD_OUT, X_unlabeled=U, deployed=refitted())
    again = Certificate.load(certificate.save(tmp_path / "refitted.json"))
    assert again.deployed == "RandomForestClassifier"
    assert again.value == certificate.value
    assert again.guarantee == certificate.guarantee


def test_weights_may_be_fitted_on_the_labels():
    certificate = certify_oob(
        bagged(), X, y, X_unlabeled=U, deployed=bagged(), weights="tandem", bound="best"
    )
    assert list(certificate.candidates) == ["vote_profile"]
    assert np.ptp(certificate.weights) > 0
    half = certify(Votes.from_predictions(
        [["a", "b"] * 50] * 2, ["a", "b"] * 50, unlabeled=[["a", "b"] * 20] * 2
    ), weights="disagreement", deployed=["a", "b"] * 20)  # fmt: skip
    assert half.profile.n_samples == 20
    assert set(half.profile.leads) == {1.0}


@pytest.mark.parametrize("bound", ["tandem", "test_set", ["vote_profile", "coalition"]])
def test_bounds_about_the_vote_are_rejected(bound):
    with pytest.raises(ValueError, match="it is about the vote, not about"):
        certify(old(), *HELD_OUT, X_unlabeled=U, deployed=refitted(), bound=bound)


def test_unlabeled_samples_of_another_source_are_rejected():
    shifted, _ = blobs(2, 700, shift=2.0)
    flat = [
        DecisionTreeClassifier(max_features=1, random_state=s).fit(X[:500], y[:500])
        for s in range(7)
    ]
    with pytest.raises(ContradictionError, match="are not drawn from the same distribution"):
        certify(flat, *HELD_OUT, X_unlabeled=shifted, deployed=refitted())


@pytest.mark.parametrize(
    ("deployed", "message"),
    [
        (lambda: refitted_predictions()[:-1], "predicts 699 samples; expected .* 700"),
        (lambda: np.where(hidden == "a", "dog", hidden), "'dog' is not among the labels"),
        (lambda: np.arange(700) % 3, "mix text .* with numbers"),
        (lambda: np.where(hidden == "a", None, hidden), "on unlabeled samples are missing"),
        (GaussianNB, "not fitted"),
    ],
)  # fmt: skip
def test_predictions_that_cannot_be_are_rejected(deployed, message):
    with pytest.raises(ValueError, match=message):
        certify(old(), *HELD_OUT, X_unlabeled=U, deployed=deployed())


@pytest.mark.parametrize("deployed", [refitted, refitted_predictions])
def test_a_deployed_model_requires_unlabeled_samples(deployed):
    with pytest.raises(ValueError, match=r"requires X_unlabeled|unlabeled"):
        certify(old(), *HELD_OUT, deployed=deployed())


def test_rows_the_deployed_classifier_was_trained_on_are_rejected_where_they_are_known():
    certified = CertifiedForestClassifier(10, random_state=0).fit(U, hidden)
    with pytest.raises(ValueError, match="unlabeled samples are rows of the training data"):
        certify(old(), *HELD_OUT, X_unlabeled=U, deployed=certified)
    with pytest.raises(ValueError, match="unlabeled samples are labeled samples"):
        certify(old(), *HELD_OUT, X_unlabeled=X[500:], deployed=refitted())


def test_unlabeled_samples_that_a_plain_forest_was_trained_on_are_rejected():
    held_out, labels = blobs(2, 400)
    forest = RandomForestClassifier(100, random_state=0).fit(X[500:], y[500:])
    with pytest.raises(ValueError, match="was trained on the 400 unlabeled samples"):
        certify(old(), held_out, labels, X_unlabeled=X[500:], deployed=forest)
    assert certify(old(), held_out, labels, X_unlabeled=U, deployed=forest).deployed
