"""A certificate says what is promised, never more, and pays for every choice."""

import pickle
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandemvote import Certificate, VoteCounts, Votes, bounds
from tandemvote.certificate.decimals import rounded_up


@pytest.fixture
def counts():
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=3000)
    wrong = rng.random((15, 3000)) < rng.beta(0.4, 2, 3000)
    return VoteCounts.from_votes(Votes.from_predictions(labels ^ wrong, labels))


@pytest.fixture
def test_counts():
    return VoteCounts.from_votes(Votes.from_predictions([[0] * 95 + [1] * 5], [0] * 100))


def test_value_is_the_chosen_bound_at_full_delta(counts):
    for name in bounds.VOTE_BOUNDS:
        certificate = Certificate.from_counts(counts, bound=name, delta=0.1)
        assert certificate.value == bounds.get_bound(name)(counts, delta=0.1).value
        assert certificate.candidates == (name,)


def test_best_pays_for_its_choice(counts):
    certificate = Certificate.from_counts(counts, bound="best", delta=0.06)
    # c_box is never looser than c_tandem, which is not worth a share.
    assert set(certificate.candidates) == set(bounds.VOTE_BOUNDS) - {"c_tandem"}
    share = 0.06 / len(certificate.candidates)
    each = {n: bounds.get_bound(n)(counts, delta=share).value for n in certificate.candidates}
    assert certificate.value == min(each.values())
    assert each[certificate.bound] == certificate.value
    assert {name: certificate.bounds[name].value for name in each} == each


def test_a_chosen_few_share_delta_and_the_others_are_for_comparison(counts):
    certificate = Certificate.from_counts(counts, bound=["first_order", "tandem"], delta=0.05)
    assert certificate.bounds["tandem"].delta == 0.025
    assert certificate.bounds["c_tandem"].delta == 0.05
    assert certificate.to_frame().query("candidate").index.tolist() == ["first_order", "tandem"]


def test_best_leaves_out_what_does_not_apply():
    rng = np.random.default_rng(1)
    labels = rng.integers(3, size=500)
    votes = Votes.from_predictions(np.tile(labels, (3, 1)), labels)
    certificate = Certificate.from_counts(VoteCounts.from_votes(votes), bound="best")
    assert certificate.candidates == (
        "first_order",
        "tandem",
        "c_box",
        "second_order",
        "bernstein_cantelli",
        "split_kl_cantelli",
        "coalition",
    )


def test_a_test_set_adds_its_bound_and_says_what_it_cost(counts, test_counts):
    certificate = Certificate.from_counts(counts, test_counts=test_counts, bound="tandem")
    assert certificate.bound == "tandem"
    expected = bounds.test_set_bound(n_errors=5, n_samples=100)
    assert certificate.bounds["test_set"].value == expected
    assert certificate.to_frame().loc["test_set", "labels_used"] == "test-set labels"
    for bound in ("test_set", "auto"):
        chosen = Certificate.from_counts(counts, test_counts=test_counts, bound=bound)
        assert chosen.value == expected


def test_no_bound_at_all_is_refused(counts):
    with pytest.raises(ValueError, match="at least one bound"):
        Certificate.from_counts(counts, bound=[])


def test_the_test_set_bound_needs_a_test_set(counts):
    with pytest.raises(ValueError, match="Pass a test set"):
        Certificate.from_counts(counts, bound="test_set")


def test_a_bound_that_does_not_apply_is_refused():
    votes = Votes.from_predictions([[0, 1, 2]], [0, 1, 2])
    with pytest.raises(bounds.RequirementError):
        Certificate.from_counts(VoteCounts.from_votes(votes), bound="disagreement")


def test_text_and_html_carry_the_promise_the_basis_and_the_assumptions(counts):
    certificate = Certificate.from_counts(counts, notes=["weights <b> were uniform"])
    shown = f"guaranteed at most {rounded_up(100 * certificate.value, 1)} % (95 %)"
    assert repr(certificate).startswith(shown)
    assert "weights <b> were uniform" in repr(certificate)
    page = certificate._repr_html_()
    assert shown in page
    assert "weights &lt;b&gt; were uniform" in page
    for assumption in certificate.assumptions:
        assert assumption in page
    percent = rounded_up(100 * certificate.value, 1)
    assert f"errs on at most {percent} % of new points" in certificate.guarantee


def test_a_single_voter_is_no_vote_in_words(test_counts):
    single = str(Certificate.from_counts(test_counts, bound="first_order"))
    assert "evaluated on 100 points it never saw\n" in single and "pair" not in single
    assert (
        "this classifier errs" in Certificate.from_counts(test_counts, bound="coalition").guarantee
    )


def test_no_guarantee_is_called_no_guarantee():
    rng = np.random.default_rng(2)
    votes = Votes.from_predictions(rng.integers(2, size=(5, 300)), rng.integers(2, size=300))
    certificate = Certificate.from_counts(VoteCounts.from_votes(votes), bound="tandem")
    assert certificate.value == 1
    assert repr(certificate).startswith("no guarantee")
    assert certificate.guarantee.startswith("No guarantee")


def test_confidence_is_printed_exactly(counts):
    assert "99.9999999999 %" in repr(Certificate.from_counts(counts, delta=1e-12))


@given(st.floats(0, 1))
def test_printed_values_are_never_below_the_value(value):
    text = rounded_up(value)
    assert Decimal(text) >= Decimal(value)
    assert Decimal(text) <= max(Decimal(value) * Decimal("1.1"), Decimal(value) + Decimal("0.001"))


def test_versions_name_the_libraries(counts):
    versions = Certificate.from_counts(counts).versions
    assert {"tandemvote", "numpy", "scipy", "scikit-learn", "python"} == set(versions)


def test_a_certificate_survives_pickling(counts):
    certificate = Certificate.from_counts(counts, bound="best")
    again = pickle.loads(pickle.dumps(certificate))
    assert repr(again) == repr(certificate)
    assert repr(again.bounds) == repr(certificate.bounds)
