"""The bounds, written from their statements and independent of the rest of the library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from types import MappingProxyType
from typing import Any

from tandemvote.verify.arithmetic import Arithmetic
from tandemvote.verify.averages import Evidence
from tandemvote.verify.inverses import Rate, binomial_limit, kl_lower, kl_upper, moment
from tandemvote.verify.profile_game import GRID, PLANNED, ProfileGame, deployed_form, enclose
from tandemvote.verify.sample_sizes import (
    MomentOf,
    SampleSize,
    moment_and_size,
    no_moment,
    two_roots,
)
from tandemvote.verify.trinomial import supremum

HALF = Fraction(1, 2)

OFFSETS = tuple(Fraction(place, 20) for place in range(-5, 10))
"""Offsets of Chebyshev and Cantelli's inequality that share delta."""

NEARBY = Fraction(1, 10**9)
"""By how much two estimates must exceed what a vote can have to contradict each other for sure."""


@dataclass(frozen=True)
class Truth:
    """An enclosure of the true value of a bound.

    Attributes
    ----------
    low, high : Fraction
        Ends of the enclosure, within [0, 1]; equal in plain floating point.
    smallest_denominator : Fraction
        Rounding is magnified where a formula divides by little.
    or_one : bool
        True next to a jump of the formula to 1, where 1 is right as well.
    problem : str or None
        Why no value can be right, in words.
    """

    low: Fraction
    high: Fraction
    smallest_denominator: Fraction = Fraction(1)
    or_one: bool = False
    problem: str | None = None


NOTHING = Truth(Fraction(1), Fraction(1))


@dataclass(frozen=True)
class Rule:
    """How a bound follows from the evidence.

    Attributes
    ----------
    truth : callable
        From evidence, failure probability and arithmetic to the bound; also takes the stated value,
        near which it searches first, if there is no formula.
    two_classes : bool
        Whether it holds for two classes only.
    has_formula : bool
    earlier : callable, optional
        A looser form of the same bound that earlier versions of the library stated, right as well.
    """

    truth: Callable[..., Truth]
    two_classes: bool = False
    has_formula: bool = True
    earlier: Callable[..., Truth] | None = None

    def at(self, seen: Evidence, delta: Fraction, arithmetic: Arithmetic, stated: float) -> Truth:
        """Enclose the true value."""
        if not self.has_formula:
            return self.truth(seen, delta, arithmetic, Fraction(stated))
        forms = [form(seen, delta, arithmetic) for form in (self.truth, self.earlier) if form]
        return min(forms, key=lambda truth: abs(truth.high - Fraction(stated)))


def _first_order(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    _, error = _ends(seen.gibbs, seen.voters, delta, arithmetic)
    return _clipped(arithmetic.exactly(1 / seen.smallest_coalition) * error, arithmetic)


def _tandem(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    _, tandem = _ends(seen.tandem, seen.pairs, delta, arithmetic)
    return _clipped(arithmetic.exactly(1 / seen.smallest_coalition**2) * tandem, arithmetic)


def _with_one_half(rule: Callable[..., Truth]) -> Callable[..., Truth]:
    """Count on no more than half of the weight to be wrong where the vote is."""
    return lambda seen, *terms: rule(replace(seen, smallest_coalition=HALF), *terms)


def _disagreement(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    least, error = _ends(seen.gibbs, seen.voters, delta / 2, arithmetic)
    differ, _ = _ends(seen.disagreement, seen.disagreement_pairs, delta / 2, arithmetic)
    # The error between the two ends that allows the most disagreement.
    g = arithmetic.smaller(arithmetic.larger(arithmetic.exactly(HALF), least), error)
    truth = _clipped(4 * error - 2 * differ, arithmetic)
    return _unless([differ - 2 * g * (1 - g)], truth, arithmetic)


def _c1(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    _, r = _ends(seen.gibbs, seen.voters, delta / 2, arithmetic, moment)
    d, _ = _ends(seen.disagreement, seen.disagreement_pairs, delta / 2, arithmetic, moment)
    half = arithmetic.exactly(HALF)
    if not (r < half and d < half):
        return NOTHING
    value = 1 - (1 - 2 * r) * (1 - 2 * r) / (1 - 2 * d)
    truth = _clipped(value, arithmetic, denominator=1 - 2 * d)
    # Below one half the largest error allows the most disagreement.
    return _unless([d - 2 * r * (1 - r)], truth, arithmetic)


def _c2(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    allowed = seen.pairs.allowed(delta, moment_and_size, arithmetic)
    if allowed is None:
        return NOTHING
    differ = seen.labelled_disagreement.part
    value = supremum(seen.tandem.part, differ, seen.neither, allowed, arithmetic)
    if value is None or value < 0:  # below 0 no vote at all is compatible with what was seen
        return NOTHING
    truth = _clipped(value, arithmetic, denominator=1 - 2 * differ)
    return replace(truth, or_one=truth.low == 0)


def _c_tandem(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    least_error, error = _ends(seen.gibbs, seen.voters, delta / 2, arithmetic)
    least_tandem, tandem = _ends(seen.tandem, seen.pairs, delta / 2, arithmetic)
    variance = tandem - least_error * least_error
    denominator = least_tandem - error + arithmetic.exactly(HALF / 2)
    if not (error < arithmetic.exactly(HALF) and denominator > 0 and variance < denominator):
        return NOTHING
    truth = _clipped(variance / denominator, arithmetic, denominator=denominator)
    return _unless([-variance, least_tandem - error], truth, arithmetic)


def _c_box(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    """Largest (t - g^2) / (t - g + 1/4) over the box, at the g nearest to 2 t that it allows."""
    least_error, error = _ends(seen.gibbs, seen.voters, delta / 2, arithmetic)
    least_tandem, tandem = _ends(seen.tandem, seen.pairs, delta / 2, arithmetic)
    t, half = arithmetic.smaller(tandem, error), arithmetic.exactly(HALF)
    most = arithmetic.smaller(error, arithmetic.sqrt(t))
    if not most < half:
        return NOTHING
    g = arithmetic.smaller(arithmetic.larger(2 * t, least_error), most)
    denominator = t - g + half / 2
    truth = _clipped((t - g * g) / denominator, arithmetic, denominator=denominator)
    return _unless([least_error * least_error - tandem, least_tandem - error], truth, arithmetic)


def _second_order(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    """Mean of the pair variable: 1 where both err, 3/2 where one does."""
    both, one = seen.tandem.part, seen.lone.part
    share = Rate(both * 2 / 3 + one, both / 3 + (1 - both - one))
    _, mean = _ends(share, seen.pairs, delta, arithmetic)
    return _clipped(3 * mean / 2, arithmetic)


def _bernstein_cantelli(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    """Least (mu^2 + m) / (1/2 - mu)^2 over offsets mu, m by unexpected Bernstein at some rates."""
    typical, share = seen.pairs_at_prior.rate, delta / len(OFFSETS)
    if typical is None:
        return NOTHING
    smallest = arithmetic.sqrt(-2 * arithmetic.log_of(share) * typical)
    rates = [Fraction(3, 4)]
    while arithmetic.exactly(rates[-1]) > smallest:
        rates.append(rates[-1] / 2)
    allowed = seen.pairs.allowed(share / len(rates), no_moment, arithmetic)
    if allowed is None:
        return NOTHING
    found = []
    for mu, rate in product(OFFSETS, rates):
        largest = 1 - 2 * mu  # of the pair variable, where both err; -mu where one does
        number, both, one = arithmetic.exactly, seen.tandem.part, seen.lone.part
        slope = -1 - arithmetic.log_of(1 - rate) / number(rate)
        square = number(largest**2) * both + number(mu**2) * one
        mean = number(largest) * both - number(mu) * one + slope * square / number(largest)
        mean = mean + number(largest / rate) * allowed
        value = (number(mu**2) + mean) / number((HALF - mu) ** 2)
        found.append(_clipped(value, arithmetic, denominator=number((HALF - mu) ** 2)))
    least = min(found, key=lambda truth: truth.high)
    return replace(least, low=min(truth.low for truth in found))


def _split_kl_cantelli(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    """The same with both errors from above, lone errors from below and the best offset."""
    _, t = _ends(seen.tandem, seen.pairs, delta / 2, arithmetic, moment)
    o, _ = _ends(seen.lone, seen.pairs, delta / 2, arithmetic, moment)
    # The C-bound at g = 2 t, its largest value, is 4 t.
    g = arithmetic.larger(2 * t, t + o / 2)
    denominator = t - g + arithmetic.exactly(HALF / 2)
    if not (t < arithmetic.exactly(HALF / 2) and denominator > 0):
        return NOTHING
    excess = (t + o / 2) * (t + o / 2) - t
    truth = _clipped((t - g * g) / denominator, arithmetic, denominator=denominator)
    return _unless([excess], truth, arithmetic)


def _vote_profile(
    seen: Evidence, delta: Fraction, arithmetic: Arithmetic, stated: Fraction
) -> Truth:
    n_voters = len(seen.coalitions.sizes)
    if seen.profile is None or seen.in_full is None or seen.in_full_at_prior is None:
        return NOTHING
    if seen.deployed and n_voters == 1:
        return _single_voter(seen, delta, arithmetic)
    game = ProfileGame(
        gibbs=seen.gibbs.part,
        size=seen.in_full,
        size_at_prior=seen.in_full_at_prior,
        leads=seen.profile[0],
        gaps=seen.profile[1],
        delta=delta,
        arithmetic=arithmetic,
        form=deployed_form(n_voters) if seen.deployed else GRID,
        of_vote=not seen.deployed,
    )
    if game.two_sources:
        return replace(NOTHING, problem=TWO_SOURCES)
    truth = Truth(*enclose(game.refutes, stated))
    if truth.low < stated or seen.deployed:
        return truth
    early = Truth(*enclose(replace(game, form=PLANNED).refutes, stated))
    if early.high != stated:
        return truth
    return early if seen.fixed_in_advance else replace(early, problem=UNPROVEN)


def _single_voter(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    """Errors of the voter, and differences from it: a small level of one is paid by the other."""
    errors, size = seen.coalitions.errors[0], seen.coalitions.sizes[0]
    leads = () if seen.profile is None else seen.profile[0]
    differ, ratio = sum(lead < HALF for lead in leads), Fraction(3, 2)
    each = 1 / ratio**2 if len(leads) >= 2 * size else 1 / ratio
    steps, failures = 0, Fraction(1)  # in units of the first level
    while delta * ratio**steps < failures:
        failures += ratio**steps * (ratio - 1) * each ** (steps + 1)
        steps += 1
    value = arithmetic.exactly(0)
    for step in range(steps):
        own = binomial_limit(errors, size, delta / failures * ratio**step, arithmetic)
        other = binomial_limit(differ, len(leads), each ** (step + 1), arithmetic)
        value = arithmetic.larger(value, own + other)
    return _clipped(value, arithmetic)


def _coalition(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    return _clipped(seen.coalitions.bound(delta, arithmetic), arithmetic)


def _test_set(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    if seen.test is None:
        return NOTHING
    return _clipped(binomial_limit(*seen.test, delta, arithmetic), arithmetic)


RULES = MappingProxyType(
    {
        "first_order": Rule(_first_order, earlier=_with_one_half(_first_order)),
        "tandem": Rule(_tandem, earlier=_with_one_half(_tandem)),
        "disagreement": Rule(_disagreement, two_classes=True),
        "c1": Rule(_c1, two_classes=True),
        "c2": Rule(_c2, two_classes=True),
        "c_tandem": Rule(_c_tandem),
        "c_box": Rule(_c_box),
        "second_order": Rule(_second_order),
        "bernstein_cantelli": Rule(_bernstein_cantelli),
        "split_kl_cantelli": Rule(_split_kl_cantelli),
        "coalition": Rule(_coalition),
        "vote_profile": Rule(_vote_profile, has_formula=False),
        "test_set": Rule(_test_set),
    }
)


TWO_SOURCES = (
    "the labelled and the unlabelled points do not come from one source: the voters differ more on"
    " the unlabelled points than their errors on the labelled ones allow, so there is no"
    " vote_profile bound"
)

UNPROVEN = (
    "the vote_profile bound was computed by the form of an early development version, which is"
    " proven only for weights fixed in advance and one hold-out for all voters; certify again"
)


def _ends(
    rate: Rate,
    size: SampleSize,
    delta: Fraction,
    arithmetic: Arithmetic,
    printed: MomentOf = two_roots,
) -> tuple[Any, Any]:
    """Smallest and largest true rate within the divergence that PAC-Bayes-kl allows."""
    allowed = size.allowed(delta, printed, arithmetic)
    return kl_lower(rate, allowed, arithmetic), kl_upper(rate, allowed, arithmetic)


def _unless(excesses: list[Any], truth: Truth, arithmetic: Arithmetic) -> Truth:
    """Say nothing if an excess is positive, when estimates contradict each other."""
    ends = [arithmetic.ends(excess) for excess in excesses]
    if any(low > NEARBY for low, _ in ends):
        return NOTHING
    return replace(truth, or_one=any(high > -NEARBY for _, high in ends))


def _clipped(value: Any, arithmetic: Arithmetic, denominator: Any = None) -> Truth:
    low, high = (min(max(end, Fraction(0)), Fraction(1)) for end in arithmetic.ends(value))
    if denominator is None:
        return Truth(low, high)
    return Truth(low, high, max(arithmetic.ends(denominator)[0], Fraction(0)))
