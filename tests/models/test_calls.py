"""Nothing is computed twice: bootstraps, validation, predictions, counts and bounds."""

from collections import Counter

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.ensemble import _forest as sklearn_forest
from sklearn.tree import DecisionTreeClassifier

from tandemvote import (
    Certificate,
    CertifiedClassifier,
    CertifiedForestClassifier,
    certify,
    certify_oob,
)
from tandemvote.bounds.registry import applicable_bounds
from tandemvote.models import trees
from tandemvote.votes import counts as counting
from tandemvote.votes.evidence import VoteResult

X, y = make_classification(600, 6, n_informative=4, flip_y=0.1, random_state=0)
N_TREES = 20


@pytest.fixture
def calls(monkeypatch):
    """Count calls of everything that takes time."""
    seen = Counter()

    def count(name, owner, attribute):
        function = getattr(owner, attribute)

        def counted(*args, **options):
            seen[name] += 1
            return function(*args, **options)

        monkeypatch.setattr(owner, attribute, counted)

    count("bootstraps", sklearn_forest, "_generate_sample_indices")
    count("validations", trees, "validate_data")
    count("predictions", trees.Voter, "predict")
    count("model predictions", DecisionTreeClassifier, "predict")
    count("probabilities", RandomForestClassifier, "predict_proba")
    count("counts", counting, "_count")
    count("tallies", VoteResult, "_of_part")
    evaluate = Certificate.evaluate

    def evaluated(certificate, name, *args):
        seen["bounds"] += 1
        seen[f"bound {name}"] += 1
        return evaluate(certificate, name, *args)

    monkeypatch.setattr(Certificate, "evaluate", evaluated)
    return seen


def test_certify_oob_does_everything_once(calls):
    model = RandomForestClassifier(N_TREES, random_state=0).fit(X, y)
    calls.clear()
    certificate = certify_oob(model, X, y)
    # A tree predicts its out-of-bag rows in one piece here; the audit looks at its own rows.
    assert calls["bootstraps"] == N_TREES
    assert calls["validations"] == 1
    assert calls["predictions"] == 2 * N_TREES  # the call, and its only piece
    assert (calls["counts"], calls["tallies"]) == (1, 1)
    assert calls["bounds"] == len(certificate.candidates) == 2


def test_a_certified_forest_does_everything_once(calls):
    RandomForestClassifier(N_TREES, random_state=0).fit(X, y)
    training = calls["bootstraps"]
    calls.clear()
    model = CertifiedForestClassifier(N_TREES, random_state=0).fit(X, y)
    assert calls["bootstraps"] == training + N_TREES
    assert calls["validations"] == 2  # its own, and of the samples as its trees take them
    assert calls["predictions"] == 2 * N_TREES
    assert (calls["counts"], calls["tallies"]) == (1, 1)
    assert calls["bounds"] == len(model.certificate_.candidates) == 2


def test_a_committee_does_everything_once(calls):
    tree = DecisionTreeClassifier(max_features=2)
    model = CertifiedClassifier(tree, random_state=0).fit(X, y)
    assert calls["model predictions"] == 6
    assert (calls["counts"], calls["tallies"]) == (1, 1)
    assert calls["bounds"] == calls["bound test_set"] == len(model.certificate_.candidates) == 1


def test_probabilities_of_a_committee_of_forests_are_computed_once(calls):
    forests = CertifiedClassifier(RandomForestClassifier(5), n_tested=3, random_state=0).fit(X, y)
    calls.clear()
    shares = forests.predict_proba(X)
    assert calls["probabilities"] == 3
    assert (shares.argmax(axis=1) == forests.predict(X)).all()


@pytest.mark.parametrize("n_models", [1, 3])
def test_certify_does_everything_once(calls, n_models):
    models = [
        DecisionTreeClassifier(max_depth=k + 2).fit(X[:300], y[:300]) for k in range(n_models)
    ]
    calls.clear()
    certificate = certify(models if n_models > 1 else models[0], X[300:], y[300:])
    assert calls["model predictions"] == n_models
    assert (calls["counts"], calls["tallies"]) == (1, 1)
    assert calls["bounds"] == calls["bound test_set"] == len(certificate.candidates) == 1


def test_other_bounds_are_evaluated_when_they_are_looked_at(calls, monkeypatch):
    model = RandomForestClassifier(N_TREES, random_state=0).fit(X, y)
    certificate = certify_oob(model, X, y, bound="first_order")
    assert calls["bounds"] == calls["bound first_order"] == 1
    assert repr(certificate) and certificate.guarantee
    assert calls["bounds"] == 1
    assert set(certificate.bounds) == set(applicable_bounds(certificate.evidence))
    assert np.isclose(certificate.bounds["first_order"], certificate.value)
