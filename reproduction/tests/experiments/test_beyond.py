import csv
import os

import numpy as np
import pytest
from scipy.stats import beta

from reproduction.command_line import RESULTS, run
from reproduction.experiments import protocol
from reproduction.experiments.beyond import measure_beyond, run_beyond
from reproduction.experiments.campaign import plan_cells
from reproduction.experiments.cells import BeyondCell, ForestCell, Shape, cells_of, schedule
from reproduction.experiments.forests import run_cell
from reproduction.experiments.rows import TABLES, as_text, versions
from reproduction.experiments.sources import DataSource
from reproduction.experiments.splits import VoteOnTest
from reproduction.experiments.store import RowStore
from reproduction.report.beyond import Answer, all_answers, beyond_page
from reproduction.report.frames import read_frame, row_frame
from reproduction.report.rendering import render_reproduction
from reproduction.report.tables import beyond_table

PROMISED = (
    "dataset,repetition,test_risk,first_order,tandem,c_tandem,sharp_first_order,sharp_tandem,c_box,"
    "second_order,vote_profile,test_set,"
)

with_data = pytest.mark.skipif(
    not os.environ.get("TANDEMVOTE_DATA"), reason="TANDEMVOTE_DATA names no folder of data sets"
)


@pytest.fixture(scope="module", params=["flowers", "cells"])
def measured(request, small_source, few_trees_of_a_module):
    """A row of the family and the forest's row of family A, on the same data."""
    dataset = small_source.load(request.param)
    beyond = run_cell(BeyondCell(request.param, 1), dataset)
    forest = run_cell(ForestCell(request.param, "full", 1), dataset)
    assert len(beyond) == 1
    return beyond[0], forest[0]


@pytest.fixture(scope="module")
def committed(committed_rows):
    return read_frame(RowStore(RESULTS), "beyond")


def test_columns_are_those_the_reader_was_promised():
    assert ",".join(TABLES["beyond"].columns).startswith(PROMISED)


def test_the_forest_is_the_one_of_family_a(measured):
    beyond, forest = measured
    for column in ("test_risk", "first_order", "tandem", "c_tandem", "seed", "split_seed"):
        assert getattr(beyond, column) == getattr(forest, column)


def test_sharpening_and_the_box_never_loosen(measured):
    row, _ = measured
    assert row.sharp_first_order <= row.first_order
    assert row.sharp_tandem <= row.tandem
    assert row.c_box <= row.c_tandem


def test_the_test_set_bound_is_the_exact_binomial_limit(measured):
    row, _ = measured
    n_errors = round(row.test_risk * row.n_test)
    assert row.test_set == pytest.approx(beta.ppf(0.95, n_errors + 1, row.n_test - n_errors))


def test_a_row_made_alone_is_the_same(small_source):
    dataset = small_source.load("flowers")
    once, again = (run_beyond(BeyondCell("flowers", 3), dataset) for _ in range(2))
    assert {**as_text(once), "seconds": ""} == {**as_text(again), "seconds": ""}


def test_labels_of_the_test_part_do_not_reach_the_bounds_that_spend_none(small_source):
    # The same forest tested with wrong test labels: what may not depend on them does not move.
    from sklearn.ensemble import RandomForestClassifier

    from tandemvote.models.trees import out_of_bag_votes, predict_members
    from tandemvote.votes.counts import VoteCounts

    X, y = (getattr(small_source.load("cells"), name) for name in ("X", "y"))
    forest = RandomForestClassifier(30, random_state=0).fit(X[:400], y[:400])
    counts = VoteCounts.from_votes(out_of_bag_votes(forest, X[:400], y[:400]))
    predictions = predict_members(forest, X[400:])[0]
    right, wrong = (
        measure_beyond(counts, VoteOnTest(predictions, labels, forest.classes_))
        for labels in (y[400:], 1 - y[400:])
    )
    spending = {"test_risk", "test_set", "weighted_test_risk"}
    assert {name for name in right if right[name] != wrong[name]} == spending


def test_the_family_runs_only_if_it_is_named():
    source = DataSource()
    assert not any(isinstance(cell, BeyondCell) for cell in plan_cells(["Letter"], source=source))
    named = plan_cells(["Letter", "Adult"], source=source, families=["beyond"])
    assert named == cells_of(BeyondCell, ["Letter", "Adult"], repetitions=10)


def test_the_command_takes_the_family_by_name(tmp_path, capfd):
    words = ["status", "--output", str(tmp_path), "--family", "beyond", "-d", "Letter"]
    assert run(words) == 0
    assert "Letter               0 of    10 cells" in capfd.readouterr().out


def test_cells_of_all_families_can_be_scheduled_together():
    cells = [*cells_of(BeyondCell, ["a"], repetitions=3), ForestCell("a", "full", 0)]
    ordered = schedule(cells, {"a": Shape(100, 4, 2)})
    assert [cell.repetition for cell in ordered] == [0, 0, 1, 2]


def test_rows_of_the_family_survive_the_store_and_end_in_a_page(tmp_path, measured):
    row, _ = measured
    cell, store = BeyondCell(row.dataset, row.repetition), RowStore(tmp_path)
    store.add(cell, [row])
    store.gather()
    assert store.done() == {cell: cell.seed}
    assert store.rows("beyond") == [as_text(row)]
    written = {path.relative_to(tmp_path).as_posix() for path in render_reproduction(tmp_path)}
    assert written == {
        "beyond.md",
        "figures/beyond-bounds.png",
        "figures/beyond-bounds.svg",
        "tables/beyond-bounds.md",
        "tables/beyond-bounds.tex",
    }
    assert f"- **{row.dataset}.** Take `" in (tmp_path / "beyond.md").read_text()


def _answer(**changes):
    values = {
        "test_risk": 0.04, "held_out_name": "tandem", "held_out": 0.16, "published": 0.2,
        "vote_profile": 0.1, "weighted_vote_profile": 0.09, "test_set": 0.05,
        "n_test": 4000,
    }  # fmt: skip
    return Answer(**{**values, **changes})


def test_an_answer_is_two_sentences():
    for answer in (_answer(), _answer(test_risk=0.0), _answer(vote_profile=0.3)):
        predictions = answer.sentences()
        assert predictions.count(". ") == 1
        assert predictions.endswith(".")


def test_an_answer_names_the_bound_and_its_distance_from_the_truth():
    assert "`vote_profile` if there are unlabeled samples (0.100, 2.5 times" in (
        _answer().sentences()
    )
    assert _answer(vote_profile=0.3).sentences().startswith("Take `tandem` (0.160, 4.0 times)")
    assert "times" not in _answer(test_risk=0.0).sentences()
    assert _answer().gain == pytest.approx(0.5)


def test_the_tightest_without_further_labels_is_bold_and_absent_sets_say_so():
    row = dict.fromkeys(TABLES["beyond"].columns, "0.5")
    row |= {"dataset": "Letter", "repetition": "0", "vote_profile": "0.2", "c_box": "0.3"}
    row |= {"c_tandem": "1.0", "test_set": "0.1", "reconstructed": "True"}
    table = beyond_table(row_frame("beyond", [row]))
    lines = {line[0].text: line for line in table.rows}
    texts = [cell.markdown() for cell in lines["Letter (reconstructed)"]]
    assert texts[4] == "≥1"
    assert texts[7] == "<u>0.3000</u>"
    assert texts[9] == "**0.2000**"
    assert texts[10] == "0.1000"
    assert lines["Protein"][1].text == "not available here"
    assert {len(line) for line in table.rows} == {len(table.headings)}


def test_committed_rows_keep_what_the_theorems_promise(committed):
    assert (committed["sharp_first_order"] <= committed["first_order"]).all()
    assert (committed["sharp_tandem"] <= committed["tandem"]).all()
    assert (committed["c_box"] <= committed["c_tandem"]).all()


def test_committed_bounds_hold_on_the_test_part(committed):
    # A bound may lie below the test risk in one repetition of twenty or so; these never do.
    for column in ("first_order", "tandem", "sharp_first_order", "sharp_tandem", "vote_profile"):
        assert (committed[column] >= committed["test_risk"]).all()


def test_vote_profile_halves_the_published_bounds(committed):
    gains = [answer.gain for answer in all_answers(committed).values()]
    assert np.median(gains) <= 0.5


def test_the_committed_page_and_tables_are_what_the_rows_say(committed):
    table = beyond_table(committed)
    for path, text in (
        ("beyond.md", beyond_page(committed, table)),
        ("tables/beyond-bounds.md", f"{table.caption}\n\n{table.markdown()}"),
        ("tables/beyond-bounds.tex", table.latex()),
    ):
        assert (RESULTS / path).read_text(encoding="utf-8") == text + "\n"


def test_committed_rows_and_those_of_family_a_tell_of_the_same_forests(committed):
    with (RESULTS / "forests.csv").open(newline="", encoding="utf-8") as file:
        forests = {
            (row["dataset"], int(row["repetition"])): row
            for row in csv.DictReader(file)
            if (row["bagging"], row["weighting"]) == ("full", "uniform")
        }
    shared = 0
    for row in committed.to_dict("records"):
        other = forests.get((row["dataset"], row["repetition"]))
        if other is not None and other["versions"] == row["versions"]:
            shared += 1
            assert row["seed"] == int(other["seed"])
            for column in ("test_risk", "first_order", "tandem", "c_tandem"):
                assert row[column] == pytest.approx(float(other[column]), rel=1e-9)
    assert shared > 0


@with_data
def test_a_committed_row_can_be_made_again_alone(committed, monkeypatch):
    monkeypatch.setattr(protocol, "N_TREES", 100)  # which the module's forests do without
    stored = committed[(committed["dataset"] == "Splice") & (committed["repetition"] == 4)]
    if stored.empty or stored["versions"].item() != versions():
        pytest.skip("no such row, or made with other versions of the libraries")
    row = run_beyond(BeyondCell("Splice", 4), DataSource().load("Splice"))
    for column in PROMISED.rstrip(",").split(",")[2:]:
        # Fitted weights are numbers a solver stops at: the same to many digits, not to the last.
        assert getattr(row, column) == pytest.approx(stored[column].item(), rel=1e-6)
