"""Promises about groups or about accepted samples, and some that are broken on purpose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
from finite_worlds import Draw, World, correlated, noisy_memorizers
from guarantees import Guarantee, Promise

from tandemvote import Votes, certify, certify_selective
from tandemvote.certificate import GroupCertificates, SelectiveCertificate
from tandemvote.certificate.selective import is_confident, vote_margins
from tandemvote.inequalities import clopper_pearson
from tandemvote.votes.weighted_vote import vote_shares

GRID = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def worst(promises: Iterable[Promise]) -> Promise:
    """Return the promise closest to being broken: all must hold at once."""
    return max(promises, key=lambda promise: promise.risk - promise.value)


def group_truth(draw: Draw, weights: np.ndarray, by: str, label: int) -> tuple[float, float]:
    """Return the true error of the vote on samples of one group, 0 if there are none; their share.

    Samples are grouped by true class, by predicted class or by the half of the places they are in.
    """
    world, vote = draw.world, draw.vote(weights)
    group = {"class": world.labels, "predicted": vote, "part": _part(world)}[by]
    mass = world.mass[group == label]
    wrong = world.mass[(group == label) & (vote != world.labels)]
    return (float(wrong.sum() / mass.sum()) if mass.sum() else 0.0), float(mass.sum())


def _part(world: World) -> np.ndarray:
    places = np.arange(world.mass.size) if world.places is None else world.places
    return 2 * places // (places.max() + 1)


def errors_of_groups(draw: Draw, found: GroupCertificates) -> list[Promise]:
    weights = found.certificate.weights
    groups = [each.group for each in found]
    risks = [group_truth(draw, weights, group.by, group.label)[0] for group in groups]
    return [Promise(each.value, risk) for each, risk in zip(found, risks, strict=True)]


def by_group(bound: tuple[str, ...], weighting: str, groups: str, draw: Draw) -> Promise:
    """Errors of all groups at once; so weights may be fitted and held-out sets may differ."""
    confidence = 1 - draw.world.delta
    certificate = certify(draw.votes, weights=weighting, bound=bound, confidence=confidence)
    by = {"part": _part(draw.world)[draw.sample]} if groups == "part" else groups
    return worst(errors_of_groups(draw, certificate.by_group(by)))


def held_out_votes(draw: Draw, predictions: np.ndarray) -> Votes:
    """Return what voters say about the test samples, which none of them was trained on."""
    truth, everywhere = draw.world.labels[draw.test], np.ones(predictions.shape, bool)
    classes = np.arange(draw.world.n_classes)
    return Votes(predictions, truth, everywhere, classes, predictions[:, :0])


def vote_as_voter(draw: Draw) -> Votes:
    """Return what the vote says about the test samples, as votes of a single voter."""
    return held_out_votes(draw, draw.vote(draw.uniform)[None, draw.test])


def groups_on_hold_out(draw: Draw) -> Promise:
    """Errors of three groupings at once, from samples that no voter saw."""
    by = {"class": "class", "predicted": "predicted", "part": _part(draw.world)[draw.test]}
    groups = certify(vote_as_voter(draw), confidence=1 - draw.world.delta).by_group(by)
    groups = replace(groups, certificate=replace(groups.certificate, weights=draw.uniform))
    return worst(errors_of_groups(draw, groups))


def shares_of(draw: Draw, samples: np.ndarray | slice) -> np.ndarray:
    return vote_shares(draw.predictions[:, samples], draw.uniform, draw.world.n_classes)


def accepted_truth(draw: Draw, threshold: float) -> tuple[float, float]:
    """Return the true error among accepted samples, and how much of the world is accepted."""
    world = draw.world
    shares = shares_of(draw, slice(None))
    accepted = is_confident(vote_margins(shares), threshold)
    wrong = accepted & (shares.argmax(axis=1) != world.labels)
    coverage = float(world.mass[accepted].sum())
    return (float(world.mass[wrong].sum()) / coverage if coverage else 0.0), coverage


def selective(draw: Draw, max_error: float) -> Promise:
    """Every threshold that passed, and every coverage, must hold at once."""
    votes = held_out_votes(draw, draw.predictions[:, draw.test])
    certificate = certify_selective(votes, max_error=max_error, confidence=1 - draw.world.delta)
    promises = []
    for row in certificate.thresholds:
        error, coverage = accepted_truth(draw, row.margin)
        promises.append(Promise(max_error if row.passed else 1.0, error))
        if row.margin > 0:  # a margin of 0 accepts every sample, which is no matter of chance
            promises.append(Promise(1.0 - row.coverage, 1.0 - coverage))
    return worst(promises)


def finer_guarantees(
    world: World, weightings: Sequence[str] = ("uniform", "tandem")
) -> dict[str, Guarantee]:
    """Name every promise about groups and accepted samples in this world."""
    actual: dict[str, Guarantee] = {"by group, test_set": groups_on_hold_out}
    if np.unique(world.labels).size > 1:
        several = [("first_order",), ("tandem",), ("first_order", "tandem"), ("coalition",)]
        if world.n_classes == 2:
            several.append(("disagreement",))
        if world.n_samples < 100:  # all bounds of all groups take long
            several.append(("best",))
        options = [(names, "class") for names in several]
        options += [(names, "part") for names in several[1:4:2]]
        for (names, groups), weighting in product(options, weightings):
            key = f"by {groups}, {' or '.join(names)}, {weighting} weights"
            actual[key] = partial(by_group, names, weighting, groups)
    for max_error in (0.1, 0.25):
        actual[f"selective, error <= {max_error}"] = partial(selective, max_error=max_error)
    return actual


def class_coins(name: str, errors: dict[int, float], shares: dict[int, float], **options) -> World:
    """One voter that errs at a known rate in each class; some classes are rare."""
    labels = np.repeat(list(errors), 2)
    rates = [(shares[c] * (1 - errors[c]), shares[c] * errors[c]) for c in errors]
    predictions = labels.copy()
    predictions[1::2] = (predictions[1::2] + 1) % len(errors)
    return World(
        name=name,
        mass=np.ravel(rates),
        labels=labels,
        voters=predictions[None],
        n_classes=len(errors),
        **options,
    )


def split_votes(name: str, errors: dict[int, float], shares=None, **options) -> World:
    """Voters whose majority leads by 1, 3, 5 and so on, and errs at a known rate at each lead."""
    leads = np.repeat(list(errors), 2)
    labels = np.ones(leads.size, int)
    n_voters = max(errors)
    rates = zip(shares or [1 / len(errors)] * len(errors), errors.values(), strict=True)
    mass = np.ravel([(share * (1 - error), share * error) for share, error in rates])
    majority = np.tile([1, 0], len(errors))
    against = np.arange(n_voters)[:, None] >= (n_voters + leads) // 2
    return World(
        name=name, mass=mass, labels=labels, voters=np.where(against, 1 - majority, majority),
        **options,
    )  # fmt: skip


FINER_WORLDS: tuple[World, ...] = (
    class_coins(
        "five coins, rare classes", dict.fromkeys(range(5), 0.25),
        {0: 0.4, 1: 0.3, 2: 0.15, 3: 0.1, 4: 0.05}, n_samples=120, n_test=120, delta=0.3,
    ),
    correlated(
        "a rare and hard class", n_voters=15, n_classes=2, seed=8, n_samples=60, delta=0.3,
        skew=0.3, error=0.3, n_test=60,
    ),
    correlated(
        "four skewed classes, bagging", n_voters=9, n_classes=4, seed=9, n_samples=400, delta=0.05,
        held_out_share=0.5, skew=0.5, error=0.15, n_test=60,
    ),
    noisy_memorizers(
        "memorizers", noise=0.05, n_places=15, n_voters=7, n_samples=300, delta=0.3, n_test=60
    ),
    split_votes("error just above 0.1 at every lead", dict.fromkeys((1, 3, 5), 0.101),
                n_samples=30, n_test=110, delta=0.3),
    split_votes("error falls with the lead", {1: 0.45, 3: 0.26, 5: 0.101}, n_samples=30,
                n_test=60, delta=0.3),
)  # fmt: skip


# Broken on purpose: the same machinery must catch them.


def whole_delta_for_every_class(draw: Draw) -> Promise:
    """Exact limits of each class, each at the whole delta."""
    votes = vote_as_voter(draw)
    promises = []
    for label in np.unique(votes.labels):
        deployed = votes.labels == label
        limit = float(
            clopper_pearson(votes.errors[0, deployed].sum(), deployed.sum(), delta=draw.world.delta)
        )
        promises.append(Promise(limit, group_truth(draw, draw.uniform, "class", label)[0]))
    return worst(promises)


def precision_on_points_voters_saw(draw: Draw) -> Promise:
    """Exact limit where the whole vote names 1, among samples that some of its voters learned."""
    named = draw.vote(draw.uniform)[draw.sample] == 1
    wrong = int((draw.world.labels[draw.sample][named] != 1).sum())
    limit = float(clopper_pearson(wrong, named.sum(), delta=draw.world.delta)) if named.any() else 1
    return Promise(limit, group_truth(draw, draw.uniform, "predicted", 1)[0])


def _limits(draw: Draw, delta: float) -> list[tuple[float, float]]:
    """Exact limits of the error at every threshold, each at this delta, and the true errors."""
    shares, truth = shares_of(draw, draw.test), draw.world.labels[draw.test]
    wrong, margins = shares.argmax(axis=1) != truth, vote_margins(shares)
    actual = []
    for threshold in GRID:
        accepted = is_confident(margins, threshold)
        if accepted.any():
            limit = clopper_pearson((wrong & accepted).sum(), accepted.sum(), delta=delta)
            actual.append((float(limit), accepted_truth(draw, threshold)[0]))
    return actual


def threshold_not_paid_for(draw: Draw) -> Promise:
    """Smallest limit among six thresholds, each at the whole delta."""
    return Promise(*min(_limits(draw, draw.world.delta)))


def training_samples_as_hold_out(draw: Draw) -> Promise:
    """Selective certificate from the samples the voters were trained on."""
    certificate = SelectiveCertificate.from_shares(
        shares_of(draw, draw.sample), draw.world.labels[draw.sample], max_error=0.2,
        delta=draw.world.delta,
    )  # fmt: skip
    value = certificate.max_error if certificate.chosen.passed else 1.0
    return Promise(value, accepted_truth(draw, certificate.chosen.margin)[0])


BROKEN_FINER: dict[str, tuple[World, Callable[[Draw], Promise]]] = {
    "whole delta for every class": (
        class_coins(
            "ten coins", dict.fromkeys(range(10), 0.25), dict.fromkeys(range(10), 0.1),
            n_samples=20, n_test=800, delta=0.2,
        ),
        whole_delta_for_every_class,
    ),
    "precision on samples that voters saw": (
        noisy_memorizers(
            "noise by heart", noise=0.4, n_places=60, n_voters=7, n_samples=150, delta=0.3
        ),
        precision_on_points_voters_saw,
    ),
    "threshold not paid for": (
        split_votes(
            "equal errors", dict.fromkeys((1, 3, 5), 0.3), (0.8, 0.17, 0.03), n_samples=20,
            n_test=2000, delta=0.2,
        ),
        threshold_not_paid_for,
    ),
    "training samples as hold-out": (
        noisy_memorizers(
            "pure noise", noise=0.5, n_places=300, n_voters=7, n_samples=80, delta=0.3
        ),
        training_samples_as_hold_out,
    ),
}  # fmt: skip
"""Promises that must be caught, each in a world where it shows."""
