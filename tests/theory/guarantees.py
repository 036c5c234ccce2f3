"""Every bound of the library as a promise about a draw, and promises that are broken on purpose."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from finite_worlds import Draw, World, coin, confident_minority, correlated, noisy_memorisers, ties
from numpy.typing import NDArray

from tandemvote import Certificate, bounds
from tandemvote.bounds.chebyshev_cantelli import BERNSTEIN_CANTELLI, SPLIT_KL_CANTELLI
from tandemvote.bounds.vote_profile import VOTE_PROFILE
from tandemvote.weights import minimise
from tandemvote.weights.dirichlet import minimise_dirichlet


@dataclass(frozen=True)
class Promise:
    """A number promised to be at least as large as a risk, and that risk."""

    value: float
    risk: float

    @property
    def broken(self) -> bool:
        """Whether the truth is worse than promised, beyond rounding."""
        return self.risk > self.value + 1e-12


Guarantee = Callable[[Draw], Promise]

VOTE_BOUNDS = {
    **{name: bounds.get_bound(name) for name in bounds.VOTE_BOUNDS},
    **{b.name: b for b in (BERNSTEIN_CANTELLI, SPLIT_KL_CANTELLI)},
}
"""Sharpened, as they are by default; their published forms are never tighter."""


@lru_cache(maxsize=4)
def weights_of(draw: Draw, weighting: str) -> NDArray[Any]:
    """Weights: equal, or minimising a bound on the very points that will certify them."""
    if weighting == "uniform":
        return draw.uniform
    return minimise(draw.counts, weighting, delta=draw.world.delta).weights


def on_counts(bound: bounds.Bound, weighting: str, draw: Draw) -> Promise:
    weights = weights_of(draw, weighting)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bounds.VacuousBoundWarning)
        value = bound(draw.counts, weights, delta=draw.world.delta).value
    return Promise(value, draw.risk(weights))


def best_of_all(draw: Draw) -> Promise:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bounds.VacuousBoundWarning)
        found = Certificate.from_counts(draw.counts, bound="best", delta=draw.world.delta)
    return Promise(found.value, draw.risk(draw.uniform))


def on_test_set(draw: Draw) -> Promise:
    return Promise(_test_set(draw, draw.test, draw.world.delta), draw.risk(draw.uniform))


def _test_set(draw: Draw, points: NDArray[Any], delta: float) -> float:
    wrong = draw.vote(draw.uniform)[points] != draw.world.labels[points]
    return bounds.test_set_bound(n_errors=int(wrong.sum()), n_samples=wrong.size, delta=delta)


def on_profile(weighting: str, draw: Draw) -> Promise:
    weights = weights_of(draw, weighting)
    unlabelled = draw.predictions[:, draw.unlabelled]
    value = VOTE_PROFILE(draw.counts, unlabelled, weights, delta=draw.world.delta)
    return Promise(value.value, draw.risk(weights))


def fitted_dirichlet(draw: Draw) -> Promise:
    solution = minimise_dirichlet(draw.votes, delta=draw.world.delta)
    return Promise(solution.bound.value, draw.risk(solution.weights))


def guarantees(world: World) -> dict[str, Guarantee]:
    """Name every promise the library makes in this world."""
    found: dict[str, Guarantee] = {}
    for name, bound in VOTE_BOUNDS.items():
        needs_two = bounds.requirements.BINARY_LABELS in bound.needs
        if world.n_classes == 2 or not needs_two:
            for weighting in ("uniform", "tandem"):
                found[f"{name}, {weighting} weights"] = partial(on_counts, bound, weighting)
    found["best of all, uniform weights"] = best_of_all
    found["test_set, uniform weights"] = on_test_set
    for weighting in ("uniform", "tandem"):
        found[f"vote_profile, {weighting} weights"] = partial(on_profile, weighting)
    # Its solver is slow, so weights are fitted where points are few, which is where fits overfit.
    if world.held_out_share == 1.0 and not callable(world.voters) and 10 <= world.n_samples <= 30:
        found["dirichlet, fitted weights"] = fitted_dirichlet
    return found


# Broken on purpose: the same machinery must catch them.


def whole_sample_for_smallest_set(draw: Draw) -> Promise:
    """First-order bound with n in place of n_min."""
    value = bounds.first_order_bound(
        gibbs_loss=bounds.Averages.of(draw.counts).gibbs_loss,
        n_min=draw.world.n_samples,
        delta=draw.world.delta,
    )
    return Promise(value, draw.risk(draw.uniform))


def delta_not_shared(draw: Draw) -> Promise:
    """Smallest of three test-set bounds, each at the whole delta."""
    parts = np.array_split(draw.test, 3)
    value = min(_test_set(draw, part, draw.world.delta) for part in parts)
    return Promise(value, draw.risk(draw.uniform))


def soft_vote(draw: Draw) -> Promise:
    """Tandem bound for the hard vote, handed out with the soft vote."""
    value = bounds.get_bound("tandem")(draw.counts, delta=draw.world.delta).value
    return Promise(value, draw.soft_risk(draw.uniform))


def selection_forgotten(draw: Draw) -> Promise:
    """Test-set bound of the voter that does best on that very test set."""
    best = np.eye(draw.uniform.size)[draw.counts.errors.argmin()]
    value = bounds.test_set_bound(
        n_errors=int(draw.counts.errors.min()),
        n_samples=draw.world.n_samples,
        delta=draw.world.delta,
    )
    return Promise(value, draw.risk(best))


def training_points_as_test_set(draw: Draw) -> Promise:
    """Test-set bound of the vote on the points its voters were trained on."""
    value = _test_set(draw, draw.sample, draw.world.delta)
    return Promise(value, draw.risk(draw.uniform))


BROKEN: dict[str, tuple[World, Guarantee]] = {
    "n in place of n_min": (
        ties("ties, hardly any held out", 0.2, 60, 0.3, held_out_share=0.03),
        whole_sample_for_smallest_set,
    ),
    "delta not shared": (coin("coin, 90 points", 0.04, 90, 0.3), delta_not_shared),
    "soft vote": (confident_minority("confident minority", n_samples=200, delta=0.3), soft_vote),
    "selection forgotten": (
        correlated(
            "200 weak voters",
            n_voters=200,
            n_classes=2,
            seed=4,
            n_samples=20,
            delta=0.3,
            error=0.45,
        ),
        selection_forgotten,
    ),
    "training points as test set": (
        noisy_memorisers(
            "pure noise", noise=0.5, n_places=300, n_voters=7, n_samples=80, delta=0.3
        ),
        training_points_as_test_set,
    ),
}
"""Promises that must be caught, each in a world where it shows."""
