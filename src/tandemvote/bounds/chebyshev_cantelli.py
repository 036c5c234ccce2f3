r"""Chebyshev-Cantelli with an offset, and three ways to estimate its numerator.

For every offset mu < 1/2, L <= E[(Z - mu)^2] / (1/2 - mu)^2 (Wu et al., 2021). The numerator is

.. math:: \mu^2 + (1 - 2\mu) T - \mu O

with T the rate at which both of two random voters err and O = 2 (G - T) the rate at which exactly
one does: mu^2 plus the mean of a pair variable with the values 1 - 2 mu, -mu and 0. Bennett and
unexpected Bernstein estimate that mean anew for each offset, so a grid of offsets costs a share of
delta each. Split-kl estimates T from above and O from below, which does not depend on the offset:
it may be chosen freely, and the best one has a closed form.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tandemvote.bounds.bound import Bound
from tandemvote.bounds.c_tandem import c_tandem_oracle
from tandemvote.bounds.requirements import PAIR_OVERLAPS
from tandemvote.counts import FloatArray
from tandemvote.inequalities import pac_bayes_kl, xi
from tandemvote.inequalities.bennett import bennett_upper
from tandemvote.inequalities.outward import INPUT_MARGIN, outward
from tandemvote.inequalities.unexpected_bernstein import unexpected_bernstein_upper

OFFSETS: FloatArray = np.arange(-5, 10) / 20
"""Offsets mu fixed in advance, -0.25 to 0.45; each gets an equal share of delta."""


def chebyshev_cantelli_oracle(*, tandem_loss: float, lone_error: float, offset: float) -> float:
    """Bound from the true T and O for one offset.

    Examples
    --------
    >>> chebyshev_cantelli_oracle(tandem_loss=0.0625, lone_error=0.25, offset=0.0)  # 4 T
    0.25
    """
    numerator = offset**2 + (1.0 - 2.0 * offset) * tandem_loss - offset * lone_error
    return min(1.0, max(0.0, numerator / (0.5 - offset) ** 2))


def bennett_cantelli_bound(
    *,
    tandem_loss: float,
    lone_error: float,
    n_min_pairs: float,
    kl_divergence: float = 0.0,
    delta: float = 0.05,
) -> float:
    """CCPBB: the numerator by PAC-Bayes-Bennett, smallest over the offsets.

    Parameters
    ----------
    tandem_loss : float
        Observed rate at which both of two voters err, averaged over pairs, T^.
    lone_error : float
        Observed rate at which exactly one errs, O^, on the same points.
    n_min_pairs : float
        Smallest overlap of two held-out sets, n2.
    kl_divergence : float
        KL(rho‖pi) of the voters; pairs count it twice.
    delta : float
        Failure probability, shared by the offsets.

    Notes
    -----
    The sample variance averaged over pairs is at most the variance of the averages, which is used
    here: with it the bound is a function of T^ and O^ alone.

    Examples
    --------
    >>> adult = dict(tandem_loss=0.12138, lone_error=0.17422, n_min_pairs=3359.92)
    >>> round(bennett_cantelli_bound(**adult), 3)
    0.573
    """
    mean, mean_square = _pair_variable(tandem_loss, lone_error)
    if n_min_pairs < 2:
        return 1.0
    upper = bennett_upper(
        mean=mean,
        variance=(mean_square - mean**2) * n_min_pairs / (n_min_pairs - 1.0),
        n=n_min_pairs,
        width=np.maximum(1.0 - OFFSETS, 1.0 - 2.0 * OFFSETS),
        kl_divergence=2 * kl_divergence,
        delta=delta / OFFSETS.size,
    )
    return _smallest(upper)


def bernstein_cantelli_bound(
    *,
    tandem_loss: float,
    lone_error: float,
    n_min_pairs: float,
    kl_divergence: float = 0.0,
    delta: float = 0.05,
) -> float:
    """CCPBUB: the numerator by PAC-Bayes unexpected Bernstein, smallest over the offsets.

    Parameters as in `bennett_cantelli_bound`. The inequality is applied to the loss less mu^2, its
    value where nobody errs, which makes the mean square small.

    Examples
    --------
    >>> adult = dict(tandem_loss=0.12138, lone_error=0.17422, n_min_pairs=3359.92)
    >>> round(bernstein_cantelli_bound(**adult), 3)
    0.563
    """
    mean, mean_square = _pair_variable(tandem_loss, lone_error)
    upper = unexpected_bernstein_upper(
        mean=mean,
        mean_square=mean_square,
        n=n_min_pairs,
        largest=1.0 - 2.0 * OFFSETS,
        kl_divergence=2 * kl_divergence,
        delta=delta / OFFSETS.size,
    )
    return _smallest(upper)


def split_kl_cantelli_bound(
    *,
    tandem_loss: float,
    lone_error: float,
    n_min_pairs: float,
    kl_divergence: float = 0.0,
    delta: float = 0.05,
) -> float:
    r"""CCPBSkl: T from above and O from below, with the best offset in closed form.

    .. math:: C(t + o/2, t), \qquad t = kl^{+}(\hat T, \varepsilon), \quad
        o = kl^{-}(\hat O, \varepsilon), \quad
        \varepsilon = \frac{2 KL + \ln(2 \xi(n_2)/\delta)}{n_2}

    where C is the C-bound if o >= 2 t, and 4 t otherwise: the least of all offsets mu >= 0. It is
    4 t as well if (t + o/2)^2 > t, which no vote can have: an unlucky sample.

    Parameters as in `bennett_cantelli_bound`.

    Examples
    --------
    >>> splice = dict(tandem_loss=0.05557, lone_error=0.27746, n_min_pairs=876.88)
    >>> round(split_kl_cantelli_bound(**splice), 3)
    0.357
    """
    kl = 2 * kl_divergence
    both = pac_bayes_kl(tandem_loss, n_min_pairs, kl_divergence=kl, delta=delta / 2, moment=xi)
    one = pac_bayes_kl(lone_error, n_min_pairs, kl_divergence=kl, delta=delta / 2, moment=xi)
    t = float(both.upper)
    if t >= 0.25:
        return 1.0
    o = float(one.lower)
    if o < 2.0 * t or (t + o / 2) ** 2 > t:
        return outward(4.0 * t)
    value = c_tandem_oracle(gibbs_loss=t + o / 2, tandem_loss=t)
    return outward(value, scale=2.0 / (0.5 - t - o / 2) ** 2)


def _pair_variable(tandem_loss: float, lone_error: float) -> tuple[FloatArray, FloatArray]:
    """Mean and mean square, for each offset, of 1 - 2 mu where both err and -mu where one does."""
    if not tandem_loss + lone_error <= 1.0 + INPUT_MARGIN:
        raise ValueError(
            f"tandem_loss {tandem_loss} and lone_error {lone_error} sum to more than 1, but"
            " both voters err or exactly one. Compute both on the same points."
        )
    both, one = 1.0 - 2.0 * OFFSETS, -OFFSETS
    mean = both * tandem_loss + one * lone_error
    return mean, both**2 * tandem_loss + one**2 * lone_error


def _smallest(upper: FloatArray) -> float:
    """Smallest bound over the offsets, given upper bounds on the numerator less mu^2."""
    values = (OFFSETS**2 + upper) / (0.5 - OFFSETS) ** 2
    best = int(np.argmin(values))
    return outward(float(values[best]), scale=float((0.5 - OFFSETS[best]) ** -2))


def _bound(name: str, label: str, method: str, formula: Callable[..., float]) -> Bound:
    return Bound(
        name=name,
        label=label,
        summary=f"Chebyshev-Cantelli with offset by {method}",
        theorem="Wu et al. 2021, 2022",
        labels_used="held-out labels",
        formula=formula,
        terms=lambda averages: {
            "tandem_loss": averages.tandem_loss,
            "lone_error": averages.lone_error,
            "n_min_pairs": averages.n_min_pairs,
            "kl_divergence": averages.kl_divergence,
        },
        needs=(PAIR_OVERLAPS,),
    )


bennett_cantelli = _bound("bennett_cantelli", "CCPBB", "Bennett", bennett_cantelli_bound)
bernstein_cantelli = _bound(
    "bernstein_cantelli", "CCPBUB", "unexpected Bernstein", bernstein_cantelli_bound
)
split_kl_cantelli = _bound("split_kl_cantelli", "CCPBSkl", "split-kl", split_kl_cantelli_bound)
