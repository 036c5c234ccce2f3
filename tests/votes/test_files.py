"""Every file that is meant is found once."""

import pytest

from tandemvote.votes.reading import VoteFiles
from tandemvote.votes.vote_tables import VotesFileError, find_files


@pytest.fixture
def folder(tmp_path):
    for name in ("b.parquet", "a.parquet", "notes.txt", "_metadata", ".hidden.parquet"):
        (tmp_path / name).touch()
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "c[1].parquet").touch()
    return tmp_path


def names(paths):
    return [path.name for path in find_files(paths)]


def test_a_folder_stands_for_the_parquet_files_in_it(folder):
    assert names(folder) == names(str(folder)) == ["a.parquet", "b.parquet"]


def test_patterns_reach_folders_below(folder):
    assert names(folder / "*.parquet") == ["a.parquet", "b.parquet"]
    assert names(folder / "**" / "c*.parquet") == ["c[1].parquet"]


def test_a_name_with_brackets_is_a_name_before_it_is_a_pattern(folder):
    assert names(folder / "below" / "c[1].parquet") == ["c[1].parquet"]


def test_copies_and_links_would_be_counted_twice(tmp_path):
    (tmp_path / "a.csv").write_text("label,x\n0,1\n")
    (tmp_path / "b.csv").write_text("label,x\n1,1\n")
    assert VoteFiles(tmp_path / "*.csv", target="label").n_samples == 2
    (tmp_path / "same.csv").symlink_to(tmp_path / "b.csv")
    with pytest.raises(VotesFileError, match=r"same\.csv is a copy of .*b\.csv"):
        VoteFiles(tmp_path / "*.csv", target="label")


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("nothing/*.parquet", "No file matches"),
        ("empty", r"No file matches .*empty/\*\.parquet"),
    ],
)
def test_a_path_without_files_is_rejected(tmp_path, location, message):
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=message):
        find_files(tmp_path / location)
    with pytest.raises(VotesFileError, match="is empty or has no rows"):
        VoteFiles([], target="label")
