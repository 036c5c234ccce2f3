r"""The solvers: exponentiated gradient for pairs, Gibbs weights for the first order.

**Pairs.** A step multiplies every weight by exp(t d_h) and normalizes; only logarithms of weights
are stored. With d = -gradient this is plain exponentiated gradient (mirror descent). Here d solves
the Newton system of the stationarity condition instead, by conjugate gradients:

.. math::
    d + \frac{2 \phi_Q Q + J H J'}{\phi_{KL}} u = -\frac{g}{\phi_{KL}}, \qquad
    u = \rho \circ (d - \rho \cdot d),

up to a constant, where J = (L, 2 Q rho, gradients of both divergences) and H is the curvature of
the relaxation. Of the curvature of the divergences, that of KL(rho‖pi) is enough. In
w = sqrt(rho) o d the system is symmetric and the identity plus a small matrix, so a handful of
products with Q suffice. If the curvature turns out negative on the way, the direction so far is
used: at worst the gradient itself.

The objective can have several minima; in practice the others lie near one voter or near two.
So: descend from the prior; from the lowest such corner if it already lies lower; and if the first
descent met negative curvature, from all the best corners. This is a search, not a proof: for a
matrix of pure noise it is as hard as finding the best group of voters among all groups.

**First order.** For fixed lambda the best weights are the Gibbs distribution

.. math:: \rho_h \propto \pi_h \exp(-\lambda n \hat L(h)),

so a second descent starts from the best of a scan over lambda. It guards against the minimum near
the prior where a lower one lies near the best voters. Without pairs a step costs next to nothing,
and both descents go on while the objective falls.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from tandemvote.inequalities.outward import FloatArray
from tandemvote.votes.set_sizes import IntArray
from tandemvote.weights.objective import Descent, Iterate, Objective
from tandemvote.weights.relaxations import WeightedAverages

GAP_TOLERANCE = 1e-10  # stop once the gap, in units of the bound, is below this; 0 without pairs
LONGEST_STEP = 2.0  # standard deviation over rho; longer ones can leave the valley of the prior
SUFFICIENT_DECREASE = 1e-4
SMALLEST_STEP = 2.0**-40
LOOSEST_SOLVE, TIGHTEST_SOLVE = 0.2, 0.03  # relative residuals far from the minimum and near it
MAX_PRODUCTS, MAX_ITERATIONS = 400, 500
N_TEMPERATURES = 12  # of the scan over lambda
SHORTLIST = 24  # pairs are searched among this many of the best voters
N_SINGLE, N_PAIRS = 6, 10  # corners to descend from where there are other minima
NEAR, AT = 8.0, 60.0  # log-ratios of a corner's voters: near the others, and up to rounding
WORTH_A_CHANGE = 1e-12  # difference below which two minima count as one


class Direction(NamedTuple):
    """Search direction of one step."""

    change: FloatArray  # of the log-weights
    slope: float  # of the objective
    spread: float  # standard deviation of the change over rho
    met_negative_curvature: bool


def solve(objective: Objective) -> Descent:
    """Keep the lowest of one or more descents."""
    best = exponentiated_gradient(objective)
    for start in _other_starts(objective, best):
        descent = exponentiated_gradient(objective, start)
        if descent.iterate.value < best.iterate.value - WORTH_A_CHANGE:
            best = descent
    return best


def _other_starts(objective: Objective, best: Descent) -> list[FloatArray]:
    """Return the log-ratios from which further descents may reach a lower minimum."""
    if objective.pairs is None:
        n = objective.relaxation.upper.n  # at the prior lambda n exceeds sqrt(n), and never n
        scan = [-inverse * objective.losses for inverse in np.geomspace(n**0.5, n, N_TEMPERATURES)]
        values = [objective.at(log_ratio).value for log_ratio in scan]
        lowest = int(np.argmin(values))
        return [scan[lowest]] if values[lowest] < best.iterate.value else []
    corners = _corners(objective)
    value, voters = min(corners, key=lambda corner: corner[0])
    starts = [(voters, AT)] if value < best.iterate.value else []
    if best.met_negative_curvature:
        starts += [(voters, NEAR) for _, voters in corners]
    everyone = np.arange(objective.n_voters)
    return [np.where(np.isin(everyone, group), height, 0.0) for group, height in starts]


def exponentiated_gradient(objective: Objective, start: FloatArray | None = None) -> Descent:
    """Descend from the prior, or from the log-ratios `start`, to a stationary point."""
    iterate = objective.at(np.zeros(objective.n_voters) if start is None else start)
    path = [objective.step(iterate)]
    bends_down = False
    tolerance = 0.0 if objective.pairs is None else GAP_TOLERANCE
    for _ in range(MAX_ITERATIONS):
        if objective.gap(iterate) <= tolerance:
            return Descent(iterate, tuple(path), True, bends_down)
        direction = _newton_direction(objective, iterate)
        bends_down = bends_down or direction.met_negative_curvature
        following = _backtrack(objective, iterate, direction)
        if following is None:  # no representable progress is left
            return Descent(iterate, tuple(path), True, bends_down)
        iterate = following
        path.append(objective.step(iterate))
    return Descent(iterate, tuple(path), False, bends_down)


def _backtrack(objective: Objective, iterate: Iterate, direction: Direction) -> Iterate | None:
    step = min(1.0, LONGEST_STEP / direction.spread) if direction.spread > 0 else 1.0
    while step > SMALLEST_STEP:
        following = objective.at(iterate.log_ratio + step * direction.change)
        if following.value < iterate.value + SUFFICIENT_DECREASE * step * direction.slope:
            return following
        step *= 0.5
    return None


def _newton_direction(objective: Objective, iterate: Iterate) -> Direction:
    in_pairs = objective.relaxation.slopes(iterate.averages)[1]
    in_kl = objective.entropy_slope(iterate)
    curvature = objective.relaxation.curvature(iterate.averages) / in_kl
    gradient = objective.gradient(iterate) / in_kl
    gradient -= iterate.weights @ gradient
    jacobian, root = iterate.jacobian, np.sqrt(iterate.weights)

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


def _corners(objective: Objective) -> list[tuple[float, list[int]]]:
    """Objective at the best single voters and the best pairs, weighted as in the prior."""
    voters = np.arange(objective.n_voters)
    alone = _values(objective, voters, voters)
    shortlist = voters[np.argsort(alone, kind="stable")[:SHORTLIST]]
    pairs = shortlist[np.column_stack(np.triu_indices(shortlist.size, 1))]
    together = _values(objective, *pairs.T)
    best = np.argsort(together, kind="stable")[:N_PAIRS]
    corners = [(float(alone[voter]), [int(voter)]) for voter in shortlist[:N_SINGLE]]
    return corners + [(float(together[k]), pairs[k].tolist()) for k in best]


def _values(objective: Objective, first: IntArray, second: IntArray) -> FloatArray:
    """Objective with all weight on two voters (or on one, named twice) for many pairs at once."""
    log_prior, pairs, losses = objective.log_prior, objective.pairs, objective.losses
    assert pairs is not None
    share = expit(log_prior[first] - log_prior[second])
    rest = 1.0 - share
    together = np.logaddexp(log_prior[first], log_prior[second])
    mass = np.where(first == second, log_prior[first], together)
    averages = WeightedAverages(
        gibbs_loss=share * losses[first] + rest * losses[second],
        pair_average=share**2 * pairs[first, first]
        + rest**2 * pairs[second, second]
        + 2.0 * share * rest * pairs[first, second],
        divergence=-mass,
        pair_divergence=-2.0 * mass,  # as if all sets were equally large, for a shortlist
    )
    return np.asarray(objective.relaxation.value(averages))
