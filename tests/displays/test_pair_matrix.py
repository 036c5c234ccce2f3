from itertools import pairwise, permutations

import numpy as np

from tandemvote import VoteCounts, Votes
from tandemvote.displays import TandemDisplay


def test_matrix_is_the_rate_of_common_errors_on_common_samples(votes):
    display = TandemDisplay(VoteCounts.from_votes(votes))
    for first in range(votes.n_voters):
        for second in range(votes.n_voters):
            both = votes.held_out[first] & votes.held_out[second]
            wrong = votes.errors[first] & votes.errors[second]
            assert display.tandem_losses[first, second] == wrong.sum() / both.sum()


def test_the_picture_holds_the_matrix_in_its_order(votes):
    display = TandemDisplay(VoteCounts.from_votes(votes)).plot()
    assert sorted(display.order) == list(range(votes.n_voters))
    [image] = display.ax_.get_images()
    shown = np.asarray(image.get_array())
    np.testing.assert_array_equal(shown, display.tandem_losses[display.order][:, display.order])


def test_voters_that_err_alike_stand_side_by_side():
    rng = np.random.default_rng(0)
    kinds = rng.random((3, 400)) < 0.2
    kind_of = rng.permutation(np.repeat([0, 1, 2], 4))
    errors = kinds[kind_of] ^ (rng.random((12, 400)) < 0.01)
    counts = VoteCounts.from_votes(Votes.from_predictions(errors.astype(int), np.zeros(400, int)))
    in_picture = kind_of[TandemDisplay(counts).order]
    assert (np.diff(in_picture) != 0).sum() == 2


def test_leaf_order_is_as_short_a_way_as_the_tree_allows():
    # Four nested voters on a line: only the line itself and its mirror image have length 3.
    errors = np.tril(np.ones((4, 4), int))[[2, 0, 3, 1]]
    counts = VoteCounts.from_votes(Votes.from_predictions(errors, np.zeros(4, int)))
    distances = np.abs(np.subtract.outer([2, 0, 3, 1], [2, 0, 3, 1]))

    def length(order):
        return sum(distances[a, b] for a, b in pairwise(order))

    best = min(length(order) for order in permutations(range(4)))
    assert length(TandemDisplay(counts).order) == best


def test_pairs_without_common_samples_are_missing_not_certain_errors():
    held_out = [[True, True, False], [False, False, True], [True, True, True]]
    votes = Votes.from_predictions([[0, 1, 0], [0, 0, 0], [0, 0, 0]], [0, 0, 0], held_out)
    display = TandemDisplay(VoteCounts.from_votes(votes))
    assert np.isnan(display.tandem_losses[0, 1])
    assert not np.isnan(display.tandem_losses[0, 2])
    assert "wrong together: 0.000 to 0.000" in display.description
    display.plot()
