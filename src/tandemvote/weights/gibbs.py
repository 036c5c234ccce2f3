r"""The solver of the first-order bound: weights and lambda in closed form, alternately.

For fixed lambda the best weights are the Gibbs distribution

.. math:: \rho_h \propto \pi_h \exp(-\lambda n \hat L(h)),

and for fixed weights the best lambda has a closed form too. Only log-weights are kept, since the
exponential itself underflows for every voter at n around 60,000. Where held-out sets differ in
size, the descent to the exact minimum starts from these weights.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tandemvote.weights.exponentiated_gradient import exponentiated_gradient
from tandemvote.weights.objective import ONE_VOTER, Descent, Objective, Point
from tandemvote.weights.relaxations import WeightedAverages

N_TEMPERATURES = 24  # points of the scan that guards against a second, worse fixed point
PRECISION = 1e-15
MAX_ITERATIONS = 10_000


def alternate_gibbs(objective: Objective) -> Descent:
    """Alternate from the prior and from the best of a scan over lambda; keep the better.

    Every minimiser is a Gibbs distribution, so the scan is along a single line.
    """
    if not objective.equal_sizes:
        simpler = alternate_gibbs(replace(objective, divergence=ONE_VOTER))
        return exponentiated_gradient(objective, simpler.point.log_ratio)
    prior = objective.at(np.zeros(objective.n_voters))
    from_prior = _alternate(objective, prior)
    # Lambda grows as the loss falls and KL grows: it never leaves this range.
    hottest = _inverse_temperature(objective, prior.averages)
    coldest = _inverse_temperature(objective, WeightedAverages(0.0, 0.0, 0.0, 0.0))
    scan = np.geomspace(hottest, coldest, N_TEMPERATURES)
    points = (objective.at(-inverse * objective.losses) for inverse in scan)
    best = min(points, key=lambda point: point.value)
    if best.value >= from_prior.point.value:
        return from_prior
    from_scan = _alternate(objective, best)
    return min(from_prior, from_scan, key=lambda descent: descent.point.value)


def _alternate(objective: Objective, point: Point) -> Descent:
    history = [point.value]
    for _ in range(MAX_ITERATIONS):
        inverse = _inverse_temperature(objective, point.averages)
        following = objective.at(-inverse * objective.losses)
        if point.value - following.value <= PRECISION * abs(point.value):
            return Descent(point, tuple(history), True)
        point = following
        history.append(point.value)
    return Descent(point, tuple(history), False)


def _inverse_temperature(objective: Objective, averages: WeightedAverages) -> float:
    """Lambda n at the best lambda, as the ratio of two slopes."""
    in_gibbs, _, in_kl, _ = objective.relaxation.slopes(averages)
    return float(in_gibbs / in_kl)
