"""Honest certificates are valid; a false number, word or count is found and named."""

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from tandemvote.auditing import Finding
from tandemvote.certificate import certify_votes
from tandemvote.record.assumptions import (
    DRAW,
    ORDER_OF_ROWS,
    UNLABELED_SAMPLES,
    standard_assumptions,
)
from tandemvote.record.document import FITTED, Document
from tandemvote.record.encodings import pack, unpack
from tandemvote.verify import CertificateFileError, verify_file
from tandemvote.verify.arithmetic import Balls
from tandemvote.verify.averages import Quantities
from tandemvote.verify.rules import RULES
from tandemvote.votes.counts import INTEGER_FIELDS, VoteCounts
from tandemvote.votes.decimals import rounded_up
from tandemvote.votes.names import GIVEN, MINIMIZABLE
from tandemvote.votes.votes import Votes

pytestmark = pytest.mark.filterwarnings("ignore::tandemvote.bounds.VacuousBoundWarning")


@pytest.mark.parametrize("seed", range(8))
def test_honest_certificates_are_valid_and_proven(make_certificate, seed):
    assert_proven(make_certificate(seed, **SIZES[seed % len(SIZES)]))


@pytest.mark.slow
def test_hundreds_of_honest_certificates_are_valid_and_proven(make_certificate):
    for seed in range(100, 600):
        assert_proven(make_certificate(seed, **SIZES[seed % len(SIZES)]))


SIZES = [{}, {"n_classes": 3}, {"n_voters": 1}, {"n_samples": 12}, {"n_unlabeled": 50}]


def assert_proven(certificate):
    document = certificate.document
    assert verify_file(document).problem is None
    assert verify_file(document, rigorous=True, votes=certificate.votes).problem is None


@pytest.mark.parametrize(
    ("severity", "overridden", "problem"),
    [
        ("error", False, "the finding 'identifier' is an error that nobody overrode"),
        ("error", True, None),
        ("warning", False, None),
    ],
)
def test_errors_of_the_audit_are_overridden_or_found(
    make_certificate, severity, overridden, problem
):
    finding = Finding(code="identifier", severity=severity, message="...", overridden=overridden)
    certificate = replace(make_certificate(0), findings=(finding,))
    assert verify_file(certificate.document).problem == problem


@pytest.fixture(scope="module")
def text_with_a_profile():
    """The file of a certificate whose vote_profile bound is below 1."""
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=2700)
    predictions = np.where(rng.random((9, 2700)) < 0.15, rng.integers(3, size=(9, 2700)), labels)
    held_out = rng.random((9, 2500)) < 0.5
    votes = Votes.from_predictions(
        predictions[:, :2500], labels[:2500], held_out, unlabeled=predictions[:, 2500:]
    )
    weights = rng.dirichlet(np.full(9, 3.0))
    certificate = certify_votes(votes, weights=weights, bound="vote_profile")
    assert 0.02 < certificate.value < 0.2
    return json.dumps(certificate.document.to_json())


@pytest.fixture
def profiled(text_with_a_profile):
    return json.loads(text_with_a_profile)


def test_the_bound_of_unlabeled_samples_is_proven(profiled, problem_of):
    for rigorous in (False, True):
        assert problem_of(profiled, rigorous=rigorous) is None


@pytest.mark.parametrize(("change", "problem"), [(-1e-6, "at least"), (1e-6, "only")])
def test_a_wrong_bound_of_unlabeled_samples_is_found(profiled, problem_of, change, problem):
    record = profiled["certificates"][0]
    value = float.fromhex(record["value"]) + change
    stated = {"value": value.hex(), "printed": rounded_up(value)}
    record.update(stated)
    record["candidates"]["vote_profile"] = stated["value"]
    message = problem_of(profiled)
    assert "the vote_profile bound" in message and problem in message


def test_the_vote_profile_bound_requires_a_profile(profiled, problem_of, changed):
    without = changed(profiled, ("certificates", 0, "profile"), None)
    assert "the assumptions" not in problem_of(without)
    assert "requires a profile" in problem_of(without)


def test_hardly_any_sample_at_a_tiny_delta_is_verified():
    """The plans for one sample and 20 nats tilt by e^-72, which is lost next to 1."""
    held_out = [[True, True], [True, False]]
    votes = Votes.from_predictions(
        [[1, 0], [1, 1]], [1, 1], held_out, unlabeled=[[1, 0, 1], [1, 1, 0]]
    )
    document = certify_votes(votes, bound="vote_profile", delta=1e-9).document
    assert verify_file(document).problem is None
    assert verify_file(document, rigorous=True).problem is None


@pytest.mark.parametrize("times", [10**3, pytest.param(10**6, marks=pytest.mark.slow)])
def test_certificates_of_many_samples_are_proven(make_votes, times):
    counts = VoteCounts.from_votes(make_votes(1))
    many = {name: getattr(counts, name) * times for name in INTEGER_FIELDS}
    labels = Counter({0: counts.n_samples * times})
    many = VoteCounts(classes=counts.classes, class_counts=labels, **many)
    certificate = certify_votes(many, bound="best")
    assert certificate.observed is None and certificate.baseline == 0
    assert verify_file(certificate.document, rigorous=True).problem is None


@pytest.mark.parametrize("shortfall", [9.5e-13, -9.5e-13, 5e-15])
def test_weights_that_nearly_sum_to_one_are_proven(make_votes, shortfall):
    weights = np.array([0.5, 0.5]) * (1 - shortfall)
    votes = make_votes(n_voters=2, n_samples=60)
    certificate = certify_votes(votes, weights=weights, prior=[0.1, 0.9], bound="best")
    assert verify_file(certificate.document, rigorous=True).problem is None


def test_a_prior_of_zero_leaves_a_voter_out(make_votes):
    prior = np.array([0, 0.2, 0.2, 0.2, 0.2, 0.2])
    certificate = certify_votes(make_votes(), weights=prior, prior=prior, bound="best")
    assert verify_file(certificate.document, rigorous=True).problem is None


@pytest.mark.parametrize("rigorous", [False, True])
@pytest.mark.parametrize("tiny", [5e-324, 1e-300, 1e-17])
def test_tiny_priors_overflow_nothing(make_votes, tiny, rigorous):
    votes = make_votes(n_voters=2, n_samples=5000, n_classes=3)
    for weights, prior in (([1, 0], [tiny, 1 - tiny]), ([1, 0], [1 - tiny, tiny])):
        certificate = certify_votes(votes, weights=weights, prior=prior, bound="best")
        verdict = verify_file(certificate.document, rigorous=rigorous)
        # Next to the smallest number of all, the library itself takes the divergence as infinite.
        assert verdict.valid or (tiny == 5e-324 and "and only" in verdict.problem)


FALSE = [
    (("candidates", "tandem"), (0.01).hex(), "the tandem bound is 0.0100 in the file and at"),
    (("candidates", "first_order"), (1.0).hex(), "the first_order bound is 1 in the file and only"),
    (("candidates", "disagreement"), (-0.5).hex(), "the disagreement bound is -0.5 in the file"),
    (("candidates", "first_order"), (1.7e308).hex(), "is 1.70e+308 in the file and only"),
    (("printed",), "0.001", "the printed is stated as '0.001'"),
    (("printed",), "1", "the printed is stated as '1'"),
    (("printed",), "5.00E-1", "the printed is stated as '5.00E-1'"),
    (("printed",), "0.1\n", "the printed is stated as '0.1\\n'"),
    (("value",), (0.001).hex(), "the value is stated as 0.001"),
    (("bound",), "c1", "the bound is stated as 'c1'"),
    (("bound",), "nonsense", "the bound is stated as 'nonsense'"),
    (("delta",), (2.0).hex(), "delta is 2"),
    (("delta",), (0.002).hex(), "in the file and at least"),
    (("delta",), (0.5).hex(), "in the file and only"),
    (("weights", 0), (-0.5).hex(), "the weights are -0.5 at voter 0, below 0"),
    (("weights", 0), (0.99).hex(), "the weights sum to"),
    (("weights", 0), (1.7e308).hex(), "the weights sum to 1.70e+308"),
    (("prior", 0), (0.99).hex(), "the prior sum to"),
    (("prior", 0), (1.7e308).hex(), "the prior sum to 1.70e+308"),
    (("fitted",), "tandem", "requires weights that were not fitted"),
    (("test",), None, "requires the counts of a test set"),
    (("test",), {"n_errors": 401, "n_samples": 400}, "the test errors are 401 on 400"),
    (("test",), {"n_errors": 0, "n_samples": 400}, "and the test errors 0 on 400"),
    (
        ("observed",),
        {"n_errors": 0, "n_samples": 400},
        "the observed errors are 0 on 400 samples, and",
    ),
    (
        ("observed",),
        {"n_errors": 401, "n_samples": 400},
        "the observed errors are 401 on 400 of 400",
    ),
    (("observed",), {"n_errors": 1, "n_samples": 401}, "the observed errors are 1 on 401 of 400"),
    (("class_counts",), [1, 2], "tested on 400 of 3 samples"),
    (("one_row_per_group",), True, "the assumptions lack one"),
    (("findings",), [], None),
    (("members",), "0" * 32, None),
]


@pytest.mark.parametrize("false", FALSE, ids=lambda each: f"{each[0]} {each[1]}"[:60])
def test_what_is_false_is_named(document, changed, problem_of, false):
    place, value, problem = false
    forged = changed(document, ("certificates", 0, *place), value)
    if problem is None:
        assert problem_of(forged) is None
        assert "the digest does not match" in verify_file(Document.from_json(forged)).problem
    else:
        assert problem in problem_of(forged)


@pytest.mark.parametrize("false", FALSE[:5], ids=lambda each: f"{each[0]} {each[1]}"[:60])
def test_what_is_false_is_named_in_ball_arithmetic(document, changed, problem_of, false):
    place, value, problem = false
    forged = changed(document, ("certificates", 0, *place), value)
    assert problem in problem_of(forged, rigorous=True)


@pytest.mark.parametrize(
    ("labels", "problem"),
    [
        ([0, 0], "a label is listed twice"),
        ([1, 0], "the classes are not sorted"),
        ([0, 1, 2], "the disagreement bound is"),
        ([0], "only one class"),
    ],
)
def test_other_classes_are_found(document, problem_of, labels, problem):
    record = document["certificates"][0]
    record["classes"] = labels
    record["class_counts"] = [400, *[0] * (len(labels) - 1)]
    assert problem in problem_of(document)


def test_numbers_of_a_test_set_require_its_bound(make_votes, problem_of, changed):
    """They would be a bound in a certificate that was loaded."""
    document = certify_votes(make_votes(held_out=2), bound="tandem").document.to_json()
    forged = changed(document, ("certificates", 0, "test"), {"n_errors": 1, "n_samples": 400})
    assert "and these require the bound" in problem_of(forged)


def test_the_errors_of_a_single_voter_are_those_observed(make_votes, problem_of, changed):
    votes = make_votes(n_voters=1)
    document = certify_votes(votes, bound="first_order").document.to_json()
    n_samples = document["certificates"][0]["observed"]["n_samples"]
    fewer = {"n_errors": 1, "n_samples": n_samples}
    forged = changed(document, ("certificates", 0, "observed"), fewer)
    assert "the errors of the voters rule out" in problem_of(forged)


def test_weights_do_not_minimize_a_bound_of_two_classes_with_three(make_votes, problem_of, changed):
    """It would let the profile be about other samples than the counts."""
    votes = make_votes(n_classes=3, n_unlabeled=30)
    document = certify_votes(votes, bound="vote_profile").document.to_json()
    forged = changed(document, ("certificates", 0, "fitted"), "disagreement")
    assert "fitted for two classes only; there are 3" in problem_of(forged)


def test_an_observed_error_above_the_bound_requires_a_finding(make_votes, problem_of, changed):
    document = certify_votes(make_votes(n_voters=12), bound="tandem").document.to_json()
    n_samples = document["certificates"][0]["observed"]["n_samples"]
    above = {"n_errors": n_samples, "n_samples": n_samples}
    forged = changed(document, ("certificates", 0, "observed"), above)
    assert "no finding observed_above_bound says so" in problem_of(forged)
    finding = {"code": "observed_above_bound", "severity": "warning", "message": "Above."}
    finding |= {"advice": "", "columns": [], "evidence": {}, "overridden": False}
    assert problem_of(changed(forged, ("certificates", 0, "findings"), [finding])) is None


def test_rigor_tolerates_nothing_below_the_truth(document, problem_of):
    record, arithmetic = Document.from_json(document).whole, Balls()
    with arithmetic.context():
        share = Fraction(record.delta) / len(record.candidates)
        truth = RULES["first_order"](Quantities(record, arithmetic), share)
    assert truth.high - truth.low < Fraction(1, 10**15)
    below = np.nextafter(float(truth.low), 0)
    document["certificates"][0]["candidates"]["first_order"] = float(below).hex()
    assert "the first_order bound is" in problem_of(document, rigorous=True)
    assert problem_of(document) is None, "plain floating point does not see 1e-16"


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("versions", "tandemvote"), "9.9"),
        (("certificates", 0, "assumptions", 6), "All is well."),
        (("certificates", 0, "findings", 0, "message"), "Another note."),
        (("certificates", 0, "members"), "0" * 32),
    ],
)
def test_a_changed_word_is_found_by_the_digest(document, changed, place, value):
    document["certificates"][0]["assumptions"].append("The voters were bagged.")
    forged = changed(document, place, value)
    assert "words or counts were changed" in verify_file(Document.from_json(forged)).problem


@pytest.mark.parametrize("place", range(6))
def test_every_assumption_behind_the_numbers_must_be_listed(document, problem_of, place):
    record = document["certificates"][0]
    texts = record["assumptions"]
    assert texts == list(standard_assumptions(test_set=True))
    record["assumptions"] = ["The voters were bagged.", *texts]
    assert problem_of(document) is None
    for fewer in ([*texts[:place], *texts[place + 1 :]], [*texts[:place], "All is well."], []):
        record["assumptions"] = fewer
        problem = problem_of(document)
        assert problem.startswith("the assumptions lack one that the certificate rests on: ")


def test_a_profile_requires_its_own_assumption(profiled, problem_of):
    record = profiled["certificates"][0]
    texts = list(standard_assumptions(profile=True, drawn=True, split=True))
    assert record["assumptions"] == texts
    record["assumptions"] = [text for text in texts if text != UNLABELED_SAMPLES]
    assert "unlabeled samples are" in problem_of(profiled)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"held_out": 2}, set()),
        ({"held_out": 0.5}, {ORDER_OF_ROWS}),
        ({"held_out": 2, "n_unlabeled": 30}, {DRAW}),
        ({"held_out": 2, "one_row_per_group": True}, {DRAW}),
    ],
)
def test_draws_and_the_order_of_rows_require_their_assumptions(
    make_votes, problem_of, given, expected
):
    given = {**given}
    grouped = given.pop("one_row_per_group", False)
    certificate = certify_votes(replace(make_votes(**given), one_row_per_group=grouped))
    record = certificate.document.to_json()["certificates"][0]
    assert {DRAW, ORDER_OF_ROWS} & {*record["assumptions"]} == expected
    for text in expected:
        document = json.loads(json.dumps(certificate.document.to_json()))
        document["certificates"][0]["assumptions"].remove(text)
        assert text[:30] in problem_of(document)


@pytest.mark.parametrize(
    ("k", "n", "delta"), [(1, 871_621, 0.05), (8, 10, 1e-300), (3, 50, 1e-255)]
)
def test_genuine_binomial_limits_are_proven(k, n, delta):
    votes = Votes.from_predictions([np.arange(n) < k], np.zeros(n, bool))
    certificate = certify_votes(votes, delta=delta)
    assert certificate.bound == "test_set"
    for rigorous in (False, True):
        assert verify_file(certificate.document, rigorous=rigorous).problem is None


@pytest.mark.parametrize("delta", [0.999, 0.500001])
def test_a_confidence_below_one_half_is_rejected_by_the_file_and_before(make_votes, delta):
    certificate = certify_votes(make_votes(), bound="tandem", delta=0.5)
    assert verify_file(certificate.document).valid
    problem = verify_file(replace(certificate, delta=delta).document).problem
    assert f"delta is {delta:g}; expected more than 0 and at most 0.5" in problem
    with pytest.raises(ValueError, match=f"delta={delta:g} is above 0.5"):
        certify_votes(make_votes(), bound="tandem", delta=delta)


def test_every_method_of_fitting_weights_is_readable():
    assert {*FITTED} == {*MINIMIZABLE, GIVEN}


@pytest.mark.parametrize(
    ("place", "value"), [("fitted", "TANDEM"), ("members", "sha256:0"), ("members", "A" * 32)]
)
def test_words_that_the_library_does_not_write_are_unreadable(
    document, changed, problem_of, place, value
):
    with pytest.raises(CertificateFileError, match=place):
        problem_of(changed(document, ("certificates", 0, place), value))


@pytest.mark.parametrize("delta", [1e-300, 5e-324])
def test_tiny_deltas_are_no_trouble(document, changed, problem_of, delta):
    forged = changed(document, ("certificates", 0, "delta"), delta.hex())
    assert "in the file and at least" in problem_of(forged)


def test_an_unknown_bound_is_unreadable(document, problem_of):
    document["certificates"][0]["candidates"]["crystal_ball"] = (1.0).hex()
    with pytest.raises(CertificateFileError, match="no rule for the bound 'crystal_ball'"):
        problem_of(document)


def test_an_unknown_bound_of_control_characters_is_named_in_one_short_line(document, problem_of):
    document["certificates"][0]["candidates"]["c2" + 40 * "\x7f"] = (1.0).hex()
    with pytest.raises(CertificateFileError, match="no rule for the bound") as error:
        problem_of(document)
    assert len(str(error.value)) < 300


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"tandem_errors": (1, 10**6)}, "common errors, which must be between 0 and"),
        ({"tandem_errors": (1, -(10**6))}, "have -"),
        (
            {"overlaps": (0, -120), "disagreement_overlaps": (0, -120)},
            "common held-out samples, which must be",
        ),
        ({"overlaps": (1, -(10**3))}, "voters 0 and 1 have"),
        ({"unlabeled_disagreements": (0, -1)}, "voter 0 disagrees with itself"),
        ({"disagreement_overlaps": (1, 1)}, "unlabeled samples differs"),
        ({"unlabeled_disagreements": (1, 1)}, "common equal predictions of unlabeled samples"),
        ({"disagreements": (1, 1)}, "equal predictions, which must be"),
        ({"lone_errors": (1, 10**6)}, "common correct predictions, which must be"),
    ],
)
def test_impossible_counts_are_named(make_votes, problem_of, changes, problem):
    document = certify_votes(make_votes(1), bound="tandem").document.to_json()
    counts = document["certificates"][0]["counts"]
    for name, (place, difference) in changes.items():
        triangle = unpack(counts[name], 21, name, "6 voters", "i8")
        triangle[place] += difference
        counts[name] = pack(triangle)
    assert problem in problem_of(document)


def test_candidates_share_delta_equally(document, problem_of):
    """Without some candidates the others would have a larger share."""
    record = document["certificates"][0]
    record["value"] = record["candidates"]["test_set"]
    record["candidates"] = {"test_set": record["value"]}
    record["bound"] = "test_set"
    record["printed"] = rounded_up(float.fromhex(record["value"]))
    assert "the test_set bound is" in problem_of(document)


def test_a_document_needs_no_file(make_certificate):
    certificate = make_certificate(2)
    assert verify_file(certificate.document).valid
    record = certificate.document.whole
    wrong = replace(record, candidates={record.bound: record.value / 2})
    assert not verify_file(replace(certificate.document, certificates=(wrong,))).valid
