"""Numbers as text, rounded to the safe side."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext

ANY_FLOAT = Context(prec=400)
"""More digits than any float has before the point, or zeros after it."""


def rounded_up(value: float | Decimal, decimals: int = 3) -> str:
    """Decimal text that is never below the value, with at least two significant digits.

    Examples
    --------
    >>> rounded_up(0.14801), rounded_up(0.000123), rounded_up(1.0)
    ('0.149', '0.00013', '1.000')
    """
    if value > 0:
        decimals = max(decimals, 1 - math.floor(math.log10(value)))
    return str(Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_CEILING, ANY_FLOAT))


def percent(delta: float) -> str:
    """Confidence in percent, never above 1 - delta: 1 - 1e-9 must not be printed as 100%.

    Examples
    --------
    >>> percent(0.05), percent(1e-9), percent(0.05 / 3)
    ('95%', '99.9999999%', '98.33%')
    """
    written = Decimal(repr(float(delta)))
    with localcontext(ANY_FLOAT):
        rounded = written.quantize(Decimal(1).scaleb(written.adjusted() - 2), ROUND_CEILING)
        return f"{((1 - rounded) * 100).normalize():f}%"


def rounded_down(value: float | Decimal, decimals: int = 3) -> str:
    """Decimal text that is never above the value."""
    return str(Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_FLOOR, ANY_FLOAT))


def in_percent(share: float | str, rounded: Callable[[Decimal, int], str]) -> str:
    """Share in percent, to one decimal, by `rounded_up` or `rounded_down`.

    A text is taken as it is written: 0.07 is a little more in binary.

    Examples
    --------
    >>> in_percent(0.07, rounded_up), in_percent("0.07", rounded_up)
    ('7.1%', '7.0%')
    """
    return f"{rounded(100 * Decimal(share), 1)}%"
