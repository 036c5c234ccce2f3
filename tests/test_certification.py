"""Unlabelled points: what the vote says of them, and that they are new."""

import numpy as np
import pytest

from tandemvote import CertifiedForestClassifier, Votes, certify
from tandemvote.bounds.vote_profile import VOTE_PROFILE
from tandemvote.certification import CertificateRequest, set_apart


def test_weights_and_profile_share_no_unlabelled_point_where_weights_depend_on_them():
    everywhere = (slice(None), slice(None))
    assert set_apart(100, CertificateRequest(weights="tandem", bound="best")) == everywhere
    for asked in ({"weights": "disagreement"}, {"bound": ["tandem", "disagreement"]}):
        counted, profiled = set_apart(100, CertificateRequest(**asked))
        assert counted.size == profiled.size == 50
        assert sorted([*counted, *profiled]) == list(range(100))


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(4)
    y = rng.integers(3, size=1600)
    return rng.normal(size=(1600, 4)) + 1.2 * np.eye(3, 4)[y], y


def test_a_forest_uses_unlabelled_points_and_beats_what_it_says_without(blobs):
    X, y = blobs
    forest = CertifiedForestClassifier(30, max_samples=0.5, bound="vote_profile", random_state=0)
    forest.fit(X[:1000], y[:1000], X_unlabelled=X[1000:])
    certificate = forest.certificate_
    assert certificate.bound == "vote_profile"
    assert certificate.profile.n_points == 600
    said = np.array([tree.predict(X[1000:]) for tree in forest.estimators_])
    assert certificate.value == VOTE_PROFILE(forest.counts_, unlabelled=said).value
    assert certificate.value < 0.8 * min(
        certificate.bounds[name].value for name in ("first_order", "tandem")
    )
    assert "600 unlabelled points" in repr(certificate)
    assert any("unlabelled points are independent" in text for text in certificate.assumptions)
    tested = forest.certify_with_test(X[1000:], y[1000:])
    assert tested.value == certificate.value


def test_certify_takes_unlabelled_points_for_fitted_models_and_for_votes(blobs):
    X, y = blobs
    forest = CertifiedForestClassifier(20, random_state=0).fit(X[:1000], y[:1000])
    certificate = certify(
        forest.forest_, X[:1000], y[:1000], X_unlabelled=X[1000:], bound="vote_profile"
    )
    votes = Votes.from_predictions(
        [[0, 1, 2] * 100] * 3, [0, 1, 2] * 100, unlabelled=[[0, 1, 2] * 50] * 3
    )
    assert certificate.value < 1
    assert certify(votes, bound="vote_profile").value < 0.05
    with pytest.raises(ValueError, match="needs unlabelled points"):
        certify(forest.forest_, X[:1000], y[:1000], bound="vote_profile")
    with pytest.raises(ValueError, match="rows of the training data"):
        certify(forest.forest_, X[:1000], y[:1000], X_unlabelled=X[:50])
