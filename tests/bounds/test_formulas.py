"""Every bound agrees with 50 digits over its whole domain, and is never below the truth."""

import itertools

import numpy as np
import pytest
import reference

from tandemvote import bounds
from tandemvote.bounds import Estimates, RequirementError

pytestmark = [
    pytest.mark.long,
    pytest.mark.filterwarnings("ignore::tandemvote.bounds.ContradictionWarning"),
]

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
        "n_min_disagreement": [1, 284.54, 10**6],
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


def bound(name, *, delta=0.05, **numbers):
    return getattr(bounds, name)(Estimates.from_numbers(**numbers), delta)


@pytest.mark.parametrize("name", TERMS)
def test_bound_agrees_with_fifty_digits_and_is_never_below(name):
    chosen = list(cells(name))
    if len(chosen) > 15:
        chosen = [
            chosen[i] for i in np.random.default_rng(0).choice(len(chosen), 15, replace=False)
        ]
    for cell in chosen:
        value, true = bound(name, **cell), getattr(reference, name)(**cell)
        assert 0 <= value <= 1
        assert true <= value <= true + 1e-9, (cell, value, true)


@pytest.mark.slow
@pytest.mark.parametrize("name", TERMS)
def test_bound_agrees_with_fifty_digits_on_the_whole_grid(name):
    for cell in cells(name):
        true = getattr(reference, name)(**cell)
        assert true <= bound(name, **cell) <= true + 1e-9, cell


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
        value, true = bound("c2_bound", **cell), reference.c2_bound(**cell)
        assert 0 <= value <= 1
        assert true - 1e-12 <= value <= true + 1e-7, (cell, value, true)


@pytest.mark.long
def test_c2_is_the_supremum_of_its_region():
    check_c2(8)


@pytest.mark.slow
def test_c2_is_the_supremum_of_its_region_at_many_places():
    check_c2(150)


def test_c2_is_no_looser_than_any_feasible_sample_and_reaches_one():
    """A fine grid over the region never beats the supremum, and comes close to it."""
    tandem_loss, disagreement, n = 0.05557, 0.27746, 876.88
    numbers = {"tandem_loss": tandem_loss, "disagreement": disagreement, "n_min_pairs": n}
    value = bound("c2_bound", **numbers)
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


@pytest.mark.parametrize("disagreement", [0.0, 1e-300, 1e-15, 1e-6])
def test_c2_has_no_jump_where_the_disagreement_vanishes(disagreement):
    cell = {"tandem_loss": 0.02, "n_min_pairs": 500.0, "kl_divergence": 4.6, "delta": 0.05}
    value = bound("c2_bound", disagreement=disagreement, **cell)
    assert value == pytest.approx(
        float(reference.c2_bound(disagreement=disagreement, **cell)), abs=1e-7
    )


def test_tandem_and_disagreement_that_exclude_each_other_are_rejected():
    with pytest.raises(ValueError, match="sum to more than 1"):
        bound("c2_bound", tandem_loss=0.7, disagreement=0.7, n_min_pairs=100)


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
    value = bound("test_set_bound", n_errors=k, n_samples=50)
    assert k / 50 < value <= 1 or k == 50


@pytest.mark.parametrize("name", bounds.VOTE_BOUNDS)
@pytest.mark.parametrize("delta", [0.0, 100.0])
def test_a_delta_that_is_no_failure_probability_is_rejected(name, delta):
    with pytest.raises(ValueError, match="expected a failure probability between 0 and 1"):
        bounds.get_bound(name)(Estimates.from_numbers(**EVERYTHING), delta)


EVERYTHING = {
    "gibbs_loss": 0.2,
    "n_min": 900,
    "tandem_loss": 0.1,
    "n_min_pairs": 400,
    "disagreement": 0.2,
    "lone_error": 0.2,
    "errors": [3, 4],
    "sizes": [90, 90],
    "n_errors": 3,
    "n_samples": 90,
}

NEEDED = {
    "first_order": {"gibbs_loss", "n_min"},
    "tandem": {"tandem_loss", "n_min_pairs"},
    "disagreement": {"gibbs_loss", "n_min", "disagreement", "n_min_pairs"},
    "c1": {"gibbs_loss", "n_min", "disagreement", "n_min_pairs"},
    "c2": {"tandem_loss", "disagreement", "n_min_pairs"},
    "c_tandem": {"gibbs_loss", "n_min", "tandem_loss", "n_min_pairs"},
    "c_box": {"gibbs_loss", "n_min", "tandem_loss", "n_min_pairs"},
    "second_order": {"tandem_loss", "lone_error", "n_min_pairs"},
    "bernstein_cantelli": {"tandem_loss", "lone_error", "n_min_pairs"},
    "split_kl_cantelli": {"tandem_loss", "lone_error", "n_min_pairs"},
    "coalition": {"errors", "sizes"},
    "test_set": {"n_errors", "n_samples"},
}


@pytest.mark.parametrize("name", NEEDED)
def test_every_bound_names_the_number_that_it_requires(name):
    function, needed = bounds.BOUNDS[name].function, NEEDED[name]
    numbers = {each: EVERYTHING[each] for each in needed}
    assert function(Estimates.from_numbers(**numbers)) <= 1
    for missing in needed - {"errors", "sizes"}:
        rest = {each: number for each, number in numbers.items() if each != missing}
        named = "n_min_(pairs|disagreement)" if missing == "n_min_pairs" else missing
        with pytest.raises(RequirementError, match=f"requires {named}, which was not given"):
            function(Estimates.from_numbers(**rest))


def test_bounds_of_votes_cannot_be_computed_from_numbers_of_a_test_set():
    estimates = Estimates.from_numbers(n_errors=3, n_samples=90)
    for name in {*bounds.BOUNDS} - {"test_set"}:
        with pytest.raises(RequirementError):
            bounds.get_bound(name)(estimates)


def test_a_disagreement_with_unlabeled_samples_does_not_enter_c2():
    numbers = {**EVERYTHING, "n_min_disagreement": 9000}
    assert bound("c2_bound", **numbers) == bound("c2_bound", **EVERYTHING)  # by the lone errors
    with pytest.raises(RequirementError, match="requires lone_error"):
        bound("c2_bound", **{**numbers, "lone_error": None})


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"gibbs_loss": 1.1}, r"gibbs_loss must lie in \[0, 1\], got 1.1"),
        ({"disagreement": float("nan")}, "disagreement must lie in"),
        ({"n_min": -3}, "n_min must be 0 or at least 1, got -3"),
        ({"n_min_pairs": 0.5}, "n_min_pairs must be 0 or at least 1"),
        ({"kl_divergence": -1e-3}, "kl_divergence must be at least 0"),
        ({"tandem_loss": 0.6, "lone_error": 0.6}, "sum to more than 1"),
        ({"errors": [1, 2], "sizes": [9]}, "errors and sizes must have the same length"),
    ],
)
def test_numbers_that_no_votes_have_are_rejected(numbers, message):
    with pytest.raises(ValueError, match=message):
        Estimates.from_numbers(**numbers)


def test_no_samples_give_no_bound():
    estimates = Estimates.from_numbers(**{**EVERYTHING, "n_min": 0, "n_min_pairs": 0})
    for name in {*NEEDED} - {"coalition", "test_set"}:
        assert bounds.get_bound(name)(estimates) == 1
