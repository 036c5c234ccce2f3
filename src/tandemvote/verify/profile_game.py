r"""The bound from unlabeled samples: every error rate above it is refuted by what was seen.

A random voter errs at a rate g, the vote or another classifier at a rate L. The held-out labels
give the evidence E(g) against errors as rare as seen, Catoni's inequality averaged over a grid of
tilts. Bets on the unlabeled samples give the evidence B(L, g) against an average of
(s - gap)_+ - (1 - lead) of at least s L - g, averaged over some slopes s. L is refuted if for every
g both together reach ln(1/delta). The g are parted into cells by the evidence of the labels; within
a cell the least of each evidence counts. Where L = 0 is refuted, the samples do not come from one
source.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple

from tandemvote.verify.arithmetic import HALF, Arithmetic, order
from tandemvote.verify.averages import Evidence, SampleSize

N_CELLS = 24
STAKE = Fraction(9, 10)

NEARBY = Fraction(1, 2 * 10**9)
"""How far below the stated value an error rate must be that is not refuted."""

FACTORS = 16
"""Factors of the capital that are multiplied before a logarithm is taken."""

COARSE = 14
"""Halvings that locate the true value where the stated one is wrong."""

NO_TILT = Fraction(1, 16)
"""Share of the tilt 0 in the evidence of the labels."""

SLOPES = (*(Fraction(2, n) for n in (2, 3, 4, 6, 9)), Fraction(0))

FEW_KINKS = 5


def smallest_refuted(
    seen: Evidence, size: SampleSize, delta: Fraction, stated: Fraction
) -> tuple[Fraction, Fraction] | None:
    """Enclose the smallest error rate that is refuted, closely if it is the stated one.

    None if every rate is refuted, beyond rounding. The evidence must have a profile; `size` is what
    its voters are worth in full.
    """
    games = _games(seen)
    nats, least = -seen.arithmetic.log_of(delta), seen.arithmetic.log_of(NO_TILT)
    # For each cell the largest g, and the evidence the labels leave to be found.
    largest = nats - least + size.cost / size.rate
    width, tilts = largest / N_CELLS, _tilts(seen, nats)
    cells = [
        (_largest_gibbs(seen, size, tilts, least + (cell + 1) * width), largest - cell * width)
        for cell in range(N_CELLS)
    ]

    def refutes(error: Fraction) -> bool:
        """Whether an error rate of the vote is too large for what was seen."""
        return all(_refutes(games, g, needed, error, seen.arithmetic) for g, needed in cells)

    if refutes(-NEARBY):
        return None
    below = max(stated - NEARBY, Fraction(0))
    if not refutes(stated):
        low, high = stated, Fraction(1)
    elif below > 0 and refutes(below):
        low, high = Fraction(0), below
    else:
        return below, stated
    for _ in range(COARSE):
        middle = (low + high) / 2
        low, high = (low, middle) if refutes(middle) else (middle, high)
    return low, high


def _tilts(seen: Evidence, nats: Any) -> list[tuple[Fraction, Any]]:
    """Tilts that grow by the half up to the first of at least 4; shares like 1, 1/2, ..."""
    calculate = seen.arithmetic
    rate = calculate.smaller(seen.rate_at_prior, calculate.exactly(1))
    found = [calculate.sqrt(16 * nats * rate)]
    while found[-1] < calculate.exactly(4):
        found.append(found[-1] * 3 / 2)
    shares = [Fraction(1, j) for j in range(1, len(found) + 1)]
    whole = sum(shares) / (1 - NO_TILT)
    return [(share / whole, tilt) for share, tilt in zip(shares, found, strict=True)]


def _largest_gibbs(
    seen: Evidence, size: SampleSize, tilts: list[tuple[Fraction, Any]], evidence: Any
) -> Any:
    """Smallest g against which the labels give that much evidence, divergence included."""
    calculate = seen.arithmetic

    def exceeds(g: Fraction) -> bool | None:
        q, rest = calculate.exactly(g), calculate.exactly(1 - g)
        logs = [calculate.log_of(NO_TILT)]
        for share, tilt in tilts:
            # The exponential of a large tilt is 0 in floating point.
            shrunk = calculate.log(rest + q * calculate.exp(-tilt)) if g < 1 else -tilt
            found = (tilt * seen.gibbs.part + shrunk) / size.rate
            logs.append(calculate.log_of(share) - found)
        return order(_log_sum(logs, calculate), evidence)

    if not exceeds(Fraction(1)):
        return calculate.exactly(1)
    return calculate.bisect(exceeds, Fraction(1, 2**1000), Fraction(1))


class _Game(NamedTuple):
    """Share and slope, the largest and all values of phi, and bets for a goal of a nat."""

    share: Fraction
    slope: Fraction
    largest: Fraction
    phi: list[Any]
    bets: list[Any]


def _games(seen: Evidence) -> list[_Game]:
    """Return the games that share the evidence of the unlabeled samples."""
    n, of_vote = seen.record.n_voters, seen.record.deployed is None
    if of_vote or n > FEW_KINKS:
        shares = [(Fraction(1, len(SLOPES)), slope) for slope in SLOPES]
    else:  # slopes 1, ..., 2/K, 1/K and 0, each with 3/4 of what is left
        shares = [(Fraction(3, 4**game), 1 - Fraction(game - 1, n)) for game in range(1, n + 1)]
        shares.append((Fraction(1, 4**n), Fraction(0)))
    number, sqrt = seen.arithmetic.exactly, seen.arithmetic.sqrt
    leads, gaps = (
        map(Fraction, shares.tolist()) for shares in (seen.record.profile or {}).values()
    )
    points = list(zip(leads, gaps, strict=True))
    games = []
    for share, slope in shares:
        largest = max(slope - HALF, Fraction(0)) if of_vote else slope
        phi = [
            number(min(max(slope - gap, Fraction(0)) - (1 - lead), largest)) for lead, gap in points
        ]
        # The guess before any sample: the middle of the range, half its width as deviation.
        total = number((slope - 1 + largest) / 2)
        squares = number((largest - slope + 1) ** 2 / 4)
        bets = []
        for i, value in enumerate(phi, start=1):
            bets.append(sqrt(2 * i / (len(phi) * squares)) if squares > 0 else None)
            before = total / i
            total = total + value
            squares = squares + (value - before) * (value - total / (i + 1))
        games.append(_Game(share, slope, largest, phi, bets))
    return games


def _refutes(
    games: list[_Game], g: Any, needed: Any, error: Fraction, calculate: Arithmetic
) -> bool:
    """Whether bets find the evidence needed against an error rate where voters err at most at g."""
    number, limit = calculate.exactly, calculate.exactly(1)
    for game in games:
        if game.slope:
            most = number(game.largest / game.slope) + g / number(game.slope)
            limit = calculate.smaller(limit, most)
    if number(error) >= limit:
        return True  # nothing errs more often where a random voter errs at that rate
    goal = calculate.sqrt(needed + 1)
    capitals = []
    for share, slope, largest, phi, bets in games:
        mean = calculate.smaller(number(slope * error) - g, number(largest))
        room = number(largest) - mean
        most = number(STAKE) / room if room > 0 else None
        stakes = (_stake(bet, goal, most, calculate) for bet in bets)
        capital = _log_capital(phi, stakes, mean, calculate)
        capitals.append(calculate.log_of(share) + capital)
    return bool(_log_sum(capitals, calculate) >= needed)


def _stake(bet: Any | None, goal: Any, most: Any | None, calculate: Arithmetic) -> Any:
    """Bet for a goal, cut to the largest allowed; 0 where neither is finite."""
    if bet is None:
        return calculate.exactly(0) if most is None else most
    return bet * goal if most is None else calculate.smaller(bet * goal, most)


def _log_capital(phi: list[Any], stakes: Iterable[Any], mean: Any, calculate: Arithmetic) -> Any:
    one = calculate.exactly(1)
    product, total = one, calculate.exactly(0)
    for i, (value, stake) in enumerate(zip(phi, stakes, strict=True), start=1):
        product = product * (one + stake * (mean - value))
        if i % FACTORS == 0:
            total, product = total + calculate.log(product), one
    return total + calculate.log(product)


def _log_sum(logs: list[Any], calculate: Arithmetic) -> Any:
    """Logarithm of a sum of exponentials, none of which may overflow."""
    largest = max(logs, key=lambda number: calculate.ends(number)[1])
    return largest + calculate.log(sum(calculate.exp(number - largest) for number in logs))
