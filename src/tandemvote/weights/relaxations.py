"""PAC-Bayes-lambda bounds with lambda and gamma at their best, as functions of three averages.

Every bound that weights are chosen by sees the weights only through three numbers: the Gibbs loss,
the average of a pair matrix, and KL(rho‖pi). As a minimum of linear functions of them (one for
each lambda and gamma) it is concave in the three, and its tangent is the bound with lambda and
gamma fixed at their best. So value, slopes and curvature are all that any solver needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from tandemvote.bounds import disagreement_bound, first_order_bound, tandem_bound
from tandemvote.inequalities.outward import FloatArray
from tandemvote.inequalities.pac_bayes_kl import complexity
from tandemvote.inequalities.pac_bayes_lambda import best_lambda, eliminated_upper

SMALLEST_DISAGREEMENT = 1e-32
"""Below it the slope of sqrt(D) is frozen, so that it stays finite where nobody disagrees."""


class Terms(NamedTuple):
    """What a bound sees of the weights rho; arrays stand for many weights at once."""

    gibbs_loss: Any
    pair_average: Any
    kl_divergence: Any


class Parameters(NamedTuple):
    """The free parameters of PAC-Bayes-lambda; `gamma` belongs to lower bounds alone."""

    lam: float
    gamma: float | None


class Relaxation(Protocol):
    """A concave function of `Terms`: a bound on the vote's error, not clipped."""

    def value(self, terms: Terms) -> Any:
        """Bound at the best lambda and gamma; an array where the terms are arrays."""

    def slopes(self, terms: Terms) -> FloatArray:
        """Gradient, shape (3,): the weights of the averages at the best lambda and gamma."""

    def curvature(self, terms: Terms) -> FloatArray:
        """Hessian, shape (3, 3), negative semi-definite."""

    def parameters(self, terms: Terms) -> Parameters:
        """Best lambda and gamma."""

    def kl_form(self, terms: Terms) -> float:
        """Give the bound in the PAC-Bayes-kl form that is reported, clipped to [0, 1]."""


@dataclass(frozen=True)
class FirstOrderRelaxation:
    r"""Twice the Gibbs loss's upper bound (Theorems 1 and 8).

    .. math:: 2 (q + k + \sqrt{k^2 + 2 q k}), \quad q = \hat G, \quad
        k = (KL + \ln(2 \sqrt{n} / \delta)) / n

    Examples
    --------
    >>> relaxation = FirstOrderRelaxation(n=1000, delta=0.05)
    >>> round(float(relaxation.value(Terms(0.1, 0.0, 0.0))), 4)
    0.2912
    """

    n: float
    delta: float

    def value(self, terms: Terms) -> Any:
        """Bound at the best lambda."""
        return 2.0 * eliminated_upper(terms.gibbs_loss, self._complexity(terms))

    def slopes(self, terms: Terms) -> FloatArray:
        """Slopes 2 U_q and 2 U_k / n, with none for the pairs."""
        in_q, in_k = _upper_slopes(terms.gibbs_loss, self._complexity(terms))
        return 2.0 * np.array([in_q, 0.0, in_k / self.n])

    def curvature(self, terms: Terms) -> FloatArray:
        """Hessian of rank one."""
        bend = _upper_bend(terms.gibbs_loss, self._complexity(terms))
        direction = np.array([bend[0], 0.0, bend[1] / self.n])
        return -2.0 * np.outer(direction, direction)

    def parameters(self, terms: Terms) -> Parameters:
        """Best lambda."""
        return Parameters(float(best_lambda(terms.gibbs_loss, self._complexity(terms))), None)

    def kl_form(self, terms: Terms) -> float:
        """Twice kl+ of the Gibbs loss."""
        return first_order_bound(
            gibbs_loss=min(terms.gibbs_loss, 1.0),
            n_min=self.n,
            kl_divergence=terms.kl_divergence,
            delta=self.delta,
        )

    @cached_property
    def nats(self) -> float:
        """The constant ln(2 sqrt(n) / delta)."""
        return _nats(self.n, self.delta)

    def _complexity(self, terms: Terms) -> Any:
        return (terms.kl_divergence + self.nats) / self.n


@dataclass(frozen=True)
class TandemRelaxation:
    r"""Four times the tandem loss's upper bound (Theorem 9).

    .. math:: 4 (q + k + \sqrt{k^2 + 2 q k}), \quad q = \hat T, \quad
        k = (2 KL + \ln(2 \sqrt{n} / \delta)) / n

    Examples
    --------
    >>> relaxation = TandemRelaxation(n=1000, delta=0.05)
    >>> round(float(relaxation.value(Terms(0.0, 0.05, 0.0))), 4)
    0.3392
    """

    n: float
    delta: float

    def value(self, terms: Terms) -> Any:
        """Bound at the best lambda."""
        return 4.0 * eliminated_upper(terms.pair_average, self._complexity(terms))

    def slopes(self, terms: Terms) -> FloatArray:
        """Slopes 4 U_q and 8 U_k / n, with none for the Gibbs loss."""
        in_q, in_k = _upper_slopes(terms.pair_average, self._complexity(terms))
        return 4.0 * np.array([0.0, in_q, 2.0 * in_k / self.n])

    def curvature(self, terms: Terms) -> FloatArray:
        """Hessian of rank one."""
        bend = _upper_bend(terms.pair_average, self._complexity(terms))
        direction = np.array([0.0, bend[0], 2.0 * bend[1] / self.n])
        return -4.0 * np.outer(direction, direction)

    def parameters(self, terms: Terms) -> Parameters:
        """Best lambda."""
        return Parameters(float(best_lambda(terms.pair_average, self._complexity(terms))), None)

    def kl_form(self, terms: Terms) -> float:
        """Four times kl+ of the tandem loss."""
        return tandem_bound(
            tandem_loss=min(terms.pair_average, 1.0),
            n_min_pairs=self.n,
            kl_divergence=terms.kl_divergence,
            delta=self.delta,
        )

    @cached_property
    def nats(self) -> float:
        """The constant ln(2 sqrt(n) / delta)."""
        return _nats(self.n, self.delta)

    def _complexity(self, terms: Terms) -> Any:
        return (2.0 * terms.kl_divergence + self.nats) / self.n


@dataclass(frozen=True)
class DisagreementRelaxation:
    r"""Four upper bounds on the Gibbs loss less two lower bounds on disagreement (Theorem 10).

    .. math::
        4 (q + k + \sqrt{k^2 + 2 q k}) - 2 (D - \sqrt{2 b D}), \quad q = \hat G, \quad
        k = \frac{KL + \ln(4 \sqrt{n} / \delta)}{n}, \quad
        b = \frac{2 KL + \ln(4 \sqrt{m} / \delta)}{m}

    Examples
    --------
    >>> relaxation = DisagreementRelaxation(n=1000, n_pairs=500, delta=0.05)
    >>> round(float(relaxation.value(Terms(0.1, 0.08, 0.0))), 4)
    0.5307
    """

    n: float
    n_pairs: float
    delta: float

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
        in_kl = 4.0 * in_k / self.n + 4.0 / (gamma * self.n_pairs)
        return np.array([4.0 * in_q, gamma - 2.0, in_kl])

    def curvature(self, terms: Terms) -> FloatArray:
        """Hessian of rank two."""
        bend = _upper_bend(terms.gibbs_loss, self._complexity(terms))
        upper = np.array([bend[0], 0.0, bend[1] / self.n])
        b, disagreement = self._complexity_pairs(terms), _floored(terms.pair_average)
        lower = np.array([0.0, b, -2.0 * disagreement / self.n_pairs])
        lower /= (2.0 * b * disagreement) ** 0.75
        return -4.0 * np.outer(upper, upper) - 2.0 * np.outer(lower, lower)

    def parameters(self, terms: Terms) -> Parameters:
        """Best lambda, and best gamma: infinite where nobody disagrees."""
        b, disagreement = self._complexity_pairs(terms), terms.pair_average
        gamma = float(np.sqrt(2.0 * b / disagreement)) if disagreement > 0 else float("inf")
        return Parameters(float(best_lambda(terms.gibbs_loss, self._complexity(terms))), gamma)

    def kl_form(self, terms: Terms) -> float:
        """Four times kl+ of the Gibbs loss less twice kl- of the disagreement."""
        return disagreement_bound(
            gibbs_loss=min(terms.gibbs_loss, 1.0),
            disagreement=min(terms.pair_average, 1.0),
            n_min=self.n,
            n_min_disagreement=self.n_pairs,
            kl_divergence=terms.kl_divergence,
            delta=self.delta,
        )

    @cached_property
    def nats(self) -> float:
        """The constant ln(4 sqrt(n) / delta): each estimate has half of delta."""
        return _nats(self.n, self.delta / 2)

    @cached_property
    def nats_pairs(self) -> float:
        """The constant ln(4 sqrt(m) / delta)."""
        return _nats(self.n_pairs, self.delta / 2)

    def _complexity(self, terms: Terms) -> Any:
        return (terms.kl_divergence + self.nats) / self.n

    def _complexity_pairs(self, terms: Terms) -> Any:
        return (2.0 * terms.kl_divergence + self.nats_pairs) / self.n_pairs


def _nats(n: float, delta: float) -> float:
    return float(n * complexity(n, delta=delta))


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
