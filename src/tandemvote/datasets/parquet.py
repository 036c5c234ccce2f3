"""Parquet: typed columns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tandemvote.datasets.errors import DatasetError, import_extra

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
        If the file is not Parquet.
    """
    import_extra("pyarrow", purpose="Reading a Parquet file")
    pandas: Any = import_extra("pandas", purpose="Reading a Parquet file")
    try:
        return pandas.read_parquet(path, engine="pyarrow")
    except (ValueError, OSError) as error:  # what pyarrow raises derives from these
        raise DatasetError(
            f"{path} cannot be read as Parquet ({error}). Write it again, or name its true "
            "format by file_format."
        ) from error
