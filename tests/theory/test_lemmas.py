"""The lemmas and oracle theorems of the paper as exact identities on random finite worlds."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tandemvote import VoteCounts, Votes, bounds


@st.composite
def worlds(draw, max_classes=4):
    """A finite distribution over samples, voters' predictions, and weights, all as fractions."""
    classes = draw(st.integers(2, max_classes))
    n_samples, n_voters = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    label = st.integers(0, classes - 1)
    labels = draw(st.lists(label, min_size=n_samples, max_size=n_samples))
    row = st.lists(label, min_size=n_samples, max_size=n_samples)
    predictions = draw(st.lists(row, min_size=n_voters, max_size=n_voters))
    mass = draw(st.lists(st.integers(1, 9), min_size=n_samples, max_size=n_samples))
    weight = draw(st.lists(st.integers(0, 9), min_size=n_voters, max_size=n_voters).filter(any))
    return (
        labels,
        predictions,
        [Fraction(m, sum(mass)) for m in mass],
        [Fraction(w, sum(weight)) for w in weight],
    )


def moments(world):
    """True G, T, D, and the worst-case error of the vote (every tie lost)."""
    labels, predictions, mass, weight = world
    voters = range(len(weight))
    gibbs = tandem = differ = second_moment = risk = Fraction(0)
    for i, p in enumerate(mass):
        predicted = [row[i] for row in predictions]
        erring = sum((weight[h] for h in voters if predicted[h] != labels[i]), Fraction(0))
        gibbs += p * erring
        second_moment += p * erring**2
        for g, h in product(voters, voters):
            pair = p * weight[g] * weight[h]
            tandem += pair * (predicted[g] != labels[i] and predicted[h] != labels[i])
            differ += pair * (predicted[g] != predicted[h])
        share = {
            c: sum(weight[h] for h in voters if predicted[h] == c) for c in {*predicted, labels[i]}
        }
        risk += p * any(share[c] >= share[labels[i]] for c in share if c != labels[i])
    return gibbs, tandem, differ, second_moment, risk


@given(worlds())
def test_tandem_loss_is_the_second_moment_of_the_erring_weight(world):
    _, tandem, _, second_moment, _ = moments(world)
    assert tandem == second_moment


@given(worlds(max_classes=2))
def test_binary_tandem_loss_is_error_minus_half_the_disagreement(world):
    gibbs, tandem, differ, _, _ = moments(world)
    assert tandem == gibbs - differ / 2


@given(worlds())
def test_oracle_bounds_hold_for_every_vote(world):
    gibbs, tandem, _, _, risk = moments(world)
    assert risk <= 2 * gibbs
    assert risk <= 4 * tandem
    if gibbs < Fraction(1, 2):
        c_bound = (tandem - gibbs**2) / (tandem - gibbs + Fraction(1, 4))
        assert risk <= c_bound
        assert bounds.c_tandem_oracle(gibbs_loss=gibbs, tandem_loss=tandem) == pytest.approx(
            float(c_bound), abs=1e-12
        )


@given(worlds(max_classes=2))
def test_binary_oracle_bounds_hold_for_every_vote(world):
    gibbs, tandem, differ, _, risk = moments(world)
    assert risk <= 4 * gibbs - 2 * differ
    if gibbs < Fraction(1, 2):
        c1 = 1 - (1 - 2 * gibbs) ** 2 / (1 - 2 * differ)
        c2 = 1 - (1 - (2 * tandem + differ)) ** 2 / (1 - 2 * differ)
        assert risk <= c1 == c2


@given(worlds())
def test_c_bound_is_at_most_tandem_and_tandem_at_most_twice_first_order(world):
    gibbs, tandem, _, _, _ = moments(world)
    assert 4 * tandem <= 2 * (2 * gibbs)
    if gibbs < Fraction(1, 2):
        assert (tandem - gibbs**2) / (tandem - gibbs + Fraction(1, 4)) <= 4 * tandem


@settings(deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n_classes=st.integers(2, 5))
def test_tandem_losses_on_a_common_set_are_positive_semidefinite(seed, n_classes):
    rng = np.random.default_rng(seed)
    votes = Votes.from_predictions(
        rng.integers(n_classes, size=(8, 20)), rng.integers(n_classes, size=20)
    )
    losses = VoteCounts.from_votes(votes).tandem_losses
    assert np.linalg.eigvalsh(losses).min() >= -1e-12


def test_the_papers_matrix_from_different_sets_is_not_positive_semidefinite():
    losses = np.array([[0.5, 0, 0], [0, 0.5, 1], [0, 1, 0.5]])
    np.testing.assert_allclose(np.linalg.eigvalsh(losses), [-0.5, 0.5, 1.5])


def test_out_of_bag_overlaps_alone_can_break_positive_semidefiniteness():
    """Three voters, each pair sharing samples the third has not: errors in two of the pairs."""
    held_out = np.array([[1, 1, 0, 1, 1, 0], [1, 0, 1, 1, 0, 1], [0, 1, 1, 0, 1, 1]], bool)
    wrong = np.array([[1, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]])
    losses = VoteCounts.from_votes(
        Votes.from_predictions(wrong, np.zeros(6, int), held_out)
    ).tandem_losses
    assert losses.tolist() == [[0.5, 0.5, 0.5], [0.5, 0.25, 0], [0.5, 0, 0.25]]
    assert np.linalg.eigvalsh(losses).min() < -0.1


def counts_of(wrong):
    """Counts of voters that err as told, all samples held out."""
    wrong = np.asarray(wrong, int)
    return VoteCounts.from_votes(Votes.from_predictions(wrong, np.zeros(wrong.shape[1], int)))


@pytest.mark.parametrize("n_voters", [3, 10])
def test_worst_case_identical_voters_have_a_tandem_loss_equal_to_their_error(n_voters):
    """Section 3.2: the second-order bound is twice the first-order one."""
    averages = bounds.Estimates(counts_of(np.tile([1, 0, 0, 0, 0], (n_voters, 1))))
    assert averages.tandem_loss == pytest.approx(0.2)
    assert averages.gibbs_loss == pytest.approx(0.2)


@pytest.mark.parametrize("n_voters", [3, 10])
def test_best_case_disjoint_errors_make_the_second_order_bound_quadratic(n_voters):
    """Section 3.2: error regions of mass 1/M that do not meet give 2/M against 4/M^2."""
    averages = bounds.Estimates(counts_of(np.eye(n_voters)))
    first = bounds.first_order_oracle(gibbs_loss=averages.gibbs_loss)
    second = bounds.tandem_oracle(tandem_loss=averages.tandem_loss)
    assert first == pytest.approx(2 / n_voters)
    assert second == pytest.approx(4 / n_voters**2)


@pytest.mark.parametrize("n_voters", [2, 5])
@pytest.mark.parametrize("odds", [1, 3])
def test_independent_case_has_its_closed_form(n_voters, odds):
    """Section 3.2: 4 (L^2 + L (1 - L) / M), enumerated with L = 1 / (1 + odds)."""
    patterns = np.array(list(product([0, 1], repeat=n_voters)))
    copies = odds ** (n_voters - patterns.sum(axis=1))
    averages = bounds.Estimates(counts_of(np.repeat(patterns, copies, axis=0).T))
    loss = 1 / (1 + odds)
    assert averages.gibbs_loss == pytest.approx(loss)
    assert averages.tandem_loss == pytest.approx(loss**2 + loss * (1 - loss) / n_voters)


def test_independent_voters_make_the_c_bound_vanish_and_the_tandem_bound_not():
    """Section 3.3: with M voters of error L the C-bound goes to 0, the tandem bound to 4 L^2."""
    loss = 0.3
    c_values, tandem_values = [], []
    for n_voters in (10, 100, 1000, 10_000):
        tandem = loss**2 + loss * (1 - loss) / n_voters
        c_values.append(bounds.c_tandem_oracle(gibbs_loss=loss, tandem_loss=tandem))
        tandem_values.append(bounds.tandem_oracle(tandem_loss=tandem))
    assert c_values[-1] < 1e-3
    assert tandem_values[-1] == pytest.approx(4 * loss**2, abs=1e-3)
