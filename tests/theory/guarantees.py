"""Every bound of the library as a promise about a draw, and promises that are broken on purpose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import product
from typing import Any

import numpy as np
from finite_worlds import (
    Draw,
    World,
    coin,
    confident_minority,
    correlated,
    noisy_memorizers,
    refitted,
    ties,
)
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from tandemvote import Certificate, Votes, bounds, certify
from tandemvote.bounds import Estimates
from tandemvote.bounds.registry import applicable_bounds
from tandemvote.certificate import certify_votes
from tandemvote.votes.evidence import Evidence


@dataclass(frozen=True)
class Promise:
    """A number promised to be at least as large as a risk, and that risk."""

    value: float
    risk: float

    @property
    def broken(self) -> bool:
        """Whether the truth is worse than promised, beyond rounding."""
        return self.risk > self.value + 1e-12


Guarantee = Callable[[Draw], Promise]


class Lookup(ClassifierMixin, BaseEstimator):
    """Fitted classifier that has its label at every sample of a world in a table."""

    def __init__(self, predictions: NDArray[Any], n_classes: int) -> None:
        self.predictions = predictions
        self.classes_ = np.arange(n_classes)

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        return self.predictions[X[:, 0]]


def certified(draw: Draw, **terms: Any) -> Certificate:
    """Certify fitted classifiers where all samples are held out for all, otherwise votes."""
    if terms.get("published") or not draw.world.common_hold_out:
        return certify_votes(draw.all_votes, delta=draw.world.delta, **terms)
    drawn = (draw.sample, draw.unlabeled)
    # A second column tells samples drawn twice apart.
    serial = np.split(np.arange(sum(map(len, drawn))), [len(draw.sample)])
    X, X_unlabeled = map(np.column_stack, zip(drawn, serial, strict=True))
    return certify(
        [Lookup(row, draw.world.n_classes) for row in draw.predictions],
        X,
        draw.world.labels[draw.sample],
        X_unlabeled=X_unlabeled if len(X_unlabeled) else None,
        allow=["identifier"],
        confidence=1 - draw.world.delta,
        **{name: value for name, value in terms.items() if name != "published"},
    )


@lru_cache(maxsize=8)
def certificate_of(draw: Draw, weighting: str, published: bool = False) -> Certificate:
    """Certify a vote whose weights are equal, or minimize a bound on the same samples."""
    bound = "tandem" if weighting == "uniform" else weighting
    return certified(draw, weights=weighting, bound=bound, published=published)


def whole_vote(bound: str, weighting: str, published: bool, draw: Draw) -> Promise:
    certificate = certificate_of(draw, weighting, published)
    return Promise(certificate.bounds[bound], draw.risk(certificate.weights))


def best_of_all(weighting: str, draw: Draw) -> Promise:
    certificate = certified(draw, weights=weighting, bound="best")
    return Promise(certificate.value, draw.risk(certificate.weights))


def on_test_set(draw: Draw, weighting: str = "uniform") -> Promise:
    """Test the vote on samples used for nothing else, with weights fitted on the others."""
    uniform = weighting == "uniform"
    weights = draw.uniform if uniform else certificate_of(draw, weighting).weights
    predictions, labels = draw.predictions[:, draw.test], draw.world.labels[draw.test]
    votes = Votes.from_predictions(predictions, labels)
    certificate = certify(votes, weights=weights, bound="test_set", confidence=1 - draw.world.delta)
    return Promise(certificate.value, draw.risk(certificate.weights))


def _test_set(draw: Draw, samples: NDArray[Any], delta: float) -> float:
    wrong = draw.vote(draw.uniform)[samples] != draw.world.labels[samples]
    numbers = Estimates.from_numbers(n_errors=int(wrong.sum()), n_samples=wrong.size)
    return bounds.test_set_bound(numbers, delta)


def deployed_in_place(draw: Draw) -> Promise:
    """Certify a classifier that says what the voters say, and errs at the last sample besides."""
    deployed = draw.predictions[0].copy()
    deployed[-1] = (draw.world.labels[-1] + 1) % draw.world.n_classes
    votes = draw.all_votes.with_deployed(deployed[draw.unlabeled])
    risk = float(draw.world.mass[deployed != draw.world.labels].sum())
    return Promise(certify(votes, confidence=1 - draw.world.delta).value, risk)


def vote_in_its_place(draw: Draw) -> Promise:
    """Certificate of the vote, handed out with another classifier."""
    value = certify(draw.all_votes, confidence=1 - draw.world.delta).value
    return replace(deployed_in_place(draw), value=value)


def guarantees(
    world: World,
    weightings: Sequence[str] = ("uniform", "tandem"),
    forms: Sequence[bool] = (False,),
) -> dict[str, Guarantee]:
    """Name every promise about the whole vote that the library makes in this world.

    The best of all bounds, which repeats all the work, is promised for the first weighting alone.
    """
    actual: dict[str, Guarantee] = {}
    evidence = Evidence(world.draw(np.random.default_rng(0)).counts)
    names = applicable_bounds(evidence) + ["vote_profile"] * (world.n_unlabeled > 0)
    for name in names:
        for weighting, published in product(weightings, forms):
            key = f"{name}, {weighting} weights{', published' if published else ''}"
            actual[key] = partial(whole_vote, name, weighting, published)
    for weighting in weightings if world.common_hold_out else ["uniform"]:
        actual[f"test_set, {weighting} weights"] = partial(on_test_set, weighting=weighting)
    name = f"best of all, {weightings[0]} weights"
    actual[name] = partial(best_of_all, weightings[0])
    return actual


# Broken on purpose: the same machinery must catch them.


def whole_sample_for_smallest_set(draw: Draw) -> Promise:
    """First-order bound with n in place of n_min."""
    numbers = Estimates.from_numbers(
        gibbs_loss=Estimates(draw.counts).gibbs_loss, n_min=draw.world.n_samples
    )
    value = bounds.first_order_bound(numbers, draw.world.delta)
    return Promise(value, draw.risk(draw.uniform))


def delta_not_shared(draw: Draw) -> Promise:
    """Smallest of three test-set bounds, each at the whole delta."""
    parts = np.array_split(draw.test, 3)
    value = min(_test_set(draw, part, draw.world.delta) for part in parts)
    return Promise(value, draw.risk(draw.uniform))


def soft_vote(draw: Draw) -> Promise:
    """Tandem bound for the hard vote, handed out with the soft vote."""
    value = bounds.tandem_bound(Estimates(draw.counts), draw.world.delta)
    return Promise(value, draw.soft_risk(draw.uniform))


def selection_forgotten(draw: Draw) -> Promise:
    """Test-set bound of the voter that does best on that very test set."""
    best = np.eye(draw.uniform.size)[draw.counts.errors.argmin()]
    numbers = Estimates.from_numbers(
        n_errors=int(draw.counts.errors.min()), n_samples=draw.world.n_samples
    )
    value = bounds.test_set_bound(numbers, draw.world.delta)
    return Promise(value, draw.risk(best))


def delta_three_times_too_large(draw: Draw) -> Promise:
    """Test-set bound at 3 delta: an exact limit, which fails about so often."""
    return Promise(_test_set(draw, draw.test, 3 * draw.world.delta), draw.risk(draw.uniform))


def half_the_value(guarantee: Guarantee) -> Guarantee:
    """Forget a factor of 2, as in bounds of the kind 2 G or 4 T."""
    return lambda draw: replace(guarantee(draw), value=guarantee(draw).value / 2)


@lru_cache(maxsize=1)
def repeated(draw: Draw, times: int) -> Draw:
    """Take every drawn sample for so many, as a table with duplicated rows does."""
    return replace(
        draw,
        sample=np.repeat(draw.sample, times),
        held_out=np.repeat(draw.held_out, times, axis=1),
        unlabeled=np.repeat(draw.unlabeled, times),
        test=np.repeat(draw.test, times),
    )


def rows_repeated(guarantee: Guarantee, times: int = 300) -> Guarantee:
    """Take every sample for many, so that hardly any room is left for chance."""
    return lambda draw: guarantee(repeated(draw, times))


def training_samples_as_test_set(draw: Draw) -> Promise:
    """Test-set bound of the vote on the samples its voters were trained on."""
    value = _test_set(draw, draw.sample, draw.world.delta)
    return Promise(value, draw.risk(draw.uniform))


BROKEN: dict[str, tuple[World, Guarantee]] = {
    "n in place of n_min": (
        ties("ties, hardly any held out", 0.2, 60, 0.3, held_out_share=0.01),
        whole_sample_for_smallest_set,
    ),
    "delta three times too large": (
        coin("coin, 16 samples", 0.095, 16, 0.2),
        delta_three_times_too_large,
    ),
    "delta not shared": (coin("coin, 90 samples", 0.04, 90, 0.3), delta_not_shared),
    "soft vote": (confident_minority("confident minority", n_samples=200, delta=0.3), soft_vote),
    "selection forgotten": (
        correlated(
            "200 weak voters",
            n_voters=200,
            n_classes=2,
            seed=4,
            n_samples=20,
            delta=0.3,
            error=0.45,
        ),
        selection_forgotten,
    ),
    "training samples as test set": (
        noisy_memorizers(
            "pure noise", noise=0.5, n_places=300, n_voters=7, n_samples=80, delta=0.3
        ),
        training_samples_as_test_set,
    ),
    "vote in place of the deployed classifier": (
        refitted("refitted, much worse", 0.3, n_voters=3, n=60, delta=0.2),
        vote_in_its_place,
    ),
}
"""Promises that must be caught, each in a world where it shows."""
