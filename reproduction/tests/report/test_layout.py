import pandas as pd
import pytest

from reproduction.report.frames import row_frame, shown
from reproduction.report.layout import Mark, mark_smallest
from reproduction.report.tables import all_tables, bound_table, test_risk_table
from reproduction.report.tables import dataset_table as overview

# The paper's own rows: Adult (FO first, C1 second), Pendigits (TND first, FO second), and one set
# on which every bound says nothing.
BOUNDS = {
    "Adult": (0.45164, 0.57227, 0.57318, 0.88830, 0.57882),
    "Pendigits": (0.16515, None, None, 0.21330, 0.15211),
    "hopeless": (1.0, None, None, 1.0, 1.0),
}
RISKS = {
    "Adult": (0.16941, 0.19136, 0.17004),
    "Pendigits": (0.00854, 0.04752, 0.00853),
    "hopeless": (0.0, 0.0, 0.0),
}


@pytest.fixture
def forests() -> pd.DataFrame:
    rows = []
    for name, bounds in BOUNDS.items():
        values = dict(zip(("first_order", "c1", "c2", "c_tandem", "tandem"), bounds, strict=True))
        for weighting, risk in zip(("uniform", "first_order", "tandem"), RISKS[name], strict=True):
            for repetition, shift in enumerate((-0.001, 0.0, 0.001)):
                moved = {
                    key: value and value + shift * (value < 1) for key, value in values.items()
                }
                row = {"dataset": name, "bagging": "full", "weighting": weighting}
                row |= {"repetition": repetition, "test_risk": risk, "reconstructed": "False"}
                rows.append(
                    {
                        key: "" if value is None else str(value)
                        for key, value in (row | moved).items()
                    }
                )
    return row_frame("forests", rows)


def _line(table, name):
    (line,) = [row for row in table.rows if row[0].text == name]
    return line


def _marked(table, name):
    return [cell.mark.name for cell in _line(table, name)[1:]]


def test_tightest_bound_is_bold_and_second_underlined(forests):
    table = bound_table(forests, "full")
    assert _marked(table, "Adult") == ["NONE", "BOLD", "UNDERLINE", "NONE", "NONE", "NONE"]
    assert _marked(table, "Pendigits") == ["NONE", "UNDERLINE", "NONE", "NONE", "NONE", "BOLD"]
    assert set(_marked(table, "hopeless")) == {"NONE"}


def test_means_and_deviations_are_those_of_the_rows(forests):
    first_order = _line(bound_table(forests, "full"), "Adult")[2]
    assert first_order.markdown() == "**0.45164** (0.00100)"
    assert first_order.latex() == r"\textbf{0.45164} (0.00100)"


def test_a_bound_that_says_nothing_is_not_a_number(forests):
    line = _line(bound_table(forests, "full"), "hopeless")
    assert [cell.text for cell in line[2:]] == ["≥1", "-", "-", "≥1", "≥1"]


def test_best_risk_is_bold_and_equal_risks_are_marked_alike(forests):
    table = test_risk_table(forests, "full")
    assert _marked(table, "Adult") == ["BOLD", "NONE", "UNDERLINE"]
    assert _marked(table, "Pendigits") == ["UNDERLINE", "NONE", "BOLD"]
    assert _marked(table, "hopeless") == ["BOLD"] * 3


def test_values_that_print_alike_are_marked_alike():
    assert mark_smallest([0.123451, 0.123449, 0.2]) == [Mark.BOLD, Mark.BOLD, Mark.NONE]


def test_data_sets_without_rows_say_so_in_every_table(forests):
    for table in all_tables(forests, shown(forests))[1:]:
        assert _line(table, "Protein")[1].text == "not available here"
        assert len({len(row) for row in table.rows}) == 1


def test_uneven_repetitions_are_shown(forests):
    short = forests[(forests["dataset"] != "Adult") | (forests["repetition"] < 2)]
    table = bound_table(short, "full")
    assert table.headings[-1].plain == "repetitions"
    assert [_line(table, name)[-1].text for name in ("Adult", "Pendigits")] == ["2", "3"]
    assert "3 repetitions" in bound_table(forests, "full").caption


def test_reconstructed_data_carry_the_mark(forests):
    forests.loc[forests["dataset"] == "Adult", "reconstructed"] = "True"
    assert any("Adult (reconstructed)" in row[0].text for row in bound_table(forests, "full").rows)


def test_the_overview_has_the_papers_seventeen_sets():
    assert len(overview({"USPS": "USPS (reconstructed)"}).rows) == 17
