"""The bounds that weights can minimise, and how counts become their objectives."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from tandemvote.bounds.averages import get_sharpening
from tandemvote.bounds.bound import Bound
from tandemvote.bounds.disagreement import DISAGREEMENT
from tandemvote.bounds.first_order import FIRST_ORDER
from tandemvote.bounds.tandem import TANDEM
from tandemvote.counting.counts import HeldOutSets, VoteCounts
from tandemvote.inequalities.outward import FloatArray
from tandemvote.weights.exponentiated_gradient import several_starts
from tandemvote.weights.gibbs import alternate_gibbs
from tandemvote.weights.objective import Objective, Solver
from tandemvote.weights.relaxations import EffectiveDivergence, Estimate, Relaxation, UnequalShares


class Problem(NamedTuple):
    """A bound to report, the objective to minimise, and the solver that is best at it."""

    bound: Bound
    objective: Callable[[VoteCounts, FloatArray, float, str], Objective]
    solver: Solver


def first_order_objective(
    counts: VoteCounts, prior: FloatArray, delta: float, sharpening: str
) -> Objective:
    """Twice the relaxed Gibbs loss (Theorems 1 and 8)."""
    gibbs, divergence = _estimate(counts.voter_sets, prior, delta, sharpening)
    relaxation = Relaxation(2.0, gibbs)
    return Objective(relaxation, np.log(prior), counts.gibbs_losses, divergence=divergence)


def tandem_objective(
    counts: VoteCounts, prior: FloatArray, delta: float, sharpening: str
) -> Objective:
    """Four times the relaxed tandem loss (Theorem 9)."""
    tandem, divergence = _estimate(counts.pair_sets, prior, delta, sharpening)
    relaxation, losses = Relaxation(4.0, tandem), np.zeros(counts.n_voters)
    pairs = counts.tandem_losses
    return Objective(relaxation, np.log(prior), losses, pairs, pair_divergence=divergence)


def disagreement_objective(
    counts: VoteCounts, prior: FloatArray, delta: float, sharpening: str
) -> Objective:
    """Four relaxed Gibbs losses less two relaxed disagreements, at delta / 2 each (Theorem 10)."""
    gibbs, divergence = _estimate(counts.voter_sets, prior, delta / 2, sharpening)
    differ, pair_divergence = _estimate(counts.disagreement_sets, prior, delta / 2, sharpening)
    relaxation, losses = Relaxation(4.0, gibbs, differ), counts.gibbs_losses
    pairs, divergences = counts.disagreement_rates, (divergence, pair_divergence)
    return Objective(relaxation, np.log(prior), losses, pairs, *divergences)


def _estimate(
    sets: HeldOutSets, prior: FloatArray, delta: float, sharpening: str
) -> tuple[Estimate, EffectiveDivergence]:
    """Take the sample size at the prior; the divergence accounts for other weights."""
    size = get_sharpening(sharpening)(prior, sets, prior)
    estimate = Estimate.of(sets.voters - 1, size.n, delta, size.log_moment())  # VOTERS or PAIRS
    if size.sizes[0] == size.sizes[-1]:
        return estimate, EffectiveDivergence(sets.voters)
    known, scale = sets.harmonic(prior), size.n / float(size.sizes[-1])
    shares = UnequalShares(known.shares, known.entropies, scale, estimate.nats)
    return estimate, EffectiveDivergence(sets.voters, shares)


PROBLEMS = MappingProxyType(
    {
        "first_order": Problem(FIRST_ORDER, first_order_objective, alternate_gibbs),
        "tandem": Problem(TANDEM, tandem_objective, several_starts),
        "disagreement": Problem(DISAGREEMENT, disagreement_objective, several_starts),
    }
)
"""The bounds that weights can minimise, by name."""
