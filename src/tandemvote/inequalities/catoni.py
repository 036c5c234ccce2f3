r"""Catoni's inequality with tilts fixed in advance: PAC-Bayes without the moment xi(n).

For a tilt C >= 0 let

.. math:: \psi_C(\hat p, q) = -C \hat p - \ln(1 - q (1 - e^{-C})).

Losses in [0, 1] with mean q satisfy E exp(n psi_C(p^, q)) <= 1, because exp(-C x) lies below its
chord, and so does the average over a grid of tilts that depends on nothing but the sample size
(proof for all weights at once in ``docs/theory``). The evidence grows with the supposed mean, so a
single root separates the means that are refuted, by Markov's inequality, from those that are not.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.inequalities.divergences import SMALLEST_NORMAL
from tandemvote.inequalities.outward import ARITHMETIC_MARGIN, FloatArray
from tandemvote.inequalities.pac_bayes import check_delta

NO_TILT = 1 / 16  # share of the tilt 0, thanks to which the evidence has a smallest value
LEAST_EVIDENCE = float(np.log(NO_TILT))
TILT_RATIO, LARGE_TILT = 1.5, 4.0  # between tilts, and where they end: exp(-4) is nearly 0 already
HALVINGS = 60


class Tilts(NamedTuple):
    """Tilts fixed before seeing the losses, and logarithms of their shares."""

    values: FloatArray
    log_shares: FloatArray


def catoni_tilts(n: float, *, delta: float = 0.05) -> Tilts:
    r"""Grid of tilts for a sample size: 0, and sqrt(16 ln(1/delta) / n) times 1, 1.5, 2.25, ...

    To collect x nats against a mean q the best tilt is about sqrt(2 x / (n q (1 - q))); the first
    suits x = 2 ln(1/delta) and q = 1/2, or fewer nats and a smaller q; later ones suit smaller q
    and larger divergences. Their shares fall as 1, 1/2, 1/3, ... Where sample sizes differ, n is
    any typical one that does not depend on the data.

    Examples
    --------
    >>> catoni_tilts(1000.0).values.round(2).tolist()
    [0.0, 0.22, 0.33, 0.49, 0.74, 1.11, 1.66, 2.49, 3.74, 5.61]
    """
    check_delta(delta)
    values = [float(np.sqrt(-16.0 * np.log(delta) / max(n, 1.0)))]
    while values[-1] < LARGE_TILT:
        values.append(TILT_RATIO * values[-1])
    shares = 1.0 / np.arange(1.0, len(values) + 1.0)
    shares *= (1.0 - NO_TILT) / shares.sum()
    return Tilts(np.array([0.0, *values]), np.log(np.append(NO_TILT, shares)))


def catoni_evidence(loss: ArrayLike, mean: ArrayLike, n: ArrayLike, *, tilts: Tilts) -> Any:
    r"""Evidence in nats against a mean as large as supposed, rounded down.

    .. math:: \ln \sum_j s_j \exp(n \psi_{C_j}(\hat p, q))

    for the observed `loss` p^ of n independent losses in [0, 1] and a supposed `mean` q > 0. For
    the true mean its exponential has expectation at most 1.

    Examples
    --------
    >>> tilts = catoni_tilts(1000.0)
    >>> catoni_evidence(0.1, [0.1, 0.14, 0.18], 1000, tilts=tilts).round(2).tolist()
    [-2.23, 6.08, 22.62]
    """
    loss, mean, n = (np.asarray(a, float)[..., None] for a in (loss, mean, n))
    values = tilts.values
    evidence = n * (-values * loss - np.log1p(mean * np.expm1(-values)))
    rounding = ARITHMETIC_MARGIN * n * values * (loss + mean)
    return np.logaddexp.reduce(evidence - rounding + tilts.log_shares, axis=-1)


def evidence_inverse(loss: ArrayLike, n: ArrayLike, *, tilts: Tilts, evidence: ArrayLike) -> Any:
    """Smallest mean, rounded up, against which there is that much evidence; 1 if no mean has."""
    loss, n, evidence = np.broadcast_arrays(*(np.asarray(a, float) for a in (loss, n, evidence)))
    left, right = np.full(loss.shape, SMALLEST_NORMAL), np.ones(loss.shape)
    for _ in range(HALVINGS):  # the evidence grows with the mean: keep the end where it suffices
        middle = 0.5 * (left + right)
        enough = catoni_evidence(loss, middle, n, tilts=tilts) >= evidence
        left, right = np.where(enough, left, middle), np.where(enough, middle, right)
    return right[()]
