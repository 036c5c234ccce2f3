"""The test-set bound: what labelled points used for nothing else say about one classifier."""

from tandemvote.bounds.bound import Bound
from tandemvote.bounds.requirements import ONE_CLASSIFIER
from tandemvote.inequalities import clopper_pearson


def test_set_bound(*, n_errors: int, n_samples: int, delta: float = 0.05) -> float:
    r"""Clopper-Pearson upper limit for the error rate of one fixed classifier.

    .. math:: \mathrm{Beta}^{-1}(1 - \delta;\ k + 1,\ n - k)

    The `n_samples` test points were used neither for training, nor for weights, nor for any choice;
    the vote gets `n_errors` of them wrong. Where labels can be spared it is much tighter than any
    bound computed from the points the voters were trained around.

    Examples
    --------
    >>> round(test_set_bound(n_errors=30, n_samples=1000), 4)
    0.0405
    """
    return float(clopper_pearson(n_errors, n_samples, delta=delta))


# The name begins with "test": tell pytest that it is no test when a test module imports it.
test_set_bound.__test__ = False  # type: ignore[attr-defined]


TEST_SET = Bound(
    name="test_set",
    label="TEST",
    summary="errors of the vote itself on labelled points used for nothing else",
    theorem="Clopper-Pearson",
    labels_used="labels used for nothing else",
    formula=test_set_bound,
    terms=lambda averages: {
        "n_errors": int(averages.counts.errors[0]),
        "n_samples": int(averages.counts.sizes[0]),
    },
    needs=(ONE_CLASSIFIER,),
)
