import numpy as np
import pytest

from tandemvote.tables import Dataset, DatasetError


def test_sizes_and_frequencies_follow_from_the_arrays():
    dataset = Dataset("toy", X=np.zeros((4, 3)), y=np.array(["b", "a", "b", "b"]))
    assert (dataset.n_samples, dataset.n_features, dataset.n_classes) == (4, 3, 2)
    assert dataset.class_counts == {"a": 1, "b": 3}


def test_what_a_reader_must_know_is_in_the_repr():
    dataset = Dataset("toy", X=np.zeros((2, 1)), y=np.arange(2), origin="a box", n_dropped=7)
    for word in ("toy", "a box", "7 rows", "frequency 0.5000"):
        assert word in repr(dataset)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (np.zeros((2, 1)), np.zeros(3)),
        (np.zeros(2), np.zeros(2)),
        (np.zeros((0, 1)), np.zeros(0)),
        (np.zeros((2, 0)), np.zeros(2)),
    ],
)
def test_arrays_that_do_not_fit_are_rejected(X, y):
    with pytest.raises(DatasetError):
        Dataset("toy", X=X, y=y)
