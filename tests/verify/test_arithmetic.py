"""The verifier's own numbers against mpmath, definitions and brute force."""

from fractions import Fraction
from math import comb

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tandemvote.bounds import BOUNDS
from tandemvote.verify.arithmetic import Arithmetic, Balls
from tandemvote.verify.rules import RULES, supremum

BALLS = Balls()


@pytest.fixture(autouse=True)
def precision():
    with BALLS.context(), mpmath.workdps(60):
        yield


def as_mpmath(fraction):
    return mpmath.mpf(fraction.numerator) / fraction.denominator


def assert_encloses(ball, truth, width=1e-15):
    low, high = map(as_mpmath, BALLS.ends(ball))
    assert low <= truth <= high
    assert high - low < width


def kl(p, q):
    terms = [(p, q), (1 - p, 1 - q)]
    return sum((a * mpmath.log(a / b) for a, b in terms if a), mpmath.mpf(0))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 10**6), st.integers(1, 10**9))
def test_inverses_of_kl_enclose_the_root(k, n, divergence):
    p, allowed = Fraction(min(k, n), n), Fraction(divergence, 10**9)
    part, rest = BALLS.exactly(p), BALLS.exactly(1 - p)
    lower = 1 - BALLS.kl_upper(rest, part, BALLS.exactly(allowed))
    upper = BALLS.kl_upper(part, rest, BALLS.exactly(allowed))
    low, high = (list(map(as_mpmath, BALLS.ends(ball))) for ball in (lower, upper))
    exact_p, exact_allowed = as_mpmath(p), as_mpmath(allowed)
    # The divergence is monotone on either side of p, so its values at the ends decide.
    if p < 1:
        assert kl(exact_p, high[0]) <= exact_allowed
        assert high[1] >= 1 or exact_allowed <= kl(exact_p, high[1])
        assert high[1] - high[0] < 1e-30
    if p > 0:
        assert kl(exact_p, low[1]) <= exact_allowed
        assert low[0] <= 0 or exact_allowed <= kl(exact_p, low[0])
        assert low[1] - low[0] < 1e-30
    part, rest = float(p), float(1 - p)
    assert abs(Arithmetic().kl_upper(part, rest, float(allowed)) - high[0]) < 1e-10
    assert abs(1 - Arithmetic().kl_upper(rest, part, float(allowed)) - low[0]) < 1e-10


def test_coins_with_one_side_have_closed_forms():
    zero, one = BALLS.exactly(0), BALLS.exactly(1)
    allowed = BALLS.exactly(Fraction(1, 3))
    assert_encloses(BALLS.kl_upper(zero, one, allowed), 1 - mpmath.exp(-mpmath.mpf(1) / 3))
    assert_encloses(1 - BALLS.kl_upper(zero, one, allowed), mpmath.exp(-mpmath.mpf(1) / 3))
    assert BALLS.ends(BALLS.kl_upper(one, zero, allowed)) == (1, 1)
    assert BALLS.ends(1 - BALLS.kl_upper(one, zero, allowed)) == (0, 0)
    assert BALLS.ends(BALLS.kl_upper(zero, one, None)) == (1, 1)


def test_a_root_in_the_very_middle_is_still_found():
    one_bit = -BALLS.log(BALLS.exactly(1) / 2)
    ball = BALLS.kl_upper(BALLS.exactly(0), BALLS.exactly(1), one_bit)
    assert_encloses(ball, mpmath.mpf(1) / 2)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 57, 200])
def test_moments_follow_their_definition(n):
    terms = (comb(n, k) * Fraction(k, n) ** k * Fraction(n - k, n) ** (n - k) for k in range(n + 1))
    truth = sum(terms, Fraction(0))
    assert_encloses(BALLS.moment(n), as_mpmath(truth))
    assert Arithmetic().moment(n) == pytest.approx(float(truth), rel=1e-13)


def test_moments_of_large_samples_follow_the_incomplete_gamma_function():
    n = 10**6
    with mpmath.workdps(90):
        truth = mpmath.exp(n - n * mpmath.log(n)) * mpmath.gammainc(n + 1, n)
    assert_encloses(BALLS.moment(n) / 1000, truth / 1000, width=1e-12)


@pytest.mark.parametrize(
    ("k", "n", "delta"), [(0, 1, 0.05), (3, 100, 0.05), (99, 100, 0.9), (50, 1000, 1e-9)]
)
def test_binomial_limits_have_the_tail_they_should(k, n, delta):
    ball = BALLS.binomial_limit(k, n, Fraction(delta))
    low, high = map(as_mpmath, BALLS.ends(ball))
    tails = [1 - mpmath.betainc(k + 1, n - k, 0, p, regularized=True) for p in (low, high)]
    assert tails[1] <= mpmath.mpf(delta) <= tails[0]
    assert high - low < 1e-15
    plain = Arithmetic().binomial_limit(k, n, Fraction(delta))
    assert plain == pytest.approx(float(low), abs=1e-12)
    assert BALLS.ends(BALLS.binomial_limit(n, n, Fraction(delta))) == (1, 1)


@pytest.mark.parametrize(
    ("tandem", "differ", "allowed"),
    [("0.1", "0.2", "0.01"), ("0", "0.1", "0.02"), ("0.05", "0", "0.01"), ("0.2", "0.1", "0.001")],
)
def test_the_supremum_of_c2_is_above_every_allowed_sample_and_reached_by_one(
    tandem, differ, allowed
):
    p = [Fraction(tandem), Fraction(differ)]
    p.append(1 - p[0] - p[1])
    ball = supremum(*map(BALLS.exactly, p), BALLS.exactly(Fraction(allowed)), BALLS)
    low, high = map(float, BALLS.ends(ball))
    assert high - low < 1e-12
    e, d = np.meshgrid(np.linspace(1e-6, 0.5, 1201), np.linspace(1e-6, 0.49, 1201))
    faces = [np.where(q > 0, q, np.nan) for q in (e, d, 1 - e - d)]
    divergence = sum(float(a) * np.log(float(a) / q) for a, q in zip(p, faces, strict=True) if a)
    values = np.where(
        divergence <= float(Fraction(allowed)), 1 - (1 - 2 * e - d) ** 2 / (1 - 2 * d), 0
    )
    assert high - 0.01 < values.max() <= high


def test_c2_says_nothing_where_an_error_of_one_half_is_allowed():
    p = [BALLS.exactly(Fraction(x)) for x in ("0.3", "0.3", "0.4")]
    assert supremum(*p, BALLS.exactly(Fraction(1, 10)), BALLS) is None
    assert supremum(*p, BALLS.exactly(Fraction(1, 10**6)), BALLS) is not None


def test_every_bound_of_the_library_has_a_rule():
    assert list(RULES) == list(BOUNDS)
