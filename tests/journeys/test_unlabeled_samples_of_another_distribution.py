"""Unlabeled samples from another distribution end in one line on the error stream."""

import numpy as np
import pytest

from tandemvote.cli.app import run

pytestmark = pytest.mark.filterwarnings("ignore::tandemvote.bounds.ContradictionWarning")


def table(path, names, columns):
    rows = [",".join(map(str, row)) for row in zip(*columns, strict=True)]
    path.write_text("\n".join([",".join(names), *rows]) + "\n")
    return str(path)


def test_unlabeled_rows_from_another_distribution_are_rejected(tmp_path, capsys):
    rng = np.random.default_rng(0)
    size, color = rng.normal(size=(2, 900))
    data = table(tmp_path / "data.csv", "abk", [size, color, (size > 0).astype(int)])
    near = table(tmp_path / "near.csv", "ab", [size[:600] / 50, color[:600] + 0.01])
    words = ["certify", data, "--target", "k", "--trees", "20"]
    words += ["--scheme", "trees"]
    assert run([*words, "--unlabeled", near]) == 2
    shown = capsys.readouterr()
    assert "are not drawn from the same distribution" in shown.err and not shown.out


def test_predictions_from_another_distribution_are_rejected(tmp_path, capsys):
    """Voters err at 0.11 and flip coins on the samples of another month."""
    rng = np.random.default_rng(1)
    labels = rng.integers(2, size=2000)
    predictions = labels ^ (rng.random((9, 2000)) < 0.11)
    names = [f"voter{i}" for i in range(9)]
    votes = table(tmp_path / "votes.csv", ["label", *names], [labels, *predictions])
    shifted = table(tmp_path / "shifted.csv", names, rng.integers(2, size=(9, 800)))
    words = ["certify-votes", votes, "--bound", "vote_profile"]
    assert run([*words, "--unlabeled", shifted]) == 2
    shown = capsys.readouterr()
    assert "800 unlabel" in shown.err and "or none" in shown.err and not shown.out
