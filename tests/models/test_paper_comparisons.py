"""Results of the paper about bagging and unlabeled samples, on real data."""

import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from tandemvote import CertifiedForestClassifier, certify_oob

BUNDLED = {"breast cancer": load_breast_cancer, "wine": load_wine}


def forest(**parameters):
    return CertifiedForestClassifier(100, random_state=0, **parameters)


@pytest.mark.parametrize("name", [pytest.param("breast cancer", marks=pytest.mark.slow), "wine"])
def test_reduced_bagging_tightens_the_tandem_bound(name):
    """Half as many draws leave more common samples than the weaker trees cost."""
    X, y = BUNDLED[name](return_X_y=True)
    full = forest().fit(X, y)
    reduced = forest(max_samples=0.5).fit(X, y)
    assert reduced.certificate_.counts.n_min_pairs > 2 * full.certificate_.counts.n_min_pairs
    assert reduced.certificate_.bounds["tandem"] < full.certificate_.bounds["tandem"]


@pytest.mark.slow
def test_unlabeled_samples_pay_when_labels_are_few():
    """The tandem bound needs labels for pairs, the disagreement bound for single voters only."""
    X, digit = load_digits(return_X_y=True)
    tandem, disagreement = {}, {}
    for share in (0.9, 0.3):
        bounds = []
        for seed in range(2):
            labeled, unlabeled, labels, _ = train_test_split(
                X, digit % 2, train_size=share, random_state=seed
            )
            fitted = RandomForestClassifier(30, random_state=seed).fit(labeled, labels)
            certificate = certify_oob(
                fitted, labeled, labels, X_unlabeled=unlabeled, bound="tandem", published=True
            )
            assert certificate.counts.n_unlabeled == len(unlabeled)
            bounds.append(certificate.bounds)
        tandem[share] = np.mean([each["tandem"] for each in bounds])
        disagreement[share] = np.mean([each["disagreement"] for each in bounds])
    assert tandem[0.9] + 0.05 < disagreement[0.9]
    assert disagreement[0.3] + 0.05 < tandem[0.3] < 1


@pytest.mark.slow
@pytest.mark.skipif(
    not os.environ.get("TANDEMVOTE_DATA"), reason="TANDEMVOTE_DATA names no folder with data sets"
)
@pytest.mark.parametrize("name", ["adult", "phishing"])
def test_reduced_bagging_tightens_the_tandem_bound_on_the_papers_data(name):
    with np.load(Path(os.environ["TANDEMVOTE_DATA"], f"{name}.npz")) as data:
        X, y = data["X"], data["y"]
    rows = np.random.default_rng(0).permutation(len(y))[:4000]
    full = forest().fit(X[rows], y[rows])
    reduced = forest(max_samples=0.5).fit(X[rows], y[rows])
    assert reduced.certificate_.bounds["tandem"] < full.certificate_.bounds["tandem"]
