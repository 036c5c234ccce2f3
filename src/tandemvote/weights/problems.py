"""From counts to objectives: what each bound that weights can minimise is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from tandemvote.bounds import Bound, disagreement, first_order, tandem
from tandemvote.counts import FloatArray, VoteCounts
from tandemvote.inequalities.pac_bayes_kl import complexity
from tandemvote.weights.descent import Solver
from tandemvote.weights.exponentiated_gradient import exponentiated_gradient
from tandemvote.weights.gibbs import alternate_gibbs
from tandemvote.weights.objective import Objective
from tandemvote.weights.relaxations import (
    DisagreementRelaxation,
    FirstOrderRelaxation,
    TandemRelaxation,
)


@dataclass(frozen=True)
class Problem:
    """A bound to report, the relaxation to minimise, and the solver that does it best."""

    bound: Bound
    objective: Callable[[VoteCounts, FloatArray, float], Objective]
    default_solver: Solver


def first_order_objective(counts: VoteCounts, prior: FloatArray, delta: float) -> Objective:
    """Twice the relaxed Gibbs loss."""
    n = counts.n_min
    return Objective(
        relaxation=FirstOrderRelaxation(n=n, nats=_nats(n, delta)),
        log_prior=np.log(prior),
        losses=counts.gibbs_losses,
    )


def tandem_objective(counts: VoteCounts, prior: FloatArray, delta: float) -> Objective:
    """Four times the relaxed tandem loss."""
    n = counts.n_min_pairs
    return Objective(
        relaxation=TandemRelaxation(n=n, nats=_nats(n, delta)),
        log_prior=np.log(prior),
        losses=np.zeros(counts.n_voters),
        pairs=counts.tandem_losses,
    )


def disagreement_objective(counts: VoteCounts, prior: FloatArray, delta: float) -> Objective:
    """Four relaxed Gibbs losses less two relaxed disagreements, each at half of delta."""
    n, n_pairs = counts.n_min, counts.n_min_disagreement
    return Objective(
        relaxation=DisagreementRelaxation(
            n=n, nats=_nats(n, delta / 2), n_pairs=n_pairs, nats_pairs=_nats(n_pairs, delta / 2)
        ),
        log_prior=np.log(prior),
        losses=counts.gibbs_losses,
        pairs=counts.disagreement_rates,
    )


def _nats(n: int, delta: float) -> float:
    """Return ln(2 sqrt(n) / delta)."""
    return float(n * complexity(n, delta=delta))


PROBLEMS = MappingProxyType(
    {
        problem.bound.name: problem
        for problem in (
            Problem(first_order, first_order_objective, alternate_gibbs),
            Problem(tandem, tandem_objective, exponentiated_gradient),
            Problem(disagreement, disagreement_objective, exponentiated_gradient),
        )
    }
)
"""The bounds that weights can minimise, by name."""
