"""The committee's cells: which samples count as errors, how it votes, what a row holds."""

from collections import Counter

import numpy as np
import pytest

from reproduction.experiments.cells import CommitteeCell, DeployedCell
from reproduction.experiments.committee import (
    ALL_LABELS,
    HOLD_OUT,
    SCHEMES,
    Scheme,
    can_err,
    is_deterministic,
    member_models,
    plurality,
    votes_per_class,
)
from reproduction.experiments.forests import run_cell
from reproduction.experiments.protocol import learner
from reproduction.experiments.splits import Split


@pytest.mark.parametrize("n_tested", [2, 3, 4])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_sample_counts_as_an_error_if_some_referee_makes_it_one(n_tested, n_classes):
    rng = np.random.default_rng(0)
    votes = votes_per_class(rng.integers(n_classes, size=(n_tested, 300)), n_classes)
    labels = rng.integers(n_classes, size=300)
    referees = np.eye(n_classes)[:, None, :].repeat(300, axis=1)
    outcomes = [plurality(votes, each) != labels for each in referees]
    assert np.array_equal(np.any(outcomes, axis=0), can_err(votes, labels))
    outcomes = [plurality(votes, each, referee_weight=1.0) != labels for each in referees]
    # With more than two classes a tie without the referee's class counts, too.
    assert (np.any(outcomes, axis=0) <= can_err(votes, labels, referee_weight=1)).all()


def test_the_committee_predicts_by_plurality_and_ties_go_to_the_referee():
    rng = np.random.default_rng(1)
    tested, referee = rng.integers(3, size=(4, 200)), rng.random((200, 3))
    predicted = plurality(votes_per_class(tested, 3), referee)
    for sample, label in enumerate(predicted.tolist()):
        votes = Counter(tested[:, sample].tolist())
        tied = {each for each, count in votes.items() if count == max(votes.values())}
        assert label == max(tied, key=lambda each: referee[sample, each])


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
def test_each_scheme_has_a_row(small_source, name):
    cell, dataset = CommitteeCell("cells", name, 0), small_source.load("cells")
    rows = {row.scheme: row for row in run_cell(cell, dataset)}
    assert set(rows) == {*SCHEMES[name], HOLD_OUT, ALL_LABELS}
    whole = rows.pop(ALL_LABELS)
    assert whole.n_tested is None and whole.errors is None
    for row in rows.values():
        assert row.member_share == (0.95 if name == "boosting" else 1.0)
        assert row.n_tested == int(0.2 * row.n_train)  # as n is below 8,000
        assert row.errors < row.n_tested / 2
    split = Split.of(cell, dataset)
    model = learner(name, cell.seed).fit(split.X, split.y)
    assert whole.test_errors == (model.predict(split.X_test) != split.y_test).sum()


@pytest.mark.usefixtures("few_trees")
def test_members_of_a_forest_are_parts_of_it(small_source):
    dataset = small_source.load("cells")
    forest = learner("forest", 0).set_params(n_estimators=20).fit(dataset.X, dataset.y)
    parts = list(member_models([forest], Scheme("ties", 4, 5)))
    assert [tree for part in parts for tree in part] == forest.estimators_
