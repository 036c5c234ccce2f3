"""Columns that number or name the rows are rejected, and measurements are not."""

import numpy as np
import pandas
import pytest

from tandemvote.tables import DatasetError, TableEncoder, from_frame, read_table

N = 300
rng = np.random.default_rng(0)
ROWS = pandas.DataFrame({"size": rng.normal(size=N), "kind": np.arange(N) % 2})


def identifiers_in(column, name="x"):
    frame = pandas.DataFrame({name: column, "size": rng.normal(size=len(column))})
    try:
        TableEncoder().fit(frame)
    except DatasetError as error:
        assert f"drop=['{name}']" in str(error)
        return True
    return False


@pytest.mark.parametrize(
    "column",
    [
        np.arange(1, N + 1),
        np.arange(N)[::-1] * 10.0,
        rng.permutation(N),
        np.where(np.arange(N) == 7, np.nan, np.arange(N)),
        rng.choice(5 * N, N, replace=False),  # ids of a sample of a larger table
        [2**62 + 2 * i for i in range(N)],  # as floats they would be a handful of numbers
        [f"Mr {i}" for i in range(N)],
        [f"Mr {i}" for i in range(N - 9)] + [None] * 5 + ["Mr 1"] * 4,
    ],
)
def test_values_that_hardly_repeat_are_identifiers(column):
    assert identifiers_in(column)


@pytest.mark.parametrize(
    "column",
    [
        rng.normal(size=N),
        np.sort(rng.normal(size=N)),
        rng.integers(0, 5 * N, N),
        rng.integers(1000, 10**9, N),
        rng.integers(0, 90, N),
        np.sort(rng.integers(0, 90, N)),
        np.arange(N) % 2 == 0,
        [f"place {i % 40}" for i in range(N)],
        pandas.date_range("2020-01-01", periods=N).strftime("%d.%m.%Y"),
        np.full(N, np.nan),
        np.arange(19),
    ],
)
def test_measurements_categories_and_dates_are_no_identifiers(column):
    assert not identifiers_in(column)


def test_independent_draws_are_hardly_ever_taken_for_identifiers():
    """Draws of each width, also the worst: a rate of one in a hundred would show in 600."""
    actual = [
        identifiers_in(rng.integers(0, width, n))
        for n in (20, 50, 200)
        for width in (n, n * n // 30, n * n // 15, n * n)
        for _ in range(50)
    ]
    assert sum(actual) <= 1


@pytest.mark.parametrize("name", ["id", "row_id", "CustomerID", "passengerId", "Unnamed: 0"])
def test_far_apart_numbers_are_identifiers_if_they_are_called_so(name):
    column = rng.integers(1000, 10**9, N)
    assert identifiers_in(column, name)
    assert not identifiers_in(column, "acid")


def test_row_names_of_a_csv_file_are_rejected_by_option_and_kept_or_dropped(tmp_path):
    ROWS.to_csv(tmp_path / "t.csv")  # with an index, as most do by mistake
    with pytest.raises(DatasetError) as caught:
        read_table(tmp_path / "t.csv", target="kind")
    assert "'Unnamed: 0' (whole numbers from 0 to 299 in order)" in str(caught.value)
    assert "Give --drop 'Unnamed: 0' to exclude it" in caught.value.on_command_line
    assert "drop=" not in caught.value.on_command_line
    dropped = read_table(tmp_path / "t.csv", target="kind", drop=["Unnamed: 0"])
    assert tuple(dropped.encoder.kinds_) == ("size",)
    loaded = read_table(tmp_path / "t.csv", target="kind", keep=["Unnamed: 0"])
    assert tuple(loaded.encoder.kinds_) == ("Unnamed: 0", "size")
    assert "kept though" in {row[0]: row[2] for row in loaded.columns}["Unnamed: 0"]


def test_all_identifiers_are_named_at_once():
    frame = ROWS.assign(id=range(N), name=[f"n{i}" for i in range(N)])
    with pytest.raises(DatasetError, match=r"'id' .*'name' .*drop=\['id', 'name'\]"):
        from_frame(frame, target="kind")


@pytest.mark.parametrize("way", ["drop", "keep"])
def test_columns_to_drop_or_keep_must_exist(way):
    with pytest.raises(DatasetError, match=r"no column 'sise'\. Did you mean 'size'"):
        from_frame(ROWS, target="kind", **{way: ["sise"]})


def test_the_label_and_the_last_column_cannot_be_dropped():
    with pytest.raises(DatasetError, match="'kind' is the label"):
        from_frame(ROWS, target="kind", drop=["kind"])
    with pytest.raises(DatasetError, match="no column that is not dropped"):
        from_frame(ROWS, target="kind", drop=["size"])
