import numpy as np
import pytest
from sklearn.datasets import make_classification


@pytest.fixture(scope="session")
def data():
    """300 points of three classes, hard enough that voters err and disagree."""
    return make_classification(
        300, 6, n_informative=4, n_classes=3, n_clusters_per_class=1, flip_y=0.2, random_state=7
    )


@pytest.fixture
def rng():
    return np.random.default_rng(3)
