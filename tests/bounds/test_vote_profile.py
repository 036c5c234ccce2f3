"""The vote profile: best possible as an oracle, safe and sharp as a bound."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from tandemvote import VoteCounts, Votes, bounds
from tandemvote.bounds import Estimates
from tandemvote.bounds.vote_profile import (
    LAMBDAS,
    largest_unrefuted_error,
    vote_profile_oracle,
)
from tandemvote.inequalities.betting import log_capital, plug_in_bets
from tandemvote.inequalities.catoni import catoni_evidence, catoni_tilts
from tandemvote.votes.evidence import Evidence
from tandemvote.votes.profile import VoteProfile, vote_leads


@given(st.data())
def test_phi_lies_below_its_upper_end_and_above_one_less_lambda(data):
    shares = np.sort(np.random.default_rng(data.draw(st.integers(0, 2**32 - 1))).dirichlet(
        np.full(data.draw(st.integers(2, 6)), data.draw(st.sampled_from([0.1, 1.0, 10.0])))
    ))[::-1]  # fmt: skip
    lam = data.draw(st.floats(0, 20))
    phi = max(1 - lam * (shares[0] - shares[1]), 0) - lam * (1 - shares[0])
    assert 1 - lam - 1e-9 <= phi <= max(1 - lam / 2, 0) + 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_oracle_is_the_worst_error_that_fits_the_profile(seed):
    """Linear program: where to err, given shares, so that voters err G of the time."""
    rng = np.random.default_rng(seed)
    n_classes = 2 + seed % 3
    shares = np.sort(rng.dirichlet(np.full(n_classes, 0.7), size=30), axis=1)
    leads, gaps = shares[:, -1], shares[:, -1] - shares[:, -2]
    gibbs = (1 - leads).mean() + rng.uniform(0, 0.3) * gaps.mean()
    # err(x) in [0, 1]; a right vote costs 1 - v1, a wrong one at least gap more.
    worst = linprog(
        -np.full(30, 1 / 30),
        A_ub=[gaps / 30],
        b_ub=[gibbs - (1 - leads).mean()],
        bounds=[(0, 1)] * 30,
    )
    oracle = vote_profile_oracle(gibbs_loss=gibbs, leads=leads, gaps=gaps)
    assert oracle == pytest.approx(-worst.fun, abs=1e-9)


def test_oracle_is_never_above_twice_the_gibbs_loss():
    rng = np.random.default_rng(0)
    for _ in range(50):
        shares = np.sort(rng.dirichlet(np.ones(4), size=20), axis=1)
        gibbs = rng.uniform((1 - shares[:, -1]).mean(), 1)
        value = vote_profile_oracle(
            gibbs_loss=gibbs, leads=shares[:, -1], gaps=shares[:, -1] - shares[:, -2]
        )
        assert value <= bounds.first_order_oracle(gibbs_loss=gibbs) + 1e-12


def test_bound_leaves_no_rate_of_the_voters_that_explains_a_larger_error():
    """A fine scan over g: above the bound, labels and unlabeled samples together refute all."""
    rng = np.random.default_rng(1)
    leads = rng.beta(8, 1, size=300) / 2 + 0.5
    tilts = catoni_tilts(400.0)
    terms = {"gibbs_loss": 0.1, "n": 400.0, "tilts": tilts, "kl_divergence": 0.7}
    bound = largest_unrefuted_error(**terms, leads=leads, gaps=2 * leads - 1, delta=0.05)
    games = []
    for lam in LAMBDAS:
        phi = np.maximum(1 - lam * (2 * leads - 1), 0) - lam * (1 - leads)
        largest = max(1 - lam / 2, 0)
        bets = plug_in_bets(phi[:, None], lower=1 - lam, upper=largest)
        games.append((phi[:, None], largest, bets, lambda error, g, lam=lam: error - lam * g))
    minority = 1 - leads[:, None]
    bets = plug_in_bets(-minority, lower=-1.0, upper=0.0)
    games.append((-minority, 0.0, bets, lambda error, g: -g))

    def weakest_evidence(error):
        actual = []
        for g in np.linspace(0.02, 0.4, 400):
            needed = np.log(20) - (catoni_evidence(0.1, g, 400.0, tilts=tilts) - 0.7)
            if needed <= 0 or any(mean(error, g) > largest for _, largest, _, mean in games):
                continue
            capital = [
                log_capital(x, [mean(error, g)], bets=bets * np.sqrt(needed + 1), upper=[largest])
                for x, largest, bets, mean in games
            ]
            actual.append(np.log(np.mean(np.exp(capital))) - needed)
        return min(actual, default=np.inf)

    assert weakest_evidence(bound) >= -1e-6
    assert weakest_evidence(0.97 * bound) < 0  # and not much below it


def profiled(counts, unlabeled, posterior=None, prior=None):
    weights = np.full(counts.n_voters, 1 / counts.n_voters) if posterior is None else posterior
    evidence = Evidence(counts, profile=VoteProfile.of(unlabeled, weights))
    return Estimates(evidence, posterior, prior)


def test_unlabeled_samples_sharpen_first_order_on_many_classes():
    rng = np.random.default_rng(2)
    labels = rng.integers(10, size=6000)
    wrong = rng.random((30, 6000)) < 0.3
    predictions = (labels + wrong * rng.integers(1, 10, size=wrong.shape)) % 10
    counts = VoteCounts.from_votes(Votes.from_predictions(predictions[:, :4000], labels[:4000]))
    estimates = profiled(counts, predictions[:, 4000:])
    best = min(bounds.first_order_bound(estimates), bounds.tandem_bound(estimates))
    assert bounds.vote_profile_bound(estimates) < 0.5 * best


def test_random_labels_are_never_promised_less_than_half():
    rng = np.random.default_rng(3)
    predictions = rng.integers(2, size=(15, 3000))
    counts = VoteCounts.from_votes(
        Votes.from_predictions(predictions[:, :2000], rng.integers(2, size=2000))
    )
    assert bounds.vote_profile_bound(profiled(counts, predictions[:, 2000:])) > 0.5


def test_few_unlabeled_samples_leave_about_twice_the_gibbs_loss():
    rng = np.random.default_rng(4)
    labels = rng.integers(2, size=5000)
    counts = VoteCounts.from_votes(
        Votes.from_predictions(labels ^ (rng.random((9, 5000)) < 0.1), labels)
    )
    value = bounds.vote_profile_bound(profiled(counts, np.zeros((9, 0), int)))
    assert 0.2 < value < bounds.first_order_bound(Estimates(counts, published=True))


def test_weights_off_the_prior_cost_their_divergence():
    rng = np.random.default_rng(5)
    labels = rng.integers(2, size=900)
    predictions = labels ^ (rng.random((3, 900)) < 0.2)
    counts = VoteCounts.from_votes(Votes.from_predictions(predictions[:, :600], labels[:600]))
    weights = [0.6, 0.3, 0.1]
    free = profiled(counts, predictions[:, 600:], weights, weights)
    paid = profiled(counts, predictions[:, 600:], weights)
    assert free.kl_divergence == pytest.approx(0, abs=1e-9)
    assert bounds.vote_profile_bound(paid) > bounds.vote_profile_bound(free)


def test_leads_are_shares_of_the_hard_vote():
    predictions = np.array([["a", "b", "c"], ["a", "b", "a"], ["b", "b", "b"]])
    leads, gaps = vote_leads(predictions, [0.5, 0.3, 0.2])
    np.testing.assert_allclose(leads, [0.8, 1.0, 0.5])
    np.testing.assert_allclose(gaps, [0.6, 1.0, 0.2])


def test_weight_without_prior_is_rejected():
    counts = VoteCounts.from_votes(Votes.from_predictions([[0, 1], [0, 0]], [0, 1]))
    with pytest.raises(ValueError, match="prior 0"):
        bounds.vote_profile_bound(profiled(counts, [[0, 1], [0, 0]], [0.5, 0.5], [1.0, 0.0]))
