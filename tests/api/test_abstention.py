"""Votes that abstain, from certified classifiers, from any others and from plain shares."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from tandemvote import (
    CertifiedForestClassifier,
    certify_selective,
    hold_out_votes,
)
from tandemvote.certificate import SelectiveCertificate, vote_margins


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(900, 8, n_informative=4, flip_y=0.1, random_state=1)
    return X, np.array(["no", "yes"])[y]


@pytest.fixture(scope="module")
def forest(data):
    X, y = data
    return CertifiedForestClassifier(25, max_depth=4, random_state=0).fit(X[:400], y[:400])


def test_the_certificate_counts_what_the_selective_vote_does(forest, data):
    X, y = data
    certificate = certify_selective([forest], X[400:], y[400:], margin=0.2)
    labels, accepted = certificate.predict(X[400:])
    trees = np.array([tree.predict(X[400:]) for tree in forest.estimators_])
    lead = np.abs(2 * trees.sum(axis=0) - 25)
    assert accepted.tolist() == (lead >= 5).tolist()
    assert labels.tolist() == forest.predict(X[400:])[accepted].tolist()
    assert certificate.n_points == 500
    assert certificate.n_accepted == accepted.sum() == labels.size
    assert certificate.n_errors == (labels != y[400:][accepted]).sum()
    assert 0 < certificate.n_errors / certificate.n_accepted < certificate.error < 1
    assert 0 < certificate.coverage < certificate.n_accepted / 500 < 1


def test_rejected_points_get_no_label(forest, data):
    X, y = data
    certificate = certify_selective([forest], X[400:], y[400:], margin=0.9)
    selection = certificate.predict(X[400:])
    assert selection.labels.shape == (selection.accepted.sum(),)
    assert accuracy_score(y[400:][selection.accepted], selection.labels) > forest.score(
        X[400:], y[400:]
    )
    nothing = replace(certificate, margin=float("inf")).predict(X[400:])
    assert nothing.labels.size == 0
    assert not nothing.accepted.any()


def test_any_classifier_with_probabilities_will_do(data):
    X, y = data
    model = LogisticRegression().fit(X[:400], y[:400])
    certificate = certify_selective([model], X[400:], y[400:], margin=0.5)
    accepted = np.abs(2 * model.predict_proba(X[400:])[:, 0] - 1) >= 0.5
    assert certificate.n_accepted == accepted.sum()
    assert certificate.n_errors == (model.predict(X[400:]) != y[400:])[accepted].sum()


def test_classifiers_without_probabilities_are_sent_to_vote(data):
    X, y = data
    models = [LinearSVC(C=c).fit(X[:300], y[:300]) for c in (0.01, 0.1, 1.0)]
    with pytest.raises(ValueError, match=r"LinearSVC has no predict_proba.*several"):
        certify_selective([models[0]], X[400:], y[400:], margin=0.2)
    certificate = certify_selective(models, X[400:], y[400:], margin=1.0)
    yes = np.sum([model.predict(X[400:]) == "yes" for model in models], axis=0)
    assert certificate.n_accepted == np.isin(yes, [0, 3]).sum()
    held_out = certify_selective(hold_out_votes(models, X[400:], y[400:]), margin=1.0)
    assert repr(held_out) == repr(certificate)
    labels = certificate.predict(X[400:]).labels.tolist()
    assert held_out.predict(X[400:]).labels.tolist() == labels


def test_shares_from_anywhere_give_the_same_certificate(forest, data):
    X, y = data
    shares = forest.predict_proba(X[400:])
    plain = SelectiveCertificate.from_shares(
        pd.DataFrame(shares), pd.Series(y[400:]), classes=["no", "yes"], margin=0.3
    )
    assert repr(plain) == repr(certify_selective([forest], X[400:], y[400:], margin=0.3))
    codes = SelectiveCertificate.from_shares(shares, (y[400:] == "yes").astype(int), margin=0.3)
    assert codes.thresholds == plain.thresholds


def test_a_label_the_model_never_heard_of_is_an_error(forest, data):
    X, y = data
    strange = np.where(vote_margins(forest.predict_proba(X[400:])) >= 0.5, "unheard of", y[400:])
    certificate = certify_selective([forest], X[400:], strange, margin=0.5)
    assert certificate.n_errors == certificate.n_accepted > 0
    assert certificate.error == 1.0
    assert certificate.guarantee.startswith("No guarantee")


def test_any_threshold_of_a_grid_may_be_chosen_afterwards(forest, data):
    X, y = data
    certificate = certify_selective([forest], X[400:], y[400:], margin=[0.6, 0.2, 0.4])
    assert certificate.error == min(row.error for row in certificate.thresholds)
    for row in certificate.thresholds:
        other = certificate.at(row.margin)
        assert (other.error, other.coverage, other.n_errors) == (
            row.error,
            row.coverage,
            row.n_errors,
        )
        assert other.thresholds == certificate.thresholds
    with pytest.raises(ValueError, match=r"0\.5 is not among .* \(0\.2, 0\.4, 0\.6\)"):
        certificate.at(0.5)


def test_the_smallest_margin_that_keeps_the_error_is_found(forest, data):
    X, y = data
    certificate = certify_selective([forest], X[400:], y[400:], max_error=0.15)
    assert len(certificate.thresholds) == 10
    assert certificate.error == certificate.max_error == 0.15
    smaller = [row for row in certificate.thresholds if row.margin < certificate.margin]
    assert smaller
    assert all(row.error == 1.0 for row in smaller)
    assert "errs on at most 15.0 % of the points it accepts" in certificate.guarantee
    assert "error <= 0.15 on accepted points" in repr(certificate)


def test_if_no_threshold_keeps_the_error_no_point_is_accepted(forest, data):
    X, y = data
    certificate = certify_selective([forest], X[400:], y[400:], max_error=1e-4)
    assert (certificate.margin, certificate.error, certificate.coverage) == (np.inf, 1.0, 0.0)
    assert "no error of at most 0.0001 among accepted points" in certificate.guarantee
    assert "no point is accepted" in repr(certificate)
    assert "*" not in repr(certificate)
    labels, accepted = certificate.predict(X[400:])
    assert labels.size == accepted.sum() == 0


def test_a_certificate_is_printed_rounded_outward():
    shares = np.column_stack([np.full(300, 0.9), np.full(300, 0.1)])
    labels = (np.arange(300) < 4).astype(int)
    certificate = SelectiveCertificate.from_shares(shares, labels, margin=[0.0, 0.8])
    cells = repr(certificate).splitlines()[-1].split()
    assert cells[-5:-2] == ["0.8", "300", "4"]
    assert float(cells[-2]) >= certificate.error
    assert float(cells[-1]) <= certificate.coverage
    assert certificate.guarantee.count("%") == 3


def test_frame_and_html_say_the_same_as_the_text(forest, data):
    X, y = data
    certificate = certify_selective([forest], X[400:], y[400:], margin=[0.2, 0.6])
    frame = certificate.to_frame()
    assert frame.index.tolist() == [0.2, 0.6]
    assert frame.loc[certificate.margin, "chosen"]
    assert frame["chosen"].sum() == 1
    assert frame.loc[0.2, "n_errors"] == certificate.at(0.2).n_errors
    page = certificate._repr_html_()
    assert page.count("font-weight:bold") == 1
    assert all(text.split(":")[0] in page for text in certificate.assumptions)


def test_a_search_needs_something_to_search_for(forest, data):
    X, y = data
    with pytest.raises(ValueError, match="Neither margin nor max_error"):
        certify_selective([forest], X[400:], y[400:])
    for nonsense in (0.0, 1.0, -0.1, float("nan")):
        with pytest.raises(ValueError, match="max_error is"):
            certify_selective([forest], X[400:], y[400:], max_error=nonsense)


def test_what_is_no_share_is_refused(data):
    X, y = data
    with pytest.raises(ValueError, match=r"class 1 at point 0 is 1\.5.*not scores"):
        SelectiveCertificate.from_shares([[0.2, 1.5]], [0], margin=0.1)
    with pytest.raises(ValueError, match="is nan"):
        SelectiveCertificate.from_shares([[0.2, np.nan]], [0], margin=0.1)
    with pytest.raises(ValueError, match=r"shares has shape \(2,\)"):
        SelectiveCertificate.from_shares([0.2, 0.8], [0], margin=0.1)
    with pytest.raises(ValueError, match="classes has shape"):
        SelectiveCertificate.from_shares([[0.2, 0.8]], [0], classes=["a"], margin=0.1)
    with pytest.raises(ValueError, match="mix text"):
        SelectiveCertificate.from_shares([[0.2, 0.8]], ["a"], margin=0.1)
    with pytest.raises(ValueError, match="delta"):
        SelectiveCertificate.from_shares([[0.2, 0.8]], [0], margin=0.1, delta=0.0)
    with pytest.raises(ValueError, match="not a classifier"):
        certify_selective([DecisionTreeRegressor().fit(X, y == "no")], X, y, margin=0.1)
    two = DecisionTreeClassifier().fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="2 outputs"):
        certify_selective([two], X, y, margin=0.1)
