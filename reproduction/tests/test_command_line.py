"""Someone runs the paper's protocol on two small sets, loses power, goes on, and reads tables."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine

from reproduction.command_line import run
from reproduction.datasets import CATALOG
from reproduction.datasets.checks import content_digest
from reproduction.experiments.forests import run_cell
from reproduction.experiments.rows import TABLES, as_text
from reproduction.experiments.sources import DataSource, own_files
from reproduction.experiments.store import RowStore

REPOSITORY = Path(__file__).parents[2]

N_CELLS = 2 * 2 + 10
"""Two data sets, each with two baggings; ten labeled fractions of the binary data set."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("data")
    paths = []
    for name, load in (("wine", load_wine), ("cancer", load_breast_cancer)):
        X, y = load(return_X_y=True)
        paths.append(folder / f"{name}.npz")
        np.savez(paths[-1], X=X, y=y)
    return paths


def _arguments(files: list[Path], output: Path, *options: str) -> list[str]:
    named = [word for path in files for word in ("--file", str(path))]
    return ["run", "--output", str(output), *named, "--repetitions", "1", *options]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="kills a process group")
def test_a_killed_run_goes_on_where_it_was_and_ends_in_tables(files, tmp_path, capfd):
    output = tmp_path / "reproduction"
    command = [sys.executable, "-m", "reproduction"]
    command += _arguments(files, output, "--jobs", "2", "--no-render")
    process = subprocess.Popen(
        command,
        cwd=REPOSITORY,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    patience = time.monotonic() + 120
    while len(list(output.glob("cells/*.json"))) < 4 and time.monotonic() < patience:
        assert process.poll() is None, "the run ended before it could be killed"
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL

    store = RowStore(output)
    loaded = {path.name: json.loads(path.read_text()) for path in output.glob("cells/*.json")}
    n_kept = len(store.done())
    assert 4 <= n_kept == len(loaded) < N_CELLS

    assert run(_arguments(files, output)) == 0
    printed = capfd.readouterr().out
    assert f"Cells to run: {N_CELLS - n_kept}; done before: {n_kept}" in printed
    assert len(store.done()) == N_CELLS

    for table in ("forests", "unlabeled"):
        rows = store.rows(table)
        text = store.table_path(table).read_text()
        assert len(text.splitlines()) == 1 + len(rows)  # no row twice
        before = [row for tables in loaded.values() for row in tables.get(table, [])]
        assert all(row in rows for row in before)  # what was stored has not been run again
    assert len(store.rows("forests")) == 2 * 4 + 2 * 3
    assert len(store.rows("unlabeled")) == 10

    source = DataSource(files=own_files(files))
    last = store.rows("forests")[-1]
    cell = TABLES["forests"].cell(last)
    alone = {
        row.weighting: {**as_text(row), "seconds": last["seconds"]}
        for row in run_cell(cell, source.load(cell.dataset))
        if row.table == "forests"
    }
    assert alone[last["weighting"]] == last

    readme = (output / "README.md").read_text()
    assert "Forests: 2 data sets, 1 repetition each." in readme
    bounds = (output / "tables" / "uniform-full-bounds.md").read_text()
    assert re.search(r"^\| cancer \|.*\*\*0\.\d{5}\*\*", bounds, flags=re.MULTILINE)
    assert r"\toprule" in (output / "tables" / "uniform-full-bounds.tex").read_text()
    figures = {path.stem for path in (output / "figures").glob("*.svg")}
    assert len(figures) == 16
    assert figures == {path.stem for path in (output / "figures").glob("*.png")}


def test_status_counts_cells_without_running_any(files, tmp_path, capfd):
    words = [word for path in files for word in ("--file", str(path))]
    assert run(["status", "--output", str(tmp_path), *words]) == 0
    assert re.search(r"^all +0 of +400 cells$", capfd.readouterr().out, flags=re.MULTILINE)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["run", "--dataset", "mnits"], "Did you mean MNIST"),
        (["run", "--family", "D"], "'D' is not one of"),
        (["run", "--file", "nowhere.csv"], "no file nowhere.csv"),
        (["render", "--output", "empty"], "no rows in empty"),
        (["run", "--repetitions", "0"], "Invalid value for '--repetitions'"),
        (["run", "--jobs", "0"], "--jobs is 0"),
        (["datasets", "show", "lettre"], "Did you mean Letter"),
        (["--nonsense"], "--nonsense"),
    ],
)
def test_a_mistake_gets_one_line_and_exit_code_2(words, complaint, capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(words) == 2
    output = capfd.readouterr().err
    assert complaint in output
    assert len(output.splitlines()) == 1


@pytest.mark.usefixtures("few_trees")
def test_a_set_that_is_not_available_is_skipped_with_a_message(files, tmp_path, capfd, monkeypatch):
    monkeypatch.setenv("TANDEMVOTE_DATA", str(files[0].parent))
    arguments = ["--dataset", "Protein", "--family", "A", "--no-download", "--no-render"]
    assert run(_arguments(files[:1], tmp_path, *arguments)) == 0
    assert "Skipped Protein:" in capfd.readouterr().err
    assert {row["dataset"] for row in RowStore(tmp_path).rows("forests")} == {"wine"}


@pytest.mark.usefixtures("few_trees")
def test_a_wrong_file_is_skipped_with_a_message_and_the_rest_runs(
    files, tmp_path, capfd, monkeypatch
):
    home = tmp_path / "home"
    home.mkdir()
    np.savez(home / "protein.npz", X=np.zeros((30, 357)), y=np.arange(30) % 3)
    np.savez(home / "lonely.npz", X=np.zeros((30, 2)), y=np.arange(30) // 29)
    monkeypatch.setenv("TANDEMVOTE_DATA", str(home))
    arguments = ["--dataset", "Protein", "--family", "A", "--no-download", "--no-render"]
    chosen, output = [files[0], home / "lonely.npz"], tmp_path / "out"
    assert run(_arguments(chosen, output, *arguments)) == 0
    printed = capfd.readouterr().err
    assert re.search(r"^Skipped Protein: .*protein\.npz", printed, flags=re.MULTILINE)
    assert "Skipped lonely: lonely: class 1 has a single sample" in printed
    assert {row["dataset"] for row in RowStore(output).rows("forests")} == {"wine"}
    assert run(_arguments([home / "lonely.npz"], output, *arguments)) == 2
    printed = capfd.readouterr().err
    assert "Protein is not available" in printed
    assert len(printed.splitlines()) == 1


@pytest.mark.usefixtures("few_trees")
def test_a_small_set_runs_without_the_family_it_is_too_small_for(tmp_path, capfd):
    X = np.random.default_rng(0).normal(size=(122, 2))
    lines = ["a,b,kind", *(f"{a:.4f},{b:.4f},{int(a > 0)}" for a, b in X)]
    lines[1] = ",0.5,1"
    lines[2] = "0.5,,1"
    path, output = tmp_path / "small.csv", tmp_path / "out"
    path.write_text("\n".join(lines) + "\n")
    words = ["--target", "kind", "--drop-missing", "--no-render", "--repetitions", "1"]
    assert run(_arguments([path], output, *words)) == 0
    printed = capfd.readouterr().err
    assert "Left small out of the unlabeled family: of its 120 samples" in printed
    assert "Left out 2 of the rows of small: missing cells." in printed
    rows = RowStore(output).rows("forests")
    assert {(row["bagging"], row["n_train"], row["n_test"]) for row in rows} == {
        ("full", "96", "24"),
        ("reduced", "96", "24"),
    }
    assert run(_arguments([path], output, "--family", "unlabeled", *words)) == 2
    assert "none of these data sets enters" in capfd.readouterr().err


@pytest.mark.usefixtures("few_trees")
def test_another_seed_needs_another_folder(files, tmp_path, capfd):
    words = ["--family", "A", "--no-render", "--repetitions", "1"]
    assert run(_arguments(files[:1], tmp_path, *words)) == 0
    capfd.readouterr()
    assert run(_arguments(files[:1], tmp_path, *words, "--seed", "1")) == 2
    assert "drawn by another --seed" in capfd.readouterr().err


def test_data_sets_are_listed_and_described(capfd):
    assert run(["datasets", "list"]) == 0
    assert re.search(r"^MNIST +70000 +780 +10 ", capfd.readouterr().out, flags=re.MULTILINE)
    assert run(["datasets", "show", "letter"]) == 0
    assert "20000 samples, 16 features, 26 classes" in capfd.readouterr().out


def test_the_list_of_data_sets_says_what_is_not_the_original(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("TANDEMVOTE_DATA", str(tmp_path / "gone"))  # the option wins
    entry = CATALOG["USPS"]
    X = np.zeros((entry.n_samples, entry.n_features), dtype=np.uint8)
    y = np.repeat(np.arange(10), entry.class_counts)
    np.savez_compressed(tmp_path / "usps.npz", X=X, y=y, digest=content_digest(X, y))
    (tmp_path / "protein.npz").write_bytes(b"")
    assert run(["datasets", "list", "--data-home", str(tmp_path)]) == 0
    lines = {line.split()[0]: line for line in capfd.readouterr().out.splitlines()}
    assert "yes, said to be LIBSVM usps" in lines["USPS"]
    assert "not checked" in lines["USPS"]
    assert "no, protein.npz is not this data set" in lines["Protein"]
