"""Every bound agrees with 50 digits over its whole domain, and is never below the truth."""

import itertools
from inspect import signature

import numpy as np
import pytest
import reference

from tandemvote import bounds

LOSSES = [0.0, 1e-6, 0.03, 0.2, 0.49, 0.7, 1.0]
SIZES = [1, 40, 3359.92, 10**7]
CONFIDENCE = [(0.0, 0.05), (3.7, 0.05), (100.0, 0.05), (0.5, 1e-9)]

TERMS = {
    "first_order_bound": {"gibbs_loss": LOSSES, "n_min": SIZES},
    "tandem_bound": {"tandem_loss": LOSSES, "n_min_pairs": SIZES},
    "disagreement_bound": {
        "gibbs_loss": [0.0, 0.2, 0.7],
        "disagreement": [0.0, 0.3, 1.0],
        "n_min": SIZES,
        "n_min_disagreement": [1, 40000],
    },
    "c1_bound": {
        "gibbs_loss": [0.0, 0.03, 0.2, 0.7],
        "disagreement": [0.0, 0.05, 0.3, 0.9],
        "n_min": [1, 3359.92, 10**6],
        "n_min_pairs": [1, 284.54, 10**6],
    },
    "c_tandem_bound": {
        "gibbs_loss": [0.0, 0.03, 0.2, 0.7],
        "tandem_loss": [0.0, 0.01, 0.12, 0.7],
        "n_min": [1, 3359.92, 10**7],
        "n_min_pairs": [1, 284.54, 10**7],
    },
}


def cells(name):
    terms = TERMS[name]
    for values in itertools.product(*terms.values()):
        for kl_divergence, delta in CONFIDENCE:
            yield dict(zip(terms, values, strict=True), kl_divergence=kl_divergence, delta=delta)


@pytest.mark.parametrize("name", TERMS)
def test_bound_agrees_with_fifty_digits_and_is_never_below(name):
    ours, theirs = getattr(bounds, name), getattr(reference, name)
    chosen = list(cells(name))
    if len(chosen) > 120:
        chosen = [
            chosen[i] for i in np.random.default_rng(0).choice(len(chosen), 120, replace=False)
        ]
    for cell in chosen:
        value, true = ours(**cell), theirs(**cell)
        assert 0 <= value <= 1
        assert true <= value <= true + 1e-9, (cell, value, true)


@pytest.mark.slow
@pytest.mark.parametrize("name", TERMS)
def test_bound_agrees_with_fifty_digits_on_the_whole_grid(name):
    for cell in cells(name):
        true = getattr(reference, name)(**cell)
        assert true <= getattr(bounds, name)(**cell) <= true + 1e-9, cell


def c2_cells(size):
    rng = np.random.default_rng(7)
    corners = [(0.0, 0.0), (0.0, 0.4), (0.3, 0.0), (0.0, 1.0), (1.0, 0.0), (0.7, 0.2), (0.03, 0.1)]
    for i in range(size):
        if i < len(corners):
            tandem_loss, disagreement = corners[i]
        else:
            erring = rng.beta(1, 4)  # T >= G^2 with G = T + D / 2, as for real votes
            tandem_loss = erring**2 + rng.random() ** 2 * (erring - erring**2)
            disagreement = 2 * (erring - tandem_loss)
        yield {
            "tandem_loss": tandem_loss,
            "disagreement": disagreement,
            "n_min_pairs": float(rng.choice([1, 30, 284.54, 5745, 10**6])),
            "kl_divergence": float(rng.choice([0, 2.5, 100])),
            "delta": float(rng.choice([0.05, 1e-9])),
        }


def check_c2(size):
    for cell in c2_cells(size):
        value, true = bounds.c2_bound(**cell), reference.c2_bound(**cell)
        assert 0 <= value <= 1
        assert true - 1e-12 <= value <= true + 1e-7, (cell, value, true)


def test_c2_is_the_supremum_of_its_region():
    check_c2(10)


@pytest.mark.slow
def test_c2_is_the_supremum_of_its_region_at_many_places():
    check_c2(150)


def test_c2_is_no_looser_than_any_feasible_point_and_reaches_one():
    """A fine grid over the region never beats the supremum, and comes close to it."""
    tandem_loss, disagreement, n = 0.05557, 0.27746, 876.88
    value = bounds.c2_bound(tandem_loss=tandem_loss, disagreement=disagreement, n_min_pairs=n)
    radius = np.log((bounds.c_bound.xi(n) + n) / 0.05) / n
    e, d = np.meshgrid(np.linspace(0.03, 0.12, 700), np.linspace(0.15, 0.4, 700))
    rest = 1 - tandem_loss - disagreement
    divergence = (
        tandem_loss * np.log(tandem_loss / e)
        + disagreement * np.log(disagreement / d)
        + rest * np.log(rest / (1 - e - d))
    )
    inside = (divergence <= radius) & (2 * e + d <= 1) & (d <= 2 * (np.sqrt(e) - e))
    best = (1 - (1 - 2 * e - d) ** 2 / (1 - 2 * d))[inside].max()
    assert best <= value <= best + 2e-3
    assert value == pytest.approx(0.37596, abs=5e-5)  # Splice, reduced bagging


@pytest.mark.parametrize("disagreement", [0.0, 1e-300, 1e-17, 1e-15, 1e-12, 1e-6])
def test_c2_has_no_jump_where_the_disagreement_vanishes(disagreement):
    cell = {"tandem_loss": 0.02, "n_min_pairs": 500.0, "kl_divergence": 4.6, "delta": 0.05}
    value = bounds.c2_bound(disagreement=disagreement, **cell)
    assert value == pytest.approx(
        float(reference.c2_bound(disagreement=disagreement, **cell)), abs=1e-7
    )


def test_tandem_and_disagreement_that_exclude_each_other_are_refused():
    with pytest.raises(ValueError, match="sum to more than 1"):
        bounds.c2_bound(tandem_loss=0.7, disagreement=0.7, n_min_pairs=100)


def test_oracle_forms_of_the_c_bound_are_one():
    for gibbs, tandem in [(0.1, 0.02), (0.3, 0.2), (0.45, 0.21), (0.6, 0.4)]:
        differ = 2 * (gibbs - tandem)
        c = bounds.c_tandem_oracle(gibbs_loss=gibbs, tandem_loss=tandem)
        assert bounds.c1_oracle(gibbs_loss=gibbs, disagreement=differ) == pytest.approx(c)
        assert bounds.c2_oracle(tandem_loss=tandem, disagreement=differ) == pytest.approx(c)
        dis = bounds.disagreement_oracle(gibbs_loss=gibbs, disagreement=differ)
        assert dis == pytest.approx(bounds.tandem_oracle(tandem_loss=tandem))


@pytest.mark.parametrize("k", [0, 3, 50])
def test_the_test_set_bound_covers_the_observed_rate(k):
    value = bounds.test_set_bound(n_errors=k, n_samples=50)
    assert k / 50 < value <= 1 or k == 50


@pytest.mark.parametrize("name", bounds.VOTE_BOUNDS)
@pytest.mark.parametrize("delta", [0.0, 100.0])
def test_a_delta_that_is_no_failure_probability_is_refused(name, delta):
    formula = bounds.get_bound(name).formula
    required = [p for p in signature(formula).parameters.values() if p.default is p.empty]
    terms = {p.name: 100 if p.name.startswith(("n_", "sizes")) else 0 for p in required}
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        formula(**terms, delta=delta)
