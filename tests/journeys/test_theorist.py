"""A theorist's day: the paper from its own terms, each task in the lines that a page promises."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from tandemvote import Votes, certify, certify_oob
from tandemvote.bounds import (
    Bound,
    Estimates,
    disagreement_lambda,
    tandem_bound,
    tandem_lambda,
)
from tandemvote.displays import WeightsDisplay
from tandemvote.weights import lambda_gradient, minimize_bound

X, Y = load_breast_cancer(return_X_y=True)
MACHINES = [make_pipeline(StandardScaler(), SVC(C=C)) for C in (0.1, 1, 10, 100)]
SPLITS = ShuffleSplit(10, test_size=2 / 3, random_state=0)


@pytest.fixture(scope="module")
def votes():
    return Votes.from_splits(MACHINES, X, Y, splits=SPLITS)


def test_support_vector_machines_on_splits_with_a_prior_of_their_own(votes):
    prior = np.tile([0.1, 0.3, 0.4, 0.2], 10) / 10
    certificate = certify(votes, weights="tandem", bound="tandem", prior=prior, published=True)
    assert certificate.counts.n_voters == 40 and certificate.counts.n_min_pairs >= 569 / 3
    estimates = Estimates(certificate.counts, certificate.weights, prior, published=True)
    assert certificate.value == tandem_bound(estimates) < 0.5
    assert np.mean(certificate.predict(X) != Y) < 0.05


def test_theorem_9_at_any_lambda_and_what_its_minimization_did(votes):
    counts = certify(votes, bound="tandem").counts
    found = minimize_bound(counts, "tandem", published=True, method="irprop")
    ours = minimize_bound(counts, "tandem", published=True)
    estimates = Estimates(counts, found.weights, published=True)
    grid = [tandem_lambda(estimates, lam=lam) for lam in np.linspace(0.05, 1.95, 39)]
    assert found.relaxed.bound <= min(grid)
    assert found.value <= found.relaxed.bound < found.path[0].bound
    assert ours.relaxed.bound == pytest.approx(found.relaxed.bound, abs=1e-6)
    gradient = lambda_gradient(estimates, "tandem")
    assert np.ptp(gradient) < 0.05  # a stationary point on the simplex
    first = minimize_bound(counts, "first_order", published=True)
    display = WeightsDisplay({"FO": first.weights, "TND": ours.weights}).plot()  # Figure 2b
    assert display.n_effective["FO"] < display.n_effective["TND"]


def test_a_bound_of_ones_own(votes):
    def average_bound(estimates, delta=0.05):
        upper = estimates.gibbs_interval(delta / 2).upper
        return min(1.0, float(upper + 2 * estimates.tandem_interval(delta / 2).upper))

    own = Bound(label="AVG", summary="average of FO and TND", theorem="", function=average_bound)
    assert certify(votes, bound=own).bound == "average"


def test_the_unlabeled_protocol_with_bagging_of_any_classifier():
    model = BaggingClassifier(GaussianNB(), 30, random_state=0).fit(X[:150], Y[:150])
    without = certify_oob(model, X[:150], Y[:150], bound="disagreement", published=True)
    with_them = certify_oob(
        model, X[:150], Y[:150], X_unlabeled=X[150:], bound="disagreement", published=True
    )
    assert with_them.value <= without.value
    estimates = Estimates(with_them.counts, published=True)
    assert with_them.value <= disagreement_lambda(estimates)
