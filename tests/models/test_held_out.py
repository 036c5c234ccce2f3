"""certify: fitted models, and votes, on held-out samples."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta
from sklearn.datasets import make_classification
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC

from tandemvote import (
    CertifiedClassifier,
    CertifiedForestClassifier,
    VoteCounts,
    Votes,
    certify,
)
from tandemvote.votes.evidence import Evidence


@pytest.fixture(scope="module")
def data():
    return make_classification(900, 8, n_informative=4, flip_y=0.15, random_state=1)


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(10, random_state=0),
        ExtraTreesClassifier(10, random_state=0),
        SVC(),
        CertifiedForestClassifier(10, random_state=0),
        CertifiedClassifier(GaussianNB(), random_state=0),
    ],
)
def test_one_classifier_is_certified_as_itself(model, data):
    X, y = data
    model.fit(X[:500], y[:500])
    certificate = certify(model, X[500:], y[500:], confidence=0.9)
    n_errors = int((model.predict(X[500:]) != y[500:]).sum())
    exact = beta.ppf(0.9, n_errors + 1, 400 - n_errors)
    assert certificate.value == pytest.approx(exact, rel=1e-9)
    assert (certificate.bound, certificate.counts.n_voters) == ("test_set", 1)
    assert certificate.observed == n_errors / 400
    assert np.array_equal(certificate.predict(X), model.predict(X))
    assert certify([model], X[500:], y[500:], confidence=0.9).value == certificate.value


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(20, random_state=0),
        ExtraTreesClassifier(20, random_state=0),
        CertifiedForestClassifier(10, random_state=0),
        CertifiedClassifier(GaussianNB(), random_state=0),
        KNeighborsClassifier(),
    ],
)
def test_training_samples_are_rejected(model, data):
    X, y = data
    model.fit(X[:500], y[:500])
    for models in (model, [model, GaussianNB().fit(X, y)]):
        with pytest.raises(ValueError, match=r"trained on|training data"):
            certify(models, X[:500], y[:500])


def test_fitted_classifiers_vote_on_held_out_samples(data):
    X, y = data
    labels = np.array(["no", "yes"])[y]
    models = [m.fit(X[:300], labels[:300]) for m in (GaussianNB(), SVC(), KNeighborsClassifier())]
    certificate = certify(models, X[300:700], labels[300:700], bound="tandem")
    predictions = [m.predict(X[300:700]) for m in models]
    votes = Votes.from_predictions(predictions, labels[300:700])
    assert certificate.value == certify(votes, bound="tandem").value
    majority = np.sum([m.predict(X) == "yes" for m in models], axis=0) >= 2
    assert np.array_equal(certificate.predict(X), np.array(["no", "yes"])[majority.astype(int)])
    frame = pd.DataFrame(X, columns=[f"column {i}" for i in range(8)])
    named = [m.fit(frame[:300], labels[:300]) for m in models]
    again = certify(named, frame[300:700], labels[300:700], bound="tandem")
    assert again.value == certificate.value
    # Equal weights: by default the vote itself is tested.
    tested = certify(named, frame[300:700], labels[300:700])
    assert tested.bound == "test_set" and tested.value < again.value
    assert tested.evidence.vote.n_test_errors == (majority != y)[300:700].sum()


def test_a_class_that_no_model_knows_is_always_misclassified(data):
    X, y = data
    model = GaussianNB().fit(X[:200], np.array(["no", "yes"])[y[:200]])
    labels = np.array(["no", "yes"], dtype="<U3")[y[200:]]
    labels[:20] = "new"
    groups = certify(model, X[200:], labels).by_group({"class": "class", "predicted": "predicted"})
    assert len(groups) == 6
    assert groups["class", "new"].value == 1.0
    assert groups["class", "new"].observed == 1.0
    assert groups["predicted", "new"].value == 1.0
    assert groups["predicted", "new"].counts.n_samples == 0


def test_votes_counts_and_shards_are_certified():
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=3000)
    votes = Votes.from_predictions(labels ^ (rng.random((9, 3000)) < 0.1), labels)
    certificate = certify(votes, weights="tandem", bound="best", confidence=0.99)
    assert 0 < certificate.value < 0.2
    whole = certify(votes)
    assert certify(Evidence.of(votes)).value == whole.value
    assert certify(VoteCounts.from_votes(votes)).bound == "coalition"
    assert certify(votes.chunks(700)).value == whole.value
    for name, value in {
        "X": labels[:, None],
        "y": labels,
        "X_unlabeled": labels,
        "allow": ["identifer"],
    }.items():
        with pytest.raises(ValueError, match="cannot be combined with votes"):
            certify(votes, **{name: value})
    with pytest.raises(ValueError, match=r"models themselves|not the classifiers"):
        whole.predict(labels[:, None])


def test_missing_data_is_rejected(data):
    X, y = data
    model = GaussianNB().fit(X[:200], y[:200])
    with pytest.raises(ValueError, match="X and y are required"):
        certify(model)
    with pytest.raises(ValueError, match="X and y are required"):
        certify(model, X)
    for models in (model, [model]):
        with pytest.raises(ValueError, match=r"y has shape \(399,\) and X has 400 samples\. Pass"):
            certify(models, X[500:], y[501:])


def test_an_iterable_of_something_else_is_rejected():
    for given in (iter([1]), iter([[1]])):
        with pytest.raises(TypeError, match=r"type (int|list) was given; expected Votes"):
            certify(given)


def test_a_class_is_rejected(data):
    X, y = data
    for models in (GaussianNB, [GaussianNB]):
        with pytest.raises(ValueError, match=r"GaussianNB is not a fitted classifier"):
            certify(models, X[500:], y[500:])


def test_weights_that_were_fitted_are_not_tested(data):
    X, y = data
    models = [GaussianNB().fit(X[:200], y[:200]), SVC().fit(X[:200], y[:200])]
    with pytest.raises(ValueError, match="weights that do not depend on them"):
        certify(models, X[300:], y[300:], bound="test_set", weights="tandem")
    with pytest.raises(ValueError, match="bound is empty"):
        certify(models, X[300:], y[300:], bound=[])


def test_networks_are_classifiers_of_one_label(data):
    X, _ = data
    network = MLPClassifier((4,), max_iter=5, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        network.fit(X[:300], np.arange(300) % 3)
    assert network.n_outputs_ == 3
    assert certify(network, X[300:], np.arange(len(X) - 300) % 3, bound="first_order").value <= 1


def test_samples_and_labels_in_another_order_are_rejected(data):
    X, y = data
    frame, labels = pd.DataFrame(X, columns=list("abcdefgh")), pd.Series(y, name="y")
    model = GaussianNB().fit(frame[:300], labels[:300])
    with pytest.raises(ValueError, match="another order"):
        certify(model, frame[300:], labels[300:].sample(frac=1, random_state=0))
