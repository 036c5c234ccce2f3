import re

import numpy as np
import pandas
import pytest

from tandemvote.report import render_experiment_report, write_experiment_report


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return pandas.DataFrame(
        [
            {
                "dataset": dataset,
                "bagging": bagging,
                "repetition": repetition,
                "weighting": weighting,
                "test_risk": 0.05 + 0.01 * rng.random(),
                "first_order": 0.3 + 0.01 * rng.random(),
                "c1": 0.25 if dataset == "Adult" else None,
                "tandem": 0.2 + 0.01 * rng.random(),
                "disagreement": 0.1,
                "versions": "tandemvote=0.1 numpy=2",
            }
            for dataset in ("Adult", "Letter")
            for bagging in ("full", "reduced")
            for repetition in range(3)
            for weighting in ("uniform", "tandem")
        ]
    )


def cells(page, section):
    """Text of the first table of a section, row by row."""
    part = page[page.index(f'<section id="{section}">') :]
    part = part[: part.index("</table>")]
    return [
        [re.sub(r"<[^>]+>", "", cell).strip() for cell in re.split(r"</t[dh]>", row)[:-1]]
        for row in part.split("<tr>")[1:]
    ]


def test_one_section_a_setting_with_the_means_of_its_rows(rows):
    page = render_experiment_report(rows)
    assert page.count('<section id="setting-') == 4
    assert page.count("<svg") == 4
    group = rows.query("dataset == 'Letter' and bagging == 'reduced' and weighting == 'tandem'")
    headings, _, letter = cells(page, "setting-3")
    assert headings == ["data set", "repetitions", "test risk", "FO", "C1", "TND"]
    shown = [float(text.partition("±")[0]) for text in (letter[2], letter[3], letter[5])]
    for value, column in zip(shown, ("test_risk", "first_order", "tandem"), strict=True):
        mean = group[column].mean()
        assert mean <= value <= mean + 0.0011
    assert letter[1] == "3"
    assert letter[4] == "–"


def test_the_smallest_bound_is_marked(rows):
    page = render_experiment_report(rows)
    assert len(re.findall(r"<strong>0\.2\d+</strong>", page)) == 8
    assert "<strong>0.3" not in page


def test_bounds_that_fell_below_the_test_error_are_counted(rows):
    rows.loc[[0, 1, 2], "tandem"] = 0.001
    held = {row[0]: row[1:] for row in cells(render_experiment_report(rows), "held")[1:]}
    assert held == {"FO": ["24", "0"], "C1": ["12", "0"], "TND": ["24", "3"]}


def test_rows_read_as_text_are_numbers_all_the_same(rows, tmp_path):
    rows.to_csv(tmp_path / "forests.csv", index=False)
    text = pandas.read_csv(tmp_path / "forests.csv", dtype=str)
    assert render_experiment_report(text) == render_experiment_report(rows)


def test_the_unlabelled_experiment_is_ordered_by_labelled_fraction(rows):
    unlabelled = rows.drop(columns=["bagging", "weighting"]).assign(
        labelled_fraction=np.tile([0.5, 0.05, 0.1], 8)
    )
    page = render_experiment_report(unlabelled)
    assert [row[0] for row in cells(page, "setting-0")] == [
        "labelled fraction",
        "0.05",
        "0.1",
        "0.5",
    ]


def test_hostile_names_are_shown_as_text(rows):
    hostile = "<script>alert(1)</script> $\\frac{$ 数据"
    page = render_experiment_report(rows.assign(dataset=hostile), description=hostile)
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_rows_that_are_none_are_refused_with_what_they_lack(rows):
    with pytest.raises(ValueError, match=r"lack test_risk.*Pass rows as in forests\.csv"):
        render_experiment_report(rows.drop(columns="test_risk"))
    with pytest.raises(ValueError, match="lack a column of bounds"):
        render_experiment_report(rows[["dataset", "test_risk"]])
    with pytest.raises(ValueError, match="lack a row"):
        render_experiment_report(rows.iloc[:0])


def test_versions_and_command_say_how_to_get_the_rows_again(rows, tmp_path):
    path = write_experiment_report(
        tmp_path / "rows.html", rows, command="tandemvote reproduce run", title="Ours"
    )
    page = path.read_text(encoding="utf-8")
    assert "<title>Ours</title>" in page
    assert "tandemvote reproduce run" in page
    assert "tandemvote=0.1 numpy=2" in page
