import os
from urllib.parse import urlsplit

import numpy as np
import pytest

from reproduction.datasets import CATALOG, available_datasets, find_entry, load_dataset
from tandemvote.tables import DatasetError

# Data set overview of the paper's appendix: name, N, d, c, smallest and largest class frequency.
PAPER_TABLE = """
Adult 32561 123 2 0.2408 0.7592
Cod-RNA 59535 8 2 0.3333 0.6667
Connect-4 67557 126 3 0.0955 0.6583
Fashion-MNIST 70000 784 10 0.1000 0.1000
Letter 20000 16 26 0.0367 0.0406
MNIST 70000 780 10 0.0902 0.1125
Mushroom 8124 22 2 0.4820 0.5180
Pendigits 10992 16 10 0.0960 0.1041
Phishing 11055 68 2 0.4431 0.5569
Protein 24387 357 3 0.2153 0.4638
SVMGuide1 3089 4 2 0.3525 0.6475
SatImage 6435 36 6 0.0973 0.2382
Sensorless 58509 48 11 0.0909 0.0909
Shuttle 58000 9 7 0.0002 0.7860
Splice 3175 60 2 0.4809 0.5191
USPS 9298 256 10 0.0761 0.1670
w1a 49749 300 2 0.0297 0.9703
"""


def test_the_catalog_is_the_paper_s_table():
    rows = [line.split() for line in PAPER_TABLE.strip().splitlines()]
    expected = [(name, *map(int, sizes[:3]), *map(float, sizes[3:])) for name, *sizes in rows]
    actual = [
        (e.name, e.n_samples, e.n_features, e.n_classes, e.c_min, e.c_max) for e in CATALOG.values()
    ]
    assert actual == expected


def test_every_entry_names_public_sources_with_distinct_file_names():
    for entry in CATALOG.values():
        assert len({file.name for file in entry.files}) == len(entry.files) > 0
        assert all(urlsplit(url).netloc for file in entry.files for url in file.urls)
        assert all(url.endswith(file.name) for file in entry.files for url in file.urls)


def test_no_entry_goes_unchecked():
    digests = {name: e.digest or e.reconstruction_digest for name, e in CATALOG.items()}
    assert [name for name, digest in digests.items() if digest is None] == ["Protein"]
    assert len(set(digests.values())) == 17
    assert sum(CATALOG["USPS"].class_counts) == CATALOG["USPS"].n_samples


@pytest.mark.parametrize("spelling", ["w1a", "W1A", " Cod-rna", "FASHION-MNIST"])
def test_the_case_of_a_name_does_not_matter(spelling):
    assert find_entry(spelling).name.casefold() == spelling.strip().casefold()


def test_an_unknown_name_gets_a_suggestion():
    with pytest.raises(DatasetError, match="Did you mean Pendigits"):
        find_entry("pen-digits")
    with pytest.raises(DatasetError, match="--file"):
        find_entry("my own table")


@pytest.mark.skipif("TANDEMVOTE_DATA" not in os.environ, reason="TANDEMVOTE_DATA is not set")
@pytest.mark.parametrize("name", CATALOG)
def test_prepared_files_at_hand_match_the_catalog(name):
    if name not in available_datasets():
        pytest.skip(f"no prepared copy of {name}")
    dataset = load_dataset(name, download=False)
    entry = CATALOG[name]
    assert (dataset.n_samples, dataset.n_features) == (entry.n_samples, entry.n_features)
    assert np.isfinite(dataset.X).all()
    assert dataset.reconstructed == (name == "USPS" and entry.digest is None)
