"""Labeled rows of a file: targets, groups, columns that are not features, excluded rows."""

import numpy as np
import pandas
import pytest

from tandemvote.auditing import check_findings
from tandemvote.tables import DatasetError, read_features, read_table


@pytest.fixture
def read(tmp_path):
    def read_frame(frame, **options):
        path = tmp_path / "t.csv"
        frame.to_csv(path, index=False)
        return read_table(path, **options)

    return read_frame


def test_every_column_is_accounted_for(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "id,size,color,born,void,kind\n1,2.5,red,01.02.2018,,x\n2,,blue,13.02.2018,,y\n3,4,,,,x\n"
    )
    table = read_table(path, target="kind", drop=["id"], others=["id"])
    assert table.summary == (
        "3 rows: kind (2 classes: 'x', 'y'), id (not a feature), size (number), color (category),"
        " born (date %d.%m.%Y), void (number)"
    )
    assert table.others["id"].tolist() == [1, 2, 3] and table.y.tolist() == ["x", "y", "x"]


@pytest.mark.parametrize(
    ("labels", "expected", "kind"),
    [([1, 0, 1], [1, 0, 1], "i"), ([1.0, 0.0, 1.0], [1, 0, 1], "i"), (["a", "7", "a"], None, "U")],
)
def test_labels_are_whole_numbers_or_text(read, labels, expected, kind):
    y = read(pandas.DataFrame({"a": [1, 2, 3], "y": labels}), target="y").y
    assert y.tolist() == (expected or labels) and y.dtype.kind == kind


def test_rows_without_a_label_are_excluded_and_an_error_to_override(read):
    frame = pandas.DataFrame({"size": [0, *range(39)], "y": ["x", "z"] * 19 + ["x", None]})
    table = read(frame, target="y")
    [finding] = table.findings
    assert (finding.code, finding.severity) == ("missing_target", "error")
    assert "1 of 40 labels are missing, the first in row 40" in finding.message
    assert len(table.y) == len(table.X) == 39
    assert all(each.overridden for each in check_findings(table.findings, ["missing_target"]))


def test_fractions_and_numbers_beyond_exact_ones_stay_numbers(read):
    for labels in ([0.5, 1.5], [1, 1e30]):
        y = read(pandas.DataFrame({"size": [1, 2], "y": labels}), target="y").y
        assert y.tolist() == labels and y.dtype.kind == "f"


def test_typed_labels_keep_their_type(tmp_path):
    for labels in ([True, False], [2**60, 2**60 + 1]):
        pandas.DataFrame({"size": [1, 2], "y": labels}).to_parquet(tmp_path / "t.parquet")
        assert read_table(tmp_path / "t.parquet", target="y").y.tolist() == labels


def test_numbers_named_as_categories_are_classes(read):
    frame = pandas.DataFrame({"size": np.arange(400) % 7, "y": np.arange(400) // 4 / 2})
    assert len(np.unique(read(frame, target="y", categories=["y"]).y)) == 100


def test_excluded_rows_are_findings(read):
    frame = pandas.DataFrame(
        {"a": [1, 1, 2, 1, 3], "id": range(5), "y": ["x", "x", "y", "y", None]}
    )
    table = read(frame, target="y", drop=["id"])
    assert table.X["a"].tolist() == [1, 1, 2, 1] and table.y.tolist() == ["x", "x", "y", "y"]
    assert [each.code for each in table.findings] == ["missing_target"]


def test_options_that_name_no_column_are_rejected(read):
    frame = pandas.DataFrame({"alpha": [1, 2], "label": [0, 1]})
    for options in (
        {"target": "lable"},
        *({"target": "label", name: ["lable"]} for name in ("drop", "others")),
        {"target": "label", "groups": "lable"},
        {"target": "label", "categories": ["lable"]},
    ):
        with pytest.raises(DatasetError, match="Did you mean 'label'"):
            read(frame, **options)
    with pytest.raises(DatasetError, match="Pass it, such as target='label'"):
        read(frame, target=None)
    with pytest.raises(DatasetError, match="no column besides the label"):
        read(frame, target="label", drop=["alpha"])


def test_the_column_of_groups_is_not_a_feature(read):
    visits = pandas.DataFrame({"patient": np.repeat(np.arange(40), 3), "size": np.arange(120) % 7})
    table = read(visits.assign(sick=np.arange(120) % 2), target="sick", groups="patient")
    assert [*table.kinds] == ["size"] == [*table.raw]
    assert table.others["patient"].tolist() == visits["patient"].tolist()


def test_new_rows_are_read_one_by_one_as_in_the_table(tmp_path):
    known, more = tmp_path / "known.csv", tmp_path / "more.csv"
    known.write_text("note,zip,n,kind\n17,01234,1,a\nseventeen,x1,2,7\n,x1,,a\n")
    table = read_table(known, target="kind")
    for place, row in enumerate(["17,01234,1", "seventeen,x1,2", ",x1,"]):
        more.write_text(f"note,zip,n\n{row}\n")
        X, _ = read_features(more, table.kinds)
        pandas.testing.assert_frame_equal(X, table.X.iloc[[place]].reset_index(drop=True))
    more.write_text("id;n;zip;more;note\n007;3;01234;9;17\n")
    X, copied = read_features(more, table.kinds, copied=["id", "zip"])
    assert X.iloc[0].tolist() == ["17", "01234", 3] and copied.iloc[0].tolist() == ["007", "01234"]
    more.write_text("zip,n\n01234,7\n")
    with pytest.raises(DatasetError, match=r"more\.csv has no column 'note'"):
        read_features(more, table.kinds)


def test_groups_are_the_beginnings_of_names(read):
    frame = pandas.DataFrame({"visit": ["P/1/a", "P/1/b", "Q", None], "y": [0, 1, 0, 1], "a": 0.5})
    table = read(frame, target="y", groups="visit", groups_until="/")
    assert table.others["visit"].tolist() == ["P/1", "P/1", "Q", None]
    with pytest.raises(DatasetError, match="groups_until='/' requires groups"):
        read(frame, target="y", groups_until="/")


def test_columns_that_count_the_rows_are_excluded_with_a_note(read):
    rows = np.arange(40)
    frame = pandas.DataFrame({"nr": rows + 1, "year": rows + 1990, "a": rows % 7, "y": rows % 2})
    table = read(frame, target="y")
    assert [*table.kinds] == ["year", "a"] and table.excluded == ("nr",)
    assert [each.code for each in table.findings] == ["row_numbers"]
    assert [*read(frame[::-1], target="y").kinds] == ["nr", "year", "a"]
    assert "nr" in read(frame, target="y", categories=["nr"]).kinds
    assert not read(frame, target="y", order="nr").findings
