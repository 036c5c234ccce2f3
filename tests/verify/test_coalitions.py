"""The verifier's own coalitions, and certificates that rest on them."""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tandemvote.bounds import get_bound, smallest_coalition
from tandemvote.bounds.estimates import Estimates
from tandemvote.certificate import Certificate, certify_votes
from tandemvote.verify import verify_file
from tandemvote.verify.arithmetic import Arithmetic, Balls
from tandemvote.verify.coalitions import Coalitions, voting_units
from tandemvote.votes.counts import VoteCounts
from tandemvote.votes.votes import Votes
from tandemvote.votes.weighted_vote import exact_weights


def coalitions_of(weights, errors=None, sizes=None):
    k = len(weights)
    return Coalitions(
        units=voting_units(weights),
        prior=(Fraction(1, k),) * k,
        errors=tuple(errors or [0] * k),
        sizes=tuple(sizes or [1] * k),
    )


shares = st.lists(st.floats(0, 1), min_size=1, max_size=9).filter(lambda w: sum(w) > 1e-3)


@settings(deadline=None, max_examples=15)
@given(shares)
def test_units_are_those_the_vote_adds_up(weights):
    assert list(voting_units(weights)) == exact_weights(weights).tolist()


@settings(deadline=None, max_examples=15)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=7).filter(any))
def test_minimal_coalitions_are_those_of_a_search_through_all_sets(weights):
    value = coalitions_of([w / sum(weights) for w in weights])
    heavy = [
        set(chosen)
        for size in range(len(weights) + 1)
        for chosen in combinations(range(len(weights)), size)
        if all(value.units[k] for k in chosen)
        and 2 * sum(weights[k] for k in chosen) >= sum(weights)
    ]
    minimal = {frozenset(s) for s in heavy if not any(other < s for other in heavy)}
    listed = [frozenset(members) for members in value.minimal()]
    assert len(listed) == len(set(listed)) and set(listed) == minimal
    lightest = min(sum(value.units[k] for k in s) for s in heavy)
    assert value.smallest == max(Fraction(1, 2), Fraction(lightest, sum(value.units)))


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_the_smallest_coalition_is_that_of_the_library(seed, k):
    weights = np.random.default_rng(seed).dirichlet(np.full(k, [0.1, 1.0, 1e9][seed % 3]))
    assert coalitions_of(weights.tolist()).smallest == smallest_coalition(weights)


def certificate(n_voters, weights=None, *, alike=False, prior=None):
    """Voters tested on folds of their own, so that no two share a sample."""
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=200 * n_voters)
    wrong = rng.random((n_voters, labels.size)) < rng.uniform(0.01, 0.15, (n_voters, 1))
    if alike:
        wrong[:] = np.arange(labels.size) < 10 * n_voters
    folds = np.arange(labels.size) % n_voters == np.arange(n_voters)[:, None]
    votes = Votes.from_predictions((labels + wrong) % 3, labels, folds)
    weights = "uniform" if weights is None else weights
    return certify_votes(votes, weights=weights, prior=prior, bound="coalition")


def stated_bound(errors, sizes, weights):
    """The library's bound of voters with these errors, on samples of their own."""
    nothing = np.zeros((len(sizes), len(sizes)), np.int64)
    counts = VoteCounts(
        errors=np.array(errors),
        sizes=np.array(sizes),
        tandem_errors=np.diag(errors),
        overlaps=np.diag(sizes),
        disagreements=nothing,
        disagreement_overlaps=np.diag(sizes),
        lone_errors=nothing,
        unlabeled_disagreements=0 * nothing,
        classes=np.arange(2),
        class_counts=Counter({0: int(max(sizes))}),
    )
    return get_bound("coalition").function(Estimates(counts, weights), 0.05)


KINDS = {
    "one voter": (1, None),
    "three folds": (3, None),
    "four, half of them a coalition": (4, None),
    "twenty equal voters": (20, None),
    "five with weights": (5, [0.3, 0.25, 0.2, 0.15, 0.1]),
    "one against the rest": (4, [0.4, 0.2, 0.2, 0.2]),
    "exactly half": (3, [0.5, 0.25, 0.25]),
    "one rules": (3, [0.6, 0.3, 0.1]),
    "some without weight": (6, [0.3, 0.3, 0.4, 0.0, 0.0, 0.0]),
    "many with weights": (18, (np.arange(1, 19) / 171).tolist()),
    "one rules many": (18, [0.66] + [0.02] * 17),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rigorous", [False, True])
def test_certificates_of_coalitions_survive_the_file_and_are_verified(tmp_path, kind, rigorous):
    n_voters, weights = KINDS[kind]
    prior = np.random.default_rng(1).dirichlet(np.full(n_voters, 9.0)) if n_voters == 5 else None
    issued = certificate(n_voters, weights, prior=prior)
    path = issued.save(tmp_path / "certificate.json")
    verdict = verify_file(path, rigorous=rigorous)
    assert verdict.valid, verdict.problem
    if not rigorous:
        loaded = Certificate.load(path)
        assert loaded.value == issued.value and loaded.bound == "coalition"


@settings(deadline=None, max_examples=8)
@given(st.integers(0, 2**32 - 1), st.integers(2, 9))
def test_both_linear_programs_agree_for_any_weights(seed, k):
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.full(k, rng.choice([0.5, 5.0, 500.0]))).tolist()
    sizes = rng.integers(1, 3000, size=k)
    errors = rng.binomial(sizes, rng.uniform(0, 0.2, size=k))
    bound = coalitions_of(weights, errors.tolist(), sizes.tolist()).bound
    stated = stated_bound(errors, sizes, weights)
    assert min(bound(Fraction(0.05), Arithmetic()), 1) == pytest.approx(stated, abs=1e-9)
    rigorous = Balls()
    with rigorous.context():
        low, high = rigorous.ends(bound(Fraction(0.05), rigorous))
    assert min(high, 1) <= Fraction(stated) <= low + Fraction(1, 10**9)


@pytest.mark.slow
def test_both_linear_programs_agree_for_fifteen_voters():
    rng = np.random.default_rng(0)
    for _ in range(20):
        weights, sizes = rng.dirichlet(np.full(15, 50.0)).tolist(), rng.integers(100, 900, size=15)
        errors = rng.binomial(sizes, rng.uniform(0.01, 0.1, size=15))
        value = coalitions_of(weights, errors.tolist(), sizes.tolist()).bound(
            Fraction(0.05), Arithmetic()
        )
        stated = stated_bound(errors, sizes, weights)
        assert min(value, 1) == pytest.approx(stated, abs=1e-9)


def test_weights_changed_so_that_a_coalition_appears_are_found_out(changed, problem_of):
    """Two voters that need each other become one that can err alone; nothing else changes."""
    document = certificate(3, [0.4, 0.3, 0.3], alike=True).document.to_json()
    assert problem_of(document) is None
    for weights in ([0.5, 0.25, 0.25], [0.25, 0.25, 0.5], [0.6, 0.2, 0.2]):
        forged = changed(document, ("certificates", 0, "weights"), [w.hex() for w in weights])
        assert "the coalition bound is" in problem_of(forged)


def test_weights_that_leave_every_coalition_as_it_is_leave_the_bound(changed, problem_of):
    document = certificate(3, [0.4, 0.3, 0.3], alike=True).document.to_json()
    weights = [w.hex() for w in (0.45, 0.3, 0.25)]
    assert problem_of(changed(document, ("certificates", 0, "weights"), weights)) is None


def test_a_smaller_value_or_another_prior_are_found_out(changed, problem_of):
    issued = certificate(3)
    document = issued.document.to_json()
    prior = [w.hex() for w in (0.5, 0.25, 0.25)]
    forged = changed(document, ("certificates", 0, "prior"), prior)
    assert "the coalition bound is" in problem_of(forged)
    smaller = (issued.value * (1 - 1e-7)).hex()
    forged = changed(document, ("certificates", 0, "candidates", "coalition"), smaller)
    assert "the coalition bound is" in problem_of(forged)


@pytest.mark.parametrize("name", ["first_order", "tandem"])
@pytest.mark.parametrize("rigorous", [False, True])
def test_factors_must_be_those_of_the_smallest_coalition(name, rigorous, problem_of):
    rng = np.random.default_rng(3)
    labels = rng.integers(2, size=3000)
    votes = Votes.from_predictions(labels ^ (rng.random((5, 3000)) < 0.05), labels)
    issued = certify_votes(votes, weights=[0.22, 0.21, 0.2, 0.19, 0.18], bound=name)
    document = issued.document.to_json()
    assert problem_of(document, rigorous=rigorous) is None
    power = {"first_order": 1, "tandem": 2}[name]
    value = issued.value * (2 * float(smallest_coalition(issued.weights))) ** power
    stated = {"value": value.hex(), "printed": f"{np.ceil(value * 1000) / 1000:.3f}"}
    record = document["certificates"][0]
    record.update(stated)
    record["candidates"][name] = stated["value"]
    problem = problem_of(document, rigorous=rigorous)
    assert f"the {name} bound is" in problem and "by its own counts" in problem
