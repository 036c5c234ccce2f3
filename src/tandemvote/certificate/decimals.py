"""Numbers as text, rounded to the safe side."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal


def rounded_up(value: float, decimals: int = 3) -> str:
    """Decimal text that is never below the value, with at least two significant digits.

    Examples
    --------
    >>> rounded_up(0.14801), rounded_up(0.000123), rounded_up(1.0)
    ('0.149', '0.00013', '1.000')
    """
    if value > 0:
        decimals = max(decimals, 1 - math.floor(math.log10(value)))
    return str(Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_CEILING))


def percent(delta: float) -> str:
    """Confidence in percent, exact: 1 - 1e-9 must not be printed as 100 %.

    Examples
    --------
    >>> percent(0.05), percent(1e-9)
    ('95 %', '99.9999999 %')
    """
    return f"{((1 - Decimal(repr(float(delta)))) * 100).normalize():f} %"


def rounded_down(value: float | Decimal, decimals: int = 3) -> str:
    """Decimal text that is never above the value."""
    return str(Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_FLOOR))


def failure_probability(confidence: float) -> float:
    """Return 1 minus the confidence as it is written: 0.05 for 0.95, without rounding upwards.

    Examples
    --------
    >>> failure_probability(0.95), 1 - 0.95 > 0.05
    (0.05, True)
    """
    return float(1 - Decimal(repr(float(confidence))))
