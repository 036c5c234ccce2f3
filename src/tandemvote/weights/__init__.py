"""The weights that make a bound small."""

from tandemvote.weights.minimum import WeightSolution, minimize_bound
from tandemvote.weights.objective import Step, lambda_gradient

__all__ = [
    "Step",
    "WeightSolution",
    "lambda_gradient",
    "minimize_bound",
]
