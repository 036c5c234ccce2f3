"""Every random state inside an estimator is set."""

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from tandemvote.models.members import seeded


def test_every_random_state_inside_is_seeded():
    pipeline = make_pipeline(KNeighborsClassifier(), DecisionTreeClassifier())
    first = seeded(pipeline, np.random.RandomState(4)).get_params()
    assert isinstance(first["decisiontreeclassifier__random_state"], int)


def test_a_random_state_that_scikit_learn_deprecates_is_left_alone():
    tree = DecisionTreeClassifier(random_state="deprecated")
    assert seeded(tree, np.random.RandomState(4)).random_state == "deprecated"
