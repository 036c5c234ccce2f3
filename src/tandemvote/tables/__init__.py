"""Tables of your own: labeled rows from a CSV, Parquet or Excel file.

``read_table("mine.csv", target="label")`` returns a :class:`Table`; ``with_encoder(classifier,
table.kinds)`` returns a classifier that can be trained on it.
"""

from tandemvote.tables.encoding import with_encoder
from tandemvote.tables.errors import DatasetError
from tandemvote.tables.kinds import TableColumns
from tandemvote.tables.table import Table, read_features, read_table

__all__ = ["DatasetError", "Table", "TableColumns", "read_features", "read_table", "with_encoder"]
