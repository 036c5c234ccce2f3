"""Numbers of models and of their trees; every random state inside them is set."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from tandemvote import CertifiedClassifier
from tandemvote.certificate import Certificate
from tandemvote.models.members import planned_models, seeded, trees_of


def test_every_random_state_inside_is_seeded():
    pipeline = make_pipeline(KNeighborsClassifier(), DecisionTreeClassifier())
    first = seeded(pipeline, np.random.RandomState(4)).get_params()
    assert isinstance(first["decisiontreeclassifier__random_state"], int)


def test_a_random_state_that_scikit_learn_deprecates_is_left_alone():
    tree = DecisionTreeClassifier(random_state="deprecated")
    assert seeded(tree, np.random.RandomState(4)).random_state == "deprecated"


def scaled(classifier):
    return make_pipeline(StandardScaler(), classifier)


@pytest.mark.parametrize(
    ("estimator", "n_models", "n_trees"),
    [
        (RandomForestClassifier(), 12, 33),
        (RandomForestClassifier(np.int64(150)), 12, 50),
        (ExtraTreesClassifier(301), 12, 100),
        (BaggingClassifier(GaussianNB(), 100), 12, 33),
        (scaled(RandomForestClassifier()), 12, 33),
        (scaled(scaled(RandomForestClassifier())), 6, None),
        (RandomForestClassifier(99), 6, 99),
        (BaggingClassifier(), 6, 10),
        (scaled(ExtraTreesClassifier(2)), 6, 2),
        (RandomForestClassifier("many"), 6, None),
        (GridSearchCV(RandomForestClassifier(), {"max_depth": [2, 3]}), 6, None),
        (AdaBoostClassifier(n_estimators=200), 6, None),
        (HistGradientBoostingClassifier(), 6, None),
        (GaussianNB(), 6, None),
    ],
)
def test_the_kind_of_learner_and_its_trees_decide_how_many_models_are_tested(
    estimator, n_models, n_trees
):
    before = repr(estimator)
    n_tested, tested = planned_models(estimator, "auto")
    assert (n_tested, trees_of(tested)) == (n_models, n_trees)
    assert type(tested) is type(estimator)
    assert repr(estimator) == before
    assert planned_models(estimator, 5) == (5, estimator)


@pytest.mark.parametrize("referee", [True, False, GaussianNB()])
def test_a_certificate_states_the_number_of_trees(referee, tmp_path):
    X, y = make_classification(200, random_state=0)
    bagging = BaggingClassifier(GaussianNB(), 102)
    model = CertifiedClassifier(bagging, referee=referee, random_state=0).fit(X, y)
    assert [member.n_estimators for member in model.estimators_] == [34] * 12
    if referee is True:
        assert model.referee_.n_estimators == 102
    if referee is not False:
        assert "12 tested models of 34 trees and a referee; a test set" in repr(model.certificate_)
    else:
        mean = np.mean([each.predict_proba(X) for each in model.estimators_], axis=0)
        np.testing.assert_allclose(model.predict_proba(X), mean)
        assert (model.predict(X) == mean.argmax(axis=1)).all()
    path = model.certificate_.save(tmp_path / "certificate.json")
    assert Certificate.load(path).n_trees == model.certificate_.n_trees == 34
    own = CertifiedClassifier(bagging, n_tested=2, referee=referee, random_state=0).fit(X, y)
    assert [member.n_estimators for member in own.estimators_] == [102] * 2
