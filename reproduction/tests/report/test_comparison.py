import math
from functools import cache

import numpy as np
import pandas as pd
import pytest

from reproduction.report.comparison import (
    Explanation,
    beyond_limit,
    compare,
    explain,
    read_explanations,
    share_within,
    standard_errors,
)
from reproduction.report.frames import row_frame
from reproduction.report.paper_numbers import paper_cells
from reproduction.report.readme import write_readme

KEYS = ["dataset", "bagging", "weighting", "labeled_fraction", "column"]


def _rows_with_the_papers_own_statistics(*, shift: float = 0.0) -> pd.DataFrame:
    """Rows whose means are the paper's, with deviations like the paper's, over 50 repetitions."""
    pattern = np.where(np.arange(50) % 2, 1.0, -1.0) * math.sqrt(49 / 50)
    rows: dict[tuple[str, str, str], list[dict[str, str]]] = {}
    for cell in paper_cells():
        if cell.labeled_fraction is not None or cell.dataset == "Protein":
            continue
        spread = cell.sd or 0.01 * (cell.value or 1)
        values = (1.0 if cell.value is None else cell.value + shift * spread) + spread * pattern * (
            cell.value is not None
        )
        key = (cell.dataset, cell.bagging, cell.weighting)
        if key not in rows:
            names = dict(zip(("dataset", "bagging", "weighting"), key, strict=True))
            rows[key] = [
                {**names, "repetition": str(i), "reconstructed": "False", "versions": "none"}
                for i in range(50)
            ]
        for row, value in zip(rows[key], values, strict=True):
            row[cell.column] = repr(float(value))
    return row_frame("forests", [row for group in rows.values() for row in group])


@cache
def _comparison_of_the_papers_own_statistics():
    return compare(_rows_with_the_papers_own_statistics(), EMPTY)


EMPTY = row_frame("unlabeled", [])
CELL = {
    "group": "bounds", "dataset": "Letter", "bagging": "full", "weighting": "uniform",
    "labeled_fraction": math.nan, "column": "tandem", "difference": 0.1,
}  # fmt: skip


def _about(**fields: str) -> Explanation:
    anything = dict.fromkeys((*CELL, "direction"), "*")
    del anything["difference"]
    return Explanation(**anything | fields, reason="known")


def _readme(forests, comparison, explanations=()):
    return write_readme(
        forests=forests, unlabeled=EMPTY, comparison=comparison, explanations=explanations,
        findings=[], tables=[], figures=[],
    )  # fmt: skip


def test_every_number_of_the_paper_is_there_once():
    cells = [
        (c.dataset, c.bagging, c.weighting, c.labeled_fraction, c.column) for c in paper_cells()
    ]
    assert len(set(cells)) == len(cells)
    bounds = [c for c in paper_cells() if c.group == "bounds" and c.column != "test_risk"]
    assert len(bounds) == 2 * (17 * 3 + 7 * 2)
    assert sum(c.value is None for c in bounds) == 2 * 3 + 3 + 2  # Protein, and CTD elsewhere


def test_the_papers_own_numbers_agree_with_the_paper():
    comparison = _comparison_of_the_papers_own_statistics()
    within, counted = share_within(comparison)
    assert within == counted == 361
    assert beyond_limit(comparison).empty


def test_a_shift_of_one_deviation_is_five_standard_errors():
    comparison = compare(_rows_with_the_papers_own_statistics(shift=1.0), EMPTY)
    bounds = comparison[(comparison["group"] == "bounds") & (comparison["paper_sd"] > 1e-3)]
    assert bounds["standard_errors"].dropna().between(4.9, 5.1).all()
    assert share_within(comparison)[0] < 0.05 * share_within(comparison)[1]


def test_the_looser_published_c2_is_compared_but_not_counted():
    comparison = _comparison_of_the_papers_own_statistics()
    assert not comparison.loc[comparison["column"] == "c2", "counted"].any()


def test_standard_errors_against_simulation():
    generator = np.random.default_rng(1)
    ours, paper = generator.normal(size=(2, 4000, 20))
    scores = [
        standard_errors(
            a.mean() - b.mean(), ours=(a.std(ddof=1), 20), paper=(b.std(ddof=1), 20), unit=1e-5
        )
        for a, b in zip(ours, paper, strict=True)
    ]
    assert np.std(scores) == pytest.approx(1.03, abs=0.04)  # Student's t with 38 degrees


def test_two_repetitions_are_not_tested_by_their_own_deviation():
    assert math.isnan(standard_errors(0.1, ours=(0.001, 2), paper=(None, 50), unit=1e-5))


def test_a_cell_beyond_the_limit_is_unexplained_until_it_is_explained(tmp_path):
    forests = _rows_with_the_papers_own_statistics()
    chosen = (forests["dataset"] == "Letter") & (forests["bagging"] == "full")
    forests.loc[chosen & (forests["weighting"] == "uniform"), "tandem"] += 0.01
    comparison = compare(forests, EMPTY)
    cell = beyond_limit(comparison).to_dict("records")[0]
    assert (cell["dataset"], cell["column"]) == ("Letter", "tandem")

    assert "UNEXPLAINED: 1 of 1" in _readme(forests, comparison)
    path = tmp_path / "explanations.csv"
    path.write_text(
        "group,dataset,bagging,weighting,labeled_fraction,column,direction,reason\n"
        "bounds,Letter,*,*,*,tandem,above,Moved by hand.\n"
    )
    known = read_explanations(path)
    assert explain(cell, known) == "Moved by hand."
    assert "UNEXPLAINED" not in _readme(forests, comparison, known)
    assert "Moved by hand." in _readme(forests, comparison, known)


def test_an_explanation_covers_only_its_cells():
    known = [_about(dataset="Letter", column="c2")]
    assert explain({**CELL, "dataset": "Letter", "column": "c2"}, known) == "known"
    assert explain({**CELL, "dataset": "Adult", "column": "c2"}, known) is None


@pytest.mark.parametrize(
    ("about", "covered", "other"),
    [
        ({"direction": "below"}, {"difference": -0.1}, {"difference": 0.1}),
        ({"direction": "above"}, {"difference": 0.1}, {"difference": -0.1}),
        ({"direction": "below"}, {"difference": math.nan}, {"difference": 0.1}),
        (
            {"labeled_fraction": "0.35"},
            {"labeled_fraction": 0.35},
            {"labeled_fraction": 0.4},
        ),
        ({"labeled_fraction": "0.35"}, {"labeled_fraction": 0.35}, {}),
    ],
)
def test_an_explanation_covers_its_direction_and_labeled_fraction_only(about, covered, other):
    known = [_about(**about)]
    assert explain({**CELL, **covered}, known) == "known"
    assert explain({**CELL, **other}, known) is None


def test_an_explanation_of_another_layout_is_rejected_with_the_right_one(tmp_path):
    path = tmp_path / "explanations.csv"
    path.write_text("group,dataset,reason\nbounds,Letter,known\n")
    with pytest.raises(ValueError, match="Make them group, dataset, bagging, weighting, labeled"):
        read_explanations(path)


def test_a_bound_below_one_where_the_paper_is_above_is_listed():
    forests = _rows_with_the_papers_own_statistics()
    chosen = (forests["dataset"] == "Connect-4") & (forests["bagging"] == "full")
    forests.loc[chosen & (forests["weighting"] == "uniform"), "c_tandem"] = 0.9
    comparison = compare(forests, EMPTY)
    assert beyond_limit(comparison)[["dataset", "column"]].to_numpy().tolist() == [
        ["Connect-4", "c_tandem"]
    ]
    readme = _readme(forests, comparison)
    assert "UNEXPLAINED: 1 of 1" in readme
    assert "| Connect-4 | full | uniform |  | CTD | 0.90000 | >1 | - | **UNEXPLAINED** |" in readme
