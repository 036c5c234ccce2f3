"""One theorem, one function: numbers in, numbers out, rounded outward."""

from tandemvote.inequalities.binomial_limits import clopper_pearson
from tandemvote.inequalities.divergences import (
    binary_kl,
    kl_divergence,
    kl_lower_inverse,
    kl_upper_inverse,
)
from tandemvote.inequalities.harmonic import SampleSize, harmonic_cap, harmonic_size
from tandemvote.inequalities.pac_bayes import (
    Interval,
    best_gamma,
    best_lambda,
    pac_bayes_kl,
    pac_bayes_lambda,
    two_sqrt,
    xi,
)

__all__ = [
    "Interval",
    "SampleSize",
    "best_gamma",
    "best_lambda",
    "binary_kl",
    "clopper_pearson",
    "harmonic_cap",
    "harmonic_size",
    "kl_divergence",
    "kl_lower_inverse",
    "kl_upper_inverse",
    "pac_bayes_kl",
    "pac_bayes_lambda",
    "two_sqrt",
    "xi",
]
