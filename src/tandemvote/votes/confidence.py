"""The confidence of a guarantee, and its failure probability."""

from decimal import Decimal
from numbers import Real

from tandemvote.votes.parameter_error import ParameterError

MAX_DELTA = 0.5
"""Largest failure probability of a certificate and its file."""


def failure_probability(confidence: float) -> float:
    """Return 1 minus the confidence as it is written: 0.05 for 0.95, without rounding upwards.

    Examples
    --------
    >>> failure_probability(0.95), 1 - 0.95 > 0.05
    (0.05, True)
    """
    if not isinstance(confidence, Real) or not 1 - MAX_DELTA <= confidence < 1.0:
        raise ParameterError(
            f"confidence={confidence!r} is not valid; expected at least 0.5 and less than 1, as a"
            " number such as 0.95.",
            confidence=confidence,
        )
    return float(1 - Decimal(repr(float(confidence))))
