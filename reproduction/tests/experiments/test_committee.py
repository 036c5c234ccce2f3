"""The committee's cells: which samples count as errors, how it votes, what a row holds."""

from collections import Counter

import numpy as np
import pytest

from reproduction.experiments.cells import CommitteeCell, DeployedCell
from reproduction.experiments.committee import can_err, is_deterministic, plurality
from reproduction.experiments.forests import run_cell
from reproduction.experiments.protocol import learner
from reproduction.experiments.splits import Split


@pytest.mark.parametrize("n_tested", [2, 4])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_sample_counts_as_an_error_if_some_vote_of_the_referee_makes_it_one(n_tested, n_classes):
    rng = np.random.default_rng(0)
    tested = rng.integers(n_classes, size=(n_tested, 300))
    labels = rng.integers(n_classes, size=300)
    counted = can_err(tested, labels, n_classes)
    outcomes = [
        plurality(tested, np.full(300, vote), n_classes) != labels for vote in range(n_classes)
    ]
    assert (np.any(outcomes, axis=0) <= counted).all()
    if n_classes == 2:  # with more classes a tie without the referee's class counts too
        assert (np.any(outcomes, axis=0) == counted).all()


def test_the_committee_predicts_by_plurality_and_ties_go_to_the_referee():
    rng = np.random.default_rng(1)
    tested, referee = rng.integers(3, size=(4, 200)), rng.integers(3, size=200)
    for sample, predicted in enumerate(plurality(tested, referee, 3)):
        votes = Counter([*tested[:, sample].tolist(), int(referee[sample])])
        tied = {label for label, count in votes.items() if count == max(votes.values())}
        assert predicted == (referee[sample] if referee[sample] in tied else min(tied))


def test_seeds_are_those_of_the_committed_rows():
    assert CommitteeCell("Mushroom", "boosting", 0).seed == 4076413442
    assert CommitteeCell("Mushroom", "boosting", 1).seed == 504604744
    assert DeployedCell("Letter", "forest", 0).seed != CommitteeCell("Letter", "forest", 0).seed
    same = ("Letter", "forest", 0)
    assert DeployedCell(*same).split_seed == CommitteeCell(*same).split_seed


def test_members_get_subsets_only_where_the_seed_changes_nothing():
    assert is_deterministic("boosting", 10_000)
    assert not is_deterministic("boosting", 10_001)
    assert not is_deterministic("forest", 100)


@pytest.mark.parametrize("name", ["forest", pytest.param("boosting", marks=pytest.mark.slow)])
@pytest.mark.usefixtures("few_trees")
def test_a_row_holds_the_errors_of_all_schemes(small_source, name):
    cell, dataset = CommitteeCell("cells", name, 0), small_source.load("cells")
    (row,) = run_cell(cell, dataset)
    assert row.member_share == (0.95 if name == "boosting" else 1.0)
    assert row.n_test_set == row.n_hold_out == int(0.2 * row.n_train)  # as n is below 8,000
    assert max(row.committee_errors, row.average_errors, row.hold_out_errors) < row.n_test_set / 2
    split = Split.of(cell, dataset)
    whole = learner(name, cell.seed).fit(split.X, split.y)
    assert row.whole_test_errors == (whole.predict(split.X_test) != split.y_test).sum()
