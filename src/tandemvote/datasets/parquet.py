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
    import_extra("pandas", purpose="Reading a Parquet file")
    frame = None
    try:
        with parquet.ParquetFile(path) as file:
            described = file.metadata
            refuse_doubled(file.schema_arrow.names, path)
            # Runs of equal values take next to nothing in the file, and their full size in memory.
            size = 8 * described.num_rows * described.num_columns
            if size <= LARGEST_TABLE:
                table = file.read()
                table.validate(full=True)  # text may be no text
                frame = table.to_pandas()
    except DatasetError:
        raise
    except Exception as error:  # pyarrow raises most kinds there are on damaged files
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
