"""The paper's 17 data sets by name: ``load_dataset("Letter")``, checked against a catalogue."""

from reproduction.datasets.catalogue import CATALOGUE, find_entry
from reproduction.datasets.dataset import Dataset
from reproduction.datasets.entry import CatalogueEntry, PaperDataset, RawFile
from reproduction.datasets.loading import (
    available_datasets,
    load_dataset,
    load_entry,
    prepare_dataset,
)

__all__ = [
    "CATALOGUE",
    "CatalogueEntry",
    "Dataset",
    "PaperDataset",
    "RawFile",
    "available_datasets",
    "find_entry",
    "load_dataset",
    "load_entry",
    "prepare_dataset",
]
