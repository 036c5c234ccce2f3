"""From counts to objectives: what each bound that weights can minimise is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from tandemvote.bounds import Bound, disagreement, first_order, tandem
from tandemvote.counts import FloatArray, VoteCounts
from tandemvote.weights.descent import Solver
from tandemvote.weights.gibbs import alternate_gibbs
from tandemvote.weights.objective import Objective
from tandemvote.weights.relaxations import (
    DisagreementRelaxation,
    FirstOrderRelaxation,
    TandemRelaxation,
)
from tandemvote.weights.several_starts import several_starts


@dataclass(frozen=True)
class Problem:
    """A bound to report, the objective to minimise, and the solver that does it best."""

    bound: Bound
    objective: Callable[[VoteCounts, FloatArray, float], Objective]
    default_solver: Solver


def first_order_objective(counts: VoteCounts, prior: FloatArray, delta: float) -> Objective:
    """Twice the relaxed Gibbs loss."""
    return Objective(
        relaxation=FirstOrderRelaxation(n=counts.n_min, delta=delta),
        log_prior=np.log(prior),
        losses=counts.gibbs_losses,
    )


def tandem_objective(counts: VoteCounts, prior: FloatArray, delta: float) -> Objective:
    """Four times the relaxed tandem loss."""
    return Objective(
        relaxation=TandemRelaxation(n=counts.n_min_pairs, delta=delta),
        log_prior=np.log(prior),
        losses=np.zeros(counts.n_voters),
        pairs=counts.tandem_losses,
    )


def disagreement_objective(counts: VoteCounts, prior: FloatArray, delta: float) -> Objective:
    """Four relaxed Gibbs losses less two relaxed disagreements."""
    return Objective(
        relaxation=DisagreementRelaxation(
            n=counts.n_min, n_pairs=counts.n_min_disagreement, delta=delta
        ),
        log_prior=np.log(prior),
        losses=counts.gibbs_losses,
        pairs=counts.disagreement_rates,
    )


PROBLEMS = MappingProxyType(
    {
        problem.bound.name: problem
        for problem in (
            Problem(first_order, first_order_objective, alternate_gibbs),
            Problem(tandem, tandem_objective, several_starts),
            Problem(disagreement, disagreement_objective, several_starts),
        )
    }
)
"""The bounds that weights can minimise, by name."""
