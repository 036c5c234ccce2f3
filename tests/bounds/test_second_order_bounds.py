"""c_box, second_order and the Chebyshev-Cantelli bounds against brute force and 50 digits."""

import mpmath as mp
import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from truth import kl_lower, kl_upper, xi

from tandemvote import VoteCounts, Votes, bounds
from tandemvote.bounds import Estimates
from tandemvote.bounds.chebyshev_cantelli import (
    OFFSETS,
    bernstein_cantelli_bound,
    chebyshev_cantelli_oracle,
    split_kl_cantelli_bound,
)
from tandemvote.bounds.second_order import (
    c_box_bound,
    second_order_bound,
    second_order_oracle,
)
from tandemvote.inequalities import pac_bayes_kl
from tandemvote.inequalities.unexpected_bernstein import (
    bernstein_rates,
    unexpected_bernstein_upper,
)

CLOSE = mp.mpf(10) ** -9


def at(bound, *, delta=0.05, **numbers):
    return bound(Estimates.from_numbers(**numbers), delta)


@st.composite
def observed_moments(draw):
    gibbs = draw(st.floats(0, 0.7))
    tandem = gibbs**2 + draw(st.floats(0, 1)) * (gibbs - gibbs**2)
    n = draw(st.integers(1, 10**5))
    return {
        "gibbs_loss": gibbs,
        "tandem_loss": min(tandem, gibbs),
        "n_min": n,
        "n_min_pairs": max(1, int(n * draw(st.floats(0.2, 1)))),
        "kl_divergence": draw(st.sampled_from([0.0, 0.5, 20.0])),
        "delta": draw(st.sampled_from([0.05, 0.5])),
    }


@settings(deadline=None)
@given(observed_moments())
def test_c_box_is_never_looser_than_c_tandem_unless_its_intervals_contradict_each_other(terms):
    gibbs, tandem = intervals(terms)
    if gibbs.lower**2 <= tandem.upper:
        assert at(c_box_bound, **terms) <= at(bounds.c_tandem_bound, **terms) + 1e-9


@settings(deadline=None, max_examples=25)
@given(observed_moments())
def test_c_box_is_the_largest_c_bound_over_its_box(terms):
    gibbs, tandem = intervals(terms)
    g = np.linspace(gibbs.lower, gibbs.upper, 801)[:, None]
    t = np.linspace(tandem.lower, tandem.upper, 201)[None, :]
    possible = (g**2 <= t) & (t <= g)
    if not possible.any():
        return
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.where(g < 0.5, (t - g**2) / (t - g + 0.25), 1.0)
    largest = value[possible].max()
    actual = at(c_box_bound, **terms)
    assert actual >= min(largest, 1.0) - 1e-9
    if tandem.upper - tandem.lower < 0.02 and gibbs.upper - gibbs.lower < 0.02 and largest < 0.9:
        assert actual <= largest + 0.02  # the grid misses the corner by about a step


def intervals(terms):
    half, kl = terms["delta"] / 2, terms["kl_divergence"]
    return (
        pac_bayes_kl(terms["gibbs_loss"], terms["n_min"], kl_divergence=kl, delta=half),
        pac_bayes_kl(terms["tandem_loss"], terms["n_min_pairs"], kl_divergence=2 * kl, delta=half),
    )


@pytest.mark.parametrize("gibbs_loss", [0.0, 0.1, 0.3, 0.45])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("n", [20, 3000, 10**6])
def test_c_box_agrees_with_fifty_digits(gibbs_loss, share, n):
    tandem_loss = gibbs_loss**2 + share * (gibbs_loss - gibbs_loss**2)
    half = mp.mpf(0.05) / 2
    first, second = reference.printed(n, 0.3, half), reference.printed(n // 2, 0.6, half)
    t_upper, g_upper = kl_upper(tandem_loss, second), kl_upper(gibbs_loss, first)
    g_lower, t = kl_lower(gibbs_loss, first), min(t_upper, g_upper)
    if g_lower > mp.sqrt(t):
        exact = 4 * t_upper
    elif min(g_upper, mp.sqrt(t)) >= 0.5:
        exact = mp.mpf(1)
    else:
        g = min(max(2 * t, g_lower), g_upper, mp.sqrt(t))
        exact = (t - g**2) / (t - g + mp.mpf(1) / 4)
    value = at(
        c_box_bound, gibbs_loss=gibbs_loss, tandem_loss=tandem_loss, n_min=n,
        n_min_pairs=n // 2, kl_divergence=0.3,
    )  # fmt: skip
    assert reference.clip(exact) <= value <= reference.clip(exact) + CLOSE


@pytest.mark.parametrize(("gibbs_loss", "tandem_loss"), [(0.4, 0.0), (0.02, 0.2)])
def test_c_box_says_nothing_where_its_intervals_contradict_each_other(gibbs_loss, tandem_loss):
    """T below the square of G, or above G, as no erring weight has it."""
    terms = {"gibbs_loss": gibbs_loss, "tandem_loss": tandem_loss}
    for bound in (c_box_bound, bounds.c_tandem_bound):
        with pytest.warns(bounds.ContradictionWarning):
            assert at(bound, **terms, n_min=10**6, n_min_pairs=400) == 1


@pytest.mark.parametrize("gibbs_loss", [0.1, 0.3, 0.45, 0.6])
@pytest.mark.parametrize("share", [0.02, 0.2, 0.5, 0.9])
def test_second_order_oracle_is_the_best_possible(gibbs_loss, share):
    """Linear program over distributions of the erring weight with these two moments."""
    tandem_loss = gibbs_loss**2 + share * (gibbs_loss - gibbs_loss**2)
    z = np.linspace(0, 1, 2001)
    best = linprog(
        -(z >= 0.5).astype(float),
        A_eq=[np.ones_like(z), z, z**2],
        b_eq=[1, gibbs_loss, tandem_loss],
    )
    oracle = second_order_oracle(gibbs_loss=gibbs_loss, tandem_loss=tandem_loss)
    assert oracle == pytest.approx(-best.fun, abs=2e-3)
    assert oracle >= -best.fun - 1e-9
    assert oracle <= bounds.c_tandem_oracle(gibbs_loss=gibbs_loss, tandem_loss=tandem_loss) + 1e-12


@pytest.mark.parametrize(
    ("gibbs_loss", "tandem_loss"), [(0.0, 0.0), (0.2, 0.12), (0.2, 0.05), (0.9, 0.85)]
)
@pytest.mark.parametrize(("n", "kl_divergence"), [(5, 0.0), (3000, 2.0)])
def test_second_order_bound_agrees_with_fifty_digits(gibbs_loss, tandem_loss, n, kl_divergence):
    share = (3 * mp.mpf(gibbs_loss) - 2 * mp.mpf(tandem_loss)) / mp.mpf(1.5)
    radius = reference.printed(n, 2 * kl_divergence, 0.05)
    exact = reference.clip(mp.mpf(1.5) * kl_upper(min(share, mp.mpf(1)), radius))
    value = at(
        second_order_bound,
        lone_error=2 * (gibbs_loss - tandem_loss),
        tandem_loss=tandem_loss,
        n_min_pairs=n,
        kl_divergence=kl_divergence,
    )
    assert exact <= value <= exact + CLOSE


@pytest.mark.parametrize("n_classes", [2, 4])
def test_second_order_terms_on_counts_are_errors_on_the_pair_sets(n_classes):
    rng = np.random.default_rng(0)
    labels = rng.integers(n_classes, size=300)
    predictions = np.where(rng.random((5, 300)) < 0.3, rng.integers(n_classes, size=300), labels)
    held_out = rng.random((5, 300)) < 0.5
    votes = Votes.from_predictions(predictions, labels, held_out)
    estimates = Estimates(VoteCounts.from_votes(votes))
    wrong = predictions != labels
    means = []
    for g in range(5):
        for h in range(5):
            both = held_out[g] & held_out[h]
            means.append((wrong[g][both].mean() + wrong[h][both].mean()) / 2)
    observed = estimates.tandem_loss + estimates.lone_error / 2
    assert observed == pytest.approx(np.mean(means), rel=1e-12)


@pytest.mark.parametrize(
    ("tandem_loss", "single"), [(0.0, 0.0), (0.03, 0.3), (0.12, 0.17), (0.3, 0.4)]
)
@pytest.mark.parametrize(("n", "kl_divergence"), [(40, 0.0), (3000, 1.5)])
def test_bernstein_cantelli_is_the_least_over_its_offsets(tandem_loss, single, n, kl_divergence):
    least, share = 1.0, 0.05 / OFFSETS.size
    for mu in OFFSETS:
        bound = unexpected_bernstein_upper(
            mean=(1 - 2 * mu) * tandem_loss - mu * single,
            mean_square=(1 - 2 * mu) ** 2 * tandem_loss + mu**2 * single,
            n=n,
            largest=1 - 2 * mu,
            rates=bernstein_rates(n, delta=share),
            kl_divergence=2 * kl_divergence,
            delta=share,
        )
        least = min(least, (mu**2 + bound) / (0.5 - mu) ** 2)
    value = at(
        bernstein_cantelli_bound,
        tandem_loss=tandem_loss,
        lone_error=single,
        n_min_pairs=n,
        kl_divergence=kl_divergence,
    )
    assert value == pytest.approx(max(least, 0), abs=1e-9)


@pytest.mark.parametrize(
    ("tandem_loss", "single"), [(0.0, 0.1), (0.03, 0.3), (0.12, 0.17), (0.3, 0.4), (0.24, 0.4995)]
)
@pytest.mark.parametrize("n", [300, 10**5])
@pytest.mark.filterwarnings("ignore::tandemvote.bounds.ContradictionWarning")
def test_split_kl_offset_in_closed_form_is_the_best_of_all(tandem_loss, single, n):
    radius = mp.log(2 * xi(n) / mp.mpf(0.05)) / n
    t, o = kl_upper(tandem_loss, radius), kl_lower(single, radius)
    value = at(split_kl_cantelli_bound, tandem_loss=tandem_loss, lone_error=single, n_min_pairs=n)
    if (t + o / 2) ** 2 > t:
        assert value == 1  # no vote errs like that
        return
    offsets = np.linspace(0, 0.499, 3000)
    values = [
        chebyshev_cantelli_oracle(tandem_loss=float(t), lone_error=float(o), offset=mu)
        for mu in offsets
    ]
    # Rounding is magnified where the variance and the distance to one half are small.
    margin = 1e-9 + 1e-11 / float(max(0.25 - o / 2, 0.001))
    assert min(values) - 1e-4 * min(values) - 1e-9 <= value <= min(values) + margin


@pytest.mark.parametrize("bound", [bernstein_cantelli_bound, split_kl_cantelli_bound])
def test_cantelli_bounds_use_larger_sets_in_full(bound):
    rng = np.random.default_rng(2)
    labels = rng.integers(3, size=2000)
    wrong = rng.random((6, 2000)) < rng.choice([0.02, 0.3], size=2000)
    held_out = rng.random((6, 2000)) < np.linspace(0.3, 0.9, 6)[:, None]
    votes = Votes.from_predictions((labels + wrong) % 3, labels, held_out)
    counts = VoteCounts.from_votes(votes)
    assert bound(Estimates(counts)) < bound(Estimates(counts, published=True)) < 1
