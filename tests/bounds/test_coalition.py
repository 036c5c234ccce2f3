"""COA and exact factors against brute force over joint laws of errors, and 50 digits."""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from tandemvote import VoteCounts, Votes, bounds, certify
from tandemvote.bounds import (
    Estimates,
    coalition_bound,
    coalition_oracle,
    get_bound,
    smallest_coalition,
)
from tandemvote.bounds.majorities import minimal_coalitions, voting_units
from tandemvote.bounds.markov import by_markov
from tandemvote.votes.weighted_vote import exact_weights, votable, weighted_vote

rates = st.integers(0, 1000).map(lambda n: n / 1000)


@st.composite
def voters(draw, most=5):
    """Error rates of a few voters, and weights for them, also ties and zeros."""
    k = draw(st.integers(1, most))
    units = draw(st.lists(st.integers(0, 6), min_size=k, max_size=k).filter(any))
    losses = draw(st.lists(rates, min_size=k, max_size=k))
    return np.array(losses), np.array(units) / sum(units)


def can_be_wrong(erring, units):
    """Whether the voters in a set, all erring, hold half of the weight up to rounding."""
    tie = 1 - Fraction(1, 10**9)
    return 2 * sum(int(units[k]) for k in erring) >= tie * sum(map(int, units))


def subsets(k):
    return [set(chosen) for size in range(k + 1) for chosen in combinations(range(k), size)]


def worst_case(losses, event):
    """Largest probability of an event over all joint laws with at most these error rates."""
    sets = subsets(len(losses))
    return -linprog(
        [-float(event(erring)) for erring in sets],
        A_ub=[[float(k in erring) for erring in sets] for k in range(len(losses))],
        b_ub=losses,
        A_eq=np.ones((1, len(sets))),
        b_eq=[1.0],
    ).fun


@settings(deadline=None, max_examples=20)
@given(voters())
def test_the_bound_is_the_worst_over_all_joint_laws_of_errors(case):
    """Strong duality: nothing smaller follows from the errors of the voters."""
    losses, weights = case
    units = exact_weights(weights)
    worst = worst_case(losses, lambda erring: can_be_wrong(erring, units))
    assert coalition_oracle(losses=losses, posterior=weights) == pytest.approx(worst, abs=1e-9)


@settings(deadline=None, max_examples=25)
@given(st.lists(rates, min_size=1, max_size=7))
def test_rugers_closed_form_is_the_worst_over_all_joint_laws(losses):
    worst = worst_case(losses, lambda erring: 2 * len(erring) >= len(losses))
    assert coalition_oracle(losses=losses) == pytest.approx(worst, abs=1e-9)


@given(st.lists(rates, min_size=3, max_size=3))
def test_three_equal_voters_cost_half_the_sum_or_the_two_smallest(losses):
    expected = min(sum(losses) / 2, sum(sorted(losses)[:2]), 1.0)
    assert coalition_oracle(losses=losses) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("k", [3, 5, 7, 101])
def test_a_vote_that_is_always_lost_by_the_smallest_majority_attains_the_bound(k):
    """Ruger is sharp: with probability 1/10 a random (K + 1) / 2 of the voters err, never more."""
    loss = Fraction(1, 10) * Fraction(k + 1, 2 * k)
    value = coalition_oracle(losses=np.full(k, float(loss)))
    assert value == pytest.approx(0.1, rel=1e-11)
    assert value >= 0.1


@settings(deadline=None)
@given(voters(most=8))
def test_coalitions_and_their_smallest_weight_are_those_of_a_search_through_all_sets(case):
    units = voting_units(case[1])
    large = [s for s in subsets(len(units)) if can_be_wrong(s, units)]
    minimal = {frozenset(s) for s in large if not any(other < s for other in large)}
    value = {frozenset(np.flatnonzero(row).tolist()) for row in minimal_coalitions(units)}
    assert value == minimal
    weights = [sum(int(units[k]) for k in s) for s in large]
    lightest = Fraction(min(weights), int(units.sum()))
    assert smallest_coalition(case[1]) == max(Fraction(1, 2), lightest)


@pytest.mark.parametrize("wholes", [[1, 1, 1, 3], [13, 11, 5, 7, 14]])
@pytest.mark.parametrize("bound", ["coalition", "first_order", "tandem"])
def test_a_tie_up_to_rounding_may_be_lost_by_another_implementation_of_the_vote(wholes, bound):
    """In floating point 1/6 + 1/6 + 1/6 is less than 1/2; the integers 1, 1, 1 and 3 tie."""
    weights, n_voters = np.array(wholes) / sum(wholes), len(wholes)
    for erring in subsets(n_voters):
        units = sum(wholes[k] for k in erring)
        if 2 * units != sum(wholes):
            continue
        predictions = np.ones((n_voters, 1000), int)
        predictions[sorted(erring), :300] = 0
        votes = Votes.from_predictions(predictions, np.ones(1000, int))
        lost = np.array(wholes) @ (predictions == 0) >= np.array(wholes) @ (predictions == 1)
        assert certify(votes, weights=weights, bound=bound).value >= lost.mean() == 0.3


def test_the_smallest_coalition_is_exact_where_it_can_be_and_else_one_half():
    assert smallest_coalition(np.full(101, 1 / 101)) == Fraction(51, 101)
    assert smallest_coalition(np.full(100, 0.01)) == Fraction(1, 2)
    assert smallest_coalition([0.7, *[0.3 / 30] * 30]) == pytest.approx(0.7)
    many = np.arange(1, 31) / sum(range(1, 31))
    assert smallest_coalition(many) == Fraction(1, 2)
    assert smallest_coalition([*np.zeros(50), 0.5, 0.5, 0.5]) == Fraction(2, 3)


@given(st.fractions(Fraction(1, 2), 1), st.sampled_from([1, 2]))
def test_factors_are_rounded_up(smallest, order):
    exact = 1 / smallest**order
    factor = Fraction(by_markov(2.0**-10, order, smallest)) * 2**10
    assert exact <= factor <= exact * (1 + Fraction(1, 10**14))


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.integers(2, 4))
def test_the_vote_errs_no_more_often_than_coalitions_and_markov_allow(seed, k, n_classes):
    """Exactly, on every finite world, and whatever the vote does with ties."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_classes, size=12)
    predictions = rng.integers(n_classes, size=(k, 12))
    weights = votable(rng.dirichlet(np.full(k, rng.choice([0.3, 3.0, 1e9]))))
    wrong = predictions != labels
    mass = rng.dirichlet(np.ones(12))
    totals = np.zeros((12, n_classes))
    for voter, unit in enumerate(exact_weights(weights)):
        totals[np.arange(12), predictions[voter]] += unit
    others = np.where(np.arange(n_classes) == labels[:, None], -1, totals).max(axis=1)
    risk = mass @ (others >= totals[np.arange(12), labels])  # every tie lost
    assert mass @ (weighted_vote(predictions, weights, n_classes) != labels) <= risk
    assert risk <= coalition_oracle(losses=wrong @ mass, posterior=weights) + 1e-12
    least, erring = float(smallest_coalition(weights)), weights @ wrong
    assert risk <= mass @ erring / least + 1e-12
    assert risk <= mass @ erring**2 / least**2 + 1e-12


def reference(errors, sizes, delta, prior, prices):
    """Sum of prices times limits in 50 digits."""
    with mp.workdps(50):
        total = mp.mpf(0)
        for k, n, pi, price in zip(errors, sizes, prior, prices, strict=True):
            low, high = mp.mpf(0), mp.mpf(1)
            for _ in range(150):
                p = (low + high) / 2
                tail = 1 - mp.betainc(k + 1, n - k, 0, p, regularized=True)
                low, high = (p, high) if tail > mp.mpf(delta) * mp.mpf(pi) else (low, p)
            total += mp.mpf(price.numerator) / price.denominator * high
        return total


def at(bound, *, delta=0.05, posterior=None, prior=None, **numbers):
    """Evaluate a bound from errors and sizes of voters that share no samples."""
    if posterior is None and prior is None:
        return bound(Estimates.from_numbers(**numbers), delta)
    nothing = np.zeros((len(numbers["sizes"]),) * 2, int)
    names = ("disagreements", "lone_errors", "unlabeled_disagreements")
    pairs = dict.fromkeys(names, nothing)
    errors, sizes = np.diag(numbers["errors"]), np.diag(numbers["sizes"])
    counts = VoteCounts(
        **{name: np.array(values) for name, values in numbers.items()},
        **pairs,
        tandem_errors=errors,
        overlaps=sizes,
        disagreement_overlaps=sizes,
        classes=np.arange(2),
        class_counts=Counter({0: int(np.max(sizes))}),
    )
    return bound(Estimates(counts, posterior, prior), delta)


@pytest.mark.parametrize(
    ("errors", "sizes", "weights", "prior", "prices"),
    [
        ([20, 22, 18], [600, 601, 599], [1, 1, 1], [1, 1, 1], ["1/2"] * 3),
        ([2, 300, 3], [600, 600, 600], [1, 1, 1], [1, 2, 5], ["1", "0", "1"]),
        ([9, 8, 9, 9, 8], [200] * 5, [1] * 5, [1] * 5, ["1/3"] * 5),
        ([9, 8, 9], [200, 2000, 900], [2, 1, 1], [1, 1, 1], ["1", "1", "0"]),
        ([9, 8, 9, 9], [200, 200, 200, 200], [2, 1, 1, 1], [1] * 4, ["2/3"] + ["1/3"] * 3),
        ([30, 1, 1, 1], [200, 200, 200, 200], [2, 1, 1, 1], [1] * 4, ["0"] + ["1"] * 3),
        ([9], [200], [1], [1], ["1"]),
        ([9, 0, 5], [200, 9, 10], [3, 1, 1], [1, 1, 2], ["1", "0", "0"]),
    ],
)
def test_the_bound_agrees_with_fifty_digits_and_is_never_below(
    errors, sizes, weights, prior, prices
):
    pi = np.array(prior) / sum(prior)
    exact = reference(errors, sizes, 0.05, pi, [Fraction(price) for price in prices])
    value = at(
        coalition_bound,
        errors=errors,
        sizes=sizes,
        posterior=np.array(weights) / sum(weights),
        prior=pi,
    )
    assert exact <= value <= exact + 1e-9


def test_one_voter_has_its_clopper_pearson_limit():
    value = at(coalition_bound, errors=[7], sizes=[300], delta=0.1)
    assert value == pytest.approx(
        at(bounds.test_set_bound, n_errors=7, n_samples=300, delta=0.1), rel=1e-11
    )


def test_a_voter_without_samples_has_no_limit_and_one_without_weight_does_not_count():
    known = {"errors": [3, 4, 0], "sizes": [500, 500, 0]}
    limits = [at(coalition_bound, errors=[k], sizes=[500], delta=0.05 / 3) for k in (3, 4)]
    assert at(coalition_bound, **known) == pytest.approx(sum(limits), rel=1e-10)
    alone = at(coalition_bound, **known, posterior=[0.5, 0.5, 0.0])
    assert alone == pytest.approx(sum(limits), rel=1e-10)  # and its share of delta stays spent
    assert at(coalition_bound, errors=[0, 0], sizes=[0, 0]) == 1.0


def test_many_voters_with_unequal_weights_cost_twice_their_mean_limit():
    rng = np.random.default_rng(0)
    errors, weights = rng.integers(1, 9, size=40), rng.dirichlet(np.ones(40))
    limits = [at(coalition_bound, errors=[k], sizes=[900], delta=0.05 / 40) for k in errors]
    value = at(coalition_bound, errors=errors, sizes=np.full(40, 900), posterior=weights)
    assert value == pytest.approx(2 * weights @ limits, rel=1e-10)


def test_fifteen_voters_with_any_weights_cost_no_more_than_markov_charges():
    rng = np.random.default_rng(1)
    for _ in range(5):
        weights, losses = rng.dirichlet(np.ones(15)), rng.uniform(0.01, 0.05, 15)
        value = coalition_oracle(losses=losses, posterior=weights)
        assert value <= weights @ losses / float(smallest_coalition(weights)) * (1 + 1e-9)
        assert value >= losses.min()


@pytest.mark.parametrize("scale", [1e-9, 1e-5, 1.0])
def test_the_program_is_solved_as_well_for_tiny_limits(scale):
    losses, weights = np.array([0.3, 0.1, 0.11, 0.12]) * scale, np.array([2, 1, 1, 1]) / 5
    value = coalition_oracle(losses=losses, posterior=weights)
    assert value == pytest.approx(min(0.33, (2 * 0.3 + 0.33) / 3) * scale, rel=1e-9)


def counts_of(n_voters, *, in_folds=False):
    rng = np.random.default_rng(n_voters)
    labels = rng.integers(3, size=900)
    wrong = rng.random((n_voters, 900)) < 0.05
    folds = np.arange(900) % n_voters == np.arange(n_voters)[:, None]
    votes = Votes.from_predictions((labels + wrong) % 3, labels, folds if in_folds else None)
    return VoteCounts.from_votes(votes)


def test_folds_without_common_samples_and_many_classes_are_certified():
    counts = counts_of(3, in_folds=True)
    assert counts.n_min_pairs == 0
    certificate = certify(counts, bound="coalition")
    expected = at(coalition_bound, errors=counts.errors, sizes=counts.sizes)
    assert certificate.value == expected < 0.2
    assert certificate.bounds["first_order"] > expected
    assert "(COA)" in certificate.basis


def test_beyond_fifteen_voters_it_must_be_asked_for_by_name():
    few, many = counts_of(15), counts_of(16)
    assert "coalition" in certify(few, bound="first_order").bounds
    best = certify(many, bound="best")
    assert "coalition" not in (*best.bounds, *best.candidates)
    options = certify(many, bound="coalition")
    assert options.value == coalition_bound(Estimates(many)) < 1


def test_exact_factors_are_those_of_few_voters_and_the_published_forms_keep_theirs():
    counts = VoteCounts.from_votes(
        Votes.from_predictions(np.eye(3, 900, dtype=int), np.zeros(900, int))
    )
    for name, power in (("first_order", 1), ("tandem", 2)):
        bound, two, one = get_bound(name), [0.5, 0.5, 0.0], [1.0, 0.0, 0.0]
        equal, tied = (bound(Estimates(counts, weights)) for weights in (None, two))
        everyone = bound(Estimates(counts, two, two))
        assert tied > everyone  # the divergence; the factor of two equal voters is the old one
        alone = bound(Estimates(counts, one, one))
        assert everyone == pytest.approx(2**power * alone, rel=0.35)
        assert equal <= bound(Estimates(counts, published=True)) * 0.75**power
