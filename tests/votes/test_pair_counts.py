"""Counting pairs: the same integers as one sample at a time."""

import numpy as np
import pytest

from tandemvote.votes.pair_counts import equal_pairs, true_pairs


def one_sample_at_a_time(plane):
    return sum(np.outer(sample, sample).astype(int) for sample in plane.T)


@pytest.mark.parametrize(
    ("n_rows", "n_columns"), [(1, 1), (2, 63), (3, 64), (5, 65), (70, 1_000), (9, 40_000)]
)
def test_products_count_what_a_loop_counts(n_rows, n_columns):
    plane = np.random.default_rng(n_rows).random((n_rows, n_columns)) < 0.4
    assert np.array_equal(true_pairs(plane), one_sample_at_a_time(plane))


def test_all_true_and_all_false_are_counted_in_full():
    plane = np.vstack([np.ones((2, 20_001), bool), np.zeros((1, 20_001), bool)])
    assert true_pairs(plane).tolist() == [[20_001, 20_001, 0], [20_001, 20_001, 0], [0, 0, 0]]


@pytest.mark.parametrize("arranged", [np.asfortranarray, lambda p: p[::3], lambda p: p[:, ::-2]])
def test_the_memory_layout_does_not_matter(arranged):
    plane = arranged(np.random.default_rng(0).random((30, 400)) < 0.5)
    assert np.array_equal(true_pairs(plane), one_sample_at_a_time(plane))


def test_equal_predictions_are_counted_only_where_both_are_held_out():
    rng = np.random.default_rng(3)
    predictions, held_out = rng.integers(20, size=(6, 500)), rng.random((6, 500)) < 0.5
    actual = equal_pairs(predictions, held_out, true_pairs(held_out), n_classes=20)
    for first in range(6):
        for second in range(6):
            both = held_out[first] & held_out[second]
            expected = (both & (predictions[first] == predictions[second])).sum()
            assert actual[first, second] == expected
