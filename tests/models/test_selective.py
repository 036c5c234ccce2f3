"""Classifiers that abstain: certified ones, any others, and votes."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from tandemvote import CertifiedForestClassifier, Votes, certify, certify_selective
from tandemvote.certificate.selective import SelectiveCertificate, vote_margins


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(900, 8, n_informative=4, flip_y=0.1, random_state=1)
    return X, np.array(["no", "yes"])[y]


@pytest.fixture(scope="module")
def forest(data):
    X, y = data
    return CertifiedForestClassifier(
        25, max_depth=4, weights="uniform", random_state=0
    ).fit(X[:400], y[:400])  # fmt: skip


def test_the_certificate_counts_what_the_selective_vote_does(forest, data):
    X, y = data
    certificate = certify_selective(forest, X[400:], y[400:], max_error=0.15)
    labels, confident = certificate.predict(X[400:])
    trees = np.array([tree.predict(X[400:]) for tree in forest.estimators_])
    lead = np.abs(2 * trees.sum(axis=0) - 25) / 25
    chosen = certificate.chosen
    assert 0 < chosen.margin < 1
    assert confident.tolist() == (lead >= chosen.margin - 1e-9).tolist()
    assert labels.tolist() == forest.predict(X[400:])[confident].tolist()
    assert certificate.n_samples == 500
    assert chosen.n_confident == confident.sum() == labels.size
    assert chosen.n_errors == (labels != y[400:][confident]).sum()
    assert 0 < chosen.n_errors / chosen.n_confident < certificate.max_error
    assert 0 < certificate.coverage < chosen.n_confident / 500 < 1
    assert accuracy_score(y[400:][confident], labels) > forest.score(X[400:], y[400:])


def test_any_classifier_with_probabilities_is_certified(data):
    X, y = data
    model = LogisticRegression().fit(X[:400], y[:400])
    certificate = certify_selective(model, X[400:], y[400:], max_error=0.2)
    margin = np.abs(2 * model.predict_proba(X[400:])[:, 0] - 1)
    wrong = model.predict(X[400:]) != y[400:]
    for each in certificate.thresholds:
        assert each.n_confident == (margin >= each.margin).sum()
        assert each.n_errors == wrong[margin >= each.margin].sum()


def test_classifiers_without_probabilities_vote(data):
    X, y = data
    models = [LinearSVC(C=c).fit(X[:300], y[:300]) for c in (0.01, 0.1, 1.0)]
    with pytest.raises(ValueError, match=r"LinearSVC has no predict_proba.*a list of classifiers"):
        certify_selective(models[0], X[400:], y[400:], max_error=0.2)
    certificate = certify_selective(models, X[400:], y[400:], max_error=0.2)
    yes = np.sum([model.predict(X[400:]) == "yes" for model in models], axis=0)
    assert certificate.thresholds[-1].n_confident == np.isin(yes, [0, 3]).sum()
    votes = certify(models, X[400:], y[400:]).votes
    from_votes = certify_selective(votes, max_error=0.2)
    assert from_votes.thresholds == certificate.thresholds
    labels, _ = certificate.predict(X[400:])
    assert from_votes.predict(X[400:])[0].tolist() == labels.tolist()


def test_shares_from_anywhere_give_the_same_certificate(forest, data):
    X, y = data
    shares = forest.predict_proba(X[400:])
    plain = SelectiveCertificate.from_shares(shares, y[400:], classes=["no", "yes"], max_error=0.15)
    assert repr(plain) == repr(certify_selective(forest, X[400:], y[400:], max_error=0.15))


def test_a_label_that_the_model_does_not_know_is_an_error(forest, data):
    X, y = data
    strange = np.where(vote_margins(forest.predict_proba(X[400:])) >= 0.5, "unknown", y[400:])
    certificate = certify_selective(forest, X[400:], strange, max_error=0.15)
    large = [each for each in certificate.thresholds if each.margin >= 0.5]
    assert all(each.n_errors == each.n_confident > 0 and not each.passed for each in large)


def test_if_no_threshold_keeps_the_error_no_sample_is_confident(forest, data):
    X, y = data
    certificate = certify_selective(forest, X[400:], y[400:], max_error=1e-4)
    assert (certificate.chosen.margin, certificate.coverage) == (np.inf, 0.0)
    labels, confident = certificate.predict(X[400:])
    assert labels.size == confident.sum() == 0


def test_confidence_is_passed_on(forest, data):
    X, y = data
    certificate = certify_selective(forest, X[400:], y[400:], max_error=0.15, confidence=0.8)
    assert certificate.delta == 0.2


def test_training_samples_are_rejected(data):
    X, y = data
    plain = RandomForestClassifier(20, random_state=0).fit(X[:400], y[:400])
    certified = CertifiedForestClassifier(5, random_state=0).fit(X[:400], y[:400])
    for models in (plain, certified, [plain], [certified]):
        with pytest.raises(ValueError, match=r"trained on|training data"):
            certify_selective(models, X[:400], y[:400], max_error=0.2)
    held_out = np.random.default_rng(0).random((3, 900)) < 0.5
    votes = Votes.from_predictions([y] * 3, y, held_out)
    with pytest.raises(ValueError, match="Some voters were trained on some of these samples"):
        certify_selective(votes, max_error=0.2)


def test_what_cannot_abstain_is_rejected(forest, data):
    X, y = data
    with pytest.raises(ValueError, match="X and y are required"):
        certify_selective(forest, max_error=0.1)
    with pytest.raises(ValueError, match="X and y are required"):
        certify_selective([forest], max_error=0.1)
    with pytest.raises(ValueError, match="dict is not a fitted classifier"):
        certify_selective({"a": forest}, X[400:], y[400:], max_error=0.1)
    with pytest.raises(ValueError, match=r"max_error=1\.0 is not valid"):
        certify_selective(forest, X[400:], y[400:], max_error=1.0)
    with pytest.raises(ValueError, match="not a classifier"):
        certify_selective(
            DecisionTreeRegressor().fit(X, y == "no"), X[:400], y[:400], max_error=0.1
        )
    two = DecisionTreeClassifier().fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="with one output"):
        certify_selective(two, X[:400], y[:400], max_error=0.1)
