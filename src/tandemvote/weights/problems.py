"""The bounds that weights can minimise, and how counts become their objectives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from tandemvote.bounds.bound import Bound
from tandemvote.bounds.disagreement import DISAGREEMENT
from tandemvote.bounds.first_order import FIRST_ORDER
from tandemvote.bounds.sharpening import get_sharpening
from tandemvote.bounds.tandem import TANDEM
from tandemvote.counting.counts import FloatArray, VoteCounts
from tandemvote.counting.held_out_sets import HeldOutSets
from tandemvote.weights.effective_divergence import (
    EffectiveDivergence,
    PlainDivergence,
    UnequalDivergence,
)
from tandemvote.weights.gibbs import alternate_gibbs
from tandemvote.weights.objective import Objective, Solver
from tandemvote.weights.relaxations import (
    disagreement_relaxation,
    first_order_relaxation,
    tandem_relaxation,
)
from tandemvote.weights.several_starts import several_starts


@dataclass(frozen=True)
class Problem:
    """A bound to report, the objective to minimise, and the solver that is best at it."""

    bound: Bound
    objective: Callable[[VoteCounts, FloatArray, float, str], Objective]
    default_solver: Solver


class Sample(NamedTuple):
    """Size of the sample behind an average, the logarithm of its moment, and the divergence."""

    n: float
    log_moment: float
    divergence: EffectiveDivergence

    @classmethod
    def of(cls, sets: HeldOutSets, prior: FloatArray, delta: float, sharpening: str) -> Sample:
        """Take the size at the prior; the divergence accounts for other weights."""
        size = get_sharpening(sharpening)(prior, sets, prior)
        log_moment = size.log_moment()
        if size.sizes[0] == size.sizes[-1]:
            return cls(size.n, log_moment, PlainDivergence(sets.voters))
        known = sets.harmonic(prior)
        divergence = UnequalDivergence(
            shares=known.shares,
            entropies=known.entropies,
            scale=size.n / float(size.sizes[-1]),
            nats=log_moment - float(np.log(delta)),
        )
        return cls(size.n, log_moment, divergence)


def first_order_objective(
    counts: VoteCounts, prior: FloatArray, delta: float, sharpening: str
) -> Objective:
    """Twice the relaxed Gibbs loss."""
    voters = Sample.of(counts.voter_sets, prior, delta, sharpening)
    return Objective(
        relaxation=first_order_relaxation(n=voters.n, delta=delta, log_moment=voters.log_moment),
        log_prior=np.log(prior),
        losses=counts.gibbs_losses,
        divergence=voters.divergence,
    )


def tandem_objective(
    counts: VoteCounts, prior: FloatArray, delta: float, sharpening: str
) -> Objective:
    """Four times the relaxed tandem loss."""
    pairs = Sample.of(counts.pair_sets, prior, delta, sharpening)
    return Objective(
        relaxation=tandem_relaxation(n=pairs.n, delta=delta, log_moment=pairs.log_moment),
        log_prior=np.log(prior),
        losses=np.zeros(counts.n_voters),
        pairs=counts.tandem_losses,
        pair_divergence=pairs.divergence,
    )


def disagreement_objective(
    counts: VoteCounts, prior: FloatArray, delta: float, sharpening: str
) -> Objective:
    """Four relaxed Gibbs losses less two relaxed disagreements."""
    voters = Sample.of(counts.voter_sets, prior, delta / 2, sharpening)
    pairs = Sample.of(counts.disagreement_sets, prior, delta / 2, sharpening)
    return Objective(
        relaxation=disagreement_relaxation(
            n=voters.n,
            n_pairs=pairs.n,
            delta=delta,
            log_moment=voters.log_moment,
            log_moment_pairs=pairs.log_moment,
        ),
        log_prior=np.log(prior),
        losses=counts.gibbs_losses,
        pairs=counts.disagreement_rates,
        divergence=voters.divergence,
        pair_divergence=pairs.divergence,
    )


PROBLEMS = MappingProxyType(
    {
        problem.bound.name: problem
        for problem in (
            Problem(FIRST_ORDER, first_order_objective, alternate_gibbs),
            Problem(TANDEM, tandem_objective, several_starts),
            Problem(DISAGREEMENT, disagreement_objective, several_starts),
        )
    }
)
"""The bounds that weights can minimise, by name."""
