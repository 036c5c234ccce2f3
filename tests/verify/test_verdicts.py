"""Honest certificates are valid; what does not hold is named."""

import json
from fractions import Fraction

import numpy as np
import pytest

from tandemvote import Certificate, VoteCounts, Votes
from tandemvote.assumptions import standard_assumptions
from tandemvote.certificate import file_fields
from tandemvote.certificate.decimals import rounded_up
from tandemvote.certificate.file import certificate_of, document_of
from tandemvote.certificate.file_record import CertificateRecord, digest_of
from tandemvote.counting.counts import INTEGER_FIELDS
from tandemvote.hard_vote import VoteProfile
from tandemvote.verify import CertificateFileError, verify_file


def checked(document, **options):
    return verify_file(CertificateRecord.from_document(document), **options)


@pytest.mark.filterwarnings("ignore::tandemvote.bounds.VacuousBoundWarning")
@pytest.mark.parametrize("seed", range(10))
def test_honest_certificates_are_valid_and_proven(make_certificate, seed):
    assert_proven(make_certificate(seed, **SIZES[seed % len(SIZES)]))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::tandemvote.bounds.VacuousBoundWarning")
def test_hundreds_of_honest_certificates_are_valid_and_proven(make_certificate):
    for seed in range(100, 600):
        assert_proven(make_certificate(seed, **SIZES[seed % len(SIZES)]))


SIZES = [{}, {"n_classes": 3}, {"n_voters": 1}, {"n_samples": 12}, {"n_unlabelled": 50}]


def assert_proven(certificate):
    document = document_of(certificate)
    assert checked(document).problem is None
    verdict = checked(document, rigorous=True)
    assert verdict.problem is None
    assert set(verdict.enclosures) == set(certificate.bounds)
    for name, truth in verdict.enclosures.items():
        value = Fraction(certificate.bounds[name].value)
        assert truth.high <= value <= truth.low + Fraction(1, 10**9)


@pytest.fixture
def profiled():
    """Document of a certificate whose vote_profile bound says something."""
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=3000)
    said = np.where(rng.random((15, 3000)) < 0.15, rng.integers(3, size=(15, 3000)), labels)
    votes = Votes.from_predictions(said[:, :2500], labels[:2500], rng.random((15, 2500)) < 0.5)
    weights = rng.dirichlet(np.full(15, 3.0))
    profile = VoteProfile.of(said[:, 2500:], weights)
    counts = VoteCounts.from_votes(votes)
    certificate = Certificate.from_counts(
        counts, weights=weights, bound="vote_profile", profile=profile
    )
    assert 0.02 < certificate.value < 0.2
    return document_of(certificate)


def test_the_bound_of_unlabelled_points_is_proven(profiled):
    for rigorous in (False, True):
        assert checked(profiled, rigorous=rigorous).problem is None


@pytest.mark.parametrize(
    ("change", "problem"),
    [(-1e-6, "at least"), (1e-6, "only")],
)
def test_a_wrong_bound_of_unlabelled_points_is_found(profiled, change, problem):
    value = float.fromhex(profiled["guarantee"]["value"]) + change
    stated = {"value": value.hex(), "printed": rounded_up(value)}
    profiled["guarantee"].update(stated)
    next(b for b in profiled["bounds"] if b["name"] == "vote_profile").update(stated)
    found = checked(profiled).problem
    assert "the vote_profile bound" in found and problem in found


def test_a_profile_no_vote_can_have_is_found(profiled):
    n = profiled["profile"]["n_points"]
    gaps = file_fields.unpack(profiled["profile"]["gaps"], n, "gaps", "points")
    gaps[7] = -0.25
    profiled["profile"]["gaps"] = file_fields.pack(gaps)
    assert "at unlabelled point 7" in checked(profiled).problem


@pytest.mark.parametrize("share", [5e-324, float("nan"), 0.01])
def test_a_profile_that_misses_the_heaviest_voter_is_found(profiled, share):
    shares = file_fields.pack(np.full(profiled["profile"]["n_points"], share))
    profiled["profile"].update(leads=shares, gaps=shares)
    assert "at unlabelled point 0" in checked(profiled).problem


def test_a_profile_and_its_bound_belong_together(profiled):
    profiled["profile"] = None
    assert "without a profile" in checked(profiled).problem


def test_hardly_any_point_at_a_tiny_delta_is_no_trouble():
    """The plans for one point and 20 nats tilt by e^-72, which is lost beside 1."""
    votes = Votes.from_predictions([[1, 0], [1, 1]], [1, 1], [[True, True], [True, False]])
    certificate = Certificate.from_counts(
        VoteCounts.from_votes(votes),
        bound="vote_profile",
        delta=1e-9,
        profile=VoteProfile.of([[1, 0, 1], [1, 1, 0]], [0.5, 0.5]),
    )
    assert checked(document_of(certificate)).problem is None
    assert checked(document_of(certificate), rigorous=True).problem is None


@pytest.mark.parametrize("times", [10**3, 10**6])
def test_certificates_of_many_points_are_proven(make_certificate, times):
    counts = make_certificate(1).counts
    many = {name: getattr(counts, name) * times for name in INTEGER_FIELDS}
    certificate = Certificate.from_counts(VoteCounts(classes=counts.classes, **many), bound="best")
    assert checked(document_of(certificate), rigorous=True).problem is None


@pytest.mark.parametrize("shortfall", [9.5e-13, -9.5e-13, 5e-15])
def test_weights_that_nearly_sum_to_one_are_proven_too(make_votes, shortfall):
    counts = VoteCounts.from_votes(make_votes(n_voters=2, n_samples=60))
    weights = np.array([0.5, 0.5]) * (1 - shortfall)
    certificate = Certificate.from_counts(counts, weights=weights, prior=[0.1, 0.9], bound="best")
    assert checked(document_of(certificate), rigorous=True).problem is None


def test_a_prior_of_zero_takes_a_voter_out(make_votes):
    counts = VoteCounts.from_votes(make_votes())
    prior = np.array([0, 0.2, 0.2, 0.2, 0.2, 0.2])
    certificate = Certificate.from_counts(counts, weights=prior, prior=prior, bound="best")
    assert checked(document_of(certificate), rigorous=True).problem is None


@pytest.mark.parametrize("rigorous", [False, True])
@pytest.mark.parametrize("tiny", [5e-324, 1e-300, 1e-17])
def test_tiny_priors_and_weights_overflow_nothing(make_votes, tiny, rigorous):
    counts = VoteCounts.from_votes(make_votes(n_voters=2, n_samples=5000, n_classes=3))
    for weights, prior in (([1 - tiny, tiny], [tiny, 1 - tiny]), ([1, 0], [1 - tiny, tiny])):
        certificate = Certificate.from_counts(counts, weights=weights, prior=prior, bound="best")
        verdict = checked(document_of(certificate), rigorous=rigorous)
        # Next to the smallest number of all, the library itself takes the divergence as infinite.
        assert verdict.valid or (tiny == 5e-324 and "and only" in verdict.problem)


@pytest.mark.parametrize("rigorous", [False, True])
@pytest.mark.parametrize(
    ("place", "value", "problem"),
    [
        (
            ("bounds", 1, "value"),
            (0.01).hex(),
            "the tandem bound is 0.0100 in the file and at least",
        ),
        (
            ("bounds", 0, "value"),
            (1.0).hex(),
            "the first_order bound is 1 in the file and only",
        ),
        (("bounds", 2, "value"), (-0.5).hex(), "the disagreement bound is -0.5 in the file"),
        (("bounds", 0, "printed"), "0.001", "but printed as 0.001"),
        (("bounds", 0, "printed"), "1", "but printed as 1"),
        (("bounds", 0, "delta"), (0.5).hex(), "the first_order bound was given delta 0.5"),
        (("guarantee", "printed"), "0.001", "the guarantee is"),
        (("guarantee", "value"), (0.001).hex(), "the guarantee is 0.001"),
        (("guarantee", "bound"), "c1", "the smallest of the candidates"),
        (("guarantee", "bound"), "nonsense", "no candidate"),
        (("confidence", "delta"), (2.0).hex(), "delta is 2"),
        (("confidence", "share"), (0.002).hex(), "the share of each candidate is 0.002"),
        (("confidence", "candidates"), ["tandem", "c1"], "the share of each candidate"),
        (("weights", 0), (-0.5).hex(), "the weights are -0.5 at voter 0, below 0"),
        (("weights", 0), (0.99).hex(), "the weights sum to"),
        (("weights", 0), (1.7e308).hex(), "the weights sum to 1.70e+308"),
        (("prior", 0), (0.99).hex(), "the prior sum to"),
        (("prior", 0), (1.7e308).hex(), "the prior sum to 1.70e+308"),
        (("bounds", 0, "value"), (1.7e308).hex(), "is 1.70e+308 in the file and only"),
        (("bounds", 0, "printed"), "5.00E-1", "but printed as 5.00E-1"),
        (("classes", "labels"), [0, 0], "a label is listed twice"),
        (("classes", "labels"), [0], "only one class"),
        (("classes", "labels"), [0, 1, 2], "holds for two classes only; there are 3"),
        (("test",), None, "without the counts of a test set"),
        (("test",), {"n_errors": 201, "n_samples": 200}, "a test set of 200 points shows 201"),
        (("test",), {"n_errors": 0, "n_samples": 200}, "the test_set bound is"),
        (("notes",), ["another note"], None),
        (("counts", "overlaps"), 0, "voters 0 and 1 have"),
    ],
)
def test_what_does_not_hold_is_named(document, place, value, problem, rigorous):
    if place[0] == "counts":
        value = change_count(document["counts"]["overlaps"], 1, value)
    forged = json.loads(json.dumps(document))
    *way, last = place
    part = forged
    for step in way:
        part = part[step]
    part[last] = value
    assert not checked(forged).valid  # the digest at least tells of it
    forged["digest"] = digest_of(forged)
    found = checked(forged, rigorous=rigorous).problem
    assert (found is None) if problem is None else (problem in found)


def change_count(text, place, value):
    triangle = file_fields.unpack(text, 21, "overlaps", "6 voters", "i8")
    triangle[place] = value
    return file_fields.pack(triangle)


def test_rigour_forgives_nothing_below_the_truth(document):
    record = CertificateRecord.from_document(document)
    truth = verify_file(record, rigorous=True).enclosures["first_order"]
    below = np.nextafter(float(truth.low), 0)
    document["bounds"][0]["value"] = float(below).hex()
    document["digest"] = digest_of(document)
    assert "the first_order bound is" in checked(document, rigorous=True).problem
    assert checked(document).problem is None  # plain floating point does not see 1e-16


def test_a_changed_word_is_found_by_the_digest(document):
    document["attestations"].append("All is well.")
    assert "words (notes, attestations" in checked(document).problem


def rewritten(document, attestations):
    document["attestations"] = attestations
    document["digest"] = digest_of(document)
    return document


@pytest.mark.parametrize("place", range(6))
def test_every_assumption_behind_the_numbers_must_be_attested(document, place):
    texts = document["attestations"]
    assert texts == list(standard_assumptions(test_set=True))
    more = ["The voters were bagged.", *texts]
    assert checked(rewritten(document, more)).problem is None
    for fewer in ([*texts[:place], *texts[place + 1 :]], [*texts[:place], "All is well."], []):
        found = checked(rewritten(document, fewer)).problem
        assert found.startswith("the attestations lack what the certificate rests on: ")
        with pytest.raises(CertificateFileError, match="attestations do not say"):
            certificate_of(CertificateRecord.from_document(document))


def test_a_profile_needs_its_own_assumption(profiled):
    texts = profiled["attestations"]
    assert texts == list(standard_assumptions(profile=True))
    assert "unlabelled points are" in checked(rewritten(profiled, texts[:-1])).problem


@pytest.mark.parametrize(
    ("k", "n", "delta"), [(1, 871_621, 0.05), (8, 10, 1e-300), (3, 50, 1e-255)]
)
def test_genuine_binomial_limits_are_proven(make_votes, k, n, delta):
    counts = VoteCounts.from_votes(make_votes())
    test = VoteCounts(
        classes=np.arange(2),
        **{
            name: np.full((1,) if name in ("errors", "sizes") else (1, 1), value)
            for name, value in zip(INTEGER_FIELDS, (k, n, k, n, 0, n, 0, 0), strict=True)
        },
    )
    certificate = Certificate.from_counts(counts, bound="test_set", test_counts=test, delta=delta)
    for rigorous in (False, True):
        assert checked(document_of(certificate), rigorous=rigorous).problem is None


@pytest.mark.parametrize("rigorous", [False, True])
@pytest.mark.parametrize("tiny", [5e-324, 1e-300])
def test_tiny_weights_of_voters_that_err_are_no_trouble(tiny, rigorous):
    """The only errors are those of a voter whose weight is hardly a number."""
    votes = Votes.from_predictions([np.zeros(100, int), np.arange(100) % 2], np.zeros(100, int))
    weights = [1 - tiny, tiny]
    certificate = Certificate.from_counts(
        VoteCounts.from_votes(votes), weights=weights, prior=weights, bound="best"
    )
    assert checked(document_of(certificate), rigorous=rigorous).problem is None


@pytest.mark.parametrize("delta", [1e-300, 5e-324])
def test_tiny_deltas_are_no_trouble(document, delta):
    document["confidence"].update(delta=delta.hex(), share=delta.hex(), candidates=["tandem"])
    for bound in document["bounds"]:
        bound["delta"] = delta.hex()
    assert "in the file and" in checked(document).problem
    document["confidence"]["candidates"] = ["tandem", "c1"]
    assert checked(document).problem.startswith("the share of each candidate is")


def test_an_unknown_bound_is_unreadable(document):
    document["bounds"][0]["name"] = "crystal_ball"
    with pytest.raises(CertificateFileError, match="'crystal_ball' is unknown"):
        checked(document)


def impossible(document, **changes):
    """Put counts that no votes have into a file."""
    for name, (place, difference) in changes.items():
        triangle = file_fields.unpack(document["counts"][name], 21, name, "6 voters", "i8")
        triangle[place] += difference
        document["counts"][name] = file_fields.pack(triangle)
    return checked(document).problem


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"tandem_errors": (1, 10**6)}, "tandem errors among"),
        ({"tandem_errors": (1, -(10**6))}, "have -"),
        ({"overlaps": (0, -120), "disagreement_overlaps": (0, -120)}, "common points among"),
        ({"disagreements": (0, 1), "disagreement_overlaps": (0, 1)}, "disagrees with itself"),
        ({"disagreement_overlaps": (1, 1)}, "unlabelled points differs"),
        ({"unlabelled_disagreements": (1, 1)}, "1 unlabelled disagreements among 0"),
        ({"disagreements": (1, 1)}, "disagree where not exactly one of them errs"),
        ({"lone_errors": (1, 10**6)}, "lone errors among"),
    ],
)
def test_impossible_counts_are_named(document, changes, problem):
    assert problem in impossible(document, **changes)


def test_votes_are_counted_again(make_votes, tmp_path):
    votes = make_votes(3, n_classes=3, n_unlabelled=4)
    path = Certificate.from_counts(VoteCounts.from_votes(votes)).save(tmp_path / "file.json")
    assert verify_file(path, votes=votes).problem is None
    predictions = votes.predictions.copy()
    voter, point = np.argwhere(votes.held_out)[7]
    predictions[voter, point] = (predictions[voter, point] + 1) % 3
    other = Votes.from_predictions(predictions, votes.labels, votes.held_out)
    assert " in the votes" in verify_file(path, votes=other).problem
    as_floats = Votes.from_predictions(
        votes.predictions.astype(float), votes.labels, votes.held_out
    )
    assert verify_file(path, votes=as_floats).problem is None
    renamed = Votes.from_predictions(votes.predictions + 7, votes.labels + 7, votes.held_out)
    assert "not among those of the file" in verify_file(path, votes=renamed).problem
    fewer = Votes.from_predictions(predictions[:4], votes.labels, votes.held_out[:4])
    assert "the votes have 4" in verify_file(path, votes=fewer).problem
