"""Distributions on finitely many samples, where the true error of a vote is a finite sum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandemvote import VoteCounts, Votes
from tandemvote.votes.weighted_vote import weighted_vote

Array = NDArray[Any]
Train = Callable[[Array, Array, Array], Array]


@dataclass(frozen=True, eq=False, kw_only=True)
class World:
    """Samples with masses and labels, voters on them, and how much of it a draw shows.

    Attributes
    ----------
    mass, labels : ndarray of shape (n_samples,)
        Probability and label of every sample. A noisy label is two samples at one place.
    voters : ndarray of shape (n_voters, n_samples), or callable
        Labels that fixed voters predict; or a rule that trains a voter, given the drawn samples it
        may learn from, the world's labels and the world's places.
    held_out_share : float, or ndarray of shape (n_voters, 1)
        Probability that a voter holds out a drawn sample; 1 for a common hold-out. A trained voter
        instead holds out what its bootstrap leaves out.
    confidences : ndarray of shape (n_voters, n_samples)
        Probability each voter gives its label; used by soft votes only.
    """

    name: str
    mass: Array
    labels: Array
    voters: Array | Train
    n_samples: int
    delta: float
    n_voters: int = 0
    n_classes: int = 2
    n_unlabeled: int = 50
    n_test: int = 40
    held_out_share: float | Array = 1.0
    places: Array | None = None
    confidences: Array | None = None

    @property
    def common_hold_out(self) -> bool:
        """Whether no voter learns from any drawn sample."""
        return not callable(self.voters) and bool(np.all(self.held_out_share == 1.0))

    def draw(self, rng: np.random.Generator) -> Draw:
        """Draw a sample, split it without looking at it, and train voters that need training."""
        sample, unlabeled, test = (
            rng.choice(self.mass.size, size=n, p=self.mass)
            for n in (self.n_samples, self.n_unlabeled, self.n_test)
        )
        if callable(self.voters):
            picked = rng.integers(self.n_samples, size=(self.n_voters, self.n_samples))
            held_out = np.array([~np.isin(np.arange(self.n_samples), p) for p in picked])
            places = self.places if self.places is not None else np.arange(self.mass.size)
            predictions = np.array([self.voters(sample[p], self.labels, places) for p in picked])
        else:
            predictions = self.voters
            held_out = rng.random((len(predictions), self.n_samples)) < self.held_out_share
            # A voter without held-out samples gets one, the choice again blind to the data.
            held_out[
                np.arange(len(predictions)), rng.integers(self.n_samples, size=len(held_out))
            ] = True
        return Draw(self, predictions, sample, held_out, unlabeled, test)


@dataclass(frozen=True, eq=False)
class Draw:
    """One sample from a world; `predictions` are those of its voters on every sample there is."""

    world: World
    predictions: Array
    sample: Array
    held_out: Array
    unlabeled: Array
    test: Array

    @cached_property
    def votes(self) -> Votes:
        """Votes on the labeled samples drawn."""
        return Votes(
            predictions=self.predictions[:, self.sample],
            labels=self.world.labels[self.sample],
            held_out=self.held_out,
            classes=np.arange(self.world.n_classes),
            unlabeled=self.predictions[:, self.sample[:0]],
        )

    @cached_property
    def all_votes(self) -> Votes:
        """Votes on the labeled and the unlabeled samples drawn."""
        return replace(self.votes, unlabeled=self.predictions[:, self.unlabeled])

    @cached_property
    def counts(self) -> VoteCounts:
        """Counts of the votes."""
        return VoteCounts.from_votes(self.votes)

    @property
    def uniform(self) -> Array:
        """Equal weights."""
        return np.full(len(self.predictions), 1.0 / len(self.predictions))

    def vote(self, weights: Array) -> Array:
        """Label of the hard weighted vote at every sample."""
        return weighted_vote(self.predictions, weights, self.world.n_classes)

    def risk(self, weights: Array) -> float:
        """True error of the hard weighted vote."""
        return float(self.world.mass[self.vote(weights) != self.world.labels].sum())

    def soft_risk(self, weights: Array) -> float:
        """True error of the vote that averages confidences: another classifier."""
        world = self.world
        totals = np.zeros((world.mass.size, world.n_classes))
        for weight, predictions, sure in zip(
            weights, self.predictions, world.confidences, strict=True
        ):
            others = (1.0 - sure) / (world.n_classes - 1)
            totals += weight * others[:, None]
            totals[np.arange(predictions.size), predictions] += weight * (sure - others)
        return float(world.mass[totals.argmax(axis=1) != world.labels].sum())


def errors_to_labels(
    labels: Array, wrong: Array, n_classes: int, rng: np.random.Generator
) -> Array:
    """Turn a table of errors into predicted labels, wrong ones drawn at random."""
    shift = rng.integers(1, n_classes, size=wrong.shape) if n_classes > 2 else 1
    return (labels + wrong * shift) % n_classes


def memorizer(learned: Array, labels: Array, places: Array) -> Array:
    """Voter that repeats the majority label it saw at a place, and says 0 elsewhere."""
    ones = np.bincount(places[learned], weights=2 * labels[learned] - 1, minlength=places.max() + 1)
    return (ones > 0).astype(int)[places]


def refitted(name: str, rate: float, n_voters: int, n: int, delta: float) -> World:
    """Voters that err together, and a sample on which they are right and their successor is not."""
    return World(
        name=name,
        mass=np.array([1.0 - 2 * rate, rate, rate]),
        labels=np.zeros(3, int),
        voters=np.tile([0, 1, 0], (n_voters, 1)),
        n_samples=n,
        n_unlabeled=n,
        delta=delta,
    )


def coin(name: str, error: float, n: int, delta: float, n_voters: int = 1, **options: Any) -> World:
    """Voters that err together, at a known rate."""
    return World(
        name=name,
        mass=np.array([1 - error, error]),
        labels=np.array([1, 1]),
        voters=np.array([[1, 0]] * n_voters),
        n_samples=n,
        n_test=n,
        delta=delta,
        **options,
    )


def ties(name: str, risk: float, n: int, delta: float, **options: Any) -> World:
    """Two voters that never err together; every error of one is a tie, and ties are lost.

    All oracle bounds are equalities here: risk = 2 G = 4 T = 4 G - 2 D = C.
    """
    return World(
        name=name,
        mass=np.array([1 - risk, risk / 2, risk / 2]),
        labels=np.ones(3, int),
        voters=np.array([[1, 0, 1], [1, 1, 0]]),
        n_samples=n,
        delta=delta,
        **options,
    )


def narrow_majorities(
    name: str, risk: float, n: int, delta: float, *, k: int = 9, **options: Any
) -> World:
    """Nine voters, or another odd number; where the vote errs, the narrowest majority does.

    As sharp as the tie world within a quarter (2 G = 1.11 risk, 4 T = 1.23 risk for nine), and
    still so if the weights are not quite equal. The coalition bound is as sharp as can be.
    """
    wrong = np.zeros((k, k + 1), bool)
    wrong[:, 1:] = (np.arange(k)[:, None] + np.arange(k)) % k < (k + 1) // 2
    labels = np.repeat([0, 1], k + 1)
    return World(
        name=name,
        mass=np.tile([(1 - risk) / 2, *[risk / (2 * k)] * k], 2),
        labels=labels,
        voters=labels ^ np.hstack([wrong, wrong]),
        n_samples=n,
        delta=delta,
        **options,
    )


def correlated(name: str, *, n_voters: int, n_classes: int, seed: int, **options: Any) -> World:
    """Voters that find the same samples hard; labels and masses as uneven as told."""
    rng = np.random.default_rng(seed)
    n_samples, skew = 40, options.pop("skew", 1.0)
    error = options.pop("error", 0.3)
    shares = rng.dirichlet(np.full(n_classes, skew))
    labels = rng.choice(n_classes, p=shares, size=n_samples)
    hard = rng.beta(0.5, 0.5 / error - 0.5, size=n_samples)
    wrong = rng.random((n_voters, n_samples)) < hard
    return World(
        name=name,
        mass=rng.dirichlet(np.ones(n_samples)),
        labels=labels,
        voters=errors_to_labels(labels, wrong, n_classes, rng),
        n_classes=n_classes,
        **options,
    )


def coin_flippers(
    name: str, n_voters: int, error: float, n: int, delta: float, **options: Any
) -> World:
    """Voters that err independently of each other; on few samples some seem to know everything."""
    labels = np.arange(1000) % 2
    wrong = np.random.default_rng(0).random((n_voters, labels.size)) < error
    return World(
        name=name,
        mass=np.full(labels.size, 1 / labels.size),
        labels=labels,
        voters=labels ^ wrong,
        n_samples=n,
        delta=delta,
        **options,
    )


def noisy_memorizers(name: str, *, noise: float, n_places: int, **options: Any) -> World:
    """Trained voters that learn noise by heart; only samples they never saw tell the truth."""
    places = np.repeat(np.arange(n_places), 2)
    mass = np.tile([1 - noise, noise], n_places) / n_places
    labels = (places % 2) ^ np.tile([0, 1], n_places)
    return World(name=name, mass=mass, labels=labels, places=places, voters=memorizer, **options)


def confident_minority(name: str, **options: Any) -> World:
    """Two hesitant voters are right, a third is sure and wrong: the soft vote follows it."""
    labels = np.array([1, 0, 1, 0])
    voters = np.array([labels, labels, [0, 1, 1, 0]])
    sure = np.array([[0.55] * 4, [0.55] * 4, [0.99] * 4])
    mass = np.array([0.45, 0.45, 0.05, 0.05])
    return World(name=name, mass=mass, labels=labels, voters=voters, confidences=sure, **options)


WORLDS: tuple[World, ...] = (
    coin("coin, 8 samples", 0.3, 8, delta=0.3),
    coin("coin, 60 samples", 0.05, 60, delta=0.05),
    ties("ties, 10 samples", 0.6, 10, delta=0.3),
    ties("ties, 200 samples", 0.08, 200, delta=0.3, n_unlabeled=150),
    ties("ties, few held out", 0.1, 400, delta=0.3, held_out_share=0.2),
    correlated(
        "correlated, bagging", n_voters=9, n_classes=2, seed=5, n_samples=500, delta=0.05,
        held_out_share=0.37, error=0.1, n_unlabeled=100,
    ),
    correlated(
        "skewed classes", n_voters=15, n_classes=2, seed=8, n_samples=60, delta=0.3,
        skew=0.3, error=0.1,
    ),
    correlated(
        "four classes, bagging", n_voters=9, n_classes=4, seed=3, n_samples=400, delta=0.05,
        held_out_share=0.5, error=0.15, n_unlabeled=100,
    ),
    correlated(
        "many weak voters", n_voters=40, n_classes=2, seed=4, n_samples=30, delta=0.3, error=0.4
    ),
    noisy_memorizers(
        "memorizers", noise=0.05, n_places=15, n_voters=7, n_samples=300, delta=0.3,
        n_unlabeled=80,
    ),
)  # fmt: skip

REFITTED: tuple[World, ...] = (
    refitted("refitted, 40 samples", 0.1, n_voters=1, n=40, delta=0.3),
    refitted("three refitted, 200 samples", 0.1, n_voters=3, n=200, delta=0.3),
)
"""Where a classifier is certified through others, and errs as often as these let it."""

THREE_VOTERS = narrow_majorities("two of three err", 0.1, 300, 0.3, k=3, held_out_share=0.5)
