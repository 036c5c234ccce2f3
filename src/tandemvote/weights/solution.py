"""Weights found, the bound at them, and how far to trust that they are the best."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from tandemvote.inequalities.outward import FloatArray


class Status(Enum):
    """How the search for weights ended; the value says it in words."""

    CONVERGED = (
        "minimum: for the final lambda the problem is convex, and no weights can do better by more"
        " than the gap"
    )
    LOCAL_MINIMUM = (
        "local minimum: the problem is not known to be convex, so weights far from these may do"
        " better"
    )
    ITERATION_LIMIT = "stopped at the limit of iterations, before the minimum was reached"
    KEPT_PRIOR = (
        "kept the prior as weights: the minimiser of the relaxed bound has a larger bound to report"
    )
    KEPT_UNIFORM = (
        "kept uniform weights: the minimiser of the relaxed bound has a larger bound to report"
    )
    KEPT_WEIGHTS = (
        "kept the old weights of the remaining voters: the minimiser of the relaxed bound has a"
        " larger bound to report"
    )
    NO_COMMON_POINTS = (
        "kept the prior as weights: two voters share no held-out point, so there is no bound to"
        " minimise"
    )

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, eq=False, kw_only=True)
class WeightSolution:
    """Weights that minimise a bound; the defaults stand for no bound to minimise.

    Attributes
    ----------
    weights : ndarray of shape (n_voters,)
        The posterior rho; sums to 1.
    bound : str
        Which bound was minimised: "first_order", "tandem" or "disagreement".
    value : float
        The bound at the weights in PAC-Bayes-kl form, clipped to [0, 1]: the number to report.
    relaxed_value : float
        The minimised PAC-Bayes-lambda form, factor 2 or 4 included, not clipped.
    lam : float
        Lambda at the weights, in (0, 2).
    gamma : float or None
        Gamma at the weights, infinite where no voters disagree; None for bounds without it.
    gap : float or None
        For the final lambda and gamma, no weights lower the relaxed bound by more than this. None
        where the problem is not known to be convex.
    status : Status
        How the search ended, in words.
    history : tuple of float
        The relaxed bound at the start and after each iteration of the descent that was kept.
    prior, delta, sharpening
        As given to `minimise`.
    """

    weights: FloatArray
    bound: str
    value: float = 1.0
    relaxed_value: float = float("inf")
    lam: float = 1.0
    gamma: float | None = None
    gap: float | None = None
    status: Status = Status.NO_COMMON_POINTS
    history: tuple[float, ...] = ()
    prior: FloatArray
    delta: float
    sharpening: str

    @property
    def n_active(self) -> int:
        """Number of voters with positive weight."""
        return int((self.weights > 0).sum())

    @property
    def n_iterations(self) -> int:
        """Iterations of the descent that was kept."""
        return max(len(self.history) - 1, 0)

    def __repr__(self) -> str:
        return (
            f"WeightSolution({self.bound} {self.value:.6f}, {self.n_active} of"
            f" {self.weights.size} voters, {self.n_iterations} iterations, {self.status.name})"
        )
