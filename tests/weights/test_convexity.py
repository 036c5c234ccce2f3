"""Convexity on the simplex, against eigenvalues on vectors that sum to 0."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tandemvote.weights.objective import convexity_slack

PAPERS_EXAMPLE = np.array([[0.5, 0.0, 0.0], [0.0, 0.5, 1.0], [0.0, 1.0, 0.5]])


def lowest_eigenvalue(matrix):
    n_voters = len(matrix)
    basis = np.linalg.svd(np.ones((1, n_voters)))[2][1:]
    return np.linalg.eigvalsh(basis @ matrix @ basis.T)[0]


@settings(deadline=None)
@given(st.integers(2, 30), st.floats(-0.3, 0.3), st.integers(0, 10**6))
def test_the_answer_agrees_with_the_eigenvalues(n_voters, shift, seed):
    rng = np.random.default_rng(seed)
    features = rng.random((n_voters, max(1, n_voters // 2)))
    matrix = features @ features.T / n_voters + shift * np.eye(n_voters)
    lowest = lowest_eigenvalue(matrix)
    if abs(lowest) > 1e-9:
        assert (convexity_slack(matrix) is not None) == (lowest > 0)


def test_counts_on_common_samples_are_convex_at_any_rank(forest_counts):
    for n_voters, n_samples in ((3, 50), (60, 20), (200, 40)):
        counts = forest_counts(n_voters, n_samples, seed=1)
        assert 0 <= convexity_slack(counts.tandem_losses) < 1e-11
        assert 0 <= convexity_slack(-counts.disagreement_rates) < 1e-11


def test_the_papers_three_voters_are_not_convex():
    assert convexity_slack(PAPERS_EXAMPLE) is None


def test_one_voter_and_no_losses_are_convex():
    assert convexity_slack(np.array([[0.3]])) == 0.0
    assert convexity_slack(np.zeros((4, 4))) == 0.0
