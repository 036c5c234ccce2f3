"""Room 5: the weights that make a bound small."""

from tandemvote.weights.dirichlet_weights import DirichletSolution, minimise_dirichlet
from tandemvote.weights.minimum import minimise
from tandemvote.weights.pruning import prune
from tandemvote.weights.solution import Status, WeightSolution

__all__ = [
    "DirichletSolution",
    "Status",
    "WeightSolution",
    "minimise",
    "minimise_dirichlet",
    "prune",
]
