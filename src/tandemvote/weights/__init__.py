"""The weights that make a bound small."""

from tandemvote.weights.minimum import Status, WeightSolution, minimise

__all__ = [
    "Status",
    "WeightSolution",
    "minimise",
]
