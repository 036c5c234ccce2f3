"""ARFF: the text format of Weka and OpenML, with declared columns."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scipy.io.arff import loadarff

from tandemvote.datasets.errors import DatasetError, import_extra
from tandemvote.datasets.raw_bytes import read_bytes

if TYPE_CHECKING:
    import pandas


def read_arff(path: Path, *, encoding: str = "utf-8-sig") -> pandas.DataFrame:
    r"""Read an ARFF file, compressed or not.

    Parameters
    ----------
    path : Path
        The file. Columns may be numeric, nominal or dates; ``?`` is a missing entry.
    encoding : str
        The default is UTF-8, with or without a byte-order mark.

    Returns
    -------
    pandas.DataFrame
        One column an attribute, nominal ones as text.

    Raises
    ------
    DatasetError
        If the text does not follow the format, or has string or relational attributes.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "tiny.arff")
    ...     _ = path.write_text("@relation t\n@attribute k {a, b}\n@data\na\n?\n")
    ...     read_arff(path)["k"].tolist()
    ['a', None]
    """
    pandas: Any = import_extra("pandas", purpose="Reading an ARFF file")
    try:
        records, meta = loadarff(io.StringIO(read_bytes(path).decode(encoding)))
    except Exception as error:  # scipy lets out whatever csv, re and strptime come up with
        raise DatasetError(
            f"{path} cannot be read as ARFF ({type(error).__name__}: {error}). Attributes must be "
            "numeric, nominal in ASCII, or dates; save the table as CSV otherwise."
        ) from error
    columns = {}
    for name, kind in zip(meta.names(), meta.types(), strict=True):
        column = records[name]
        if kind == "nominal":
            cells = [cell.decode() for cell in column]
            columns[name] = pandas.Series(
                [None if cell == "?" else cell for cell in cells], dtype=object
            )
        else:
            columns[name] = pandas.Series(column)
    return pandas.DataFrame(columns)
