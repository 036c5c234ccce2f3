"""Certificates of metrics: what they say, where they apply, and what is rejected."""

import itertools

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import recall_score

from tandemvote import Certificate, CertifiedClassifier, Votes, certify, certify_oob
from tandemvote.inequalities import clopper_pearson
from tandemvote.metrics.metric import AT_MOST, METRICS, Metric
from tandemvote.verify import verify_file
from tandemvote.votes.weighted_vote import can_win

WORDS = np.array(["no", "yes"])


@pytest.fixture(scope="module")
def tested():
    X, y = load_breast_cancer(return_X_y=True)
    model = LogisticRegression(max_iter=10_000).fit(X[:300], WORDS[y[:300]])
    return model, X[300:], WORDS[y[300:]]


@pytest.fixture(scope="module")
def committee():
    X, y = load_iris(return_X_y=True)
    return CertifiedClassifier(RandomForestClassifier(10), random_state=0).fit(X, y), X, y


def test_recall_is_the_limit_of_its_class_and_prints_its_direction(tested):
    model, X, y = tested
    certificate = certify(model, X, y, metric="recall", positive="no")
    errors, samples = int((model.predict(X[y == "no"]) != "no").sum()), int((y == "no").sum())
    assert certificate.value == pytest.approx(1 - clopper_pearson(errors, samples))
    assert (certificate.metric, certificate.direction) == ("recall", "at least")
    assert certificate.observed == recall_score(y, model.predict(X), pos_label="no")
    assert "guaranteed recall >= 90.7% (95% confidence)" in repr(certificate)
    assert "for class 'no' on new data is at least 90.7%." in certificate.guarantee


def test_both_sides_have_half_of_delta_each(tested):
    certificate = certify(*tested, metric="f1", positive="yes", sides="both")
    one_side = certify(*tested, metric="f1", positive="yes", confidence=0.975)
    lower, upper = certificate.interval
    assert lower == certificate.value == one_side.value
    assert lower < certificate.observed < upper < 1
    assert one_side.interval is None
    error = certify(*tested, sides="both")
    assert error.interval[0] > 0
    assert error.value == error.interval[1]
    assert error.value == pytest.approx(certify(*tested, confidence=0.975).value)


def test_costs_without_levels_are_the_error_rate(tested):
    cost = certify(*tested, cost=[[0, 1], [1, 0]])
    assert cost.value == pytest.approx(certify(*tested).value)
    dear = certify(*tested, cost=[[2, 12], [12, 2]])
    assert dear.value == pytest.approx(2 + 10 * cost.value)
    assert (dear.direction, cost.baseline) == ("at most", None)


def test_several_classes_share_delta(committee):
    certificate = committee[0].certificate_.for_metric("precision")
    one = committee[0].certificate_.for_metric("precision", positive=2)
    assert set(certificate.by_class) == {0, 1, 2}
    assert certificate.value == pytest.approx(np.mean(list(certificate.by_class.values())))
    assert certificate.by_class[2] < one.value
    assert repr(certificate).splitlines()[-1].startswith("  2  ")
    assert one.by_class == {2: pytest.approx(one.value)}


@pytest.mark.parametrize("metric", [*METRICS])
def test_files_hold_metrics_and_verify_recomputes_them(metric, committee, tmp_path):
    costs = {"cost": np.arange(9.0).reshape(3, 3)} if metric == "cost" else {}
    certificate = committee[0].certificate_.for_metric(metric, **costs)
    path = certificate.save(tmp_path / "c.json")
    for rigorous in (False, True):
        assert verify_file(path, rigorous=rigorous, votes=certificate.votes).problem is None
    loaded = Certificate.load(path)
    assert repr(loaded) == repr(certificate)
    assert loaded.interval == certificate.interval


def test_a_metric_is_one_record(committee, monkeypatch):
    def mean(rates, _):
        return rates.mean()

    words = "false positive rate"
    record = Metric("fpr", words, lambda o: (~o.true, o.winners), direction=AT_MOST, formula=mean)
    monkeypatch.setitem(METRICS, "fpr", record)
    rates, others = map(committee[0].certificate_.for_metric, ("fpr", "specificity"))
    complements = {label: 1 - least for label, least in others.by_class.items()}
    assert rates.by_class == pytest.approx(complements)
    assert rates.value == pytest.approx(1 - others.value)
    assert rates.observed == pytest.approx(1 - others.observed)
    assert f"the average {words} of this committee on new data is at most" in rates.guarantee
    assert "  class  at most\n" in repr(rates)


def broken_ties(tested, referee):
    """The plurality of the tested models; the referee breaks ties, else the smallest class wins."""
    winners = []
    for votes, named in zip(tested.T, referee, strict=True):
        counts = np.bincount(votes, minlength=3)
        winners.append(named if counts[named] == counts.max() else counts.argmax())
    return np.array(winners)


@pytest.mark.parametrize("positive", [0, 1, 2])
def test_the_limit_is_that_of_the_worst_referee(positive):
    """Counts are those of the worst of all referees, tried on all votes of a small committee."""
    labels = np.array([0, 1, 2, 0, 1, 2])
    tested = np.array(
        [[0, 1, 2, 0, 1, 2], [0, 1, 2, 1, 1, 2], [1, 1, 0, 1, 2, 1], [1, 2, 2, 0, 0, 1]]
    )
    votes = Votes.from_predictions(tested, labels, ties="referee")
    able, seen, shares = can_win(votes, [0.25] * 4), np.zeros((6, 3), bool), []
    stated = certify(votes).for_metric("f1", positive=positive).measure.tests[0]
    for referee in itertools.product(range(3), repeat=6):
        winners = broken_ties(tested, np.array(referee))
        seen[np.arange(6), winners] = True
        hits = (labels == positive) & (winners == positive)
        shares.append(hits.sum() / ((labels == positive) | (winners == positive)).sum())
    assert min(shares) == 1 - stated.n_errors / stated.n_samples  # F1 increases with it
    assert max(shares) > min(shares)
    assert (seen == able).all()


def test_metrics_of_the_report_and_of_models_agree(committee):
    certificate = committee[0].certificate_
    assert (
        certify(certificate.votes, metric="f1", positive=1).value
        == certificate.for_metric("f1", positive=1).value
    )
    assert certificate.for_metric("accuracy").value == pytest.approx(1 - certificate.value)
    assert certificate.for_metric("error").value == pytest.approx(certificate.value)


def test_classes_that_cannot_be_certified_have_a_limit_of_zero():
    y = np.array([0, 1] * 50)
    X = np.arange(100.0)[:, None]
    model = DummyClassifier(strategy="constant", constant=0).fit([[0.0]] * 3, [0, 1, 2])
    certificate = certify(model, X, y, metric="recall")
    assert certificate.by_class[2] == certificate.by_class[1] == 0
    assert certify(model, X, y, metric="precision", positive=1).value == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"metric": "roc_auc"}, "metric='roc_auc' is not supported: it depends on pairs"),
        ({"metric": "recall"}, r"requires positive, one of the classes 'no', 'yes'\. Pass"),
        (
            {"metric": "recall", "positive": "maybe"},
            "positive='maybe' is not valid for metric='recall'. .*: 'no', 'yes'",
        ),
        (
            {"metric": "accuracy", "positive": "yes"},
            "positive='yes' is not valid for metric='accuracy'",
        ),
        ({"metric": "cost"}, "metric='cost' requires cost"),
        ({"metric": "f1", "cost": [[0, 1], [1, 0]]}, "cost requires metric='cost'"),
        ({"cost": [[0, 1, 2]]}, r"cost has shape \(1, 3\); expected .* in the order 'no', 'yes'"),
        ({"cost": [[1, 1], [1, 1]]}, r"cost has shape \(2, 2\); .* not all equal"),
        ({"metric": "f1", "positive": "yes", "sides": "two"}, "sides='two' is not valid"),
        ({"metric": "f1", "positive": "yes", "bound": "first_order"}, "test the whole classifier"),
    ],
)
def test_bad_requests_have_one_clear_error(tested, arguments, message):
    with pytest.raises(ValueError, match=message):
        certify(*tested, **arguments)


def test_evidence_that_does_not_test_the_classifier_is_rejected(tested, committee, tmp_path):
    model, X, y = committee
    forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="requires samples that test the whole classifier"):
        certify_oob(forest, X, y).for_metric("recall")
    with pytest.raises(ValueError, match="sides='both' requires a test of the classifier itself"):
        model.certificate_.for_metric("recall", sides="both")
    loaded = Certificate.load(model.certificate_.save(tmp_path / "c.json"))
    with pytest.raises(ValueError, match=r"with its votes; this one .* from counts or a file"):
        loaded.for_metric("recall")
    recall = certify(*tested, metric="recall", positive="no")
    with pytest.raises(
        ValueError, match="by_group requires the certificate of the error rate on all samples"
    ):
        recall.by_group("class")
    with pytest.raises(ValueError, match="requires the certificate of the error rate"):
        recall.for_metric("f1")


def test_classes_are_never_those_that_happen_to_occur():
    votes = Votes.from_predictions([[0, 1, 2] * 20], [0, 1, 2] * 20)
    for metric in ("recall", "f1"):
        with pytest.raises(ValueError, match="requires positive"):
            certify(votes, metric=metric)
    with pytest.raises(ValueError, match="requires all classes"):
        certify(votes, metric="balanced_accuracy")
    with pytest.raises(ValueError, match=r"positive=3 is not valid .*: 0, 1"):
        certify(Votes.from_predictions([[0, 3] * 20], [0, 1] * 20), metric="recall", positive=3)
