r"""The bound from unlabeled samples: every error rate above it is refuted by what was seen.

A random voter errs at a rate g, the vote or another classifier at a rate L. The held-out labels
give the evidence E(g) against errors as rare as seen, Catoni's inequality averaged over a grid of
tilts. Bets on the unlabeled samples give the evidence B(L, g) against an average of
(s - gap)_+ - (1 - lead) of at least s L - g, averaged over some slopes s. L is refuted if for every
g both together reach ln(1/delta). The g are parted into cells by the evidence of the labels; within
a cell the least of each evidence counts. Where L = 0 is refuted, the samples are not drawn from the
same distribution.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from tandemvote.record.encodings import FloatArray
from tandemvote.verify.arithmetic import HALF, Arithmetic, is_above
from tandemvote.verify.averages import Quantities, SampleSize

N_CELLS = 24
"""Cells of g, by the evidence of the labels."""

STAKE = Fraction(9, 10)
"""Largest part of the capital that a bet can lose."""

NEARBY = Fraction(1, 2 * 10**9)
"""Distance up to which two error rates count as equal."""

FACTORS = 512
"""Factors from 1/2 to 1 that are multiplied at a time: their product does not underflow."""

FACTOR_ERROR = 2.0**-48
"""Upper limit of the relative rounding errors of a factor and of its product with others."""

FOUR_ROUNDINGS = 2.0**-50
"""Upper limit of the rounding error of phi, which lies between -1 and 1."""

COARSE = 14
"""Halvings that locate the true value where the stated one is wrong."""

NO_TILT = Fraction(1, 16)
"""Share of the tilt 0 in the evidence of the labels."""

SLOPES = (*(Fraction(2, n) for n in (2, 3, 4, 6, 9)), Fraction(0))
"""Slopes s of the games about a vote, or about a deployed classifier with many voters."""

FEW_KINKS = 5
"""Voters up to which the games about a deployed classifier have slopes of their own."""


def smallest_refuted(
    seen: Quantities, size: SampleSize, delta: Fraction, stated: Fraction
) -> tuple[Fraction, Fraction] | None:
    """Enclose the smallest error rate that is refuted, closely if it is the stated one.

    None if every rate is refuted, beyond rounding. The evidence must have a profile; `size` is what
    its voters are worth in full.
    """
    games = _games(seen)
    nats, least = -seen.arithmetic.log_of(delta), seen.arithmetic.log_of(NO_TILT)
    # For each cell the largest g, and the evidence the labels leave to be found.
    largest = nats - least + size.cost / size.rate
    width, tilts = largest / N_CELLS, _tilts(size, nats)
    cells = [
        (_largest_gibbs(seen, size, tilts, least + (cell + 1) * width), largest - cell * width)
        for cell in range(N_CELLS)
    ]

    def refutes(error: Fraction) -> bool:
        """Return True if an error rate of the vote is too large for what was observed."""
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


def _tilts(size: SampleSize, nats: Any) -> list[tuple[Fraction, Any]]:
    """Tilts that grow by the half up to the first of at least 4; shares like 1, 1/2, ..."""
    calculate = size.arithmetic
    rate = calculate.smaller(size.rate_at_prior, calculate.exactly(1))
    tilts = [calculate.sqrt(16 * nats * rate)]
    while tilts[-1] < calculate.exactly(4):
        tilts.append(tilts[-1] * 3 / 2)
    shares = [Fraction(1, j) for j in range(1, len(tilts) + 1)]
    whole = sum(shares) / (1 - NO_TILT)
    return [(share / whole, tilt) for share, tilt in zip(shares, tilts, strict=True)]


def _largest_gibbs(
    seen: Quantities, size: SampleSize, tilts: list[tuple[Fraction, Any]], evidence: Any
) -> Any:
    """Smallest g against which the labels give that much evidence, divergence included."""
    calculate = seen.arithmetic

    def exceeds(g: Fraction) -> bool | None:
        q, rest = calculate.exactly(g), calculate.exactly(1 - g)
        logs = [calculate.log_of(NO_TILT)]
        for share, tilt in tilts:
            # The exponential of a large tilt is 0 in floating point.
            shrunk = calculate.log(rest + q * calculate.exp(-tilt)) if g < 1 else -tilt
            evidence_of_tilt = (tilt * seen.gibbs.part + shrunk) / size.rate
            logs.append(calculate.log_of(share) - evidence_of_tilt)
        return is_above(_log_sum(logs, calculate), evidence)

    if not exceeds(Fraction(1)):
        return calculate.exactly(1)
    return calculate.bisect(exceeds, Fraction(1, 2**1000), Fraction(1))


class _Game(NamedTuple):
    """A share of the evidence and a slope, the largest and all values of phi, and bets for one nat.

    Phi is (s - gap)_+ - (1 - lead), rounded up.
    """

    share: Fraction
    slope: Fraction
    largest: Fraction
    phi: FloatArray
    bets: FloatArray


def _games(seen: Quantities) -> list[_Game]:
    """Return the games that share the evidence of the unlabeled samples."""
    n, of_vote = seen.record.n_voters, seen.record.deployed is None
    if of_vote or n > FEW_KINKS:
        shares = [(Fraction(1, len(SLOPES)), slope) for slope in SLOPES]
    else:  # slopes 1, ..., 2/K, 1/K and 0, each with 3/4 of what is left
        shares = [(Fraction(3, 4**game), 1 - Fraction(game - 1, n)) for game in range(1, n + 1)]
        shares.append((Fraction(1, 4**n), Fraction(0)))
    profile = seen.record.profile
    assert profile is not None
    games = []
    for share, slope in shares:
        largest = max(slope - HALF, Fraction(0)) if of_vote else slope
        phi = np.maximum(float(slope) - profile.gaps, 0.0) - (1.0 - profile.leads) + FOUR_ROUNDINGS
        phi = np.minimum(phi, _rounded_up(largest))
        bets = _bets(phi, float(slope - 1 + largest) / 2, float(largest - slope + 1) / 2)
        games.append(_Game(share, slope, largest, phi, bets))
    return games


def _bets(phi: FloatArray, middle: float, deviation: float) -> FloatArray:
    """Bet by the mean and deviation of the samples before; at first by the range of phi.

    Any bets that depend on earlier samples alone are valid, so that their rounding is harmless.
    """
    number = np.arange(1.0, phi.size + 1)
    total = np.cumsum(np.append(middle, phi))
    steps = (phi - total[:-1] / number) * (phi - total[1:] / (number + 1))
    squares = np.cumsum(np.append(deviation**2, steps))[:-1]
    with np.errstate(divide="ignore"):
        return np.asarray(np.sqrt(2 * number / (phi.size * np.maximum(squares, 0.0))))


def _refutes(
    games: list[_Game], g: Any, needed: Any, error: Fraction, calculate: Arithmetic
) -> bool:
    """Return True if bets refute an error rate of the vote where voters err at most at g."""
    most = calculate.ends(g)[1]
    limits = [(game.largest + most) / game.slope for game in games if game.slope]
    if error >= min(Fraction(1), *limits):
        return True  # nothing errs more often where a random voter errs at that rate
    goal = math.sqrt(calculate.middle(needed) + 1)
    capitals = []
    for game in games:
        mean = -_rounded_up(-min(game.slope * error - most, game.largest))
        room = float(np.nextafter(_rounded_up(game.largest) - mean, math.inf))
        stakes = np.minimum(game.bets * goal, float(STAKE) / room)
        log_capital = _log_capital(game.phi, stakes, mean, calculate)
        capitals.append(calculate.log_of(game.share) + log_capital)
    return bool(_log_sum(capitals, calculate) >= needed)


def _log_capital(phi: FloatArray, stakes: FloatArray, mean: float, calculate: Arithmetic) -> Any:
    """Logarithm of the product of 1 + stake (mean - phi), proven from below.

    A factor is at least 1/10 and has a relative rounding error of at most 30 units, a product of
    one. No logarithm is taken but of the product, whose exponent is counted apart.
    """
    factors, exponent = 1.0 + stakes * (mean - phi), 0
    while factors.size > 1:
        factors, exponents = np.frexp(factors)
        exponent += int(exponents.sum(dtype=np.int64))
        factors = np.multiply.reduceat(factors, np.arange(0, factors.size, FACTORS))
    error = calculate.exactly(phi.size * Fraction(FACTOR_ERROR))
    log = calculate.log_of(Fraction(factors.item())) + exponent * calculate.log_of(2)
    return log - error


def _rounded_up(x: Fraction) -> float:
    return math.nextafter(float(x), math.inf)


def _log_sum(logs: list[Any], calculate: Arithmetic) -> Any:
    """Logarithm of a sum of exponentials, none of which may overflow."""
    largest = max(logs, key=lambda number: calculate.ends(number)[1])
    return largest + calculate.log(sum(calculate.exp(number - largest) for number in logs))
