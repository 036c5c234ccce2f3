import numpy as np
import pytest
from sklearn.datasets import make_classification


@pytest.fixture(scope="session")
def data():
    """300 samples of three classes, hard enough that voters err and disagree."""
    return make_classification(
        300, 6, n_informative=4, n_classes=3, n_clusters_per_class=1, flip_y=0.2, random_state=7
    )


@pytest.fixture(scope="session")
def binary():
    """600 samples of two classes that voters do not agree about."""
    return make_classification(600, 8, n_informative=4, flip_y=0.15, random_state=1)


@pytest.fixture(scope="session")
def three_classes():
    return make_classification(
        400, 6, n_informative=4, n_classes=3, n_clusters_per_class=1, random_state=2
    )


@pytest.fixture
def rng():
    return np.random.default_rng(3)
