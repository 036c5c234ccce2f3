"""Estimates that no vote can have are rejected; those of one distribution are not."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from tandemvote import CertifiedForestClassifier, VoteCounts, Votes, bounds, certify
from tandemvote.bounds import ContradictionError, ContradictionWarning
from tandemvote.bounds.contradictions import contradiction_of_moments, contradiction_of_two_classes
from tandemvote.inequalities import Interval
from tandemvote.votes.evidence import Evidence
from tandemvote.votes.profile import VoteProfile

pytestmark = pytest.mark.long


@pytest.mark.parametrize(
    ("name", "kind", "reason"),
    [
        ("disagreement", "disagreement", "lets voters disagree on at most"),
        ("c1", "disagreement", "lets voters disagree on at most"),
        ("c2", "lone", "no vote has rates near these"),
        ("c_tandem", "tandem", "two voters err together on at least"),
        ("c_box", "tandem", "two voters err together on at least"),
        ("c_tandem", "no tandem", "two of them together therefore on at least"),
        ("c_box", "no tandem", "two of them together therefore on at least"),
        ("split_kl_cantelli", "pairs", "exactly one of two voters errs on at least"),
    ],
)
@pytest.mark.parametrize("published", [False, True])
def test_contradictory_estimates_give_one_and_say_so(
    name, kind, reason, published, contradictory_counts
):
    estimates = bounds.Estimates(contradictory_counts(kind), published=published)
    with pytest.warns(ContradictionWarning, match=rf"bound '{name}' is 1.0.*{reason}"):
        assert bounds.get_bound(name)(estimates) == 1


@settings(deadline=None, max_examples=25)
@given(st.data())
def test_voters_tested_on_common_samples_never_contradict_themselves(data):
    """Perfect ones, equal ones, always wrong ones, few and many samples; no warning, no error."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n_voters, n_samples = data.draw(st.integers(1, 6)), data.draw(st.sampled_from([1, 9, 300]))
    labels = rng.integers(2, size=n_samples)
    one = rng.random(n_samples) < data.draw(st.sampled_from([0.0, 0.01, 0.3, 1.0]))
    flips = rng.random((n_voters, n_samples)) < data.draw(st.sampled_from([0.0, 0.1, 0.5]))
    predictions = labels ^ one ^ flips
    counts = VoteCounts.from_votes(
        Votes.from_predictions(predictions, labels, unlabeled=predictions)
    )
    profile = VoteProfile.of(predictions, np.full(n_voters, 1 / n_voters))
    evidence = Evidence(counts, profile=profile)
    estimates = bounds.Estimates(evidence)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in bounds.VOTE_BOUNDS:
            if bounds.get_bound(name).applies(evidence) is None:
                bounds.get_bound(name)(estimates, 0.3)
        bounds.vote_profile_bound(estimates, 0.3)


@given(st.floats(0, 1), st.floats(0, 1))
def test_samples_on_the_very_border_are_no_contradiction(g, share):
    """Intervals of no width: T = G, T = G^2 and D = 2 (G - T)."""
    for t in (g, g * g, g * g + share * (g - g * g)):
        assert contradiction_of_moments(Interval(g, g), Interval(t, t)) is None
        d = 2 * (g - t)
        assert contradiction_of_two_classes(Interval(g, g), Interval(d, d)) is None


@given(*[st.floats(0, 1)] * 4)
def test_a_contradiction_is_a_box_without_any_vote(a, b, c, d):
    first, second = Interval(*sorted((a, b))), Interval(*sorted((c, d)))
    g = np.linspace(first.lower, first.upper, 400)
    if contradiction_of_moments(first, second):
        assert (np.maximum(g**2, second.lower) > np.minimum(g, second.upper)).all()
    if contradiction_of_two_classes(first, second):
        assert (second.lower > 2 * g * (1 - g)).all()


def one_source(rng, n_samples):
    """Three voters of which only the first errs: the minority's share is the error exactly."""
    labels = rng.integers(2, size=n_samples)
    return np.array([labels ^ (rng.random(n_samples) < 0.3), labels, labels]), labels


def test_one_source_is_rejected_with_probability_at_most_delta():
    """On the border, where rejections are likeliest. A rate of 3 delta would pass once in 10^5."""
    delta, draws, rejected = 0.2, 80, 0
    rng = np.random.default_rng(0)
    for _ in range(draws):
        predictions, labels = one_source(rng, 240)
        counts = VoteCounts.from_votes(Votes.from_predictions(predictions[:, :120], labels[:120]))
        try:
            profile = VoteProfile.of(predictions[:, 120:], np.full(3, 1 / 3))
            bounds.vote_profile_bound(bounds.Estimates(Evidence(counts, profile=profile)), delta)
        except ContradictionError:
            rejected += 1
    assert rejected <= binom.isf(1e-3, draws, delta)


@pytest.mark.filterwarnings("ignore::tandemvote.bounds.ContradictionWarning")
@pytest.mark.parametrize("kind", ["split", "tied"])
def test_shifted_unlabeled_samples_are_rejected_by_certify(kind):
    """Voters err at 0.11, and split widely on unlabeled samples. Ties show in the minority alone:
    every lam in use lets them err."""
    rng = np.random.default_rng(1)
    labels = rng.integers(2, size=3000)
    error = 0.11 if kind == "split" else 0.3
    predictions = labels ^ (rng.random((20, 3000)) < error)
    shifted = (
        rng.random((20, 2000)) < 0.4
        if kind == "split"
        else (np.arange(20) % 2)[:, None] ^ rng.integers(2, size=2000)
    ).astype(int)
    votes = Votes.from_predictions(predictions, labels, unlabeled=shifted)
    for bound in ("vote_profile", "best", "tandem"):
        with pytest.raises(ContradictionError, match="the 2000 unlabeled samples") as actual:
            certify(votes, bound=bound)
    assert f"{100 * error:.0f}." in str(actual.value) and "or none" in str(actual.value)
    honest = Votes.from_predictions(
        predictions, labels, unlabeled=rng.integers(2, size=2000) ^ (rng.random((20, 2000)) < error)
    )
    assert certify(honest, bound="vote_profile").value < 1


def test_shifted_unlabeled_samples_are_rejected_by_a_forest():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(1500, 4))
    y = (X[:, 0] > 0).astype(int)
    month_after = X[:700] * [0.02, 1, 1, 1] + [0, 0.1, 0.1, 0.1]  # all of them near the border
    forest = CertifiedForestClassifier(30, bound="vote_profile", random_state=0)
    with pytest.raises(ContradictionError, match="are not drawn from the same distribution"):
        forest.fit(X[700:], y[700:], X_unlabeled=month_after)
    assert forest.fit(X[700:], y[700:], X_unlabeled=X[:700]).certificate_.value < 0.2
