"""Tables of your own: labeled samples from a CSV, Parquet, LIBSVM or npz file.

``read_table("mine.csv", target="label")`` returns a :class:`Dataset`, whose features were encoded
by a :class:`TableEncoder`.
"""

from tandemvote.tables.dataset import Dataset, from_arrays, from_frame
from tandemvote.tables.encoder import TableEncoder
from tandemvote.tables.errors import DatasetError
from tandemvote.tables.table_file import read_features, read_table

__all__ = [
    "Dataset",
    "DatasetError",
    "TableEncoder",
    "from_arrays",
    "from_frame",
    "read_features",
    "read_table",
]
