"""The weights that make a bound small."""

from tandemvote.weights.minimum import WeightSolution, minimize_bound

__all__ = [
    "WeightSolution",
    "minimize_bound",
]
