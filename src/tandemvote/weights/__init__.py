"""The weights that make a bound small."""

from tandemvote.weights.dirichlet_weights import DirichletSolution, minimise_dirichlet
from tandemvote.weights.minimum import Status, WeightSolution, minimise, prune

__all__ = [
    "DirichletSolution",
    "Status",
    "WeightSolution",
    "minimise",
    "minimise_dirichlet",
    "prune",
]
