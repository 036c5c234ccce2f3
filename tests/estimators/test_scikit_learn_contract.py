"""Every certified classifier keeps scikit-learn's contract."""

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from tandemvote import (
    CertifiedBaggingClassifier,
    CertifiedClassifierCV,
    CertifiedForestClassifier,
    CertifiedVotingClassifier,
)

# The checks fit a handful of points, on which some pair of voters may share no held-out point.
pytestmark = pytest.mark.filterwarnings(
    "ignore::tandemvote.bounds.VacuousBoundWarning",
    "ignore:Using the fractional value max_samples:UserWarning",
)


def expected_failures(estimator):
    if isinstance(estimator, CertifiedForestClassifier):
        reason = "class_weight={...} lets the labels choose the held-out points; it is refused"
        return {"check_class_weight_classifiers": reason}
    return {}


CHECKS = parametrize_with_checks(
    [
        CertifiedForestClassifier(n_estimators=10, random_state=0),
        CertifiedForestClassifier(n_estimators=10, weights="tandem", max_samples=0.5, bound="best"),
        CertifiedClassifierCV(DecisionTreeClassifier(), random_state=0),
        CertifiedClassifierCV(LogisticRegression(), cv=2, weights="first_order"),
        CertifiedBaggingClassifier(n_estimators=5, random_state=0),
        CertifiedBaggingClassifier(KNeighborsClassifier(3), 5, weights="first_order"),
        CertifiedVotingClassifier(
            [("bayes", GaussianNB()), ("nearest", KNeighborsClassifier(2))], splits=3
        ),
    ],
    expected_failed_checks=expected_failures,
)


# scikit-learn 1.6 hands over an iterator, which pytest 9 deprecates.
@pytest.mark.parametrize(CHECKS.args[0], list(CHECKS.args[1]), **CHECKS.kwargs)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
