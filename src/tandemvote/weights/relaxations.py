"""PAC-Bayes-lambda bounds with lambda and gamma at their best, as functions of four averages.

Every bound that weights are chosen by sees the weights only through four numbers: the Gibbs loss,
the average of a pair matrix, and what voters and pairs cost, KL(rho‖pi) and twice that where all
sets are equally large. As a minimum of linear functions of them (one for each lambda and gamma) it
is concave in the four, and its tangent is the bound with lambda and gamma fixed at their best. So
value, slopes and curvature are all that any solver needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from tandemvote.inequalities.kl_intervals import kl_interval
from tandemvote.inequalities.lambda_intervals import best_lambda, eliminated_upper
from tandemvote.inequalities.moments import two_sqrt
from tandemvote.inequalities.outward import FloatArray

SMALLEST_DISAGREEMENT = 1e-32
"""Below it the slope of sqrt(D) is frozen, so that it stays finite where nobody disagrees."""


class Terms(NamedTuple):
    """What a bound sees of the weights rho; arrays stand for many weights at once."""

    gibbs_loss: Any
    pair_average: Any
    divergence: Any
    pair_divergence: Any


class Parameters(NamedTuple):
    """The free parameters of PAC-Bayes-lambda; `gamma` belongs to lower bounds alone."""

    lam: float
    gamma: float | None


class Relaxation(Protocol):
    """A concave function of `Terms`: a bound on the vote's error, not clipped."""

    def value(self, terms: Terms) -> Any:
        """Bound at the best lambda and gamma; an array where the terms are arrays."""

    def slopes(self, terms: Terms) -> FloatArray:
        """Gradient, shape (4,): the weights of the averages at the best lambda and gamma."""

    def curvature(self, terms: Terms) -> FloatArray:
        """Hessian, shape (4, 4), negative semi-definite."""

    def parameters(self, terms: Terms) -> Parameters:
        """Best lambda and gamma."""

    def kl_form(self, terms: Terms) -> float:
        """Give the bound in the PAC-Bayes-kl form that is reported, clipped to [0, 1]."""


@dataclass(frozen=True)
class FirstOrderRelaxation:
    r"""Twice the Gibbs loss's upper bound (Theorems 1 and 8).

    .. math:: 2 (q + k + \sqrt{k^2 + 2 q k}), \quad q = \hat G, \quad
        k = (KL + \ln(2 \sqrt{n} / \delta)) / n

    `log_moment` replaces ln(2 sqrt(n)) if given.

    Examples
    --------
    >>> relaxation = FirstOrderRelaxation(n=1000, delta=0.05)
    >>> round(float(relaxation.value(Terms(0.1, 0.0, 0.0, 0.0))), 4)
    0.2912
    """

    n: float
    delta: float
    log_moment: float | None = None

    def value(self, terms: Terms) -> Any:
        """Bound at the best lambda."""
        return 2.0 * eliminated_upper(terms.gibbs_loss, self._complexity(terms))

    def slopes(self, terms: Terms) -> FloatArray:
        """Slopes 2 U_q and 2 U_k / n, with none for the pairs."""
        in_q, in_k = _upper_slopes(terms.gibbs_loss, self._complexity(terms))
        return 2.0 * np.array([in_q, 0.0, in_k / self.n, 0.0])

    def curvature(self, terms: Terms) -> FloatArray:
        """Hessian of rank one."""
        bend = _upper_bend(terms.gibbs_loss, self._complexity(terms))
        direction = np.array([bend[0], 0.0, bend[1] / self.n, 0.0])
        return -2.0 * np.outer(direction, direction)

    def parameters(self, terms: Terms) -> Parameters:
        """Best lambda."""
        return Parameters(float(best_lambda(terms.gibbs_loss, self._complexity(terms))), None)

    def kl_form(self, terms: Terms) -> float:
        """Twice kl+ of the Gibbs loss."""
        upper = kl_interval(min(terms.gibbs_loss, 1.0), self._complexity(terms)).upper
        return min(2.0 * float(upper), 1.0)

    @cached_property
    def nats(self) -> float:
        """The constant ln(2 sqrt(n) / delta)."""
        return _nats(self.n, self.delta, self.log_moment)

    def _complexity(self, terms: Terms) -> Any:
        return (terms.divergence + self.nats) / self.n


@dataclass(frozen=True)
class TandemRelaxation:
    r"""Four times the tandem loss's upper bound (Theorem 9).

    .. math:: 4 (q + k + \sqrt{k^2 + 2 q k}), \quad q = \hat T, \quad
        k = (2 KL + \ln(2 \sqrt{n} / \delta)) / n

    `log_moment` replaces ln(2 sqrt(n)) if given.

    Examples
    --------
    >>> relaxation = TandemRelaxation(n=1000, delta=0.05)
    >>> round(float(relaxation.value(Terms(0.0, 0.05, 0.0, 0.0))), 4)
    0.3392
    """

    n: float
    delta: float
    log_moment: float | None = None

    def value(self, terms: Terms) -> Any:
        """Bound at the best lambda."""
        return 4.0 * eliminated_upper(terms.pair_average, self._complexity(terms))

    def slopes(self, terms: Terms) -> FloatArray:
        """Slopes 4 U_q and 4 U_k / n, with none for single voters."""
        in_q, in_k = _upper_slopes(terms.pair_average, self._complexity(terms))
        return 4.0 * np.array([0.0, in_q, 0.0, in_k / self.n])

    def curvature(self, terms: Terms) -> FloatArray:
        """Hessian of rank one."""
        bend = _upper_bend(terms.pair_average, self._complexity(terms))
        direction = np.array([0.0, bend[0], 0.0, bend[1] / self.n])
        return -4.0 * np.outer(direction, direction)

    def parameters(self, terms: Terms) -> Parameters:
        """Best lambda."""
        return Parameters(float(best_lambda(terms.pair_average, self._complexity(terms))), None)

    def kl_form(self, terms: Terms) -> float:
        """Four times kl+ of the tandem loss."""
        upper = kl_interval(min(terms.pair_average, 1.0), self._complexity(terms)).upper
        return min(4.0 * float(upper), 1.0)

    @cached_property
    def nats(self) -> float:
        """The constant ln(2 sqrt(n) / delta)."""
        return _nats(self.n, self.delta, self.log_moment)

    def _complexity(self, terms: Terms) -> Any:
        return (terms.pair_divergence + self.nats) / self.n


@dataclass(frozen=True)
class DisagreementRelaxation:
    r"""Four upper bounds on the Gibbs loss less two lower bounds on disagreement (Theorem 10).

    .. math::
        4 (q + k + \sqrt{k^2 + 2 q k}) - 2 (D - \sqrt{2 b D}), \quad q = \hat G, \quad
        k = \frac{KL + \ln(4 \sqrt{n} / \delta)}{n}, \quad
        b = \frac{2 KL + \ln(4 \sqrt{m} / \delta)}{m}

    `log_moment` and `log_moment_pairs` replace ln(2 sqrt(n)) and ln(2 sqrt(m)) if given.

    Examples
    --------
    >>> relaxation = DisagreementRelaxation(n=1000, n_pairs=500, delta=0.05)
    >>> round(float(relaxation.value(Terms(0.1, 0.08, 0.0, 0.0))), 4)
    0.5307
    """

    n: float
    n_pairs: float
    delta: float
    log_moment: float | None = None
    log_moment_pairs: float | None = None

    def value(self, terms: Terms) -> Any:
        """Bound at the best lambda and gamma."""
        b, disagreement = self._complexity_pairs(terms), terms.pair_average
        upper = eliminated_upper(terms.gibbs_loss, self._complexity(terms))
        return 4.0 * upper - 2.0 * (disagreement - np.sqrt(2.0 * b * disagreement))

    def slopes(self, terms: Terms) -> FloatArray:
        """Slopes of both bounds; the one of sqrt(D) is frozen next to D = 0."""
        in_q, in_k = _upper_slopes(terms.gibbs_loss, self._complexity(terms))
        b, disagreement = self._complexity_pairs(terms), _floored(terms.pair_average)
        gamma = float(np.sqrt(2.0 * b / disagreement))
        in_pairs = 2.0 / (gamma * self.n_pairs)
        return np.array([4.0 * in_q, gamma - 2.0, 4.0 * in_k / self.n, in_pairs])

    def curvature(self, terms: Terms) -> FloatArray:
        """Hessian of rank two."""
        bend = _upper_bend(terms.gibbs_loss, self._complexity(terms))
        upper = np.array([bend[0], 0.0, bend[1] / self.n, 0.0])
        b, disagreement = self._complexity_pairs(terms), _floored(terms.pair_average)
        lower = np.array([0.0, b, 0.0, -disagreement / self.n_pairs])
        lower /= (2.0 * b * disagreement) ** 0.75
        return -4.0 * np.outer(upper, upper) - 2.0 * np.outer(lower, lower)

    def parameters(self, terms: Terms) -> Parameters:
        """Best lambda, and best gamma: infinite where nobody disagrees."""
        b, disagreement = self._complexity_pairs(terms), terms.pair_average
        gamma = float(np.sqrt(2.0 * b / disagreement)) if disagreement > 0 else float("inf")
        return Parameters(float(best_lambda(terms.gibbs_loss, self._complexity(terms))), gamma)

    def kl_form(self, terms: Terms) -> float:
        """Four times kl+ of the Gibbs loss less twice kl- of the disagreement."""
        upper = kl_interval(min(terms.gibbs_loss, 1.0), self._complexity(terms)).upper
        differ = kl_interval(min(terms.pair_average, 1.0), self._complexity_pairs(terms)).lower
        return float(np.clip(4.0 * upper - 2.0 * differ, 0.0, 1.0))

    @cached_property
    def nats(self) -> float:
        """The constant ln(4 sqrt(n) / delta): each estimate has half of delta."""
        return _nats(self.n, self.delta / 2, self.log_moment)

    @cached_property
    def nats_pairs(self) -> float:
        """The constant ln(4 sqrt(m) / delta)."""
        return _nats(self.n_pairs, self.delta / 2, self.log_moment_pairs)

    def _complexity(self, terms: Terms) -> Any:
        return (terms.divergence + self.nats) / self.n

    def _complexity_pairs(self, terms: Terms) -> Any:
        return (terms.pair_divergence + self.nats_pairs) / self.n_pairs


def _nats(n: float, delta: float, log_moment: float | None) -> float:
    printed = np.log(two_sqrt(n)) if log_moment is None else log_moment
    return float(printed - np.log(delta))


def _upper_slopes(q: float, k: float) -> tuple[float, float]:
    """Derivatives of U(q, k) = q + k + sqrt(k^2 + 2 q k)."""
    root = float(np.sqrt(k * (k + 2.0 * q)))
    return 1.0 + k / root, 1.0 + (k + q) / root


def _upper_bend(q: float, k: float) -> tuple[float, float]:
    """Vector v with Hessian of U(q, k) = -v v': U is homogeneous, so its Hessian has rank one."""
    scale = (k * (k + 2.0 * q)) ** -0.75
    return k * scale, -q * scale


def _floored(disagreement: float) -> float:
    return max(disagreement, SMALLEST_DISAGREEMENT)
