"""Parquet: typed columns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tandemvote.datasets.column_names import refuse_doubled
from tandemvote.datasets.errors import DatasetError, import_extra
from tandemvote.datasets.libsvm import LARGEST_TABLE

if TYPE_CHECKING:
    import pandas


def read_parquet(path: Path) -> pandas.DataFrame:
    """Read a Parquet file.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    pandas.DataFrame
        Columns typed as in the file; a stored row index is left out.

    Raises
    ------
    DatasetError
        If the file is not Parquet, has a column name twice, or is a table of more than
        `LARGEST_TABLE` bytes.
    """
    parquet: Any = import_extra("pyarrow.parquet", purpose="Reading a Parquet file")
    pandas: Any = import_extra("pandas", purpose="Reading a Parquet file")
    try:
        described = parquet.read_metadata(path)
        refuse_doubled(described.schema.to_arrow_schema().names, path)
        # Runs of equal values take next to nothing in the file, and their full size in memory.
        size = 8 * described.num_rows * described.num_columns
        frame = None if size > LARGEST_TABLE else pandas.read_parquet(path, engine="pyarrow")
    except DatasetError:
        raise
    except Exception as error:  # pyarrow and pandas raise most kinds there are on damaged files
        raise DatasetError(
            f"{path} cannot be read as Parquet ({error}). Write it again, or name its true "
            "format by file_format."
        ) from error
    if frame is None:
        raise DatasetError(
            f"{path} has {described.num_rows} rows and {described.num_columns} columns,"
            f" {size / 2**30:.0f} GiB; the limit is {LARGEST_TABLE // 2**30} GiB. Keep fewer."
        )
    return frame
