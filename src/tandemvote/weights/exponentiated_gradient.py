r"""The default solver: exponentiated gradient with Newton directions and backtracking.

A step multiplies every weight by exp(t d_h) and normalises, so weights stay positive and only their
logarithms are stored. With d = -gradient this is plain exponentiated gradient (mirror descent).
Here d solves the Newton system of the stationarity condition instead, by conjugate gradients:

.. math::
    d + \frac{2 \phi_Q Q + J H J'}{\phi_{KL}} u = -\frac{g}{\phi_{KL}}, \qquad
    u = \rho \circ (d - \rho \cdot d),

up to a constant, where J = (L, 2 Q rho, ln(rho/pi)) and H is the curvature of the relaxation. In
w = sqrt(rho) o d the system is symmetric and the identity plus a small matrix, so a handful of
products with Q suffice. If the curvature turns out negative on the way, the direction found so far
is used.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tandemvote.inequalities.outward import FloatArray
from tandemvote.weights.descent import Descent
from tandemvote.weights.objective import Objective, Point

GAP_TOLERANCE = 1e-13
MAX_ITERATIONS = 500
MAX_PRODUCTS = 400
SUFFICIENT_DECREASE = 1e-4
SMALLEST_STEP = 2.0**-40


def exponentiated_gradient(objective: Objective, start: FloatArray | None = None) -> Descent:
    """Descend from the prior, or from the log-ratios `start`, to a stationary point.

    Examples
    --------
    >>> from tandemvote.weights.relaxations import TandemRelaxation
    >>> objective = Objective(
    ...     relaxation=TandemRelaxation(n=1000, nats=7.1),
    ...     log_prior=np.log([0.5, 0.5]),
    ...     losses=np.zeros(2),
    ...     pairs=np.array([[0.2, 0.1], [0.1, 0.2]]),
    ... )
    >>> exponentiated_gradient(objective).point.weights.tolist()
    [0.5, 0.5]
    """
    point = objective.at(np.zeros(objective.n_voters) if start is None else start)
    history = [point.value]
    for _ in range(MAX_ITERATIONS):
        if objective.gap(point) <= GAP_TOLERANCE * max(1.0, abs(point.value)):
            return Descent(point, tuple(history), True)
        direction, slope = _newton_direction(objective, point)
        following = _backtrack(objective, point, direction, slope)
        if following is None:  # no representable progress is left
            return Descent(point, tuple(history), True)
        point = following
        history.append(point.value)
    return Descent(point, tuple(history), False)


def _backtrack(
    objective: Objective, point: Point, direction: FloatArray, slope: float
) -> Point | None:
    step = 1.0
    while step > SMALLEST_STEP:
        following = objective.at(point.log_ratio + step * direction)
        if following.value <= point.value + SUFFICIENT_DECREASE * step * slope:
            return following
        step *= 0.5
    return None


def _newton_direction(objective: Objective, point: Point) -> tuple[FloatArray, float]:
    """Return d and the objective's derivative along it."""
    slopes = objective.relaxation.slopes(point.terms)
    in_pairs, in_kl = slopes[1], slopes[2]
    curvature = objective.relaxation.curvature(point.terms) / in_kl
    gradient = objective.gradient(point) / in_kl
    gradient -= point.weights @ gradient
    jacobian = np.stack([objective.losses, 2.0 * point.pair_means, point.log_ratio])
    root = np.sqrt(point.weights)

    def product(w: FloatArray) -> FloatArray:
        u = root * w
        change = jacobian.T @ (curvature @ (jacobian @ u))
        if in_pairs != 0.0:
            change += (2.0 * in_pairs / in_kl) * objective.pair_product(u)
        result = w + root * change
        return np.asarray(result - root * (root @ result))

    w = _conjugate_gradients(product, -root * gradient)
    direction = np.where(root > 0, w / np.where(root > 0, root, 1.0), -gradient)
    return direction, float(in_kl * (gradient @ (root * w)))


def _conjugate_gradients(
    product: Callable[[FloatArray], FloatArray], right: FloatArray
) -> FloatArray:
    """Solve product(w) = right roughly; stop at negative curvature."""
    residual, solution = right.copy(), np.zeros_like(right)
    search, squared = residual.copy(), float(residual @ residual)
    norm = np.sqrt(squared)
    goal = squared * min(0.1, norm) ** 2
    for _ in range(MAX_PRODUCTS):
        image = product(search)
        bend = float(search @ image)
        if bend <= 1e-12 * float(search @ search):
            return solution if solution.any() else right
        length = squared / bend
        solution += length * search
        residual -= length * image
        previous, squared = squared, float(residual @ residual)
        if squared <= goal:
            break
        search = residual + (squared / previous) * search
    return solution
