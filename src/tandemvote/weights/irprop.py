"""The paper's procedure: iRProp+ on softmax parameters, alternating with closed-form parameters.

Follows the appendix "Gradient-based minimization of the bounds". The default solver reaches the
same minima in a fraction of the time (``benchmarks/weights.py``).
"""

from __future__ import annotations

import numpy as np

from tandemvote.inequalities.outward import FloatArray
from tandemvote.weights.objective import Descent, Iterate, Objective

PATIENCE = 10
"""Iterations without gain after which lambda and gamma are renewed (the paper's 10)."""

BOUND_TOLERANCE = 1e-9
"""Change of the bound between renewals at which to stop (the paper's 1e-9)."""

FIRST_STEP, LARGEST_STEP = 0.1, 50.0
GROWTH, SHRINKAGE = 1.2, 0.5
MAX_ROUNDS = 1000
MAX_ITERATIONS = 100_000


def irprop(objective: Objective) -> Descent:
    """Alternate between weights and parameters, from equal weights, until the bound stops falling.

    The path has one step for each renewal of lambda and gamma.
    """
    iterate = objective.at(-objective.log_prior)
    path = [objective.step(iterate)]
    for _ in range(MAX_ROUNDS):
        iterate = _descend(objective, iterate)
        path.append(objective.step(iterate))
        if path[-2].bound - path[-1].bound < BOUND_TOLERANCE:
            return Descent(iterate, tuple(path), True)
    return Descent(iterate, tuple(path), False)


def _descend(objective: Objective, start: Iterate) -> Iterate:
    """iRProp+ on the bound with lambda and gamma fixed, which is its tangent in the averages."""
    slopes = objective.relaxation.slopes(start.averages)
    iterate, best = start, start
    error = best_error = float(slopes @ iterate.averages)
    parameters = objective.log_prior + start.log_ratio
    steps = np.full(parameters.size, FIRST_STEP)
    last_gradient, last_change = np.zeros_like(parameters), np.zeros_like(parameters)
    waited = 0
    last_error = np.inf
    for _ in range(MAX_ITERATIONS):
        gradient = _softmax_gradient(iterate, slopes)
        agreement = np.sign(gradient * last_gradient)
        steps = np.where(agreement > 0, np.minimum(steps * GROWTH, LARGEST_STEP), steps)
        steps = np.where(agreement < 0, steps * SHRINKAGE, steps)
        # Where the sign flipped: take the last step back, but only if the error grew.
        back = -last_change if error > last_error else np.zeros_like(last_change)
        change = np.where(agreement < 0, back, -np.sign(gradient) * steps)
        last_gradient = np.where(agreement < 0, 0.0, gradient)
        last_change, last_error = change, error
        parameters = parameters + change
        iterate = objective.at(parameters - objective.log_prior)
        error = float(slopes @ iterate.averages)
        waited = 0 if error < best_error else waited + 1
        if error < best_error:
            best, best_error = iterate, error
        if waited == PATIENCE:
            break
    return best


def _softmax_gradient(iterate: Iterate, slopes: FloatArray) -> FloatArray:
    """Gradient in the softmax parameters: rho o (g - rho · g) for the gradient g in rho."""
    gradient = slopes @ iterate.jacobian
    return np.asarray(iterate.weights * (gradient - iterate.weights @ gradient))
