"""Fast codes are those of numpy.unique."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tandemvote.votes.codes import distinct


@given(
    st.sampled_from([np.int8, np.uint8, np.int16, np.int64, np.uint64]).flatmap(
        lambda kind: arrays.arrays(kind, st.tuples(st.integers(1, 4), st.integers(1, 6)))
    )
)
def test_codes_are_those_of_unique(values):
    classes, codes = distinct(values)
    expected, inverse = np.unique(values, return_inverse=True)
    assert classes.tolist() == expected.tolist()
    assert codes.tolist() == inverse.reshape(values.shape).tolist()


@pytest.mark.parametrize(
    "ends",
    [(-128, 127), (0, 0), (-1, 1), (-(2**63), 2**63 - 1), (250, 260), (2**63 - 3, 2**63 - 1)],
)
def test_the_ends_of_a_range_are_found_whatever_their_distance(ends):
    classes, codes = distinct(np.array([ends]))
    assert classes.tolist() == sorted(set(ends))
    assert classes[codes].tolist() == [list(ends)]
