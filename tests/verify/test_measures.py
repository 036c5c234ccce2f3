"""Files of metrics: changed counts, values, directions and votes are found."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from tandemvote import Votes, certify
from tandemvote.metrics.limits import metric_limits
from tandemvote.metrics.metric import METRICS, Outcomes
from tandemvote.record.document import Document, ErrorCount, digest_of
from tandemvote.verify import verify_file
from tandemvote.verify.measures import _can_occur

rng = np.random.default_rng(0)
LABELS = rng.integers(2, size=200)
VOTES = Votes.from_predictions([np.where(rng.random(200) < 0.9, LABELS, 1 - LABELS)], LABELS)


def problem(document, **given):
    document = {**document, "digest": digest_of(document)}
    return verify_file(Document.from_json(document), **given).problem


@pytest.fixture(params=["f1", "cost", "both"])
def stated(request):
    if request.param == "cost":
        certificate = certify(VOTES, cost=[[0, 1], [5, 0]])
    elif request.param == "both":
        certificate = certify(VOTES, metric="precision", positive=1, sides="both")
    else:
        certificate = certify(VOTES, metric="f1", positive=1)
    return certificate.document.to_json()


def test_the_file_as_it_was_written_is_valid(stated):
    assert problem(stated, votes=VOTES) is None
    assert problem(stated, votes=VOTES, rigorous=True) is None


def shifted(text, by):
    return (float.fromhex(text) + by).hex()


def test_a_better_value_is_found(stated):
    record = stated["certificates"][0]
    better = -1e-6 if record["direction"] == "at most" else 1e-6
    for change, message in ((better, "at least"), (-3 * better, "only")):
        value = shifted(record["value"], change)
        record["value"] = record["candidates"]["test_set"] = value
        assert message in problem(stated) and "by its own counts" in problem(stated)


def test_a_better_limit_on_the_other_side_is_found():
    certificate = certify(VOTES, metric="precision", positive=1, sides="both")
    document = certificate.document.to_json()
    measure = document["certificates"][0]["measure"]
    for change, message in ((-1e-6, "at least"), (3e-6, "only")):
        measure["other"] = shifted(measure["other"], change)
        assert "1 - the other limit" in problem(document) and message in problem(document)


@pytest.mark.parametrize("field", ["n_errors", "n_samples"])
def test_changed_counts_are_found(stated, field):
    record = stated["certificates"][0]["measure"]
    for tests in (record["tests"], record["observed"]):
        tests[0][field] += 1 if field == "n_samples" else -1
    assert problem(stated)


def test_counts_that_match_their_limits_but_not_the_votes_are_found():
    other = Votes.from_predictions([np.roll(VOTES.predictions[0], 1)], LABELS)
    document = certify(other, metric="recall", positive=1).document.to_json()
    assert problem(document) is None
    assert problem(document, votes=VOTES)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("direction", "at most", "the direction is stated as 'at most'"),
        ("metric", "recall", "impossible for recall"),
        ("measure", None, "the counts of f1 are missing"),
        ("printed", "0.999", "the printed is stated as '0.999'"),
    ],
)
def test_changed_words_of_f1_are_found(field, value, message):
    document = certify(VOTES, metric="f1", positive=1).document.to_json()
    document["certificates"][0][field] = value
    assert message in problem(document)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("positive", 7, "7, which is not a class"),
        ("positive", True, "True, which is not a class"),
        ("tests", [], "costs and tests"),
        ("costs", ["0x0.0p+0"], "costs and tests"),
        ("observed", [{"n_errors": 0, "n_samples": 110}], "not those observed"),
    ],
)
def test_changed_measures_are_found(field, value, message):
    document = certify(VOTES, metric="f1", positive=1).document.to_json()
    document["certificates"][0]["measure"][field] = value
    assert message in problem(document)


def counts_of(metric, *tests, certified=VOTES, seen=True, **named):
    """Return a file with other counts of a metric, and the limit that follows from these."""
    certificate = certify(certified, metric=metric, **named)
    stated = tuple(map(ErrorCount._make, tests))
    observed = stated if seen else certificate.measure.observed
    measure = replace(certificate.measure, tests=stated, observed=observed)
    value, _ = metric_limits(METRICS[metric], tests, certificate.delta, costs=measure.costs)
    changed = replace(certificate, measure=measure, candidates={"test_set": value})
    return changed.document.to_json()


def test_fewer_errors_of_a_committee_than_were_observed_are_found():
    wrong = rng.random((4, 200)) < 0.2
    predictions = np.where(wrong, 1 - LABELS, LABELS)
    votes = Votes.from_predictions(predictions, LABELS, ties="referee")
    seen = certify(votes, metric="recall").measure.observed
    fewer = [(max(k - 1, 0), n) for k, n in seen]
    assert "than were observed" in problem(counts_of("recall", *fewer, certified=votes, seen=False))


def test_missing_observed_errors_are_found():
    document = certify(VOTES, metric="recall").document.to_json()
    document["certificates"][0]["observed"] = None
    assert "requires the observed errors" in problem(document)


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_possible_counts_are_those_of_all_predictions(metric):
    """All sets of winners of three samples of a class and two others, ties among them."""
    labels, able = np.array([0, 0, 0, 1, 1]), np.array([[1, 0], [0, 1], [1, 1]], bool)
    tried = (Outcomes(labels, able[[*each]], (0, 1, 1, 0)) for each in product(range(3), repeat=5))
    occurring = {metric.count(each)[0] for each in tried}
    grid = product(range(8), repeat=2)
    assert {(k, n) for k, n in grid if _can_occur(metric, k, n, (3, 2))} == occurring
