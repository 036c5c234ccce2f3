"""Bounds on counts: what they need, what they reject, and that they never promise too much."""

import numpy as np
import pytest
from scipy.stats import beta

from tandemvote import VoteCounts, Votes, bounds
from tandemvote.bounds import Estimates, get_bound
from tandemvote.votes import names
from tandemvote.votes.evidence import Evidence
from tandemvote.weights import minimize_bound


def forest_like(rng, n_voters=20, n_samples=2000, n_classes=2, error=0.2):
    """Votes with correlated errors and bootstrap-like held-out sets."""
    labels = rng.integers(n_classes, size=n_samples)
    difficulty = rng.beta(0.5, 0.5 / error - 0.5, n_samples)
    wrong = rng.random((n_voters, n_samples)) < difficulty
    shift = rng.integers(1, n_classes, size=(n_voters, n_samples)) if n_classes > 2 else 1
    held_out = rng.random((n_voters, n_samples)) < 0.37
    return Votes.from_predictions((labels + wrong * shift) % n_classes, labels, held_out)


@pytest.fixture
def counts(rng):
    return VoteCounts.from_votes(forest_like(rng))


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_published_forms_of_counts_are_those_of_their_numbers(counts, rng):
    posterior = rng.dirichlet(np.ones(counts.n_voters))
    estimates = Estimates(counts, posterior, published=True)
    names = ("gibbs_loss", "tandem_loss", "disagreement", "lone_error", "n_min", "n_min_pairs")
    numbers = {name: getattr(estimates, name) for name in (*names, "kl_divergence")}
    given = Estimates.from_numbers(**numbers)
    for name in {*bounds.VOTE_BOUNDS} - {"coalition"}:
        assert get_bound(name)(estimates) == get_bound(name)(given)
    equal = Estimates.from_numbers(errors=counts.errors, sizes=counts.sizes)
    assert bounds.coalition_bound(equal) == bounds.coalition_bound(Estimates(counts))


def test_averages_are_sums_over_voters_and_pairs(counts, rng):
    posterior = rng.dirichlet(np.ones(counts.n_voters))
    averages = Estimates(counts, posterior)
    gibbs = sum(posterior[h] * counts.errors[h] / counts.sizes[h] for h in range(counts.n_voters))
    pairs = [(g, h) for g in range(counts.n_voters) for h in range(counts.n_voters)]
    tandem = sum(
        posterior[g] * posterior[h] * counts.tandem_errors[g, h] / counts.overlaps[g, h]
        for g, h in pairs
    )
    assert averages.gibbs_loss == pytest.approx(gibbs, rel=1e-13)
    assert averages.tandem_loss == pytest.approx(tandem, rel=1e-13)
    assert averages.n_min == counts.sizes.min()
    assert averages.n_min_pairs == counts.overlaps.min()


def test_random_labels_get_no_guarantee(rng):
    votes = Votes.from_predictions(rng.integers(2, size=(14, 3000)), rng.integers(2, size=3000))
    value = bounds.all_bounds(Estimates(VoteCounts.from_votes(votes)))
    assert value == dict.fromkeys(value, 1.0)


def test_no_common_sample_means_no_second_order_guarantee():
    held_out = [[True, True, False, False], [False, False, True, True]]
    counts = VoteCounts.from_votes(Votes.from_predictions([[0] * 4] * 2, [0] * 4, held_out))
    for name in ("tandem", "c_tandem", "c2", "second_order"):
        with pytest.warns(bounds.VacuousBoundWarning, match="voters 0 and 1 share no held-out"):
            assert get_bound(name)(Estimates(counts)) == 1.0


def folds(n_samples=4000, n_folds=5, n_unlabeled=0):
    """Five voters of one fold each, which share no held-out sample."""
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=n_samples + n_unlabeled)
    wrong = rng.random((n_folds, labels.size)) < [[0.1], [0.1], [0.12], [0.14], [0.16]]
    held_out = np.arange(n_samples) % n_folds == np.arange(n_folds)[:, None]
    predictions = labels ^ wrong
    return VoteCounts.from_votes(
        Votes.from_predictions(
            predictions[:, :n_samples],
            labels[:n_samples],
            held_out,
            unlabeled=predictions[:, n_samples:],
        )
    )


@pytest.mark.parametrize("name", ["disagreement", "c1", "c_box"])
def test_bounds_that_need_no_pairs_do_not_warn_where_pairs_share_no_samples(name, recwarn):
    value = get_bound(name)(Estimates(folds()))
    assert 0.1 < value < 0.75
    assert not recwarn.list


def test_weights_minimize_the_disagreement_bound_where_pairs_share_no_samples():
    counts = folds()
    solution = minimize_bound(counts, "disagreement")
    value = get_bound("disagreement")(Estimates(counts, solution.weights))
    assert solution.value == value < get_bound("disagreement")(Estimates(counts))
    assert solution.weights[0] > solution.weights[-1]
    for first in np.linspace(0.1, 0.6, 11):  # no better weights in the direction of the best voters
        weights = np.array([first / 2, first / 2, *[(1 - first) / 3] * 3])
        assert value <= get_bound("disagreement")(Estimates(counts, weights)) + 1e-9
    sharper = folds(n_unlabeled=20_000)
    assert minimize_bound(sharper, "disagreement").value < value


def test_advice_names_no_parameter_that_other_models_do_not_have():
    with pytest.warns(bounds.VacuousBoundWarning, match="repeat the splits") as warned:
        get_bound("tandem")(Estimates(folds()))
    assert "max_samples" not in str(warned[0].message)


def test_one_pair_without_common_samples_silences_every_second_order_bound():
    held_out = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]], bool)
    predictions = [[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1]]
    votes = Votes.from_predictions(predictions, [0, 0, 0, 1], held_out)
    values = bounds.all_bounds(Estimates(VoteCounts.from_votes(votes)))
    assert set(values) == set(bounds.VOTE_BOUNDS)
    second_order = set(values) - {"first_order", "coalition"}
    assert all(values[name] == 1 for name in second_order)


def test_a_voter_without_held_out_samples_means_no_guarantee():
    held_out = [[False] * 5, [True] * 5]
    votes = Votes.from_predictions([[0] * 5, [0, 0, 0, 0, 1]], [0] * 5, held_out)
    counts = VoteCounts.from_votes(votes)
    with pytest.warns(bounds.VacuousBoundWarning, match="voter 0 has no held-out sample"):
        assert get_bound("first_order")(Estimates(counts)) == 1


def test_unlabeled_samples_make_up_for_missing_overlaps_in_the_disagreement_bound(rng):
    labels = rng.integers(2, size=4000)
    held_out = np.arange(4000) % 2 == np.arange(2)[:, None]
    wrong = rng.random((2, 4000)) < 0.02
    options = rng.integers(2, size=(1, 5000)) ^ (rng.random((2, 5000)) < 0.02)
    votes = Votes.from_predictions(labels ^ wrong, labels, held_out, unlabeled=options)
    assert get_bound("disagreement")(Estimates(VoteCounts.from_votes(votes))) < 0.2


@pytest.mark.parametrize("name", ["disagreement", "c1", "c2"])
def test_two_class_bounds_reject_three_classes(name, rng):
    counts = VoteCounts.from_votes(forest_like(rng, n_classes=3))
    estimates = Estimates(counts)
    for bound in (get_bound(name), get_bound(name).function):
        with pytest.raises(
            bounds.RequirementError, match=r"two classes only and the votes have 3 \(0, 1, 2\)"
        ):
            bound(estimates)
    assert name not in bounds.all_bounds(estimates)


def test_a_voter_that_invents_a_third_class_makes_the_votes_multiclass():
    votes = Votes.from_predictions([[0, 1, 2]], [0, 1, 1])
    with pytest.raises(bounds.RequirementError):
        get_bound("disagreement")(Estimates(VoteCounts.from_votes(votes)))


def test_the_test_set_bound_requires_a_test_of_the_whole_vote(counts):
    for bound in (get_bound("test_set"), bounds.test_set_bound):
        with pytest.raises(bounds.RequirementError, match="samples that no voter was trained on"):
            bound(Estimates(counts))
    alone = Evidence.of(Votes.from_predictions([[0, 1, 1, 1]], [0, 1, 1, 0]))
    assert bounds.test_set_bound(Estimates(alone)) == pytest.approx(beta.ppf(0.95, 2, 3), rel=1e-9)


def test_weights_off_uniform_pay_their_divergence(counts):
    one = np.eye(counts.n_voters)[0]
    estimates = Estimates(counts, one, published=True)
    assert estimates.kl_divergence == pytest.approx(np.log(counts.n_voters))
    free = Estimates.from_numbers(gibbs_loss=estimates.gibbs_loss, n_min=counts.n_min)
    assert bounds.first_order_bound(estimates) > bounds.first_order_bound(free)


def test_sizes_are_those_of_the_voters_the_prior_allows():
    held_out = np.ones((3, 50), bool)
    held_out[0, 5:] = False
    votes = Votes.from_predictions(np.zeros((3, 50), int), np.zeros(50, int), held_out)
    counts = VoteCounts.from_votes(votes)
    allowed = [0.0, 0.5, 0.5]
    assert Estimates(counts).n_min == 5
    assert Estimates(counts, allowed, allowed).n_min == 50
    # A posterior zero is chosen on the data and does not take the voter out.
    assert Estimates(counts, allowed).n_min == 5


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([0.5, 0.6], "sums to 1.1"),
        ([1.5, -0.5], "-0.5 at voter 1"),
        ([1.0], "one weight per voter"),
        ([np.nan, 1.0], "nan at voter 0"),
    ],
)
def test_weights_that_are_no_distribution_are_rejected(weights, message):
    counts = VoteCounts.from_votes(Votes.from_predictions([[0], [0]], [0]))
    with pytest.raises(ValueError, match=message):
        Estimates(counts, weights)
    with pytest.raises(ValueError, match=message):
        Estimates(counts, None, weights)


def test_unknown_names_are_rejected_with_the_known_ones():
    with pytest.raises(ValueError, match=r"Invalid bound='TND'.*'tandem'.*, or a Bound\."):
        get_bound("TND")


def test_names_that_other_rooms_use_are_those_of_bounds():
    shared = (*names.MINIMIZABLE, names.C1, names.C2, names.COALITION)
    assert {*shared, names.VOTE_PROFILE, names.TEST_SET} <= {*bounds.BOUNDS}
