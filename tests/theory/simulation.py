"""Draw many samples from a world and test whether a promise fails more often than allowed.

A test errs in two ways, and both probabilities are computed: it accuses a promise that fails with
probability delta at most once in 1 / SIGNIFICANCE times, and it misses one that fails with
probability 3 delta at most one time in ten, given as many draws as `draws_needed` says.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import count

import numpy as np
from finite_worlds import Draw, World
from guarantees import Guarantee, Promise
from scipy.stats import binom

SIGNIFICANCE = 1e-9
"""Probability of accusing a promise that fails with probability delta; a thousand tests together
err with probability 1e-6."""

NO_CERTIFICATE = Promise(1.0, 0.0)
"""What a rejection promises."""


@dataclass(frozen=True)
class Outcome:
    """How often a promise failed.

    Attributes
    ----------
    mean_value, mean_risk : float
        Averages over the draws, to see how much room the promise leaves.
    """

    world: str
    guarantee: str
    delta: float
    draws: int
    failures: int
    mean_value: float
    mean_risk: float

    @property
    def p_value(self) -> float:
        """Probability of so many failures or more if each draw fails with probability delta."""
        return float(binom.sf(self.failures - 1, self.draws, self.delta))

    @property
    def consistent(self) -> bool:
        """Whether the failures are consistent with the promised failure probability."""
        return self.failures < too_many(self.draws, self.delta)

    @property
    def power(self) -> float:
        """Probability that failures with probability 3 delta would have been found too many."""
        return power(self.draws, self.delta)


def too_many(draws: int, delta: float) -> int:
    """Smallest number of failures that is not consistent with a failure probability of delta."""
    tails = binom.sf(np.arange(draws + 1) - 1, draws, delta)
    return int((tails >= SIGNIFICANCE).sum())


def power(draws: int, delta: float, times: float = 3.0) -> float:
    """Probability of too many failures if a promise fails `times` as often as it may."""
    return float(binom.sf(too_many(draws, delta) - 1, draws, min(1.0, times * delta)))


@cache
def draws_needed(delta: float, at_least: float = 0.9, times: float = 3.0) -> int:
    """Smallest number of draws with this power."""
    return next(draws for draws in count(1) if power(draws, delta, times) >= at_least)


def simulate(
    world: World, guarantees: Mapping[str, Guarantee], *, draws: int, seed: int | list[int]
) -> list[Outcome]:
    """Check all guarantees on the same independent draws."""
    promises: dict[str, list[Promise]] = {name: [] for name in guarantees}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of bounds that say nothing
        for child in np.random.SeedSequence(seed).spawn(draws):
            draw = world.draw(np.random.default_rng(child))
            for name, guarantee in guarantees.items():
                promises[name].append(promise_or_refusal(guarantee, draw))
    return [
        Outcome(
            world=world.name,
            guarantee=name,
            delta=world.delta,
            draws=draws,
            failures=sum(promise.broken for promise in made),
            mean_value=float(np.mean([promise.value for promise in made])),
            mean_risk=float(np.mean([promise.risk for promise in made])),
        )
        for name, made in promises.items()
    ]


def promise_or_refusal(guarantee: Guarantee, draw: Draw) -> Promise:
    """Return the promise; evidence that contradicts itself is rejected, which promises nothing."""
    try:
        return guarantee(draw)
    except ValueError as error:
        if "contradict" not in f"{type(error).__name__} {error}".lower():
            raise
        return NO_CERTIFICATE


def merged(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Add up outcomes of the same guarantee in the same world."""
    actual: dict[tuple[str, str], Outcome] = {}
    for new in outcomes:
        key = (new.world, new.guarantee)
        if key not in actual:
            actual[key] = new
            continue
        old = actual[key]
        draws = old.draws + new.draws
        actual[key] = replace(
            old,
            draws=draws,
            failures=old.failures + new.failures,
            mean_value=(old.draws * old.mean_value + new.draws * new.mean_value) / draws,
            mean_risk=(old.draws * old.mean_risk + new.draws * new.mean_risk) / draws,
        )
    return list(actual.values())
