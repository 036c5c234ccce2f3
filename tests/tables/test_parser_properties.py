"""Whatever a file holds, it is read or rejected; whatever is written comes back."""

import warnings

import numpy as np
import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tandemvote.tables import DatasetError, from_frame, read_features, read_table
from tandemvote.votes_io import VotesFileError, read_predictions, read_votes

TARGETS = {"csv": "kind", "parquet": "kind", "libsvm": None, "npz": None}
HEADS = {
    "csv": "size,color,kind\n1,red,a\n2,blue,b\n",
    "libsvm": "1 1:2\n",
    "npz": "PK\x03\x04",
    "parquet": "PAR1",
}
LIKE = from_frame(
    pandas.DataFrame({"size": [1, 2], "color": ["red", "blue"], "kind": [0, 1]}), target="kind"
)

# Cells and signs that parsers take for something.
cells = [
    "",
    "?",
    "NA",
    "nan",
    "inf",
    "-0.0",
    "1e400",
    "9" * 30,
    "1,5",
    "2020-02-30",
    "True",
    "1:1 ",
]
signs = ["\t", "\n", "\r", "\0", " ", "\ufeff", "\ud800", *";|,{}%#:'", '"']
words = st.sampled_from([*cells, *signs])
texts = st.lists(words | st.text(max_size=5), max_size=40).map("".join)
contents = st.binary(max_size=200) | texts.map(lambda text: text.encode("utf-8", "surrogatepass"))

quick = settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def read_or_be_rejected(read):
    """Return what was read, or None if it was rejected in one printable line."""
    try:
        return read()
    except (DatasetError, VotesFileError) as error:
        assert str(error).isprintable()
        assert len(str(error)) <= 1000
        return None


@quick
@given(content=contents, framed=st.booleans(), drop=st.booleans())
@pytest.mark.parametrize("file_format", TARGETS)
def test_any_bytes_are_a_table_or_rejected(file_format, content, framed, drop, tmp_path):
    path = tmp_path / f"table.{file_format}"
    path.write_bytes(HEADS[file_format].encode() * framed + content)
    table = read_or_be_rejected(
        lambda: read_table(path, target=TARGETS[file_format], drop_missing=drop)
    )
    if table is not None:
        assert table.n_classes >= 2
        assert not np.isinf(table.X).any()
    points = read_or_be_rejected(lambda: read_features(path, like=LIKE))
    assert points is None or points.shape[1] == 2


@quick
@given(content=contents, framed=st.booleans())
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_any_bytes_are_votes_or_rejected(ending, content, framed, tmp_path):
    path = tmp_path / f"votes.{ending}"
    path.write_bytes(b"label,first,second\n1,1,\n" * framed + content)
    votes = read_or_be_rejected(lambda: read_votes(path, target="label"))
    if votes is not None:
        assert votes.held_out.any()
    predictions = read_or_be_rejected(lambda: read_predictions(path))
    assert predictions is None or not pandas.isna(predictions).any()


numbers = st.floats(width=32, allow_infinity=False)
rows = st.lists(
    st.tuples(numbers, st.sampled_from(["red", "light blue", "ü;|", None])), min_size=2, max_size=9
)


@quick
@given(rows=rows, separator=st.sampled_from([",", ";", "\t", "|"]), as_file=st.booleans())
def test_a_table_comes_back_as_it_was_written(rows, separator, as_file, tmp_path):
    kinds = [("a", "b c")[place % 2] for place in range(len(rows))]
    frame = pandas.DataFrame(rows, columns=["size", "color"]).assign(kind=kinds)
    frame["color"] = frame["color"].astype(object)
    if as_file:
        path = tmp_path / "table.csv"
        frame.to_csv(path, index=False, sep=separator)
    else:
        path = tmp_path / "table.parquet"
        frame.to_parquet(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = read_table(path, target="kind")
    assert table.y.tolist() == kinds
    np.testing.assert_array_equal(table.X[:, 0], frame["size"].to_numpy())
    codes = np.nan_to_num(table.X[:, 1], nan=-1.0)  # a column of gaps only is one of numbers
    same_color = frame["color"].fillna("?").to_numpy()
    for first in range(len(rows)):
        np.testing.assert_array_equal(codes == codes[first], same_color == same_color[first])
    np.testing.assert_array_equal(read_features(path, like=table), table.X)


@quick
@given(
    X=st.lists(st.tuples(numbers, numbers), min_size=2).map(lambda rows: np.array(rows, float)),
    label=st.sampled_from([0, -7, 2**40]),
)
def test_plain_arrays_come_back_as_they_were_written(X, label, tmp_path):
    y = np.where(np.arange(len(X)) % 2, label, 1)
    np.savez(tmp_path / "table.npz", X=X, y=y)
    table = read_table(tmp_path / "table.npz")
    np.testing.assert_array_equal(table.X, X)
    np.testing.assert_array_equal(table.y, y)
    lines = [
        " ".join([str(label), *(f"{place + 1}:{value!r}" for place, value in enumerate(row))])
        for label, row in zip(y.tolist(), np.nan_to_num(X).tolist(), strict=True)
    ]
    (tmp_path / "table.libsvm").write_text("\n".join(lines) + "\n")
    table = read_table(tmp_path / "table.libsvm")
    np.testing.assert_array_equal(table.X, np.nan_to_num(X))
    np.testing.assert_array_equal(table.y, y)
