"""Test samples are drawn without looking, whole groups are set aside, and bad input is named."""

import numpy as np
import pandas as pd
import pytest
from numpy.random import RandomState

from tandemvote.models.groups_and_times import group_codes
from tandemvote.models.splitting import draw_test_rows, one_row_per_group


@pytest.mark.parametrize(
    ("n", "test_size", "expected"),
    [
        *[(100, "auto", 20), (27_000, "auto", 3600), (5, "auto", 1), (100, 7, 7)],
        *[(100, 0.5, 50), (100, 0.29, 29), (101, 0.1, 11)],  # rounded up, as by scikit-learn
    ],
)
def test_number_of_test_samples(n, test_size, expected):
    test, training = draw_test_rows([np.arange(n)], None, test_size, RandomState(0))
    assert test.size == expected
    assert sorted([*test, *training]) == list(range(n))


def test_every_sample_is_equally_likely_to_be_tested():
    rows = [np.arange(20)]
    draws = [draw_test_rows(rows, None, "auto", RandomState(seed))[0] for seed in range(1000)]
    times = np.bincount(np.concatenate(draws), minlength=20)
    assert np.abs(times - 200).max() < 5 * np.sqrt(200 * 0.8)


def test_a_group_is_tested_by_one_row_or_trains_with_all_of_them():
    groups = np.repeat(np.arange(40), np.arange(1, 41))
    test, training = draw_test_rows([np.arange(groups.size)], groups, 0.25, RandomState(0))
    assert test.size == np.unique(groups[test]).size == 10
    assert not np.isin(groups[training], groups[test]).any()
    assert training.size == groups.size - np.isin(groups, groups[test]).sum()


def test_the_row_of_a_group_is_drawn_uniformly():
    groups = np.array([0, 1, 0, 0, 1, 2])
    drawn = np.concatenate([one_row_per_group(groups, [np.zeros(6)], seed) for seed in range(1200)])
    times = np.bincount(drawn, minlength=6)
    np.testing.assert_allclose(times, [400, 600, 400, 400, 600, 1200], atol=5 * 18)


@pytest.mark.parametrize(
    ("n", "test_size", "message"),
    [
        (100, 99, "test_size=99 takes 99 of n_samples=100 samples for testing. At least 1"),
        (100, 0.999, "test_size=0.999 takes 100 of n_samples=100"),
        (2, "auto", "takes 1 of n_samples=2"),
    ],
)
def test_a_test_size_that_leaves_too_few_samples_is_rejected(n, test_size, message):
    with pytest.raises(ValueError, match=message):
        draw_test_rows([np.arange(n)], None, test_size, RandomState(0))


def test_groups_are_checked_against_the_labels():
    y = pd.Series(np.arange(20) % 2)
    with pytest.raises(ValueError, match=r"groups has shape \(19,\) and y has 20 samples"):
        group_codes(np.arange(19), y)
    with pytest.raises(ValueError, match="groups has 5 distinct values; at least 10"):
        group_codes(np.arange(20) // 4, y)
    with pytest.raises(ValueError, match="1 of 20 values of groups are missing, the first at 3"):
        group_codes([None if i == 3 else i for i in range(20)], y)
    with pytest.raises(ValueError, match="groups has the index of the samples in another order"):
        group_codes(pd.Series(np.arange(20), index=y.index[::-1]), y)


def test_groups_that_differ_only_by_case_or_spaces_are_rejected():
    groups = [f"P{i}" for i in range(20)]
    message = "groups has the values 'P3' and 'p3 ', which differ only by case or by spaces"
    with pytest.raises(ValueError, match=message):
        group_codes([*groups[:19], "p3 "], np.zeros(20))
    assert group_codes([*groups[:19], "P3"], np.zeros(20)).max() == 18
