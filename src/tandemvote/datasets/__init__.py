"""Room 10: data sets, the paper's by name and your own from a file.

``load_dataset("Letter")`` gives one of the paper's 17 sets, checked against the catalogue;
``read_table("mine.csv", target="label")`` reads a table of your own. Both return a
:class:`Dataset`.
"""

from .building import from_arrays, from_frame
from .catalogue import CATALOGUE, find_entry
from .dataset import Dataset
from .entry import CatalogueEntry, RawFile
from .errors import DatasetError
from .loading import available_datasets, load_dataset, load_entry, prepare_dataset
from .tables import read_features, read_table
from .votes_table import read_votes

__all__ = [
    "CATALOGUE",
    "CatalogueEntry",
    "Dataset",
    "DatasetError",
    "RawFile",
    "available_datasets",
    "find_entry",
    "from_arrays",
    "from_frame",
    "load_dataset",
    "load_entry",
    "prepare_dataset",
    "read_features",
    "read_table",
    "read_votes",
]
