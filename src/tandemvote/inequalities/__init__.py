"""One theorem, one function: numbers in, numbers out, rounded outward."""

from tandemvote.inequalities.binomial_limits import clopper_pearson
from tandemvote.inequalities.catoni import catoni_tilts
from tandemvote.inequalities.divergences import binary_kl, kl_divergence
from tandemvote.inequalities.harmonic import SampleSize, harmonic_cap, harmonic_size
from tandemvote.inequalities.kl_intervals import Interval, pac_bayes_kl
from tandemvote.inequalities.kl_inverse import kl_lower_inverse, kl_upper_inverse
from tandemvote.inequalities.lambda_intervals import LambdaInterval, pac_bayes_lambda
from tandemvote.inequalities.moments import two_sqrt, xi
from tandemvote.inequalities.unexpected_bernstein import unexpected_bernstein_upper

__all__ = [
    "Interval",
    "LambdaInterval",
    "SampleSize",
    "binary_kl",
    "catoni_tilts",
    "clopper_pearson",
    "harmonic_cap",
    "harmonic_size",
    "kl_divergence",
    "kl_lower_inverse",
    "kl_upper_inverse",
    "pac_bayes_kl",
    "pac_bayes_lambda",
    "two_sqrt",
    "unexpected_bernstein_upper",
    "xi",
]
