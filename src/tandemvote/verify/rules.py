"""The bounds once more, written from their statements and from nothing else in this library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from tandemvote.verify.arithmetic import Arithmetic
from tandemvote.verify.averages import Evidence
from tandemvote.verify.inverses import binomial_limit, kl_lower, kl_upper, moment
from tandemvote.verify.profile import PLANNED, ProfileGame, enclose
from tandemvote.verify.rate import Rate
from tandemvote.verify.sample_sizes import moment_and_size, two_roots
from tandemvote.verify.trinomial import supremum

HALF = Fraction(1, 2)

NEARBY = Fraction(1, 10**9)
"""How far two estimates must be from what a vote can have, to contradict each other for sure."""


@dataclass(frozen=True)
class Truth:
    """An enclosure of what a bound really is.

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
        From evidence, failure probability and arithmetic to the bound; one that has no formula
        also takes the stated value, next to which it looks first.
    two_classes : bool
        Whether it holds for two classes only.
    """

    truth: Callable[..., Truth]
    two_classes: bool = False
    has_formula: bool = True

    def at(self, seen: Evidence, delta: Fraction, arithmetic: Arithmetic, stated: float) -> Truth:
        """Find what the bound really is."""
        if self.has_formula:
            return self.truth(seen, delta, arithmetic)
        return self.truth(seen, delta, arithmetic, Fraction(stated))


def _first_order(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    allowed = seen.voters.allowed(delta, two_roots, arithmetic)
    return _clipped(2 * kl_upper(seen.gibbs, allowed, arithmetic), arithmetic)


def _tandem(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    allowed = seen.pairs.allowed(delta, two_roots, arithmetic)
    return _clipped(4 * kl_upper(seen.tandem, allowed, arithmetic), arithmetic)


def _disagreement(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    one = seen.voters.allowed(delta / 2, two_roots, arithmetic)
    two = seen.disagreement_pairs.allowed(delta / 2, two_roots, arithmetic)
    error = kl_upper(seen.gibbs, one, arithmetic)
    differ = kl_lower(seen.disagreement, two, arithmetic)
    excess = _excess_disagreement(kl_lower(seen.gibbs, one, arithmetic), error, differ, arithmetic)
    return _unless([excess], _clipped(4 * error - 2 * differ, arithmetic), arithmetic)


def _c1(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    one = seen.voters.allowed(delta / 2, moment, arithmetic)
    two = seen.disagreement_pairs.allowed(delta / 2, moment, arithmetic)
    r = kl_upper(seen.gibbs, one, arithmetic)
    d = kl_lower(seen.disagreement, two, arithmetic)
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
    return Truth(truth.low, truth.high, truth.smallest_denominator, or_one=truth.low == 0)


def _c_tandem(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    one = seen.voters.allowed(delta / 2, two_roots, arithmetic)
    two = seen.pairs.allowed(delta / 2, two_roots, arithmetic)
    error = kl_upper(seen.gibbs, one, arithmetic)
    least_error = kl_lower(seen.gibbs, one, arithmetic)
    least_tandem = kl_lower(seen.tandem, two, arithmetic)
    variance = kl_upper(seen.tandem, two, arithmetic) - least_error * least_error
    denominator = least_tandem - error + arithmetic.exactly(HALF / 2)
    if not (error < arithmetic.exactly(HALF) and denominator > 0 and variance < denominator):
        return NOTHING
    truth = _clipped(variance / denominator, arithmetic, denominator=denominator)
    return _unless([-variance, least_tandem - error], truth, arithmetic)


def _c_box(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    """Largest (t - g^2) / (t - g + 1/4) over the box, at the g nearest to 2 t that it allows."""
    one = seen.voters.allowed(delta / 2, two_roots, arithmetic)
    two = seen.pairs.allowed(delta / 2, two_roots, arithmetic)
    error, least_error = (kl(seen.gibbs, one, arithmetic) for kl in (kl_upper, kl_lower))
    tandem = kl_upper(seen.tandem, two, arithmetic)
    t = arithmetic.smaller(tandem, error)
    root, half = arithmetic.sqrt(t), arithmetic.exactly(HALF)
    excesses = [
        least_error * least_error - tandem,
        kl_lower(seen.tandem, two, arithmetic) - error,
    ]
    most = arithmetic.smaller(error, root)
    if not most < half:
        return NOTHING
    g = arithmetic.smaller(arithmetic.larger(2 * t, least_error), most)
    denominator = t - g + half / 2
    truth = _clipped((t - g * g) / denominator, arithmetic, denominator=denominator)
    return _unless(excesses, truth, arithmetic)


def _second_order(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    """Mean of the pair variable: 1 where both err, 3/2 where one does."""
    allowed = seen.pairs.allowed(delta, two_roots, arithmetic)
    neither = 1 - seen.tandem.part - seen.lone.part
    share = Rate(seen.tandem.part * 2 / 3 + seen.lone.part, seen.tandem.part / 3 + neither)
    return _clipped(3 * kl_upper(share, allowed, arithmetic) / 2, arithmetic)


def _vote_profile(
    seen: Evidence, delta: Fraction, arithmetic: Arithmetic, stated: Fraction
) -> Truth:
    if seen.profile is None or seen.in_full is None or seen.in_full_at_prior is None:
        return NOTHING
    game = ProfileGame(
        gibbs=seen.gibbs.part,
        size=seen.in_full,
        size_at_prior=seen.in_full_at_prior,
        leads=seen.profile[0],
        gaps=seen.profile[1],
        delta=delta,
        arithmetic=arithmetic,
    )
    if game.two_sources:
        return replace(NOTHING, problem=TWO_SOURCES)
    truth = Truth(*enclose(game.refutes, stated))
    if truth.low < stated:
        return truth
    early = Truth(*enclose(replace(game, form=PLANNED).refutes, stated))
    if early.high != stated:
        return truth
    return early if seen.fixed_in_advance else replace(early, problem=UNPROVEN)


def _test_set(seen: Evidence, delta: Fraction, arithmetic: Arithmetic) -> Truth:
    if seen.test is None:
        return NOTHING
    return _clipped(binomial_limit(*seen.test, delta, arithmetic), arithmetic)


RULES = MappingProxyType(
    {
        "first_order": Rule(_first_order),
        "tandem": Rule(_tandem),
        "disagreement": Rule(_disagreement, two_classes=True),
        "c1": Rule(_c1, two_classes=True),
        "c2": Rule(_c2, two_classes=True),
        "c_tandem": Rule(_c_tandem),
        "c_box": Rule(_c_box),
        "second_order": Rule(_second_order),
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


def _excess_disagreement(least: Any, most: Any, differ: Any, arithmetic: Arithmetic) -> Any:
    """By how much a disagreement exceeds 2 g (1 - g) for all errors g between two."""
    g = arithmetic.smaller(arithmetic.larger(arithmetic.exactly(HALF), least), most)
    return differ - 2 * g * (1 - g)


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
