"""Room 5: the weights that make a bound small."""

from tandemvote.weights.minimising import minimise
from tandemvote.weights.pruning import prune
from tandemvote.weights.solution import Status, WeightSolution

__all__ = ["Status", "WeightSolution", "minimise", "prune"]
