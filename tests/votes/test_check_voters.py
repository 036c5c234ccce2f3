"""Columns of a table of votes that are not voters are rejected."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

from tandemvote.cli.app import run
from tandemvote.votes import vote_tables
from tandemvote.votes.reading import check_voters
from tandemvote.votes.reading import read_votes as read_votes_with_target
from tandemvote.votes.vote_tables import VotesFileError
from tandemvote.votes.votes import Votes

read_votes = partial(read_votes_with_target, target="label")

N = 300
RNG = np.random.default_rng(0)
LABELS = RNG.choice(["cat", "dog"], N)


def voter(error):
    return np.where(RNG.random(N) < error, np.where(LABELS == "cat", "dog", "cat"), LABELS)


VOTERS = {"label": LABELS, "a": voter(0.1), "b": voter(0.2), "c": voter(0.15)}
NO_VOTERS = {
    "y_true": (LABELS, "has no error in 300 rows, where the next best voter has an error rate of"),
    "split": (
        np.repeat(["train", "test"], N // 2),
        "holds 'test', 'train': a label in 0 of 300 rows",
    ),
    "set": (np.full(N, "test"), "holds 'test': a label in 0 of 300 rows"),
}


@pytest.mark.parametrize("file", [("csv", 2**24), ("parquet", 2**24), ("parquet", 1000)])
@pytest.mark.parametrize("name", NO_VOTERS)
def test_they_are_rejected_unless_they_are_to_be_kept(name, file, tmp_path, monkeypatch, capsys):
    ending, batch = file
    monkeypatch.setattr(vote_tables, "BATCH_CELLS", batch)  # more cells than that are read in parts
    path = tmp_path / f"votes.{ending}"
    column, problem = NO_VOTERS[name]
    getattr(pd.DataFrame({**VOTERS, name: column}), f"to_{ending}")(path, index=False)
    with pytest.raises(VotesFileError, match=rf"Column '{name}' .*drop=\['{name}'\], .* keep="):
        read_votes(path)
    assert read_votes(path, drop=[name]).n_voters == 3
    assert read_votes(path, keep=[name]).n_voters == 4
    call = ["certify-votes", str(path)]
    assert run(call) == 2
    output = capsys.readouterr().err
    assert f"--drop {name}, or confirm that it is a voter with --keep {name}." in output
    assert batch == 1000 or problem in output
    for option in ("--drop", "--keep"):
        assert run([*call, option, name]) == 0
        capsys.readouterr()
    assert run([*call, "--keep", "nobody"]) == 2
    assert "no column 'nobody'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "voters",
    [
        {"a": LABELS},
        {"a": LABELS, "b": LABELS, "c": voter(0.2)},
        {"a": LABELS, "b": np.where(np.arange(N) < 5, "cat", LABELS)},
    ],
    ids=["alone", "among many that never err", "as good as the next best"],
)
def test_a_voter_may_be_perfect(voters, tmp_path):
    path = tmp_path / "votes.csv"
    pd.DataFrame({"label": LABELS, **voters}).to_csv(path, index=False)
    assert read_votes(path).n_voters == len(voters)


def test_an_error_rate_of_all_rows_is_written_as_such():
    votes = Votes.from_predictions([LABELS, voter(1.0)], LABELS)
    with pytest.raises(ValueError, match="the next best voter has an error rate of 100%"):
        check_voters(votes, ["a", "b"])
