"""Counts in a file must be those of some votes; what no votes can have is named."""

import itertools
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from tandemvote.certificate import certify_votes
from tandemvote.verify import verify_file
from tandemvote.verify.coalitions import voting_units
from tandemvote.verify.possible_counts import erring_weight, impossible_counts
from tandemvote.votes.counts import VoteCounts
from tandemvote.votes.votes import Votes
from tandemvote.votes.weighted_vote import weighted_vote

pytestmark = pytest.mark.filterwarnings("ignore::tandemvote.bounds.VacuousBoundWarning")


def file_of(counts):
    return certify_votes(counts, bound="tandem").document


def counts_of_kinds(
    predictions, truth, times, held_out, *, n_classes, unlabeled=None, unlabeled_times=()
):
    """Counts of samples of a few kinds, each of which occurs as often as `times` says."""
    wrong, here = held_out & (predictions != truth), held_out
    unlabeled = predictions[:, :0] if unlabeled is None else unlabeled
    unlabeled_times = np.array(unlabeled_times, object)

    def together(a, b, times):
        return np.einsum("ip,jp,p->ij", a.astype(object), b.astype(object), times).astype(np.int64)

    def agreements(predictions, here, times):
        return sum(
            together(here & (predictions == c), here & (predictions == c), times)
            for c in range(n_classes)
        )

    overlaps, both = together(here, here, times), together(wrong, wrong, times)
    right = together(here & ~wrong, here & ~wrong, times)
    everywhere = np.ones(unlabeled.shape, bool)
    extra = together(everywhere, everywhere, unlabeled_times)
    differ = extra - agreements(unlabeled, everywhere, unlabeled_times)
    return VoteCounts(
        errors=np.diag(both),
        sizes=np.diag(overlaps),
        tandem_errors=both,
        overlaps=overlaps,
        lone_errors=overlaps - both - right,
        disagreements=overlaps - agreements(predictions, here, times) + differ,
        disagreement_overlaps=overlaps + extra,
        unlabeled_disagreements=differ,
        classes=np.arange(n_classes),
        class_counts=Counter({0: int(overlaps.max())}),
    )


def random_counts(seed, largest_exponent=9.5):
    rng = np.random.default_rng(seed)
    n_voters, n_kinds, n_classes = rng.integers(1, 9), rng.integers(1, 12), rng.integers(1, 5)
    held_out = rng.random((n_voters, n_kinds)) < rng.choice([0.3, 0.9, 1.0])
    held_out[:, 0] = True
    times = np.array([int(10 ** rng.uniform(0, largest_exponent)) for _ in range(n_kinds)], object)
    n_unlabeled = rng.integers(4)
    return counts_of_kinds(
        rng.integers(n_classes, size=held_out.shape),
        rng.integers(n_classes, size=n_kinds),
        times,
        held_out,
        unlabeled=rng.integers(n_classes, size=(n_voters, n_unlabeled)),
        unlabeled_times=times[rng.integers(n_kinds, size=n_unlabeled)],
        n_classes=n_classes,
    )


def problems(counts, weights=None):
    n = counts.n_voters
    bare = file_of(counts_of_one()).whole
    weights = np.full(n, 1 / n) if weights is None else weights
    record = replace(
        bare,
        counts=counts,
        classes=tuple(counts.classes.tolist()),
        weights=np.array(weights),
        prior=np.array(weights),
    )
    return [*impossible_counts(record)]


def counts_of_one():
    one = np.ones((1, 1), np.int64)
    zero = 0 * one
    return VoteCounts(
        errors=zero[0],
        sizes=one[0],
        tandem_errors=zero,
        overlaps=one,
        disagreements=zero,
        disagreement_overlaps=one,
        lone_errors=zero,
        unlabeled_disagreements=0 * zero,
        classes=np.arange(2),
        class_counts=Counter({0: 1}),
    )


@pytest.mark.parametrize("seed", range(5))
def test_counts_of_real_samples_are_possible(seed):
    rng = np.random.default_rng(seed)
    for i in range(25):
        counts = random_counts(1000 * seed + i)
        weights = rng.dirichlet(np.full(counts.n_voters, 0.3))
        assert problems(counts, weights) == []


@pytest.mark.parametrize(("n_voters", "n_samples"), [(40, 3), (40, 60), (120, 50)])
def test_more_voters_than_samples_are_possible(n_voters, n_samples):
    rng = np.random.default_rng(0)
    for held_out in (np.ones((n_voters, n_samples), bool), rng.random((n_voters, n_samples)) < 0.4):
        held_out[:, 0] = True
        counts = counts_of_kinds(
            rng.integers(3, size=held_out.shape),
            np.zeros(n_samples, int),
            np.ones(n_samples, object),
            held_out,
            unlabeled=rng.integers(3, size=(n_voters, 2)),
            unlabeled_times=[1, 1],
            n_classes=3,
        )
        assert problems(counts) == []


def equal_voters(n_voters, n_samples, errors, tandem, lone):
    """Counts on common samples where all voters and all pairs are alike."""

    def matrix(inside, pair):
        return np.where(np.eye(n_voters, dtype=bool), inside, pair)

    return VoteCounts(
        errors=np.full(n_voters, errors),
        sizes=np.full(n_voters, n_samples),
        tandem_errors=matrix(errors, tandem),
        overlaps=matrix(n_samples, n_samples),
        disagreements=matrix(0, lone),
        disagreement_overlaps=matrix(n_samples, n_samples),
        lone_errors=matrix(0, lone),
        unlabeled_disagreements=matrix(0, 0),
        classes=np.arange(2),
        class_counts=Counter({0: int(n_samples)}),
    )


def test_half_of_all_samples_wrong_and_never_two_voters_at_once_is_impossible():
    """Once valid at 0.024."""
    counts = equal_voters(100, 100_000, 50_000, 0, 0)
    document = file_of(counts)
    assert document.whole.value < 0.03
    problem = verify_file(document).problem
    assert problem.startswith("voters 0 and 1 have 100000 common correct predictions, which must")


def changed(counts, **changes):
    """Change single pairs of a matrix, on both sides of the diagonal."""
    matrices = {}
    for name, (i, j, difference) in changes.items():
        matrices[name] = getattr(counts, name).copy()
        matrices[name][[i, j], [j, i]] += difference
    return replace(counts, **matrices)


def three_voters(n_classes=3, unlabeled=((0,), (0,), (0,))):
    """Two voters that are right everywhere, one that is wrong on half of 100 samples."""
    return counts_of_kinds(
        np.array([[0, 0], [0, 0], [0, 1]]),
        np.zeros(2, int),
        np.array([50, 50], object),
        np.ones((3, 2), bool),
        unlabeled=np.array(unlabeled),
        unlabeled_times=[40] * len(unlabeled[0]),
        n_classes=n_classes,
    )


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            {"lone_errors": (0, 2, -1)},
            "have 49 errors on common samples, which must be between 50 and 50",
        ),
        (
            {"disagreements": (0, 2, 1)},
            "have 49 equal predictions, which must be between 50 and 50",
        ),
    ],
)
def test_one_pair_that_does_not_fit_is_found(change, problem):
    counts = three_voters()
    assert problems(counts) == []
    assert any(problem in found for found in problems(changed(counts, **change)))


def possible_lone_errors(sizes, errors, o, tandem):
    """Lone errors that two voters can have, by trying every number of errors on common samples."""
    (n, m), (e, f) = sizes, errors
    return {
        a + b - 2 * tandem
        for a in range(tandem, min(e, o) + 1)
        for b in range(tandem, min(f, o) + 1)
        if e - a <= n - o and f - b <= m - o and a + b - tandem <= o
    }


def test_the_limits_of_lone_errors_are_those_of_brute_force():
    rng = np.random.default_rng(0)
    for _ in range(60):
        n, m = rng.integers(1, 8, size=2)
        o = rng.integers(0, min(n, m) + 1)
        e, f = rng.integers(0, n + 1), rng.integers(0, m + 1)
        tandem = rng.integers(0, min(e, f, o) + 1)
        possible = possible_lone_errors((n, m), (e, f), o, tandem)
        for lone in range(o - tandem + 1):
            overlaps, both = np.array([[n, o], [o, m]]), np.array([[e, tandem], [tandem, f]])
            apart = np.array([[0, lone], [lone, 0]])
            counts = VoteCounts(
                errors=np.diag(both),
                sizes=np.diag(overlaps),
                tandem_errors=both,
                overlaps=overlaps,
                disagreements=apart,
                disagreement_overlaps=overlaps,
                lone_errors=apart,
                unlabeled_disagreements=0 * apart,
                classes=np.arange(2),
                class_counts=Counter({0: int(overlaps.max())}),
            )
            assert (problems(counts) == []) == (lone in possible)


def test_a_voter_without_weight_does_not_vote():
    """It alone has held-out samples at some rows, which no vote is about."""
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=40)
    held_out = rng.random((3, 40)) < 0.5
    held_out[0] = True
    votes = Votes.from_predictions(labels ^ (rng.random((3, 40)) < 0.2), labels, held_out)
    certificate = certify_votes(votes, weights=[0, 0.5, 0.5], bound="first_order")
    assert certificate.evidence.vote.n_voted < 40
    assert verify_file(certificate.document).problem is None


def all_votes(weights, n_classes):
    """Erring weight, in units, of each possible sample, and what the vote makes of it.

    That is whether it errs where the smallest class wins a tie, and where a referee breaks ties.
    """
    units = np.array(voting_units(weights))
    predictions = np.array([*itertools.product(range(n_classes), repeat=len(weights))]).T
    totals = np.array([units @ (predictions == label) for label in range(n_classes)])
    for label in range(n_classes):
        wrong = weighted_vote(predictions, weights, n_classes) != label
        rivals = np.delete(totals, label, axis=0).max(axis=0)
        contested = totals[label] <= rivals + 1e-9 * units.sum()
        yield units.sum() - totals[label], {False: wrong, True: contested}


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize(
    "weights",
    [
        *([1 / n] * n for n in range(1, 6)),
        [0.1 + 0.2, 0.3, 0.2, 0.2],
        [0.6, 0.3, 0.1],
        [0.35, 0.25, 0.2, 0.15, 0.05],
        [0.5 - 3e-10, 0.5 + 3e-10],
    ],
)
def test_no_sample_that_exists_is_ruled_out(weights, n_classes, alone):
    """By enumeration; with equal weights the limits are attained."""
    units = [*voting_units(weights)]
    least, most = erring_weight(units, n_classes, alone=alone)
    samples = [(erring, lost[alone]) for erring, lost in all_votes(weights, n_classes)]
    lost = np.concatenate([erring[lost] for erring, lost in samples])
    won = np.concatenate([erring[~lost] for erring, lost in samples])
    assert lost.min() >= least and won.max() <= most
    if len({*units}) == 1:
        assert (lost.min(), won.max()) == (least, most)


def test_one_class_is_always_right():
    assert erring_weight([3, 2], 1, alone=False)[1] == erring_weight([1, 1], 1, alone=True)[1] == 0


@pytest.mark.parametrize("weights", [[1 / 3] * 3, [0.6, 0.3, 0.1], [0.5, 0.5, 0.0]])
def test_no_votes_that_exist_are_rejected(weights):
    """By enumeration of all votes of three voters on two samples."""
    for labels in itertools.product(range(2), repeat=2):
        for predictions in itertools.product(range(2), repeat=6):
            votes = Votes.from_predictions(np.reshape(predictions, (3, 2)), labels)
            record = certify_votes(votes, weights=weights, bound="test_set").document.whole
            assert [*impossible_counts(record)] == []


@pytest.mark.parametrize(
    ("n_voters", "rate", "n_classes"), [(31, 0.6, 2), (12, 0.6, 2), (51, 0.9, 10), (15, 0.7, 3)]
)
def test_a_vote_of_poor_voters_cannot_be_right_everywhere(n_voters, rate, n_classes):
    """Once valid: an integer program of all votes was too large."""
    rng = np.random.default_rng(0)
    labels = rng.integers(n_classes, size=1000)
    wrong = rng.random((n_voters, 1000)) < rate
    predictions = (labels + wrong * rng.integers(1, n_classes, size=wrong.shape)) % n_classes
    certificate = certify_votes(Votes.from_predictions(predictions, labels))
    assert [*impossible_counts(certificate.document.whole)] == []
    record = certificate.document.whole
    for n_errors in (0, 20):
        stated = record.test._replace(n_errors=n_errors)
        problems = [*impossible_counts(replace(record, test=stated, voted=stated))]
        assert f"the observed errors are {n_errors} on 1000 samples, which" in problems[0]


def test_a_vote_of_good_voters_cannot_often_err():
    labels = np.arange(1000) % 2
    votes = Votes.from_predictions(labels ^ (np.arange(1000) < [[20], [20], [0]]), labels)
    record = certify_votes(votes).document.whole
    assert record.test.n_errors == 20 and [*impossible_counts(record)] == []
    more = record.test._replace(n_errors=21)
    assert [*impossible_counts(replace(record, test=more, voted=more))]


@pytest.mark.filterwarnings("error")
def test_thousands_of_voters_overflow_nothing():
    assert problems(equal_voters(1100, 10**9, 3 * 10**8, 10**8, 4 * 10**8)) == []
