"""Draws forget the order of rows, depend on all contents, and are uniform."""

import numpy as np
import pandas as pd
import pytest
from numpy.random import RandomState

from tandemvote.models.splitting import draw_test_rows, one_row_per_group
from tandemvote.votes.draws import keyed_order, shuffled

RNG = np.random.default_rng(0)
CONTENTS = [RNG.integers(3, size=400), RNG.choice(["a", "b"], 400), pd.Series(RNG.normal(size=400))]


@pytest.mark.parametrize("places", [(0,), (1,), (2,), (0, 1, 2)])
def test_the_order_of_rows_does_not_change_what_is_drawn(places):
    contents = [np.asarray(CONTENTS[place]) for place in places]
    drawn = shuffled(contents)
    assert sorted(drawn) == list(range(400))
    for other in (np.arange(400)[::-1], RNG.permutation(400)):
        reordered = [each[other] for each in contents]
        for one, two in zip(contents, reordered, strict=True):
            np.testing.assert_array_equal(one[drawn], two[shuffled(reordered)])


def test_every_cell_and_the_seed_change_the_draw():
    drawn = shuffled(CONTENTS)
    assert (shuffled(CONTENTS, 1) != drawn).any()
    for place, other in enumerate((7, "z", 0.5)):
        contents = [np.array(each) for each in CONTENTS]
        contents[place][123] = other
        assert (shuffled(contents) != drawn).mean() > 0.9
    renamed = np.where(CONTENTS[1] == "a", "A", "b")  # in the same order
    assert (shuffled([CONTENTS[0], renamed]) != shuffled(CONTENTS[:2])).mean() > 0.9
    np.testing.assert_array_equal(shuffled([*CONTENTS, None]), drawn)


def test_the_draw_is_the_same_everywhere():
    order, generator = keyed_order([[3, 1, 2], ["x", "y", "x"]], 5)
    assert order.tolist() == [0, 2, 1]
    assert generator.randint(1000, size=3).tolist() == [545, 141, 810]


def test_different_rows_have_different_digests():
    rows = np.array(np.unravel_index(np.arange(2**17), (2,) * 17)).astype(np.uint8)
    sorted_rows = rows[:, keyed_order(rows)[0]]
    again = rows[:, ::-1][:, keyed_order(rows[:, ::-1])[0]]
    np.testing.assert_array_equal(sorted_rows, again)  # no two rows stay as they were given


def test_copies_stay_rows_of_their_own():
    groups, contents = np.repeat(np.arange(3000), 4), np.tile([0, 1, 1, 1], 3000)
    share = contents[one_row_per_group(groups, [contents])].mean()
    assert share == pytest.approx(0.75, abs=4 * np.sqrt(0.75 * 0.25 / 3000))


def test_test_groups_are_drawn_whatever_their_size():
    groups = np.repeat(np.arange(40), np.arange(1, 41))
    draws = [
        groups[draw_test_rows([np.zeros(groups.size)], groups, 10, RandomState(seed))[0]]
        for seed in range(500)
    ]
    times = np.bincount(np.concatenate(draws), minlength=40)
    assert np.abs(times - 125).max() < 4.5 * np.sqrt(125 * 0.75)
