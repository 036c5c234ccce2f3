"""Guarantees by class and for accepted points fail no oftener than they say.

A small part of what ``validity/finer.py`` does with thousands of draws.
"""

import numpy as np
import pytest
from finer_guarantees import BROKEN_FINER, FINER_WORLDS, class_risk, finer_guarantees
from simulation import simulate

DRAWS = 12


@pytest.mark.parametrize("world", FINER_WORLDS, ids=lambda world: world.name)
def test_no_finer_guarantee_fails_more_often_than_promised(world):
    for outcome in simulate(world, finer_guarantees(world), draws=DRAWS, seed=0):
        assert outcome.consistent, outcome


@pytest.mark.parametrize("name", BROKEN_FINER)
def test_a_broken_finer_guarantee_is_caught(name):
    world, broken = BROKEN_FINER[name]
    (outcome,) = simulate(world, {name: broken}, draws=150, seed=0)
    assert not outcome.consistent, outcome


def test_the_test_set_limits_of_classes_come_close_to_failing_as_often_as_they_may():
    """Exact limits leave little room, so the machinery would see a delta that is not shared."""
    world = FINER_WORLDS[0]
    name = "per class, test_set"
    (outcome,) = simulate(world, {name: finer_guarantees(world)[name]}, draws=400, seed=0)
    assert outcome.consistent, outcome
    assert outcome.failures / outcome.draws > world.delta / 4


def test_a_search_among_bad_thresholds_fails_but_not_too_often():
    world = next(w for w in FINER_WORLDS if w.name.startswith("error just above"))
    name = "selective, error <= 0.1 searched"
    (outcome,) = simulate(world, {name: finer_guarantees(world)[name]}, draws=400, seed=0)
    assert outcome.consistent, outcome
    assert outcome.failures > 0


def test_class_risks_average_to_the_risk():
    for world in FINER_WORLDS:
        draw = world.draw(np.random.default_rng(0))
        masses = [world.mass[world.labels == label].sum() for label in range(world.n_classes)]
        risks = [class_risk(draw, draw.uniform, label) for label in range(world.n_classes)]
        assert np.dot(masses, risks) == pytest.approx(draw.risk(draw.uniform))
