"""Forged counts with bounds that follow from them: accepted only if some votes have the counts.

An integer program decides that: it looks for how many samples have each combination of a class and
of the predictions of the voters.
"""

import itertools
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from tandemvote.certificate import certify_votes
from tandemvote.certificate.file import document_of
from tandemvote.certificate.pipeline import with_candidates
from tandemvote.verify import CertificateFileError, verify_file
from tandemvote.verify.document import PAIR_COUNTS, Document
from tandemvote.votes import Votes
from tandemvote.voting import VoteProfile, vote_leads

pytestmark = pytest.mark.filterwarnings("ignore::tandemvote.bounds.VacuousBoundWarning")

REJECTED, POSSIBLE = "rejected", "possible"


def test_forged_counts_are_rejected_unless_some_votes_have_them():
    outcomes = Counter(attack(seed) for seed in range(40))
    assert outcomes[REJECTED] > 20 and outcomes[POSSIBLE] > 0


@pytest.mark.slow
def test_ten_thousand_forged_files_are_rejected_unless_some_votes_have_them():
    outcomes = Counter(attack(seed) for seed in range(1000, 11_000))
    assert outcomes[REJECTED] > 5000 and outcomes[POSSIBLE] > 250


def attack(seed):
    """Forge a certificate, with bounds that follow from the forged counts; return the outcome."""
    rng = np.random.default_rng(seed)
    certificate = honest_certificate(rng)
    profile = certificate.profile
    try:
        if profile is not None and rng.random() < 0.5:
            profile = forged_profile(profile, rng)
        counts = forged_counts(certificate, rng)
        forged = replace(certificate, counts=counts, profile=profile)
        forged = with_candidates(forged, certificate.candidates)
        document = Document.from_json(document_of(forged).to_json())
        verdict = verify_file(document)
    except (CertificateFileError, ValueError):  # the library does not write such a file either
        return REJECTED
    if not verdict.valid:
        return REJECTED
    assert has_votes(document.whole), f"seed {seed}: no votes have these counts"
    return POSSIBLE


def honest_certificate(rng):
    n_voters, n_classes = int(rng.integers(1, 5)), int(rng.integers(2, 4))
    if n_classes == 3:
        n_voters = min(n_voters, 3)
    n_labeled, n_unlabeled = int(rng.integers(8, 60)), int(rng.integers(1, 40))
    tested, kind = rng.random() < 0.5, rng.integers(3)
    labels = rng.integers(n_classes, size=n_labeled + n_unlabeled)
    wrong = rng.random((n_voters, labels.size)) < rng.choice([0.1, 0.3])
    predictions = (labels + wrong * rng.integers(1, n_classes, size=wrong.shape)) % n_classes
    held_out = np.ones((n_voters, n_labeled), bool)
    if not tested:
        held_out = rng.random(held_out.shape) < 0.8
        held_out[:, :2] = True
    votes = Votes.from_predictions(
        predictions[:, :n_labeled],
        labels[:n_labeled],
        held_out,
        unlabeled=predictions[:, n_labeled : n_labeled + n_unlabeled * (kind == 0)],
    )
    weights = "uniform" if kind else rng.dirichlet(np.ones(n_voters))
    bounds = ("vote_profile",) if kind == 0 else ("test_set",) if tested else ("tandem",)
    try:
        return certify_votes(votes, weights=weights, bound=(*bounds, "first_order"))
    except ValueError:  # by chance the unlabeled samples seem to be of another source
        return certify_votes(replace(votes, unlabeled=votes.unlabeled[:, :0]), bound="first_order")


def forged_counts(certificate, rng):
    """Change a few counts, alone or in ways that leave the sums of others as they were."""
    counts = certificate.counts
    matrices = {name: getattr(counts, name).copy() for name in PAIR_COUNTS}
    tally = counts.tally
    for _ in range(int(rng.integers(1, 4))):
        i, j = (int(voter) for voter in rng.integers(counts.n_voters, size=2))
        step = int(rng.choice([-3, -1, 1, 3]))
        match rng.integers(7):
            case 0:
                change = {str(rng.choice(PAIR_COUNTS)): step}
            case 1:  # both err there no longer: one of them does
                change = {"tandem_errors": step, "lone_errors": -2 * step}
                change["disagreements"] = -2 * step
            case 2:
                change = {"lone_errors": step, "disagreements": step}
            case 3:
                change = {"disagreements": step, "unlabeled_disagreements": step}
            case 4:
                change = {"overlaps": step, "disagreement_overlaps": step}
            case 5:
                change, errors = {}, (tally.n_errors or 0) + step
                test = errors if tally.n_test_errors is not None else None
                tally = replace(tally, n_errors=errors, n_test_errors=test)
            case _:
                change, (one, other) = {}, rng.permutation(counts.classes.tolist())[:2].tolist()
                numbers = Counter(tally.class_counts)
                numbers[one] += step
                numbers[other] -= step
                tally = replace(tally, class_counts=numbers)
        for name, by in change.items():
            matrices[name][i, j] += by
            matrices[name][j, i] = matrices[name][i, j]
    errors, sizes = np.diag(matrices["tandem_errors"]), np.diag(matrices["overlaps"])
    return replace(counts, errors=errors, sizes=sizes, tally=tally, **matrices)


def forged_profile(profile, rng):
    """Move samples to the row of another, or to shares of the vote that may not exist."""
    leads, gaps = profile.leads.copy(), profile.gaps.copy()
    for sample in rng.integers(leads.size, size=int(rng.integers(1, 4))):
        if rng.random() < 0.7:
            other = rng.integers(leads.size)
            leads[sample], gaps[sample] = leads[other], gaps[other]
        else:
            leads[sample] = rng.uniform(leads[sample], 1)
            gaps[sample] = 2 * leads[sample] - 1
    return VoteProfile(leads, gaps)


def has_votes(record):
    """Return True if some labeled and some unlabeled votes have the counts of a record."""
    k, n_voters, counts = len(record.classes), record.n_voters, record.counts
    pairs = list(itertools.combinations_with_replacement(range(n_voters), 2))
    labeled = counts["disagreements"] - counts["unlabeled_disagreements"]
    # Of labeled samples: the class, and the prediction of each voter, -1 if not held out.
    kinds = np.array([*itertools.product(range(k), *[range(-1, k)] * n_voters)])
    truth, predicted = kinds[:, 0], kinds[:, 1:].T
    rows = [truth == label for label in range(k)]
    stated = list(record.class_counts)
    for i, j in pairs:
        common = (predicted[i] >= 0) & (predicted[j] >= 0)
        wrong_i, wrong_j = predicted[i] != truth, predicted[j] != truth
        rows += [common, common & wrong_i & wrong_j, common & (wrong_i ^ wrong_j)]
        rows.append(common & (predicted[i] != predicted[j]))
        names = ("overlaps", "tandem_errors", "lone_errors")
        stated += [*(counts[name][i, j] for name in names), labeled[i, j]]
    if record.observed is not None:
        voted, lost = np.array([vote_on(each, record) for each in kinds], bool).T
        rows += [voted, lost]
        stated += [record.observed.n_samples, record.observed.n_errors]
    if not is_solvable(rows, stated):
        return False
    # Of unlabeled samples: the predictions.
    kinds = np.array([*itertools.product(range(k), repeat=n_voters)]).T
    rows = [np.ones(kinds.shape[1], bool), *(kinds[i] != kinds[j] for i, j in pairs)]
    n_unlabeled = (counts["disagreement_overlaps"] - counts["overlaps"])[0, 0]
    stated = [n_unlabeled, *(counts["unlabeled_disagreements"][i, j] for i, j in pairs)]
    if record.profile is not None:
        shares = Counter(map(tuple, np.round(np.transpose([*record.profile.values()]), 8).tolist()))
        of_kinds = np.transpose(vote_leads(kinds, record.weights))
        for pair, number in shares.items():
            rows.append(np.isclose(of_kinds, pair, atol=1e-7).all(axis=1))
            stated.append(number)
    return is_solvable(rows, stated)


def vote_on(kind, record):
    """Return whether the vote is tested on a sample of a kind, and whether it errs there.

    Ties go to the first class, or to the class of the first tested voter if some are not tested.
    """
    truth, *predicted = kind.tolist()
    shares = np.zeros(len(record.classes))
    for weight, label in zip(record.weights, predicted, strict=True):
        shares[label] += weight * (label >= 0)
    leading = np.flatnonzero(np.isclose(shares, shares.max(), rtol=0, atol=1e-12)).tolist()
    first = min(leading)
    if -1 in predicted:
        first = next((label for label in predicted if label in leading), first)
    voted = max(predicted) >= 0
    return voted, voted and first != truth


def is_solvable(rows, stated):
    """Return True if whole numbers of samples of each kind add up to the stated numbers."""
    matrix, numbers = np.array(rows, float), np.array(stated, float)
    constraint = LinearConstraint(matrix, numbers, numbers)
    zeros, ones = np.zeros(matrix.shape[1]), np.ones(matrix.shape[1])
    return milp(zeros, constraints=constraint, integrality=ones, bounds=Bounds(0, np.inf)).success
