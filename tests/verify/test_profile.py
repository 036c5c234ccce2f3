"""Profiles of unlabeled samples that no votes have."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest

from tandemvote.certificate import Certificate, certify_votes
from tandemvote.record.document import Document, digest_of
from tandemvote.verify import CertificateFileError, verify_file
from tandemvote.verify.possible_counts import impossible_counts
from tandemvote.votes.profile import Shares, vote_leads
from tandemvote.votes.votes import Votes


def votes_of(n_voters, n_classes=2, seed=0, n_labeled=400, n_unlabeled=500):
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_classes, size=n_labeled + n_unlabeled)
    wrong = rng.random((n_voters, labels.size)) < 0.12
    predictions = (labels + wrong * rng.integers(1, n_classes, size=wrong.shape)) % n_classes
    labeled, unlabeled = np.split(predictions, [n_labeled], axis=1)
    return Votes.from_predictions(labeled, labels[:n_labeled], unlabeled=unlabeled)


def file_of(votes, **options):
    return certify_votes(votes, bound="vote_profile", **options).document.to_json()


def test_a_loaded_file_is_checked(problem_of, reprofiled, tmp_path):
    forged = reprofiled(file_of(votes_of(3)), lambda v, gap: (0 * v + 1.5, gap))
    assert "at unlabeled sample 0" in problem_of(forged)
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps({**forged, "digest": digest_of(forged)}))
    with pytest.raises(CertificateFileError, match="which no votes have"):
        Certificate.load(path)


@pytest.mark.parametrize("share", [5e-324, float("nan"), 0.01])
def test_shares_that_are_too_small_or_not_numbers_are_found(problem_of, reprofiled, share):
    shares = np.full(500, share)
    forged = reprofiled(file_of(votes_of(15, 3)), lambda v, gap: (shares, shares))
    assert "at unlabeled sample 0" in problem_of(forged)


def test_a_vote_that_is_outvoted_is_found(problem_of, reprofiled):
    def outvoted(leads, gaps):
        gaps[7] = -0.25
        return leads, gaps

    assert "at unlabeled sample 7" in problem_of(reprofiled(file_of(votes_of(15, 3)), outvoted))


def test_fewer_samples_than_counted_are_found(problem_of, reprofiled):
    forged = reprofiled(file_of(votes_of(15, 3)), lambda v, gap: (v[1:], gap[1:]))
    assert "the counts have 500 unlabeled samples, the profile 499" in problem_of(forged)


@pytest.mark.parametrize(("n_classes", "deployed"), [(2, False), (3, True)])
@pytest.mark.parametrize("weights", [[0.2] * 5, [0.35, 0.25, 0.2, 0.15, 0.05]])
def test_every_profile_of_few_voters_is_possible(weights, n_classes, deployed):
    record = certify_votes(votes_of(5, n_classes), bound="vote_profile").document.whole
    record = replace(record, weights=np.array(weights), deployed="another" if deployed else None)
    every = np.array([*itertools.product(range(n_classes), repeat=5)]).T
    for inside in range(n_classes) if deployed else (None,):
        named = None if inside is None else np.full(every.shape[1], inside)
        leads, gaps = vote_leads(every, np.array(weights), named)
        (problem,) = impossible_counts(replace(record, profile=Shares(leads, gaps)))
        assert "unlabeled samples, the profile" in problem  # which is as far as this one goes


def test_half_of_the_samples_is_profiled_where_weights_depend_on_the_other(tmp_path):
    votes = votes_of(5)
    certificate = certify_votes(votes, weights="disagreement", bound="vote_profile")
    assert certificate.profile.n_samples == 250
    assert verify_file(certificate.save(tmp_path / "c.json")).problem is None


@pytest.mark.parametrize(
    ("n_voters", "n_classes", "weights"),
    [(1, 2, "uniform"), (3, 4, "uniform"), (3, 2, "tandem"), (12, 2, "uniform")],
)
def test_honest_profiles_are_possible(n_voters, n_classes, weights):
    votes = votes_of(n_voters, n_classes, n_voters, 200, 50)
    assert verify_file(certify_votes(votes, bound="vote_profile", weights=weights).document).valid


def test_equal_rows_are_written_once():
    document = file_of(votes_of(3, n_unlabeled=5_000))
    profile = document["certificates"][0]["profile"]
    assert profile["n_samples"] == 5_000 and profile["n_rows"] == 2
    assert verify_file(Document.from_json(document), rigorous=True).problem is None


def test_places_beyond_the_rows_are_unreadable(problem_of):
    document = file_of(votes_of(3))
    profile = document["certificates"][0]["profile"]
    longer = file_of(votes_of(5))["certificates"][0]["profile"]
    profile["rows"] = longer["rows"]
    with pytest.raises(CertificateFileError, match="rows has places that are not below 2"):
        problem_of(document)
