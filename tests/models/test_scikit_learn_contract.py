"""The certified forest keeps scikit-learn's contract."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from tandemvote import CertifiedForestClassifier

# The checks fit a handful of samples, on which some pair of voters may share no held-out sample.
pytestmark = pytest.mark.filterwarnings(
    "ignore::tandemvote.bounds.VacuousBoundWarning",
    "ignore:Using the fractional value max_samples:UserWarning",
)


CHECKS = parametrize_with_checks(
    [CertifiedForestClassifier(n_estimators=5, random_state=0, weights="tandem", bound="best")],
    expected_failed_checks=lambda _: {
        "check_class_weight_classifiers": "class_weight={...} lets the labels choose the bootstraps"
    },
)


# scikit-learn 1.6 hands over an iterator, which pytest 9 deprecates.
@pytest.mark.parametrize(CHECKS.args[0], list(CHECKS.args[1]), **CHECKS.kwargs)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
