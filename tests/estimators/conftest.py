import pytest
from sklearn.datasets import make_classification


@pytest.fixture(scope="session")
def binary():
    """600 points of two classes that voters do not agree about."""
    return make_classification(600, 8, n_informative=4, flip_y=0.15, random_state=1)


@pytest.fixture(scope="session")
def three_classes():
    return make_classification(
        400, 6, n_informative=4, n_classes=3, n_clusters_per_class=1, random_state=2
    )
