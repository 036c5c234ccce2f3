"""How large E[exp(n kl(L^‖L))] can be: the number inside the logarithm of PAC-Bayes-kl."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaincc, gammaln

Moment = Callable[[ArrayLike], Any]

STIRLING_SERIES = (1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12)


def xi(n: ArrayLike) -> Any:
    r"""Exact moment of a sample of n points.

    .. math::
        \xi(n) = \sum_{k=0}^n \binom{n}{k} (k/n)^k (1 - k/n)^{n - k}
               = e^n n^{-n} \Gamma(n + 1, n) = \sqrt{\pi n / 2} + 2/3 + O(1 / \sqrt{n})

    The incomplete gamma function gives it in constant time and for real n. The prefactor is
    Stirling's: above 16 its series replaces the difference of large logarithms.

    Parameters
    ----------
    n : array_like of float >= 1
        Sample size.

    Examples
    --------
    >>> xi([1, 2, 3]).round(12).tolist()  # 2, 5/2, 26/9
    [2.0, 2.5, 2.888888888889]
    >>> float(round(xi(10**9) / np.sqrt(np.pi * 10**9 / 2), 6))
    1.000017
    """
    n = np.asarray(n, float)
    large = np.maximum(n, 16.0)
    correction = np.polyval(STIRLING_SERIES, large**-2) / large
    stirling = np.sqrt(2 * np.pi * large) * np.exp(correction)
    small = np.minimum(n, 16.0)
    direct = np.exp(small - small * np.log(small) + gammaln(small + 1))
    return (np.where(n >= 16, stirling, direct) * gammaincc(n + 1, n))[()]


def two_sqrt(n: ArrayLike) -> Any:
    r"""Maurer's upper bound :math:`\xi(n) \le 2 \sqrt{n}`, the form printed in the paper."""
    return 2.0 * np.sqrt(np.asarray(n, float))


def trinomial_moment(n: ArrayLike) -> Any:
    r"""Upper bound :math:`\xi(n) + n` on the same moment for the divergence of three outcomes."""
    return xi(n) + np.asarray(n, float)


def exact(moment: Moment) -> Moment:
    """Return what the moment is an upper bound for: xi for 2 sqrt(n), others as they are."""
    return xi if moment is two_sqrt else moment
