"""ARFF: the text format of Weka and OpenML, with declared columns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tandemvote.datasets.arff_syntax import Attribute, parse_attribute, split_dense, split_sparse
from tandemvote.datasets.column_names import refuse_doubled
from tandemvote.datasets.errors import DatasetError, import_extra, number_of
from tandemvote.datasets.libsvm import LARGEST_TABLE
from tandemvote.datasets.raw_bytes import read_text

if TYPE_CHECKING:
    import pandas


def read_arff(path: Path, *, encoding: str = "utf-8-sig") -> pandas.DataFrame:
    r"""Read an ARFF file, compressed or not, with dense or sparse rows.

    Parameters
    ----------
    path : Path
        The file. Attributes may be numeric, nominal, strings or dates; ``?`` is a missing entry.
    encoding : str
        The default is UTF-8, with or without a byte-order mark.

    Returns
    -------
    pandas.DataFrame
        One column an attribute, nominal ones as categories.

    Raises
    ------
    DatasetError
        If the text does not follow the format, has relational attributes, or is a table of more
        than `LARGEST_TABLE` bytes.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "tiny.arff")
    ...     _ = path.write_text("@relation t\n@attribute k {a, 'b c'}\n@data\na\n?\n'b c'\n")
    ...     read_arff(path)["k"].tolist()
    ['a', nan, 'b c']
    """
    pandas: Any = import_extra("pandas", purpose="Reading an ARFF file")
    attributes: list[Attribute] = []
    rows: list[Sequence[str | None]] | None = None
    for number, line in enumerate(read_text(path, encoding=encoding).split("\n"), start=1):
        text = line.strip()
        word = text[:10].lower()
        try:
            if not text or text.startswith("%"):
                continue
            if rows is not None:
                rows.append(_row(text, attributes))
                if len(rows) * len(attributes) * 8 > LARGEST_TABLE:
                    raise ValueError(f"the table exceeds {LARGEST_TABLE // 2**30} GiB from here on")
            elif word == "@attribute":
                attributes.append(parse_attribute(text))
            elif word.startswith("@data") and attributes:
                rows = []
            elif not word.startswith("@relation"):
                raise ValueError("expected @relation, @attribute or, after attributes, @data")
        except ValueError as error:
            raise DatasetError(
                f"{path} cannot be read as ARFF: line {number}: {error}. Mend the line, or save the"
                " table as CSV."
            ) from error
    if rows is None:
        raise DatasetError(f"{path} cannot be read as ARFF: it has no line @data. Save it anew.")
    refuse_doubled([attribute.name for attribute in attributes], path)
    cells = zip(*rows, strict=True) if rows else [()] * len(attributes)
    columns = {}
    for attribute, column in zip(attributes, cells, strict=True):
        series = pandas.Series(column, dtype=object)
        try:
            columns[attribute.name] = _typed(series, attribute)
        except ValueError as error:
            raise DatasetError(
                f"{path}: attribute {attribute.name!r}, declared as {attribute.kind}: {error}. Mend"
                " the cell or the declaration."
            ) from error
    return pandas.DataFrame(columns)


def _row(text: str, attributes: Sequence[Attribute]) -> Sequence[str | None]:
    if text.startswith("{") and text.endswith("}"):
        stated = split_sparse(text)
        if max(stated, default=0) >= len(attributes):
            raise ValueError(f"no attribute {max(stated)}, as they are counted from 0")
        return [
            stated[place] if place in stated else attribute.implied  # noqa: SIM401  implied may refuse
            for place, attribute in enumerate(attributes)
        ]
    cells = split_dense(text)
    if len(cells) != len(attributes):
        raise ValueError(
            f"{number_of(len(cells), 'cell')}, separated by commas, for"
            f" {number_of(len(attributes), 'attribute')}"
        )
    return cells


def _typed(cells: pandas.Series, attribute: Attribute) -> pandas.Series:
    pandas: Any = import_extra("pandas", purpose="Reading an ARFF file")
    if attribute.kind == "numeric":
        return pandas.to_numeric(cells).astype("float64")
    if attribute.kind == "date":
        return pandas.to_datetime(cells, format=attribute.detail[0])
    if attribute.kind == "nominal":
        values = list(dict.fromkeys(attribute.detail))
        undeclared = ~cells.isin([*values, None])
        if undeclared.any():
            place = undeclared.argmax()
            raise ValueError(f"{cells[place]!r} in row {place + 1} is none of its values")
        return cells.astype(pandas.CategoricalDtype(values))
    return cells
