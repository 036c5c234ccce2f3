import hashlib
import struct

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reproduction.datasets.checks import content_digest

tables = arrays(
    np.int16, st.tuples(st.integers(1, 8), st.integers(1, 4)), elements=st.integers(-3, 3)
)


def labels_for(X):
    return np.arange(len(X)) % 2


def test_the_digest_is_the_documented_one():
    X, y = np.array([[0.5, -1.0], [2.0, 0.0]]), np.array([3, -4])
    text = b"2,2;" + struct.pack("<4f", 0.5, -1, 2, 0) + struct.pack("<2q", 3, -4)
    assert content_digest(X, y) == hashlib.sha256(text).hexdigest()


@settings(deadline=None)
@given(tables)
def test_the_digest_does_not_see_how_values_are_stored(X):
    y = labels_for(X)
    digest = content_digest(X, y)
    assert digest == content_digest(np.asfortranarray(X, dtype=np.float64), y.astype(np.int8))
    assert digest == content_digest(X.astype(">f4"), y)
    assert digest == content_digest(np.where(X == 0, -0.0, X), y)


@settings(deadline=None)
@given(tables, st.data())
def test_the_digest_sees_every_single_value(X, data):
    row, column = data.draw(st.integers(0, len(X) - 1)), data.draw(st.integers(0, X.shape[1] - 1))
    y, changed = labels_for(X), X.copy()
    changed[row, column] += 1
    for ordered in (True, False):
        # a changed value changes the multiset of rows, too: the column sums differ
        assert content_digest(X, y, ordered=ordered) != content_digest(changed, y, ordered=ordered)


@settings(deadline=None)
@given(tables, st.randoms(use_true_random=False))
def test_without_order_the_digest_is_that_of_the_multiset_of_labeled_rows(X, random):
    y, order = labels_for(X), list(range(len(X)))
    random.shuffle(order)
    digest = content_digest(X, y, ordered=False)
    assert digest == content_digest(X[order], y[order], ordered=False)
    assert digest != content_digest(X, y + 1, ordered=False)


def test_shape_and_repeats_count():
    X, y = np.zeros((2, 3)), np.zeros(2, dtype=int)
    assert content_digest(X, y) != content_digest(X.reshape(3, 2), y)
    for ordered in (True, False):
        assert content_digest(X, y, ordered=ordered) != content_digest(
            X[:1], y[:1], ordered=ordered
        )
