"""Counting pairs: by product and by bits, the same integers as one point at a time."""

import builtins
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from tandemvote import VoteCounts, Votes
from tandemvote.counting import pairs
from tandemvote.counting.pairs import bit_counter, equal_pairs, true_pairs, true_pairs_by_product


def one_point_at_a_time(plane):
    return sum(np.outer(point, point).astype(int) for point in plane.T)


@pytest.fixture
def by_bits():
    pytest.importorskip("numba")
    return bit_counter()


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize(
    ("n_rows", "n_columns"), [(1, 1), (2, 63), (3, 64), (5, 65), (70, 1_000), (9, 40_000)]
)
def test_bits_and_products_count_what_a_loop_counts(by_bits, n_rows, n_columns, n_threads):
    plane = np.random.default_rng(n_rows).random((n_rows, n_columns)) < 0.4
    expected = one_point_at_a_time(plane)
    with threadpool_limits(n_threads):
        assert np.array_equal(by_bits(plane), expected)
    assert np.array_equal(true_pairs_by_product(plane), expected)


def test_all_true_and_all_false_are_counted_in_full(by_bits):
    plane = np.vstack([np.ones((2, 20_001), bool), np.zeros((1, 20_001), bool)])
    assert by_bits(plane).tolist() == [[20_001, 20_001, 0], [20_001, 20_001, 0], [0, 0, 0]]


@pytest.mark.parametrize("arranged", [np.asfortranarray, lambda p: p[::3], lambda p: p[:, ::-2]])
def test_however_the_cells_lie_in_memory_they_are_counted(by_bits, arranged):
    plane = arranged(np.random.default_rng(0).random((30, 400)) < 0.5)
    assert np.array_equal(by_bits(plane), one_point_at_a_time(plane))


def test_several_threads_may_count_at_once(by_bits):
    """Workers of a cluster have several threads; none may disturb another."""
    rng = np.random.default_rng(0)
    planes = [rng.random((60, 5_000)) < 0.4 for _ in range(8)]
    with ThreadPoolExecutor(4) as threads:
        counted = list(threads.map(by_bits, planes))
    assert all(map(np.array_equal, counted, map(true_pairs_by_product, planes)))


@pytest.mark.parametrize("n_classes", [2, 5])
def test_votes_of_large_pools_are_counted_by_bits_to_the_same_integers(
    by_bits, monkeypatch, n_classes
):
    rng = np.random.default_rng(n_classes)
    votes = Votes.from_predictions(
        rng.integers(n_classes, size=(12, 700)),
        rng.integers(n_classes, size=700),
        rng.random((12, 700)) < 0.6,
    )
    expected, used = VoteCounts.from_votes(votes), []
    monkeypatch.setattr(pairs, "MANY_VOTERS", 12)
    monkeypatch.setattr(
        pairs, "bit_counter", lambda: lambda plane: used.append(1) or by_bits(plane)
    )
    found = VoteCounts.from_votes(votes)
    assert used
    for name in ("errors", "tandem_errors", "overlaps", "disagreements", "lone_errors"):
        assert np.array_equal(getattr(found, name), getattr(expected, name))


def test_a_numba_that_does_not_compile_is_not_used():
    pytest.importorskip("numba")
    program = "from tandemvote.counting.pairs import bit_counter; print(bit_counter())"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(
        [sys.executable, "-c", program],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert run.stdout == "None\n"


def test_without_numba_large_pools_are_counted_by_products(monkeypatch):
    real = builtins.__import__

    def without_numba(name, *args, **kwargs):
        if name == "tandemvote.counting.bits":
            raise ImportError("No module named 'numba'")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(pairs, "MANY_VOTERS", 1)
    monkeypatch.setattr(builtins, "__import__", without_numba)
    bit_counter.cache_clear()
    try:
        plane = np.random.default_rng(0).random((4, 100)) < 0.5
        assert bit_counter() is None
        assert np.array_equal(true_pairs(plane), one_point_at_a_time(plane))
    finally:
        bit_counter.cache_clear()


def test_equal_predictions_are_counted_only_where_both_are_held_out():
    rng = np.random.default_rng(3)
    predictions, held_out = rng.integers(20, size=(6, 500)), rng.random((6, 500)) < 0.5
    found = equal_pairs(predictions, held_out, true_pairs(held_out), n_classes=20)
    for first in range(6):
        for second in range(6):
            both = held_out[first] & held_out[second]
            expected = (both & (predictions[first] == predictions[second])).sum()
            assert found[first, second] == expected
