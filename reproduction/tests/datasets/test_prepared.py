import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reproduction.datasets import (
    CATALOG,
    available_datasets,
    load_dataset,
    load_entry,
    prepare_dataset,
)
from reproduction.datasets import loading as loading_module
from reproduction.datasets.checks import content_digest
from tandemvote.tables import DatasetError

X = np.arange(24).reshape(12, 2)
y = np.arange(12) % 3
ENTRY = replace(
    CATALOG["Letter"],
    n_samples=12,
    n_features=2,
    n_classes=3,
    c_min=0.3333,
    c_max=0.3333,
    digest=content_digest(X, y),
)
UNSEEN = replace(ENTRY, digest=None)


@pytest.fixture
def home(tmp_path, folders):
    home = tmp_path / "home"
    home.mkdir()
    return home


def save(home, **arrays):
    np.savez(home / ENTRY.prepared_name, **arrays)


def test_a_prepared_copy_is_found_in_the_first_folder_that_has_one(home, folders, monkeypatch):
    other = home.parent / "other"
    other.mkdir()
    monkeypatch.setenv("TANDEMVOTE_DATA", str(other))
    folders.cache.mkdir()
    for folder in (folders.cache, other, home):
        save(folder, X=X.astype(float), y=y)
        assert load_entry(ENTRY, data_home=home, download=False).y.tolist() == y.tolist()
        assert available_datasets(home) == ("Letter",)
        # the next folder has precedence: a wrong file here must not be looked at any more
        save(folder, X=X + 1, y=y)
    with pytest.raises(DatasetError, match="values do not"):
        load_entry(ENTRY, data_home=home, download=False)


@pytest.mark.parametrize(
    ("arrays", "complaint"),
    [
        ({"X": X + (X == 5), "y": y}, "values do not"),
        ({"X": X[::-1], "y": y[::-1]}, "values do not"),
        ({"X": X[:-1], "y": y[:-1]}, "N should be 12 and is 11"),
        ({"X": X[:, :1], "y": y}, "d should be 2 and is 1"),
        ({"X": X, "y": y % 2}, "c should be 3 and is 2"),
        ({"X": X, "y": np.minimum(y, 1) + 2 * (X[:, 0] == 0)}, "class frequency should be 0.3333"),
        ({"X": X, "y": y[:-1]}, "one label per row"),
        ({"X": X.astype(str), "y": y}, "table of numbers"),
        ({"X": X, "y": y.astype(str)}, "expected integers"),
        ({"features": X, "y": y}, "no array 'X'"),
        ({"X": np.array([[None]]), "y": y}, "cannot be read"),
    ],
)
def test_a_prepared_file_that_is_not_the_data_set_is_rejected(home, arrays, complaint):
    save(home, **arrays)
    with pytest.raises(DatasetError, match=complaint) as caught:
        load_entry(ENTRY, data_home=home)
    assert str(home / "letter.npz") in str(caught.value)
    assert "out of the way" in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04 half a zip"])
def test_a_damaged_prepared_file_is_rejected(home, content):
    (home / "letter.npz").write_bytes(content)
    with pytest.raises(DatasetError, match="cannot be read"):
        load_entry(ENTRY, data_home=home)


def test_a_truncated_prepared_file_is_rejected(home):
    save(home, X=X, y=y)
    path = home / "letter.npz"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(DatasetError, match="cannot be read"):
        load_entry(ENTRY, data_home=home)


def test_where_order_is_free_only_the_rows_count(home):
    free = replace(ENTRY, ordered=False, digest=content_digest(X, y, ordered=False))
    save(home, X=X[::-1], y=y[::-1])
    assert load_entry(free, data_home=home).X[0].tolist() == [22, 23]
    save(home, X=X[::-1], y=y)
    with pytest.raises(DatasetError, match="values do not"):
        load_entry(free, data_home=home)


def test_the_documented_reconstruction_is_marked(home):
    save(home, X=X, y=y)
    dataset = load_entry(
        replace(UNSEEN, reconstruction_digest=content_digest(X, y)), data_home=home
    )
    assert dataset.reconstructed
    assert "reconstructed" in repr(dataset)


def test_without_a_known_digest_a_prepared_copy_does_not_count_as_the_original(home):
    """Anyone who writes a file can write a digest into it."""
    save(home, X=X, y=y)
    with pytest.raises(DatasetError, match="no content digest of the original is known"):
        load_entry(UNSEEN, data_home=home)
    save(home, X=X, y=y, digest=content_digest(X, y))
    dataset = load_entry(UNSEEN, data_home=home)
    assert "not checked" in dataset.origin
    assert "not checked" in repr(dataset)
    assert "not checked" not in load_entry(ENTRY, data_home=home).origin
    save(home, X=X + 1, y=y, digest=content_digest(X, y))
    with pytest.raises(DatasetError):
        load_entry(UNSEEN, data_home=home)


def test_a_digest_of_its_own_does_not_help_a_file_the_catalog_can_check(home):
    save(home, X=X + 1, y=y, digest=content_digest(X + 1, y))
    with pytest.raises(DatasetError, match="values do not"):
        load_entry(ENTRY, data_home=home)


def test_the_argument_wins_over_a_bad_variable(home, monkeypatch):
    monkeypatch.setenv("TANDEMVOTE_DATA", str(home / "gone"))
    save(home, X=X, y=y)
    assert load_entry(ENTRY, data_home=home, download=False).n_samples == 12
    assert available_datasets(home) == ("Letter",)


def test_a_folder_that_is_not_there_is_an_error(home, monkeypatch):
    with pytest.raises(DatasetError, match="data_home names"):
        load_entry(ENTRY, data_home=home / "gone")
    monkeypatch.setenv("TANDEMVOTE_DATA", str(home / "gone"))
    with pytest.raises(DatasetError, match="TANDEMVOTE_DATA names"):
        available_datasets()


def test_files_fetched_by_hand_make_the_same_copy(home, published, monkeypatch):
    wide = np.arange(12 * 16).reshape(12, 16) % 16
    entry = replace(ENTRY, n_features=16, digest=content_digest(wide, y))
    monkeypatch.setattr(loading_module, "find_entry", lambda name: entry)
    with pytest.raises(DatasetError, match=r"lacks letter-recognition\.data.*https://"):
        prepare_dataset("Letter", home)
    for name, content in published("Letter", wide, y).items():
        (home / name).write_bytes(content)
    prepare_dataset("Letter", home, data_home=home / "prepared")
    assert load_dataset("Letter", data_home=home / "prepared", download=False).n_samples == 12


def test_files_fetched_by_hand_are_held_to_their_known_hash(home, published):
    table = np.random.default_rng(0).normal(size=(30, 256))
    for name, content in published("USPS", table, np.arange(30) % 10).items():
        (home / name).write_bytes(content)
    with pytest.raises(DatasetError, match=r"usps\.bz2: md5 should be"):
        prepare_dataset("USPS", home)


@pytest.mark.skipif("TANDEMVOTE_DATA" not in os.environ, reason="TANDEMVOTE_DATA is not set")
@pytest.mark.parametrize(
    ("file", "name"), [("protein-partial.npz", "Protein"), ("usps-unsmoothed.npz", "USPS")]
)
def test_a_relative_of_a_data_set_cannot_pass_for_it(tmp_path, file, name):
    source = Path(os.environ["TANDEMVOTE_DATA"], file)
    if not source.exists():
        pytest.skip(f"no {file}")
    (tmp_path / CATALOG[name].prepared_name).symlink_to(source)
    with pytest.raises(DatasetError, match=f"not the data set {name}"):
        load_dataset(name, data_home=tmp_path, download=False)
