r"""Catoni's inequality with tilts planned in advance: PAC-Bayes without the moment xi(n).

For a tilt C >= 0 let

.. math:: \psi_C(\hat p, q) = -C \hat p - \ln(1 - q (1 - e^{-C})),

so that kl(p^‖q) is the largest psi_C over C wherever p^ <= q. Losses in [0, 1] with mean q satisfy
E exp(n psi_C(p^, q)) <= 1, because exp(-C x) lies below its chord. PAC-Bayes-kl pays ln xi(n),
about half of ln n, to have all tilts at once. But whoever tests one supposed mean q may fix the
tilt beforehand: to refute q with x nats it should be sqrt(2 x / (n q)). Only x is unknown, because
KL(rho‖pi) is: an average over a few planned x, heavy on the smallest, pays less than a nat where
the divergence is small, and stays of expectation at most 1.

The evidence n psi_C with C = r / sqrt(q) grows with q. With a = 1 - e^-C and p = q e^-C / (1 - q a)
its derivative is n (a / (1 - q a) + C' (p - p^)), where C' q = -C / 2. Where p <= p^ both terms are
positive; elsewhere their sum is at least (a - e^-C C / 2) / (1 - q a), positive because
e^C - 1 > C / 2. So a single root separates the means that are refuted from those that are not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.inequalities.kl_intervals import check_delta
from tandemvote.inequalities.kl_inverse import SMALLEST_NORMAL, check_rate
from tandemvote.inequalities.outward import ARITHMETIC_MARGIN, INPUT_MARGIN, FloatArray

LOG_SHARES: FloatArray = np.log([1 / 4, *(3 / 8 * 0.5 ** np.arange(7)), 3 / 512])
"""Shares of the plans: a quarter for no tilt at all, the rest halves from plan to plan."""

LEAST_EVIDENCE = float(LOG_SHARES[0])
"""The evidence never falls below this, thanks to the share without a tilt."""

HALVINGS = 60


def catoni_rates(n: float, *, delta: float = 0.05) -> FloatArray:
    r"""Rates r to fix in advance; the tilt against a mean q is r / sqrt(q).

    0, and sqrt(2 x / n) for plans of x = ln(1/delta) times 1, 2, 4, ..., 128 nats.

    Parameters
    ----------
    n : float
        Sample size; where sizes differ any typical one that does not depend on the data.
    delta : float in (0, 1)
        Failure probability.

    Examples
    --------
    >>> catoni_rates(1000.0).round(3).tolist()
    [0.0, 0.077, 0.109, 0.155, 0.219, 0.31, 0.438, 0.619, 0.876]
    """
    check_delta(delta)
    plans = np.log(1.0 / delta) * 2.0 ** np.arange(LOG_SHARES.size - 1)
    return np.append(0.0, np.sqrt(2.0 * plans / max(n, 1.0)))


def catoni_evidence(loss: ArrayLike, mean: ArrayLike, n: ArrayLike, *, rates: FloatArray) -> Any:
    r"""Evidence in nats against a mean as large as supposed, rounded down.

    .. math:: \ln \sum_j s_j \exp(n \psi_{C_j}(\hat p, q)), \qquad C_j = r_j / \sqrt q

    It grows with the mean q, and for the true mean its exponential has expectation at most 1.

    Parameters
    ----------
    loss : array_like of float in [0, 1]
        Observed mean p^ of n independent losses in [0, 1].
    mean : array_like of float in (0, 1]
        Supposed true mean q.
    n : array_like of float
        Sample size.
    rates : ndarray
        From `catoni_rates`, fixed before seeing the losses.

    Examples
    --------
    >>> rates = catoni_rates(1000.0)
    >>> catoni_evidence(0.1, [0.1, 0.14, 0.18], 1000, rates=rates).round(2).tolist()
    [-1.27, 6.12, 21.65]
    """
    loss, mean, n = (np.asarray(a, float)[..., None] for a in (loss, mean, n))
    tilt = rates / np.sqrt(mean)
    evidence = n * (-tilt * loss - np.log1p(mean * np.expm1(-tilt)))
    rounding = ARITHMETIC_MARGIN * n * tilt * (loss + mean)
    return np.logaddexp.reduce(evidence - rounding + LOG_SHARES, axis=-1)


def catoni_upper(
    loss: ArrayLike,
    n: ArrayLike,
    *,
    rates: FloatArray,
    kl_divergence: ArrayLike = 0.0,
    delta: float = 0.05,
) -> Any:
    r"""Upper bound on the true average loss, for all weights at once, rounded up.

    .. math:: \max\Big\{q : \ln \sum_j s_j \exp(n \psi_{C_j}(\hat p, q))
        \le KL + \ln\frac1\delta\Big\}

    By Donsker and Varadhan's formula, as in PAC-Bayes-kl: psi_C is convex in (p^, q). With a
    harmonic size, its divergence takes the place of KL.

    Parameters
    ----------
    loss, n, rates
        As in `catoni_evidence`; the loss may be averaged over the posterior.
    kl_divergence : array_like of float >= 0
        KL(rho‖pi), twice that for pairs of voters.
    delta : float in (0, 1)
        Failure probability.

    Examples
    --------
    >>> rates = catoni_rates(1000.0)
    >>> float(catoni_upper(0.1, 1000, rates=rates).round(4))  # PAC-Bayes-kl says 0.1396
    0.1274
    """
    check_delta(delta)
    loss, n, kl_divergence = np.broadcast_arrays(
        check_rate(loss), np.asarray(n, float), np.asarray(kl_divergence, float)
    )
    nats = (kl_divergence - np.log(delta)) * (1.0 + ARITHMETIC_MARGIN)
    return evidence_inverse(
        np.minimum(loss * (1.0 + INPUT_MARGIN), 1.0), n, rates=rates, evidence=nats
    )


def evidence_inverse(
    loss: ArrayLike, n: ArrayLike, *, rates: FloatArray, evidence: ArrayLike
) -> Any:
    """Smallest mean, rounded up, against which there is that much evidence; 1 if there is none.

    Examples
    --------
    >>> mean = evidence_inverse(0.1, 1000, rates=catoni_rates(1000.0), evidence=5.36)
    >>> float(mean.round(3))
    0.137
    """
    loss, n, evidence = np.broadcast_arrays(*(np.asarray(a, float) for a in (loss, n, evidence)))
    left, right = np.full(loss.shape, SMALLEST_NORMAL), np.ones(loss.shape)
    for _ in range(HALVINGS):  # the evidence grows with the mean: keep the end where it suffices
        middle = 0.5 * (left + right)
        enough = catoni_evidence(loss, middle, n, rates=rates) >= evidence
        left, right = np.where(enough, left, middle), np.where(enough, middle, right)
    return right[()]
