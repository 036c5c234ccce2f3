"""Harmonic sample size: its formula, its coverage, and that it is never looser than published."""

import mpmath as mp
import numpy as np
import pytest
import truth
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from tandemvote.inequalities import binary_kl, kl_divergence, xi
from tandemvote.inequalities.harmonic import harmonic_cap, harmonic_size


@pytest.mark.parametrize("seed", range(4))
def test_size_divergence_and_moment_agree_with_fifty_digits(seed):
    rng = np.random.default_rng(seed)
    posterior, prior = rng.dirichlet(np.ones(5), size=2)
    posterior[seed % 2 :][0] = 0.0
    posterior /= posterior.sum()
    sizes = rng.integers(1, 300, size=[(5,), (5, 5)][seed % 2])
    sizes = np.maximum(sizes, sizes.T)  # a pair has no order
    actual = harmonic_size(posterior, sizes, prior)
    rho, pi = ([mp.mpf(float(v)) for v in a] for a in (posterior, prior))
    if seed % 2:  # pairs
        rho, pi = ([a * b for a in c for b in c] for c in (rho, pi))
    n = [mp.mpf(int(v)) for v in sizes.flat]
    size = 1 / mp.fsum(a / b for a, b in zip(rho, n, strict=True))
    tilted = [a * size / b for a, b in zip(rho, n, strict=True)]
    divergence = mp.fsum(r * mp.log(r / p) for r, p in zip(tilted, pi, strict=True) if r)
    moment = mp.log(mp.fsum(p * truth.xi(int(b)) for p, b in zip(pi, n, strict=True)))
    assert size * (1 - mp.mpf(10) ** -12) <= actual.n <= size
    assert divergence <= actual.kl_divergence <= divergence + mp.mpf(10) ** -11
    assert moment <= actual.log_moment() <= moment + mp.mpf(10) ** -11
    allowed = (divergence + moment - mp.log(mp.mpf(0.05))) / size
    assert allowed <= actual.complexity(0.05) <= allowed * (1 + mp.mpf(10) ** -11)


def test_equal_sizes_give_that_size_and_the_usual_divergence():
    weights, prior = np.array([0.7, 0.2, 0.1]), np.full(3, 1 / 3)
    actual = harmonic_size(weights, [50, 50, 50], prior)
    assert actual.n == pytest.approx(50)
    assert actual.kl_divergence == pytest.approx(kl_divergence(weights, prior))
    assert actual.log_moment() == pytest.approx(np.log(xi(50)))


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_with_its_cap_it_is_never_looser_than_the_published_form(data):
    """For all weights, sizes and priors: the theorem in the module's docstring."""
    n_voters = data.draw(st.integers(1, 8))
    several = {"min_size": n_voters, "max_size": n_voters}
    sizes = np.array(data.draw(st.lists(st.integers(1, 10**5), **several)))
    prior = np.array(data.draw(st.lists(st.floats(1e-3, 1), **several)))
    weights = np.array(data.draw(st.lists(st.floats(0, 1), **several)))
    delta = data.draw(st.sampled_from([1e-6, 0.05, 0.5, 0.999]))
    prior /= prior.sum()
    weights = weights / weights.sum() if weights.sum() > 0 else prior
    cap = harmonic_cap(int(sizes.min()))
    assert cap >= sizes.min()
    sharp = harmonic_size(weights, sizes, prior, cap=cap).complexity(delta)
    published = kl_divergence(weights, prior) + np.log(2 * np.sqrt(sizes.min()) / delta)
    assert sharp <= published / sizes.min() * (1 + 1e-9)


def test_the_moment_is_below_what_the_cap_is_made_for():
    n = np.unique(np.geomspace(1, 1e9, 5000).astype(int))
    assert (xi(n) <= np.sqrt(np.pi * n / 2) + 1).all()
    caps = np.array([harmonic_cap(int(k)) for k in n])
    within = caps > n
    assert (xi(caps[within]) + 1 <= 2 * np.sqrt(n[within]) * (1 + 1e-12)).all()


def test_without_the_cap_it_can_be_looser():
    """Half of the prior on one point, half on a million: the large moment is paid for nothing."""
    sizes, prior = np.array([1, 10**6]), np.array([0.5, 0.5])
    published = np.log(2 / 0.05)
    assert harmonic_size(prior, sizes, prior).complexity(0.05) > published
    cap = harmonic_cap(1)
    assert harmonic_size(prior, sizes, prior, cap=cap).complexity(0.05) <= published * (1 + 1e-9)


def test_sets_much_larger_than_the_smallest_make_it_tighter():
    sizes, prior = np.array([60] + [100] * 99), np.full(100, 0.01)
    published = np.log(2 * np.sqrt(60) / 0.05) / 60
    assert harmonic_size(prior, sizes, prior).complexity(0.05) < 0.65 * published


@pytest.mark.parametrize("cap", [np.inf, 4.0])
@pytest.mark.parametrize("delta", [0.1, 0.5])
def test_it_misses_at_most_delta_of_the_time_for_the_worst_weights(cap, delta):
    """Two voters with 3 and 9 samples: all outcomes, with weights chosen after seeing them."""
    sizes, prior = np.array([3, 9]), np.array([0.5, 0.5])
    grid = [np.array([w, 1 - w]) for w in np.linspace(0, 1, 21)]
    radii = [harmonic_size(w, sizes, prior, cap=cap).complexity(delta) for w in grid]
    for rates in ([0.2, 0.4], [0.5, 0.5], [0.9, 0.05]):
        missed = 0.0
        for a in range(4):
            for b in range(10):
                observed = np.array([a, b]) / sizes
                misses = any(
                    binary_kl(w @ observed, w @ rates) > radius
                    for w, radius in zip(grid, radii, strict=True)
                )
                chance = binom.pmf(a, 3, rates[0]) * binom.pmf(b, 9, rates[1])
                missed += chance * misses
        assert missed <= delta


def test_weight_on_an_empty_set_allows_everything():
    assert harmonic_size([0.5, 0.5], [0, 10], [0.5, 0.5]).complexity(0.05) == np.inf
    assert harmonic_size([0.0, 1.0], [0, 10], [0.5, 0.5]).complexity(0.05) < np.inf


def test_many_pairs_cost_no_digits_of_the_size():
    rng = np.random.default_rng(0)
    sizes = rng.integers(70, 130, size=(1500, 1500))
    sizes = np.maximum(sizes, sizes.T)
    weights = rng.dirichlet(np.ones(1500))
    actual = harmonic_size(weights, sizes, np.full(1500, 1 / 1500))
    # numpy adds up pairwise: exact to a few units of rounding
    exact = 1 / (np.outer(weights, weights) / sizes).sum()
    assert exact * (1 - 2e-12) <= actual.n <= exact


def test_sizes_of_any_integer_type_are_read_without_overflow():
    few = harmonic_size([0.5, 0.5], np.array([254, 255], np.uint8), [0.5, 0.5])
    assert few.n == harmonic_size([0.5, 0.5], [254, 255], [0.5, 0.5]).n
