"""Feed bytes to the readers of data files, one format at a time; see README.md."""

import io
import sys
import tempfile
import warnings
import zipfile
from pathlib import Path

import atheris
import numpy as np
import pandas
import sklearn.datasets  # noqa: F401  before the instruments: there is much of it

with atheris.instrument_imports(include=["tandemvote.tables"]):
    from tandemvote.tables import Dataset, DatasetError, read_features, read_table
    from tandemvote.tables.errors import LONGEST_MESSAGE

FOLDER = tempfile.TemporaryDirectory()
TARGETS = {"csv": "kind", "parquet": "kind", "libsvm": None, "npz": None}


def one_input(file_format: str, like: Dataset, data: bytes) -> None:
    """Read as a labeled table and as further samples; only the promised error may come out."""
    path = Path(FOLDER.name, f"table.{file_format}")
    path.write_bytes(_framed(file_format, data))
    for read in (
        lambda: read_table(path, target=TARGETS[file_format]),
        lambda: read_table(path, target=TARGETS[file_format], drop_missing=True),
        lambda: read_features(path, like=like),
    ):
        try:
            read()
        except DatasetError as error:
            assert str(error).isprintable() and len(str(error)) <= LONGEST_MESSAGE, str(error)


def _framed(file_format: str, data: bytes) -> bytes:
    """Give half of the inputs an honest beginning, or most would end at the first check."""
    if data[:1] >= b"\x80":
        return data[1:]
    if file_format == "csv":
        return b"size,color,kind\n1,red,a\n2,blue,b\n" + data[1:]
    if file_format == "npz":
        return _archive(*data[1:].partition(b"||")[::2])
    return data[1:]


def _archive(table: bytes, labels: bytes) -> bytes:
    """Compute lengths and sums, which random bytes do not hit upon, but an attacker does."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as parts:
        for name, part in (("X", table), ("y", labels)):
            header, _, entries = part.partition(b"\n")
            length = (len(header) + 1).to_bytes(2, "little")
            parts.writestr(f"{name}.npy", b"\x93NUMPY\x01\x00" + length + header + b"\n" + entries)
    return archive.getvalue()


def write_seeds(file_format: str, folder: Path) -> Dataset:
    """Write honest files for the fuzzer to start from."""
    frame = pandas.DataFrame(
        {
            "size": [1.5, None, 3e8, -0.0],
            "color": ["red", "blue", None, "red"],
            "day": pandas.to_datetime(["2020-01-01", None, "2021-05-05", "1960-01-01"]),
            "kind": ["a", "b", "a", "b"],
        }
    )
    path = folder / f"seed.{file_format}"
    X, y = np.array([[1.5, 0.0], [0.0, -3e8], [2.0, 1.0]]), np.array([1, 2, 1])
    if file_format == "csv":
        frame.to_csv(path, index=False)
    elif file_format == "parquet":
        frame.to_parquet(path)
    elif file_format == "npz":
        np.savez(path, X=X, y=y)
        header = "{'descr': '%s', 'fortran_order': False, 'shape': %s}\n"
        parts = ((header % ("<f8", X.shape), X), (header % ("<i8", y.shape), y))
        (folder / "parts.npz").write_bytes(
            b"\0" + b"||".join(head.encode() + array.tobytes() for head, array in parts)
        )
    else:
        path.write_text("+1 1:1.5\n2 2:-3e8 # words\n1 1:2 2:1\n")
    (folder / f"framed.{file_format}").write_bytes(b"\x80" + path.read_bytes())
    return read_table(path, target=TARGETS[file_format])


if __name__ == "__main__":
    chosen = sys.argv.pop(1)
    warnings.simplefilter("error")
    corpus = Path(sys.argv[1])
    known = write_seeds(chosen, corpus)
    atheris.Setup(sys.argv, lambda data: one_input(chosen, known, data))
    atheris.Fuzz()
