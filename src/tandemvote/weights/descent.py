"""What a solver returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tandemvote.weights.objective import Objective, Point


@dataclass(frozen=True, eq=False)
class Descent:
    """Where a solver arrived, and by which way.

    Attributes
    ----------
    point : Point
        The weights found, evaluated.
    history : tuple of float
        The objective at the start and after every iteration.
    converged : bool
        False if the solver ran into its limit of iterations.
    met_negative_curvature : bool
        True if the objective was seen to bend downwards, a sign that it has other minima.
    """

    point: Point
    history: tuple[float, ...]
    converged: bool
    met_negative_curvature: bool = False

    @property
    def n_iterations(self) -> int:
        """Number of iterations."""
        return len(self.history) - 1


Solver = Callable[[Objective], Descent]
