"""The paper's 17 data sets by name: ``load_dataset("Letter")``, checked against a catalog."""

from reproduction.datasets.catalog import CATALOG, find_entry
from reproduction.datasets.dataset import Dataset
from reproduction.datasets.entry import CatalogEntry, PaperDataset, RawFile
from reproduction.datasets.loading import (
    available_datasets,
    load_dataset,
    load_entry,
    prepare_dataset,
)

__all__ = [
    "CATALOG",
    "CatalogEntry",
    "Dataset",
    "PaperDataset",
    "RawFile",
    "available_datasets",
    "find_entry",
    "load_dataset",
    "load_entry",
    "prepare_dataset",
]
