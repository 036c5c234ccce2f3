"""Files are written whole or not at all."""

import errno
import os
import re

import pytest

from tandemvote.atomic_files import ABANDONED, written_whole


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "model.skops"
    path.write_text("old")
    with (
        pytest.raises(OSError, match=re.escape(str(path))) as caught,
        written_whole(path) as unfinished,
    ):
        unfinished.write_text("half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert caught.value.errno == errno.ENOSPC
    assert [each.name for each in tmp_path.iterdir()] == ["model.skops"]
    assert path.read_text() == "old"


def test_two_writers_of_one_file_do_not_share_a_temporary_file(tmp_path):
    path = tmp_path / "report.html"
    with written_whole(path) as first, written_whole(path) as second:
        first.write_text("a" * 1000)
        second.write_text("b")
    assert path.read_text() == "a" * 1000  # the first is renamed last
    assert len([*tmp_path.iterdir()]) == 1


def test_what_a_killed_process_left_is_removed_later(tmp_path):
    path = tmp_path / "votes.csv"
    left, recent = (tmp_path / f".votes.{name}.unfinished.csv" for name in ("left", "recent"))
    for each in (left, recent):
        each.write_text("half")
    past = left.stat().st_mtime - 2 * ABANDONED
    os.utime(left, (past, past))
    with written_whole(path) as unfinished:
        unfinished.write_text("whole")
    assert not left.exists() and recent.exists()


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="Create it first"), written_whole(tmp_path / "a/b"):
        pass
