"""xi(n) equals its definition, in constant time, up to n = 10^9."""

import mpmath as mp
import numpy as np
import pytest
import truth

from tandemvote.inequalities import two_sqrt, xi


@pytest.mark.parametrize("n", [1, 2, 3, 7, 15, 16, 17, 50, 211, 400])
def test_xi_equals_its_defining_sum(n):
    assert abs(xi(n) - truth.xi(n)) <= 1e-13 * truth.xi(n)


@pytest.mark.parametrize("n", [1.5, 284.54, 9459.96, 1e6])
def test_xi_extends_to_real_sizes(n):
    assert abs(xi(n) - truth.xi(n)) <= 1e-12 * truth.xi(n)


def test_xi_at_a_billion_follows_its_expansion():
    # Ramanujan: xi(n) = sqrt(pi n / 2) + 2/3 + sqrt(pi / (2 n)) / 12 + O(1/n).
    n = mp.mpf(10) ** 9
    expansion = mp.sqrt(mp.pi * n / 2) + mp.mpf(2) / 3 + mp.sqrt(mp.pi / (2 * n)) / 12
    assert abs(xi(10**9) - expansion) <= 1e-12 * expansion


def test_xi_is_at_most_two_sqrt_n():
    n = np.unique(np.geomspace(1, 1e9, 500).astype(int))
    assert (xi(n) <= two_sqrt(n) * (1 + 1e-14)).all()


def test_log_xi_per_point_decreases_so_that_the_smallest_size_is_safe():
    n = np.unique(np.geomspace(1, 1e9, 500).astype(int))
    assert (np.diff(np.log(xi(n)) / n) < 0).all()
