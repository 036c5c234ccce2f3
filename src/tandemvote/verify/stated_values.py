"""Numbers of a file next to what they should be."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Context, Decimal, localcontext
from fractions import Fraction

from tandemvote.verify.rules import Truth

TOLERANCE = Fraction(1, 10**9)
"""How far above the truth a stated value may be; without rigour also how far below."""

MAGNIFIED = TOLERANCE / 20
"""The same, times the smallest denominator of a formula that divides."""

LARGEST_SHOWN = 10**6
"""No number of a certificate is large; of one that is, no more is shown."""


def wrong_value(what: str, value: Fraction, truth: Truth, *, rigorous: bool) -> Iterator[str]:
    """Say whether an upper limit is below the truth, or above it for no reason."""
    if truth.problem is not None:
        yield truth.problem
    if truth.or_one and value == 1:
        return
    slack = TOLERANCE
    if truth.smallest_denominator < MAGNIFIED / TOLERANCE:
        slack = MAGNIFIED / max(truth.smallest_denominator, MAGNIFIED)
    if value < (truth.high if rigorous else truth.high - slack):
        shown, real = told_apart(value, truth.low)
        yield f"{what} is {shown} in the file and at least {real} by its own counts"
    if value > truth.low + slack:
        shown, real = told_apart(value, truth.high)
        yield f"{what} is {shown} in the file and only {real} by its own counts"


def wrong_decimal(what: str, value: float, printed: str) -> Iterator[str]:
    """Say whether a value was not rounded up to the decimals that are printed."""
    last_place = int(Decimal(printed).as_tuple().exponent)
    excess = Fraction(printed) - Fraction(value)
    as_we_print = str(Decimal(printed)) == printed and last_place <= -3
    if not as_we_print or not 0 <= excess < Fraction(1, 10**-last_place):
        yield f"{what} is {value!r} in the file, but printed as {printed}"


def told_apart(first: Fraction, second: Fraction) -> tuple[str, str]:
    """Return both numbers with as many decimals as it takes to tell them apart.

    Examples
    --------
    >>> told_apart(Fraction("0.3812"), Fraction("0.38199"))
    ('0.381', '0.382')
    >>> told_apart(Fraction(10**300), Fraction(1))
    ('more than 1000000', '1.000')
    """
    for decimals in range(3, 40):
        texts = [_decimal_text(number, decimals) for number in (first, second)]
        if texts[0] != texts[1]:
            break
    return texts[0], texts[1]


def _decimal_text(number: Fraction, decimals: int) -> str:
    if abs(number) > LARGEST_SHOWN:
        return f"{'less than -' if number < 0 else 'more than '}{LARGEST_SHOWN}"
    with localcontext(Context(prec=60)):
        return f"{Decimal(number.numerator) / number.denominator:.{decimals}f}"
