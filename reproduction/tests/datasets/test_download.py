"""The real download path, against a server on this machine."""

import gzip
import os
from dataclasses import replace

import numpy as np
import pytest

from reproduction.datasets import CATALOG, RawFile, load_dataset, load_entry
from reproduction.datasets import loading as loading_module
from reproduction.datasets.recipes import first_appearance_codes
from tandemvote.tables import DatasetError

DATA = os.environ.get("TANDEMVOTE_DATA", "")


def sample(name, n_samples=60):
    """Values of the kind the data set has, at its number of columns."""
    random = np.random.default_rng(len(name))
    d = CATALOG[name].n_features
    shape = (n_samples, d)
    y = np.arange(n_samples) % 3
    if name in ("Adult", "w1a", "Phishing"):
        return random.integers(0, 2, shape), y
    if name == "Connect-4":
        return np.eye(3, dtype=int)[random.integers(0, 3, (n_samples, 42))].reshape(shape), y
    if name in ("MNIST", "Fashion-MNIST", "Letter"):
        return random.integers(0, 256 if "MNIST" in name else 16, shape), y
    if name == "Mushroom":
        columns = [first_appearance_codes(random.integers(0, 5, n_samples)) for _ in range(d)]
        return np.column_stack(columns), y % 2
    if name in ("Pendigits", "SatImage", "Shuttle", "Splice"):
        return random.integers(-100, 100, shape), y
    return random.normal(size=shape).astype(np.float32), y


def nothing_is_left(folders):
    return not list(folders.scratch.iterdir()) and not (
        folders.cache.exists() and list(folders.cache.iterdir())
    )


@pytest.mark.parametrize("name", CATALOG)
def test_a_download_gives_the_published_values_and_keeps_a_copy(name, site, published, folders):
    X, y = sample(name)
    site.files = published(name, X, y)
    entry = site.entry_here(CATALOG[name], X, y)
    downloaded = load_entry(entry)
    if entry.ordered:
        assert np.array_equal(downloaded.X, X)
        assert np.array_equal(downloaded.y, y)
    assert downloaded.y.dtype == np.int64
    assert not downloaded.reconstructed
    assert len(site.requests) == len(entry.files)

    site.files = {}
    again = load_entry(entry)
    assert len(site.requests) == len(entry.files)
    assert np.array_equal(again.X, downloaded.X)
    assert again.X.dtype == downloaded.X.dtype
    assert [path.name for path in folders.cache.iterdir()] == [f"{name.casefold()}.npz"]
    assert not list(folders.scratch.iterdir())


def test_a_file_already_unpacked_by_the_server_is_read_all_the_same(site, published, folders):
    X, y = sample("MNIST")
    site.files = {name: gzip.decompress(data) for name, data in published("MNIST", X, y).items()}
    assert np.array_equal(load_entry(site.entry_here(CATALOG["MNIST"], X, y)).X, X)


@pytest.mark.parametrize("name", ["Letter", "Pendigits", "MNIST", "Shuttle", "Adult"])
def test_a_tampered_file_is_rejected_and_leaves_nothing(name, site, published, folders):
    X, y = sample(name)
    entry = site.entry_here(CATALOG[name], X, y)
    X[-1] = X[-2]
    site.files = published(name, X, y)
    with pytest.raises(DatasetError, match=r"values do not.*digest should be.*prepare_dataset"):
        load_entry(entry)
    assert nothing_is_left(folders)


@pytest.mark.parametrize("name", ["Letter", "Pendigits", "MNIST", "USPS", "Shuttle"])
def test_a_file_with_rows_missing_is_rejected_and_leaves_nothing(name, site, published, folders):
    X, y = sample(name)
    entry = site.entry_here(CATALOG[name], X, y)
    site.files = published(name, X[:-3], y[:-3])
    with pytest.raises(DatasetError, match="N should be 60 and is 57"):
        load_entry(entry)
    assert nothing_is_left(folders)


@pytest.mark.parametrize("name", ["Letter", "MNIST", "USPS", "Shuttle", "SatImage"])
@pytest.mark.parametrize("server_knows", [True, False])
def test_a_file_cut_short_is_rejected_and_leaves_nothing(
    name, server_knows, site, published, folders
):
    X, y = sample(name)
    site.files = published(name, X, y)
    entry = site.entry_here(CATALOG[name], X, y)
    if server_knows:
        site.cut_short = set(site.files)
    else:
        site.files = {file: data[: len(data) // 2 - 1] for file, data in site.files.items()}
    with pytest.raises(DatasetError, match=next(iter(site.files))):
        load_entry(entry)
    assert nothing_is_left(folders)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"<html>moved</html>", bytes(range(256))])
@pytest.mark.parametrize("name", CATALOG)
def test_a_file_of_another_kind_is_rejected(name, content, site, folders):
    X, y = sample(name)
    entry = site.entry_here(CATALOG[name], X, y)
    site.files = {file.name: content for file in entry.files}
    with pytest.raises(DatasetError, match="try again later"):
        load_entry(entry)
    assert nothing_is_left(folders)


def test_a_missing_file_names_its_address_and_leaves_nothing(site, published, folders):
    X, y = sample("Pendigits")
    site.files = published("Pendigits", X, y)
    del site.files["pendigits.t"]
    with pytest.raises(DatasetError, match=r"pendigits.t could not be downloaded.*404"):
        load_entry(site.entry_here(CATALOG["Pendigits"], X, y))
    assert nothing_is_left(folders)


def test_a_server_that_fails_once_is_asked_again(site, published, folders):
    X, y = sample("Letter")
    site.files = published("Letter", X, y)
    file = next(iter(site.files))
    site.failures_left = {file: 1}
    assert np.array_equal(load_entry(site.entry_here(CATALOG["Letter"], X, y)).X, X)
    assert site.requests == [file, file]


def test_the_next_address_is_tried_when_the_first_is_gone(site, published, folders):
    X, y = sample("Letter")
    site.files = published("Letter", X, y)
    entry = site.entry_here(CATALOG["Letter"], X, y)
    (file,) = entry.files
    gone = f"{site.base_url}/gone/{file.name}"
    entry = replace(entry, files=(RawFile((gone, *file.urls)),))
    assert np.array_equal(load_entry(entry).X, X)


def test_a_wrong_hash_of_a_published_file_is_rejected(site, published, folders):
    X, y = sample("USPS")
    site.files = published("USPS", X, y)
    entry = site.entry_here(CATALOG["USPS"], X, y)
    first, second = entry.files
    wrong = replace(first, known_hash="md5:" + "0" * 32)
    with pytest.raises(DatasetError, match=r"usps\.bz2.*hash"):
        load_entry(replace(entry, files=(wrong, second)))
    assert nothing_is_left(folders)


def test_nothing_is_fetched_unless_allowed(site, published, folders):
    X, y = sample("Letter")
    site.files = published("Letter", X, y)
    with pytest.raises(DatasetError, match=r"letter\.npz.*data_home"):
        load_entry(site.entry_here(CATALOG["Letter"], X, y), download=False)
    assert site.requests == []


def test_an_interrupted_write_leaves_nothing(site, published, folders, monkeypatch):
    X, y = sample("Letter")
    site.files = published("Letter", X, y)

    def interrupted(file, **arrays):
        file.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez_compressed", interrupted)
    with pytest.raises(KeyboardInterrupt):
        load_entry(site.entry_here(CATALOG["Letter"], X, y))
    assert nothing_is_left(folders)


def test_a_cache_that_cannot_be_written_is_named(site, published, folders):
    X, y = sample("Letter")
    site.files = published("Letter", X, y)
    folders.cache.write_text("a file where the folder should be")
    with pytest.raises(DatasetError, match=r"letter\.npz cannot be written.*data_home"):
        load_entry(site.entry_here(CATALOG["Letter"], X, y))
    assert not list(folders.scratch.iterdir())


def test_downloading_says_nothing_on_the_screen(site, published, folders, capfd):
    X, y = sample("Letter")
    site.files = published("Letter", X, y)
    load_entry(site.entry_here(CATALOG["Letter"], X, y))
    assert capfd.readouterr() == ("", "")


LARGE = {
    "Adult", "Cod-RNA", "Connect-4", "Fashion-MNIST", "MNIST", "Sensorless", "Shuttle", "w1a",
}  # fmt: skip


@pytest.mark.skipif(not DATA, reason="TANDEMVOTE_DATA is not set")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in LARGE else [])
        for name, entry in CATALOG.items()
        if entry.digest is not None
    ],
)
def test_the_real_data_in_their_published_formats_come_out_as_the_catalog_says(
    name, site, published, folders, monkeypatch
):
    monkeypatch.setenv(loading_module.DATA_VARIABLE, DATA)
    if name not in loading_module.available_datasets():
        pytest.skip(f"no prepared copy of {name}")
    prepared = load_dataset(name)
    monkeypatch.delenv(loading_module.DATA_VARIABLE)
    site.files = published(name, prepared.X, prepared.y)
    entry = CATALOG[name]
    here = tuple(RawFile((f"{site.base_url}/{file.name}",)) for file in entry.files)
    downloaded = load_entry(replace(entry, files=here))
    assert downloaded.X.dtype == prepared.X.dtype
    assert site.requests == [file.name for file in entry.files]
