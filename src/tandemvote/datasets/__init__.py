"""Room 10: data sets, the paper's by name and your own from a file.

``load_dataset("Letter")`` gives one of the paper's 17 sets, checked against the catalogue;
``read_table("mine.csv", target="label")`` reads a table of your own. Both return a
:class:`Dataset`.
"""

from tandemvote.datasets.building import from_arrays, from_frame
from tandemvote.datasets.catalogue import CATALOGUE, find_entry
from tandemvote.datasets.dataset import Dataset
from tandemvote.datasets.entry import CatalogueEntry, RawFile
from tandemvote.datasets.errors import DatasetError
from tandemvote.datasets.loading import (
    available_datasets,
    load_dataset,
    load_entry,
    prepare_dataset,
)
from tandemvote.datasets.tables import read_features, read_table
from tandemvote.datasets.votes_table import read_unlabelled_votes, read_votes

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
    "read_unlabelled_votes",
    "read_votes",
]
