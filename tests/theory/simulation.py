"""Draw many samples from a world and test whether a promise fails more often than allowed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from finite_worlds import World
from guarantees import Guarantee, Promise
from scipy.stats import binom

SIGNIFICANCE = 1e-4


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
        return self.p_value >= SIGNIFICANCE


def simulate(
    world: World, guarantees: Mapping[str, Guarantee], *, draws: int, seed: int | list[int]
) -> list[Outcome]:
    """Check all guarantees on the same independent draws."""
    promises: dict[str, list[Promise]] = {name: [] for name in guarantees}
    for child in np.random.SeedSequence(seed).spawn(draws):
        draw = world.draw(np.random.default_rng(child))
        for name, guarantee in guarantees.items():
            promises[name].append(guarantee(draw))
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


def merged(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Add up outcomes of the same guarantee in the same world."""
    found: dict[tuple[str, str], Outcome] = {}
    for new in outcomes:
        key = (new.world, new.guarantee)
        if key not in found:
            found[key] = new
            continue
        old = found[key]
        draws = old.draws + new.draws
        found[key] = replace(
            old,
            draws=draws,
            failures=old.failures + new.failures,
            mean_value=(old.draws * old.mean_value + new.draws * new.mean_value) / draws,
            mean_risk=(old.draws * old.mean_risk + new.draws * new.mean_risk) / draws,
        )
    return list(found.values())
