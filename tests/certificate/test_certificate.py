"""A certificate states what is guaranteed, never more, and divides delta by its candidates."""

import pickle
from dataclasses import replace
from decimal import Decimal
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandemvote.auditing import Finding
from tandemvote.bounds import VOTE_BOUNDS, get_bound
from tandemvote.bounds.estimates import Estimates
from tandemvote.certificate import certify_votes
from tandemvote.votes.counts import VoteCounts
from tandemvote.votes.decimals import percent, rounded_up
from tandemvote.votes.votes import Votes


@pytest.fixture
def votes():
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=3000)
    wrong = rng.random((15, 3000)) < rng.beta(0.4, 2, 3000)
    return Votes.from_predictions(labels ^ wrong, labels)


@pytest.fixture
def counts(votes):
    return VoteCounts.from_votes(votes)


def value_of(name, counts, delta):
    return get_bound(name).function(Estimates(counts), delta)


def test_value_is_the_chosen_bound_at_the_whole_delta(counts):
    for name in VOTE_BOUNDS:
        certificate = certify_votes(counts, bound=name, delta=0.1)
        assert certificate.candidates == {name: value_of(name, counts, 0.1)}
        assert (certificate.value, certificate.bound) == (certificate.candidates[name], name)


def test_best_divides_delta_by_its_candidates(counts):
    certificate = certify_votes(counts, bound="best", delta=0.06)
    # c_box is never looser than c_tandem, which is not worth a share.
    assert set(certificate.candidates) == {*VOTE_BOUNDS} - {"c_tandem"}
    share = 0.06 / len(certificate.candidates)
    expected = {name: value_of(name, counts, share) for name in certificate.candidates}
    assert certificate.candidates == expected
    assert certificate.value == min(expected.values()) == expected[certificate.bound]


def test_a_chosen_few_share_delta_and_the_others_are_for_comparison(counts):
    certificate = certify_votes(counts, bound=["first_order", "tandem"], delta=0.05)
    assert certificate.bounds["tandem"] == value_of("tandem", counts, 0.025)
    assert certificate.bounds["c_tandem"] == value_of("c_tandem", counts, 0.05)
    frame = certificate.to_frame()
    assert frame.query("candidate").index.tolist() == ["first_order", "tandem"]
    assert frame["value"].to_dict() == certificate.bounds


class Counted:
    """A bound that records when it is evaluated."""

    def __init__(self, bound, calls):
        self.bound, self.calls = bound, calls

    def __getattr__(self, name):
        return getattr(self.bound, name)

    def function(self, estimates, delta):
        self.calls.append(self.bound.name)
        return self.bound.function(estimates, delta)


def counted_bound(calls, name):
    return Counted(get_bound(name), calls)


def test_bounds_are_computed_on_demand_and_once(counts, monkeypatch):
    calls = []
    counted = partial(counted_bound, calls)
    monkeypatch.setattr("tandemvote.certificate.certificate.get_bound", counted)
    certificate = certify_votes(counts, bound=["first_order", "tandem"])
    assert calls == ["first_order", "tandem"]
    assert repr(certificate) and certificate.guarantee
    assert calls == ["first_order", "tandem"]
    assert certificate.bounds is certificate.bounds
    certificate.to_frame()
    assert sorted(calls) == sorted(certificate.bounds)


def test_best_has_a_share_for_bounds_that_the_classes_do_not_allow():
    labels = np.random.default_rng(1).integers(3, size=500)
    votes = Votes.from_predictions(np.tile(labels, (3, 1)), labels)
    certificate = certify_votes(votes, bound="best")
    assert set(certificate.candidates) == {
        *("first_order", "tandem", "c_box", "second_order", "bernstein_cantelli"),
        *("split_kl_cantelli", "coalition", "test_set", "disagreement", "c1", "c2"),
    }
    assert certificate.candidates["c1"] == 1.0


def test_text_shows_the_bound_and_its_basis(votes):
    finding = Finding(code="example", severity="note", message="weights <b> were uniform")
    certificate = certify_votes(votes, findings=[finding])
    shown = f"guaranteed error <= {rounded_up(100 * certificate.value, 1)}% (95% confidence)"
    text = repr(certificate)
    assert text.startswith("observed error ") and shown in text
    assert "majority-class baseline" in text
    assert "a test set of 3000 samples; bound test_set" in text
    assert "note: weights <b> were uniform [example]" in text
    assert f"is at most {rounded_up(100 * certificate.value, 1)}%" in certificate.guarantee


def test_observed_and_baseline_are_those_of_the_samples(votes):
    certificate = certify_votes(votes)
    wrong = votes.errors.sum(axis=0) > 7
    assert certificate.observed == wrong.mean()
    assert certificate.baseline == pytest.approx(1 - np.bincount(votes.labels).max() / 3000)
    assert certificate.evidence.vote.n_test_errors == wrong.sum()


def test_a_single_voter_is_not_called_a_vote():
    labels = np.zeros(100, int)
    certificate = certify_votes(Votes.from_predictions([np.arange(100) < 5], labels))
    assert "one classifier; a test set of 100 samples" in repr(certificate)
    assert "this classifier" in certificate.guarantee


@pytest.mark.filterwarnings("ignore::tandemvote.bounds.VacuousBoundWarning")
def test_no_guarantee_is_called_no_guarantee():
    rng = np.random.default_rng(2)
    votes = Votes.from_predictions(rng.integers(2, size=(5, 300)), rng.integers(2, size=300))
    certificate = certify_votes(votes, bound="tandem")
    assert certificate.value == 1
    assert "no guarantee (95% confidence)" in repr(certificate)
    assert certificate.guarantee.startswith("No error rate below 100% is guaranteed")
    assert "not below that of the majority-class baseline" in certificate.advice


@pytest.mark.parametrize("weights", ["tandem", "first_order", [0.5, 0.5, *[0.0] * 13]])
def test_no_test_set_is_planned_with_the_error_of_weights_that_may_be_fitted(votes, weights):
    certificate = certify_votes(votes, weights=weights, bound="tandem")
    assert certificate.observed < certificate.value / 2
    assert certificate.labels_for(certificate.value / 2) == ""
    assert "fitted on the same samples" in certificate.basis
    uniform = certify_votes(votes, bound="tandem")
    assert "a test set of" in uniform.labels_for(uniform.value / 2)
    assert "fitted" not in uniform.basis


@pytest.mark.filterwarnings("ignore::tandemvote.bounds.VacuousBoundWarning")
def test_coin_flips_with_fitted_weights_promise_no_test_set():
    """The weights choose 1 of 200 voters that flip coins: its errors here are few by selection."""
    rng = np.random.default_rng(0)
    votes = Votes.from_predictions(rng.integers(2, size=(200, 15)), rng.integers(2, size=15))
    certificate = certify_votes(votes, weights="tandem", bound="tandem")
    assert certificate.observed < 0.3 and "as here" not in repr(certificate)


@given(st.floats(5e-324, 0.5))
def test_confidence_is_never_printed_too_large(delta):
    text = percent(delta)
    assert text != "100%"
    shown = 100 - Decimal(text[:-1]) if len(text) < 25 else None
    assert shown is None or shown >= Decimal(repr(delta)) * 100


def test_confidence_is_printed_as_it_was_given(counts):
    assert "99.9999999999%" in repr(certify_votes(counts, delta=1e-12))
    assert certify_votes(counts, delta=0.1).confidence == 0.9


@given(st.floats(0, 1))
def test_printed_values_are_never_below_the_value(value):
    text = rounded_up(value)
    assert Decimal(text) >= Decimal(value)
    assert Decimal(text) <= max(Decimal(value) * Decimal("1.1"), Decimal(value) + Decimal("0.001"))
    assert Decimal(rounded_up(100 * Decimal(value), 1)) >= 100 * Decimal(value)


def test_versions_name_the_libraries(counts):
    versions = certify_votes(counts).versions
    assert {"tandemvote", "numpy", "scipy", "scikit-learn", "python"} == set(versions)


def test_a_certificate_survives_pickling(votes):
    certificate = certify_votes(votes, bound="best")
    again = pickle.loads(pickle.dumps(certificate))
    assert repr(again) == repr(certificate)
    assert again.bounds == certificate.bounds


def test_a_certificate_without_models_cannot_predict(votes):
    with pytest.raises(ValueError, match="certify the models themselves"):
        certify_votes(votes).predict([[0]])


def test_voters_vote_on_labels_of_any_type():
    def voters(X):
        return np.array([[1, 2, 0], [0, 2, 0], [1, 0, 2]])[:, X], np.array(["a", "b", "c"])

    votes = replace(Votes.from_predictions([["a", "b"] * 50] * 3, ["a", "b"] * 50), voters=voters)
    assert certify_votes(votes).predict([0, 1, 2]).tolist() == ["b", "c", "a"]
    certificate = certify_votes(votes, weights=[0.2, 0.6, 0.2], bound="test_set")
    assert certificate.predict([0, 2]).tolist() == ["a", "a"]


def test_a_notebook_shows_the_lines_escaped_and_folds_the_assumptions(counts):
    finding = Finding(code="leak", severity="warning", message="Column '<b>'.")
    certificate = certify_votes(counts, findings=[finding])
    page = certificate._repr_html_()
    assert page.startswith(f"<b>{certificate.headline.replace('<', '&lt;')}</b>")
    assert "<b>&#x27;" not in page and "Column &#x27;&lt;b&gt;&#x27;." in page
    assert (
        page.count("<li>")
        == len(certificate.assumptions)
        == page.split("<details>")[1].count("<li>")
    )
