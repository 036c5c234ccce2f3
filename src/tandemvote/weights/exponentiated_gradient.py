r"""Exponentiated gradient with Newton directions and backtracking: the default solver's engine.

A step multiplies every weight by exp(t d_h) and normalises, so weights stay positive and only their
logarithms are stored. With d = -gradient this is plain exponentiated gradient (mirror descent).
Here d solves the Newton system of the stationarity condition instead, by conjugate gradients:

.. math::
    d + \frac{2 \phi_Q Q + J H J'}{\phi_{KL}} u = -\frac{g}{\phi_{KL}}, \qquad
    u = \rho \circ (d - \rho \cdot d),

up to a constant, where J = (L, 2 Q rho, gradients of both divergences) and H is the curvature of
the relaxation. Of the divergences' own curvature that of KL(rho‖pi) is enough. In
w = sqrt(rho) o d the system is symmetric and the identity plus a small matrix, so a handful of
products with Q suffice. If the curvature turns out negative on the way, the direction found so far
is used: at worst the gradient itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tandemvote.inequalities.outward import FloatArray
from tandemvote.weights.objective import Descent, Objective, Point

GAP_TOLERANCE = 1e-10
"""Stop once the gap, in units of the bound, is below this."""

LONGEST_STEP = 2.0
"""Largest standard deviation (over rho) of one change of the log-weights: longer steps can leave
the valley of the prior."""

SUFFICIENT_DECREASE = 1e-4
SMALLEST_STEP = 2.0**-40
LOOSEST_SOLVE, TIGHTEST_SOLVE = 0.2, 0.03
"""Relative residuals to which a Newton system is solved, far from the minimum and near it. The
curvature that is left out makes more digits useless."""

MAX_PRODUCTS = 400
MAX_ITERATIONS = 500


class Direction(NamedTuple):
    """A change of the log-weights."""

    change: FloatArray
    slope: float
    spread: float
    met_negative_curvature: bool


def exponentiated_gradient(objective: Objective, start: FloatArray | None = None) -> Descent:
    """Descend from the prior, or from the log-ratios `start`, to a stationary point."""
    point = objective.at(np.zeros(objective.n_voters) if start is None else start)
    history = [point.value]
    bends_down = False
    for _ in range(MAX_ITERATIONS):
        if objective.gap(point) <= GAP_TOLERANCE:
            return Descent(point, tuple(history), True, bends_down)
        direction = _newton_direction(objective, point)
        bends_down = bends_down or direction.met_negative_curvature
        following = _backtrack(objective, point, direction)
        if following is None:  # no representable progress is left
            return Descent(point, tuple(history), True, bends_down)
        point = following
        history.append(point.value)
    return Descent(point, tuple(history), False, bends_down)


def _backtrack(objective: Objective, point: Point, direction: Direction) -> Point | None:
    step = min(1.0, LONGEST_STEP / direction.spread) if direction.spread > 0 else 1.0
    while step > SMALLEST_STEP:
        following = objective.at(point.log_ratio + step * direction.change)
        if following.value < point.value + SUFFICIENT_DECREASE * step * direction.slope:
            return following
        step *= 0.5
    return None


def _newton_direction(objective: Objective, point: Point) -> Direction:
    in_pairs = objective.relaxation.slopes(point.averages)[1]
    in_kl = objective.entropy_slope(point)
    curvature = objective.relaxation.curvature(point.averages) / in_kl
    gradient = objective.gradient(point) / in_kl
    gradient -= point.weights @ gradient
    jacobian, root = point.jacobian, np.sqrt(point.weights)

    def product(w: FloatArray) -> FloatArray:
        u = root * w
        change = (curvature @ (jacobian @ u)) @ jacobian
        change += (2.0 * in_pairs / in_kl) * objective.pair_product(u)
        result = w + root * change
        return np.asarray(result - (root @ result) * root)

    w, bends_down = _conjugate_gradients(product, -root * gradient)
    # A weight that has underflowed to 0 drops out of the system and follows the gradient.
    change = np.divide(w, root, out=-gradient, where=root > 0)
    slope = float(in_kl * (gradient @ (root * w)))
    return Direction(change, slope, float(np.linalg.norm(w)), bends_down)


def _conjugate_gradients(
    product: Callable[[FloatArray], FloatArray], right: FloatArray
) -> tuple[FloatArray, bool]:
    """Solve product(w) = right, more exactly near the minimum; stop at negative curvature."""
    residual, solution = right.copy(), np.zeros_like(right)
    search, squared = residual, float(residual @ residual)
    goal = squared * float(np.clip(squared, TIGHTEST_SOLVE**2, LOOSEST_SOLVE**2))
    for _ in range(MAX_PRODUCTS):
        image = product(search)
        bend = float(search @ image)
        if bend <= 0.0:
            return (solution if solution.any() else right), True
        length = squared / bend
        solution += length * search
        residual = residual - length * image
        previous, squared = squared, float(residual @ residual)
        if squared <= goal:
            break
        search = residual + (squared / previous) * search
    return solution, False
