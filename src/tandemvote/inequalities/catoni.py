r"""Catoni's inequality over a few fixed tilts: PAC-Bayes without the moment xi(n).

For a tilt C > 0 let

.. math:: \psi_C(\hat p, q) = -C \hat p - \ln(1 - q (1 - e^{-C})),

so that kl(p^‖q) is the largest psi_C over C wherever p^ <= q. Losses in [0, 1] with mean q satisfy
E exp(n psi_C(p^, q)) <= 1, because exp(-C x) lies below its chord. The average of these variables
over tilts fixed in advance still has expectation at most 1. PAC-Bayes-kl pays ln xi(n), about half
of ln n, for all tilts at once; a handful of tilts, each twice the one before, pays the logarithm of
their number, and the nearest of them comes within a few per cent of kl.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from tandemvote.inequalities.kl_inverse import check_rate
from tandemvote.inequalities.outward import ARITHMETIC_MARGIN, INPUT_MARGIN, FloatArray
from tandemvote.inequalities.pac_bayes_kl import check_delta

LARGEST_TILT = 5.0
"""Beyond it even a sample without errors gains less than one per cent."""

HALVINGS = 60


def catoni_tilts(n: float, *, delta: float = 0.05) -> FloatArray:
    r"""Tilts to fix in advance: 0, and powers of two from the best one at q = 1/2 up to 5.

    The best tilt for a mean q near 1/2 is about sqrt(8 ln(1/delta) / n), the smallest of all. The
    tilt 0 bets on nothing and keeps the average evidence from falling below -ln(number of tilts).

    Parameters
    ----------
    n : float
        Sample size; where sizes differ any typical one that does not depend on the data.
    delta : float
        Failure probability.

    Examples
    --------
    >>> catoni_tilts(1000.0).tolist()
    [0.0, 0.078125, 0.15625, 0.3125, 0.625, 1.25, 2.5, 5.0]
    """
    check_delta(delta)
    smallest = np.sqrt(8.0 * np.log(1.0 / delta) / max(n, 1.0))
    n_halvings = max(int(np.ceil(np.log2(LARGEST_TILT / smallest))), 0)
    return np.append(0.0, LARGEST_TILT * 0.5 ** np.arange(n_halvings, -1, -1.0))


def catoni_evidence(loss: ArrayLike, mean: ArrayLike, n: ArrayLike, *, tilts: ArrayLike) -> Any:
    r"""Evidence in nats against a true mean as small as an observed loss makes it look.

    .. math:: \ln \frac1J \sum_{j=1}^J \exp(n \psi_{C_j}(\hat p, q))

    It grows with the mean q, and for the true mean its exponential has expectation at most 1.

    Parameters
    ----------
    loss : array_like of float in [0, 1]
        Observed mean p^ of n independent losses in [0, 1].
    mean : array_like of float in [0, 1]
        Supposed true mean q.
    n : array_like of float
        Sample size.
    tilts : array_like of shape (n_tilts,)
        At least 0, fixed before seeing the losses.

    Examples
    --------
    >>> tilts = catoni_tilts(1000.0)
    >>> catoni_evidence(0.1, [0.1, 0.14, 0.18], 1000, tilts=tilts).round(2).tolist()
    [-1.32, 5.17, 22.78]
    """
    loss, mean, n, tilt = np.broadcast_arrays(
        *(np.asarray(a, float)[..., None] for a in (loss, mean, n)), np.asarray(tilts, float)
    )
    evidence = n * (-tilt * loss - np.log1p(mean * np.expm1(-tilt)))
    rounding = ARITHMETIC_MARGIN * n * tilt * (loss + mean)
    return np.asarray(logsumexp(evidence - rounding, axis=-1) - np.log(tilt.shape[-1]))[()]


def catoni_upper(
    loss: ArrayLike,
    n: ArrayLike,
    *,
    tilts: ArrayLike,
    kl_divergence: ArrayLike = 0.0,
    delta: float = 0.05,
) -> Any:
    r"""Upper bound on the true average loss, for all weights at once, rounded up.

    .. math:: \max\Big\{q : \ln \frac1J \sum_j \exp(n \psi_{C_j}(\hat p, q))
        \le KL + \ln\frac1\delta\Big\}

    By Donsker and Varadhan's formula, as in PAC-Bayes-kl: psi_C is convex in (p^, q).

    Parameters
    ----------
    loss, n, tilts
        As in `catoni_evidence`; the loss may be averaged over the posterior.
    kl_divergence : array_like of float >= 0
        KL(rho‖pi), twice that for pairs of voters.
    delta : float in (0, 1)
        Failure probability.

    Examples
    --------
    >>> tilts = catoni_tilts(1000.0)
    >>> float(catoni_upper(0.1, 1000, tilts=tilts).round(4))  # PAC-Bayes-kl says 0.1396
    0.1316
    """
    check_delta(delta)
    loss, n, kl_divergence = np.broadcast_arrays(
        check_rate(loss), np.asarray(n, float), np.asarray(kl_divergence, float)
    )
    allowed = (kl_divergence - np.log(delta)) * (1.0 + ARITHMETIC_MARGIN)
    return evidence_inverse(
        np.minimum(loss * (1.0 + INPUT_MARGIN), 1.0), n, tilts=tilts, evidence=allowed
    )


def evidence_inverse(
    loss: ArrayLike, n: ArrayLike, *, tilts: ArrayLike, evidence: ArrayLike
) -> Any:
    """Smallest mean, rounded up, against which there is that much evidence; 1 if there is none.

    Examples
    --------
    >>> tilts = catoni_tilts(1000.0)
    >>> mean = evidence_inverse(0.1, 1000, tilts=tilts, evidence=5.21)
    >>> float(mean.round(3))
    0.14
    """
    loss, n, evidence = np.broadcast_arrays(*(np.asarray(a, float) for a in (loss, n, evidence)))
    left, right = np.zeros(loss.shape), np.ones(loss.shape)
    for _ in range(HALVINGS):  # the evidence grows with the mean: keep the end where it suffices
        middle = 0.5 * (left + right)
        enough = catoni_evidence(loss, middle, n, tilts=tilts) >= evidence
        left, right = np.where(enough, left, middle), np.where(enough, middle, right)
    return right[()]
