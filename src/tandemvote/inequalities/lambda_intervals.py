"""PAC-Bayes-lambda: the smooth relaxation used to choose weights (Theorem 8 of the paper)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.inequalities.kl_intervals import complexity
from tandemvote.inequalities.moments import Moment, two_sqrt
from tandemvote.inequalities.outward import INPUT_MARGIN


class LambdaInterval(NamedTuple):
    """Both ends of the relaxed statement, and the parameters that make each as tight as it gets."""

    lower: Any
    upper: Any
    lam: Any
    gamma: Any


def pac_bayes_lambda(
    loss: ArrayLike,
    n: ArrayLike,
    *,
    kl_divergence: ArrayLike = 0.0,
    delta: float = 0.05,
    moment: Moment = two_sqrt,
) -> LambdaInterval:
    r"""Upper bound with the best lambda and lower bound with the best gamma.

    .. math::
        L \le \frac{\hat L}{1 - \lambda/2} + \frac{k}{\lambda (1 - \lambda/2)}, \qquad
        L \ge (1 - \gamma/2) \hat L - \frac{k}{\gamma}, \qquad
        k = \frac{KL + \ln(2 \sqrt{n} / \delta)}{n}

    hold for all lambda in (0, 2) and gamma > 0 at once. The best parameters are
    lambda = 2 / (sqrt(2 L^ / k + 1) + 1) and gamma = sqrt(2 k / L^); with them the bounds become
    L^ + k + sqrt(k^2 + 2 L^ k) and L^ - sqrt(2 L^ k).

    Parameters as in `pac_bayes_kl`. `upper` may exceed 1; `gamma` is infinite where the loss is 0.

    Examples
    --------
    >>> bound = pac_bayes_lambda(0.1, 1000)
    >>> round(float(bound.lower), 4), round(float(bound.upper), 4), round(float(bound.lam), 3)
    (0.0622, 0.1456, 0.313)
    """
    k = complexity(n, kl_divergence=kl_divergence, delta=delta, moment=moment)
    loss = np.asarray(loss, float)
    with np.errstate(divide="ignore", over="ignore"):
        gamma = np.sqrt(2.0 * k / loss)
    upper = eliminated_upper(loss, k) * (1.0 + INPUT_MARGIN)
    lower = np.maximum(loss - np.sqrt(2.0 * loss * k) - INPUT_MARGIN * loss, 0.0)
    return LambdaInterval(lower=lower[()], upper=upper[()], lam=best_lambda(loss, k), gamma=gamma)


def best_lambda(loss: ArrayLike, k: ArrayLike) -> Any:
    """Minimiser over (0, 2) of loss / (1 - lam / 2) + k / (lam (1 - lam / 2))."""
    loss, k = np.asarray(loss, float), np.asarray(k, float)
    return (2.0 / (np.sqrt(2.0 * loss / k + 1.0) + 1.0))[()]


def eliminated_upper(loss: ArrayLike, k: ArrayLike) -> Any:
    """Value of that minimum: loss + k + sqrt(k^2 + 2 loss k)."""
    loss, k = np.asarray(loss, float), np.asarray(k, float)
    return (loss + k + np.sqrt(k * (k + 2.0 * loss)))[()]
