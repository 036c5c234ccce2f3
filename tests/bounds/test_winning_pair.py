"""PAIR against brute force over joint laws of errors, finite worlds, and 50 digits."""

from dataclasses import replace
from itertools import combinations

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from tandemvote import Certificate, VoteCounts, Votes
from tandemvote.bounds import (
    RequirementError,
    VacuousBoundWarning,
    get_bound,
    test_set_bound,
    winning_pair_bound,
    winning_pair_oracle,
)
from tandemvote.bounds.registry import automatic_bounds
from tandemvote.hard_vote import exact_weights, votable

PAIR = get_bound("winning_pair")
rates = st.integers(0, 1000).map(lambda n: n / 1000)


def pairs_of(k):
    return list(combinations(range(k), 2))


@st.composite
def voters(draw, most=4):
    """Largest rates at which at least one of two voters errs, and weights, also ties and zeros."""
    k = draw(st.integers(2, most))
    units = draw(st.lists(st.integers(0, 6), min_size=k, max_size=k).filter(any))
    n_pairs = len(pairs_of(k))
    losses = draw(st.lists(rates, min_size=n_pairs, max_size=n_pairs))
    return np.array(losses), np.array(units) / sum(units)


def heaviest_pair_wins(weights):
    units = sorted(map(int, exact_weights(weights)))
    return 2 * sum(units[-2:]) > sum(units)


@settings(deadline=None, max_examples=150)
@given(voters(most=3))
def test_of_three_voters_it_is_the_worst_over_all_joint_laws_of_errors(case):
    """Nothing smaller follows from upper limits of the pairs alone."""
    limits, weights = case
    k, units = len(weights), exact_weights(weights)
    sets = [set(chosen) for size in range(k + 1) for chosen in combinations(range(k), size)]
    can_be_wrong = [2 * sum(units[v] for v in erring) >= units.sum() for erring in sets]
    worst = -linprog(
        -np.array(can_be_wrong, float),
        A_ub=[[float(bool(erring & {*pair})) for erring in sets] for pair in pairs_of(k)],
        b_ub=limits,
        A_eq=np.ones((1, len(sets))),
        b_eq=[1.0],
    ).fun
    found = winning_pair_oracle(pair_losses=limits, posterior=weights)
    assert found >= worst - 1e-9
    if (weights > 0).all() and weights.max() < 0.5:  # else a single voter wins, known only by pairs
        assert found == pytest.approx(worst, abs=1e-9)


@settings(deadline=None, max_examples=200)
@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.integers(2, 4))
def test_the_vote_errs_no_more_often_than_two_that_outvote_the_others(seed, k, n_classes):
    """Exactly, on every finite world, and if every tie is lost."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_classes, size=12)
    predictions = np.where(rng.random((k, 12)) < 0.6, labels, rng.integers(n_classes, size=(k, 12)))
    weights = votable(rng.dirichlet(np.full(k, rng.choice([0.3, 3.0, 1e9]))))
    wrong, mass = predictions != labels, rng.dirichlet(np.ones(12))
    totals = np.zeros((12, n_classes))
    for voter, unit in enumerate(exact_weights(weights)):
        totals[np.arange(12), predictions[voter]] += unit
    others = np.where(np.arange(n_classes) == labels[:, None], -1, totals).max(axis=1)
    risk = mass @ (others >= totals[np.arange(12), labels])
    losses = [mass @ (wrong[first] | wrong[second]) for first, second in pairs_of(k)]
    found = winning_pair_oracle(pair_losses=losses, posterior=weights)
    assert risk <= found + 1e-12
    assert heaviest_pair_wins(weights) or found == 1.0


def test_two_voters_with_exactly_half_of_the_weight_do_not_win():
    limits = {"pair_losses": [0.3, 0.2, 0.01]}
    assert winning_pair_oracle(**limits) == 0.01
    assert winning_pair_oracle(**limits, posterior=[0.5, 0.25, 0.25]) == 0.2
    assert winning_pair_oracle(pair_losses=[0.01] * 6) == 1.0  # two of four voters
    assert winning_pair_oracle(pair_losses=[0.01] * 6, posterior=[0.4, 0.3, 0.2, 0.1]) == 0.01


def limit_in_50_digits(k, n, delta):
    with mp.workdps(50):
        low, high = mp.mpf(0), mp.mpf(1)
        for _ in range(150):
            p = (low + high) / 2
            tail = sum(mp.binomial(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1))
            low, high = (p, high) if tail > delta else (low, p)
        return high


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_the_bound_is_the_smallest_limit_of_a_pair_at_its_share_of_delta(data):
    sizes = data.draw(st.lists(st.integers(1, 60), min_size=3, max_size=3))
    errors = [data.draw(st.integers(0, n - 1)) for n in sizes]
    prior = data.draw(st.sampled_from([[1 / 3] * 3, [0.5, 0.3, 0.2]]))
    with mp.workdps(50):
        products = [mp.mpf(prior[first]) * mp.mpf(prior[second]) for first, second in pairs_of(3)]
        shares = [mp.mpf(0.05) * product / sum(products) for product in products]
    truth = min(map(limit_in_50_digits, errors, sizes, shares))
    found = winning_pair_bound(pair_errors=errors, pair_sizes=sizes, prior=prior)
    assert truth <= found <= truth * (1 + mp.mpf(10) ** -9)


def test_of_two_voters_it_is_the_test_set_bound_of_not_both_being_right():
    found = winning_pair_bound(pair_errors=[7], pair_sizes=[120], delta=0.1)
    assert found == pytest.approx(test_set_bound(n_errors=7, n_samples=120, delta=0.1), rel=1e-9)


def test_pairs_without_points_or_without_a_share_of_delta_say_nothing():
    nothing_seen = {"pair_errors": [0, 3, 3], "pair_sizes": [0, 50, 50]}
    assert winning_pair_bound(**nothing_seen) < 1.0
    assert winning_pair_bound(**nothing_seen, posterior=[0.5, 0.5, 0.0]) == 1.0
    assert winning_pair_bound(pair_errors=[0], pair_sizes=[0]) == 1.0
    assert winning_pair_bound(pair_errors=[0] * 3, pair_sizes=[9] * 3, prior=[1, 0, 0]) == 1.0


@pytest.mark.parametrize("n_pairs", [0, 2, 4, 5])
def test_numbers_of_pairs_that_no_voters_have_are_refused(n_pairs):
    with pytest.raises(ValueError, match=rf"shape \({n_pairs},\); expected one number"):
        winning_pair_bound(pair_errors=[0] * n_pairs, pair_sizes=[9] * n_pairs)
    with pytest.raises(ValueError, match=r"shape \(3, 3\)"):
        winning_pair_bound(pair_errors=np.zeros((3, 3), int), pair_sizes=9)


def test_one_size_stands_for_all_pairs():
    given = winning_pair_bound(pair_errors=[3, 4, 5], pair_sizes=[80, 80, 80])
    assert winning_pair_bound(pair_errors=[3, 4, 5], pair_sizes=80) == given
    assert winning_pair_oracle(pair_losses=0.2) == 0.2


@pytest.mark.parametrize("tiny", [1e-150, 1e-160, 1e-170])
def test_a_prior_next_to_zero_shares_delta_as_its_products_do(tiny):
    """Of voters with priors 1, e and e the two pairs of the first share delta, as good as all."""
    found = winning_pair_bound(
        pair_errors=[3, 9, 0], pair_sizes=100, prior=[1 - 2 * tiny, tiny, tiny]
    )
    half = test_set_bound(n_errors=3, n_samples=100, delta=0.025)
    assert found == pytest.approx(half, rel=1e-9)


def votes_of_three(seed=0, n=400):
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=n)
    wrong = rng.random((3, n)) < 0.1
    held_out = rng.random((3, n)) < 0.6
    return Votes.from_predictions((labels + wrong * rng.integers(1, 3, n)) % 3, labels, held_out)


def test_counts_give_the_points_that_at_least_one_of_two_gets_wrong():
    votes = votes_of_three()
    terms = PAIR(VoteCounts.from_votes(votes)).terms
    for place, (first, second) in enumerate(pairs_of(3)):
        both = votes.held_out[first] & votes.held_out[second]
        either = both & (votes.errors[first] | votes.errors[second])
        assert terms["pair_sizes"][place] == both.sum()
        assert terms["pair_errors"][place] == either.sum()


def test_it_needs_two_voters_and_points_that_both_hold_out():
    one = VoteCounts.from_votes(Votes.from_predictions([[0, 1, 1]], [0, 1, 0]))
    with pytest.raises(RequirementError, match=r"one voter.*'coalition'"):
        PAIR(one)
    folds = np.arange(9) % 3 == np.arange(3)[:, None]
    apart = VoteCounts.from_votes(Votes.from_predictions(np.zeros((3, 9)), np.zeros(9), folds))
    with pytest.warns(VacuousBoundWarning, match=r"no two voters share.*cv='pairs'"):
        assert PAIR(apart).value == 1.0


def test_one_pair_with_common_points_is_enough():
    votes = votes_of_three()
    held_out = votes.held_out.copy()
    held_out[2] &= ~(held_out[0] | held_out[1])
    counts = VoteCounts.from_votes(replace(votes, held_out=held_out))
    assert (counts.overlaps > 0).sum() == 5
    certificate = Certificate.from_counts(counts, bound="winning_pair")
    assert certificate.value < 0.5
    assert "some pairs on none" in repr(certificate)


@pytest.mark.parametrize(
    ("share", "chosen"), [(1.0, "winning_pair"), (0.6, "winning_pair"), (0.1, "coalition")]
)
def test_it_is_chosen_where_three_voters_share_at_least_a_quarter_of_their_points(share, chosen):
    """By sizes, which are drawn without looking; never by how many errors there are."""
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=5000)
    held_out = rng.random((3, 5000)) < share
    for wrong in (np.zeros(5000, int), rng.integers(2, size=5000)):
        votes = Votes.from_predictions(labels ^ wrong * np.ones((3, 1), int), labels, held_out)
        assert Certificate.from_counts(VoteCounts.from_votes(votes)).bound == chosen
    evidence = {"n_voters": 3, "shared": share, "unlabelled": True}
    with_points = chosen if chosen == "winning_pair" else "vote_profile"
    assert automatic_bounds(**evidence, test_set=False) == (with_points,)
    assert automatic_bounds(**evidence, test_set=False, deployed=True) == ("vote_profile",)
    assert automatic_bounds(**evidence, test_set=True) == ("test_set",)
    more = Votes.from_predictions(np.tile(labels, (4, 1)), labels)
    assert Certificate.from_counts(VoteCounts.from_votes(more)).bound == "coalition"
