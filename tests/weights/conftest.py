"""Instances to minimize on: votes of forests in miniature, and matrices nothing like a forest."""

from __future__ import annotations

import numpy as np
import pytest

from tandemvote.votes.counts import VoteCounts
from tandemvote.votes.votes import Votes
from tandemvote.weights.objective import Objective
from tandemvote.weights.relaxations import Estimate, Relaxation


def estimate(voters, n, delta):
    """Estimate from sets of n iterates each, as printed in the paper."""
    return Estimate(voters, n, float(np.log(2 * np.sqrt(n)) - np.log(delta)))


def _forest_counts(n_voters, n_samples, *, seed, held_out=None):
    """Voters of different skill on iterates of different difficulty, with or without bagging."""
    rng = np.random.default_rng(seed)
    difficulty = rng.normal(-2.0, 1.5, n_samples)
    skill = rng.normal(0.0, 0.4, (n_voters, 1))
    errs = rng.random((n_voters, n_samples)) < 1.0 / (1.0 + np.exp(skill - difficulty))
    mask = None if held_out is None else rng.random((n_voters, n_samples)) < held_out
    labels = rng.integers(0, 2, n_samples)
    return VoteCounts.from_votes(Votes.from_predictions(labels ^ errs, labels, mask))


def _common_points(rng, n_voters):
    """Positive semi-definite: all voters share the same iterates."""
    counts = _forest_counts(n_voters, 800, seed=rng)
    return counts.tandem_losses, counts.disagreement_rates, counts.gibbs_losses


def _overlaps(rng, n_voters):
    """Not positive semi-definite: every pair of voters has iterates of its own."""
    counts = _forest_counts(n_voters, 1500, seed=rng, held_out=0.37)
    return counts.tandem_losses, counts.disagreement_rates, counts.gibbs_losses


def _gram(rng, n_voters):
    """Positive semi-definite and of low rank."""
    features = rng.random((n_voters, 3 + n_voters // 4)) ** 4
    tandem = features @ features.T
    tandem /= tandem.max()
    losses = np.diag(tandem).copy()
    return tandem, losses[:, None] + losses - 2.0 * tandem, losses


def _noise(rng, n_voters):
    """As far from positive semi-definite as a symmetric matrix of rates can be."""
    tandem, differ = rng.random((n_voters, n_voters)), rng.random((n_voters, n_voters))
    differ = (differ + differ.T) / 2.0
    np.fill_diagonal(differ, 0.0)
    tandem = (tandem + tandem.T) / 2.0
    return tandem, differ, np.diag(tandem).copy()


FAMILIES = {
    "common samples": _common_points,
    "overlaps": _overlaps,
    "gram": _gram,
    "noise": _noise,
}


@pytest.fixture
def forest_counts():
    """Return the function that makes counts: (n_voters, n_samples, *, seed, held_out=None)."""
    return _forest_counts


@pytest.fixture
def make_objective():
    """Return the function that makes objectives: (family, bound, n_voters, n, *, seed)."""

    def make(family, bound, n_voters, n, *, seed):
        rng = np.random.default_rng(seed)
        tandem, differ, losses = FAMILIES[family](rng, n_voters)
        prior = rng.dirichlet(np.full(n_voters, 5.0)) if seed % 2 else np.ones(n_voters) / n_voters
        if bound == "tandem":
            relaxation = Relaxation(4.0, estimate(2, n, 0.05))
            return Objective(relaxation, np.log(prior), np.zeros(n_voters), tandem)
        relaxation = Relaxation(4.0, estimate(1, 2 * n, 0.025), estimate(2, n, 0.025))
        return Objective(relaxation, np.log(prior), losses, differ)

    return make
