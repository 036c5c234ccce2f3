"""Feed bytes to the readers of data files, one format at a time; see README.md."""

import sys
import tempfile
import warnings
from pathlib import Path

import atheris
import pandas
import sklearn.datasets  # noqa: F401  before the instruments: there is much of it

with atheris.instrument_imports(include=["tandemvote.tables"]):
    from tandemvote.tables import DatasetError, Table, read_features, read_table
    from tandemvote.tables.errors import LONGEST_MESSAGE

FOLDER = tempfile.TemporaryDirectory()


def one_input(file_format: str, known: Table, data: bytes) -> None:
    """Read as a labeled table and as further samples; only the documented error may be raised."""
    path = Path(FOLDER.name, f"table.{file_format}")
    path.write_bytes(_framed(file_format, data))
    for read in (
        lambda: read_table(path, target="kind"),
        lambda: read_features(path, known.kinds),
    ):
        try:
            read()
        except DatasetError as error:
            assert str(error).isprintable() and len(str(error)) <= LONGEST_MESSAGE, str(error)


def _framed(file_format: str, data: bytes) -> bytes:
    """Give half of the inputs a valid beginning, or most would end at the first check."""
    if data[:1] >= b"\x80":
        return data[1:]
    if file_format == "csv":
        return b"size,color,kind\n1,red,a\n2,blue,b\n" + data[1:]
    return data[1:]


def write_seeds(file_format: str, folder: Path) -> Table:
    """Write valid files for the fuzzer to start from."""
    frame = pandas.DataFrame(
        {
            "size": [1.5, None, 3e8, -0.0],
            "color": ["red", "blue", None, "red"],
            "day": pandas.to_datetime(["2020-01-01", None, "2021-05-05", "1960-01-01"]),
            "kind": ["a", "b", "a", "b"],
        }
    )
    path = folder / f"seed.{file_format}"
    if file_format == "csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path)
    (folder / f"framed.{file_format}").write_bytes(b"\x80" + path.read_bytes())
    return read_table(path, target="kind")


if __name__ == "__main__":
    chosen = sys.argv.pop(1)  # csv or parquet
    warnings.simplefilter("error")
    corpus = Path(sys.argv[1])
    known = write_seeds(chosen, corpus)
    atheris.Setup(sys.argv, lambda data: one_input(chosen, known, data))
    atheris.Fuzz()
