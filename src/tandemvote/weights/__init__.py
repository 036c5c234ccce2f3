"""The weights that make a bound small."""

from tandemvote.weights.minimum import Status, WeightSolution, minimize_bound

__all__ = [
    "Status",
    "WeightSolution",
    "minimize_bound",
]
