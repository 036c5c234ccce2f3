"""The error of any classifier, through voters: the best that follows, and never too little."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.stats import binom

from tandemvote import VoteCounts, Votes
from tandemvote.bounds import (
    Estimates,
    single_voter_bound,
    vote_profile_bound,
    vote_profile_oracle,
)
from tandemvote.bounds.contradictions import ContradictionError
from tandemvote.bounds.single_voter import paired_levels
from tandemvote.bounds.vote_profile import _phi, deployed_slopes
from tandemvote.inequalities.betting import log_capital, plug_in_bets
from tandemvote.inequalities.catoni import catoni_evidence, catoni_tilts
from tandemvote.votes.evidence import Evidence
from tandemvote.votes.profile import VoteProfile, vote_leads


@given(st.data())
def test_phi_is_the_largest_that_any_true_label_allows(data):
    """Also a label that nobody names; of two labels one may be unnamed by the voters."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n_voters, n_classes = data.draw(st.integers(1, 6)), data.draw(st.integers(2, 4))
    weights = rng.dirichlet(np.ones(n_voters))
    predictions = rng.integers(n_classes, size=(n_voters, 1))
    deployed = rng.integers(n_classes, size=1)
    lam = data.draw(st.floats(0.1, 10))
    leads, gaps = vote_leads(predictions, weights, deployed)
    worst = max(
        float(deployed[0] != label) - lam * weights @ (predictions[:, 0] != label)
        for label in range(n_classes + 1)
    )
    phi = lam * _phi(leads, gaps, np.array([1 / lam]))[0, 0]
    assert phi == pytest.approx(worst, abs=1e-9)
    assert 1 - lam - 1e-9 <= phi <= 1 + 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_oracle_is_the_worst_error_of_any_true_labels(seed):
    """Linear program over the joint law of profiles and true labels."""
    rng = np.random.default_rng(seed)
    n_voters, n_samples, n_classes = 3 + seed, 12, 3
    predictions = rng.integers(n_classes, size=(n_voters, n_samples))
    deployed = rng.integers(n_classes, size=n_samples)
    weights = np.full(n_voters, 1 / n_voters)
    leads, gaps = vote_leads(predictions, weights, deployed)
    erring = np.array([weights @ (predictions != label) for label in range(n_classes)])
    gibbs = rng.uniform(erring.min(axis=0).mean(), 0.9)
    wrong = deployed[None, :] != np.arange(n_classes)[:, None]
    worst = linprog(
        -wrong.ravel().astype(float) / n_samples,
        A_ub=[erring.ravel() / n_samples],
        b_ub=[gibbs],
        A_eq=np.tile(np.eye(n_samples), n_classes),
        b_eq=np.ones(n_samples),
        bounds=(0, 1),
    )
    assert vote_profile_oracle(gibbs_loss=gibbs, leads=leads, gaps=gaps) == pytest.approx(
        -worst.fun, abs=1e-9
    )


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("delta", [0.05, 0.3, 0.9])
def test_paired_levels_fail_with_probability_delta_and_hardly_less(delta, power):
    """Two uniform p-values: below the first level, or between two and below the other one."""
    levels, others = paired_levels(delta, power)
    widths = np.diff(np.append(levels, levels[-1] * 1.5))
    assert levels[0] + widths @ others == pytest.approx(delta)
    widths[-1] = 1 - levels[-1]
    assert 0.8 * delta < levels[0] + widths @ others <= delta
    assert (np.diff(levels) > 0).all() and (np.diff(others) < 0).all()


@pytest.mark.parametrize(("n_unlabeled", "delta"), [(9, 0.1), (16, 0.4)])
@pytest.mark.long
def test_single_voter_bound_fails_with_probability_delta_at_most_and_not_much_less(
    n_unlabeled, delta
):
    """Every outcome of two binomial draws is added up, for every error and difference."""
    n_samples = 8
    bound = np.array(
        [
            [
                single_voter_bound(
                    n_errors=errors,
                    n_samples=n_samples,
                    n_differ=differ,
                    n_unlabeled=n_unlabeled,
                    delta=delta,
                )
                for differ in range(n_unlabeled + 1)
            ]
            for errors in range(n_samples + 1)
        ]
    )
    worst = 0.0
    for error in np.linspace(0.02, 0.7, 25):
        for differs in np.linspace(0.02, 0.7, 25):
            first = binom.pmf(np.arange(n_samples + 1), n_samples, error)
            second = binom.pmf(np.arange(n_unlabeled + 1), n_unlabeled, differs)
            failing = bound < min(error + differs, 1.0)
            worst = max(worst, float(first @ failing @ second))
    assert 0.2 * delta < worst <= delta


def test_without_samples_nothing_is_promised():
    none = {"n_errors": 0, "n_differ": 0}
    assert single_voter_bound(**none, n_samples=0, n_unlabeled=9) == 1.0
    assert single_voter_bound(**none, n_samples=9, n_unlabeled=0) == 1.0


@pytest.fixture(scope="module")
def world():
    """Three voters on 900 labeled and 600 unlabeled samples, and a fourth classifier."""
    rng = np.random.default_rng(1)
    labels = rng.integers(4, size=1500)
    wrong = rng.random((4, 1500)) < 0.08
    predictions = (labels + wrong * rng.integers(1, 4, size=wrong.shape)) % 4
    votes = Votes.from_predictions(predictions[:3, :900], labels[:900])
    return VoteCounts.from_votes(votes), predictions[:3, 900:], predictions[3, 900:]


def test_bound_leaves_no_rate_of_the_voters_that_explains_a_larger_error(world):
    """A fine scan over g: above the bound, labels and unlabeled samples together refute all."""
    counts, unlabeled, deployed = world
    profile = VoteProfile.of(unlabeled, np.full(3, 1 / 3), deployed)
    bound = vote_profile_bound(Estimates(Evidence(counts, profile=profile)))
    gibbs, tilts = float(counts.gibbs_losses.mean()), catoni_tilts(900.0)
    games = []
    for slope in (1, 2 / 3, 1 / 3, 0):
        phi = np.maximum(slope - profile.gaps, 0) - (1 - profile.leads)
        games.append(
            (slope, phi[:, None], plug_in_bets(phi[:, None], lower=slope - 1, upper=slope))
        )

    def weakest_evidence(error):
        actual = []
        for g in np.linspace(0.02, 0.3, 300):
            needed = np.log(20) - catoni_evidence(gibbs, g, 900.0, tilts=tilts)
            if needed <= 0:
                continue
            capital = [
                log_capital(
                    phi,
                    [min(slope * error - g, slope)],
                    bets=bets * np.sqrt(needed + 1),
                    upper=[slope],
                )
                for slope, phi, bets in games
            ]
            shares = [3 / 4, 3 / 16, 3 / 64, 1 / 64]
            actual.append(np.log(np.average(np.exp(capital), axis=0, weights=shares)) - needed)
        return min(actual)

    assert weakest_evidence(bound) >= -1e-6
    assert weakest_evidence(0.97 * bound) < 0  # and not much below it


def test_a_classifier_that_says_what_the_vote_says_has_the_profile_of_the_vote(world):
    _, unlabeled, _ = world
    weights = np.array([0.5, 0.3, 0.2])
    winners = [np.argmax(np.bincount(each, weights, 4)) for each in unlabeled.T]
    vote, other = (VoteProfile.of(unlabeled, weights, deployed) for deployed in (None, winners))
    for one, two in ((other.leads, vote.leads), (other.gaps, vote.gaps)):
        np.testing.assert_allclose(np.sort(one), np.sort(two), atol=1e-12)
    assert vote.deployed is None and other.deployed == "the deployed classifier"


def test_more_disagreement_with_the_voters_costs_more(world):
    counts, unlabeled, deployed = world
    values = []
    for share in (0.0, 0.1, 0.5):
        changed = np.where(
            np.arange(deployed.size) < share * deployed.size, (deployed + 1) % 4, deployed
        )
        profile = VoteProfile.of(unlabeled, np.full(3, 1 / 3), changed)
        values.append(vote_profile_bound(Estimates(Evidence(counts, profile=profile))))
    assert values == sorted(values)
    assert values[2] > 0.4


@pytest.mark.parametrize("n_voters", [2, 3, 5])
def test_shares_of_the_evidence_are_fixed_in_advance_and_sum_to_one(n_voters):
    slopes, shares = deployed_slopes(n_voters)
    assert slopes.tolist() == pytest.approx([k / n_voters for k in range(n_voters, -1, -1)])
    assert shares.sum() == 1.0
    assert (shares > 0).all()


def test_samples_on_which_voters_differ_more_than_they_err_are_rejected_here_too(world):
    counts, unlabeled, deployed = world
    strange = np.random.default_rng(2).integers(4, size=unlabeled.shape)
    profile = VoteProfile.of(strange, np.full(3, 1 / 3), deployed)
    with pytest.raises(ContradictionError, match="are not drawn from the same distribution"):
        vote_profile_bound(Estimates(Evidence(counts, profile=profile)))
