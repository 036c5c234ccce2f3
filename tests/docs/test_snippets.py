"""Every snippet of the documentation runs, and prints what its page shows."""

import doctest
import re
import shlex
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

DOCS = Path(__file__).parents[2] / "docs"
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
MADE_BY_SPHINX = ("_build", "gallery", "generated")
PAGES = sorted(
    str(path.relative_to(DOCS))
    for path in DOCS.rglob("*.rst")
    if not set(MADE_BY_SPHINX) & set(path.relative_to(DOCS).parts)
)


SLOW = {"how-to/save-and-serve.rst", "how-to/imbalanced-text-boosting.rst"}
SLOW |= {"how-to/avoid-leakage.rst", "how-to/deployed-model.rst", "how-to/compare.rst"}
SLOW |= {"how-to/fitted-model.rst", "how-to/rows-that-belong-together.rst"}
SLOW |= {"how-to/share-and-verify.rst", "how-to/mlflow-and-model-cards.rst"}
"""Pages whose Python takes most of the time, run by `make test-docs`; the others stay."""


def marked(pages, slow):
    """Return the pages as parameters, some of them marked as slow."""
    return [pytest.param(page, marks=[pytest.mark.slow] * (page in slow)) for page in pages]


def blocks(page, language):
    """Return the code blocks of a page in one language."""
    actual = re.findall(
        rf"code-block:: {language}\n\n((?:   .*\n|\n)+)", (DOCS / page).read_text(encoding="utf-8")
    )
    return [re.sub(r"^   ", "", block, flags=re.MULTILINE) for block in actual]


def pages_with(*languages):
    """Return the pages that have a code block in one of the languages."""
    return [page for page in PAGES if any(blocks(page, language) for language in languages)]


def run_prompts(page, names):
    """Run the lines after >>> of a page in the namespace `names`; return how many there are."""
    text = (DOCS / page).read_text(encoding="utf-8")
    test = doctest.DocTestParser().get_doctest(text, names, page, str(DOCS / page), 0)
    test.globs = names
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    result = runner.run(test, clear_globs=False)
    assert result.failed == 0
    return result.attempted


@pytest.mark.parametrize(
    "page", marked([page for page in PAGES if ">>> " in (DOCS / page).read_text()], SLOW)
)
def test_a_page_prints_what_it_shows(page, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    names = {}
    assert run_prompts(page, names)
    for block in blocks(page, "python"):
        run_block(block, names)


@pytest.mark.parametrize(
    "page",
    marked(
        [page for page in pages_with("python") if ">>> " not in (DOCS / page).read_text()],
        {"index.rst", "how-to/ci.rst"},  # the first snippet of the README
    ),
)
def test_python_blocks_run(page, tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks(page, "python"):
        run_block(block, names)


def run_block(block, names):
    """Run a block; names that the block takes as given are those of a reader."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "mlflow", Recorder())
        patch.setitem(sys.modules, "lightgbm", SimpleNamespace(LGBMClassifier=boosting()))
        exec(block, names)
    for name in [name for name in names if name.startswith("test_")]:
        names.pop(name)()


class Recorder:
    """Stands for a tracking server: accepts every call, also as a context."""

    __spec__ = None

    def __getattr__(self, name):
        return lambda *_: self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def boosting():
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier


def write_tables(folder):
    """Write the files that commands of the documentation name."""
    import pandas as pd
    from sklearn.datasets import load_digits, load_wine

    wine = load_wine(as_frame=True).frame
    wine["outcome"] = np.where(wine.pop("target") == 0, "good", "bad")
    wine.to_csv(folder / "data.csv", index=False)
    digits = load_digits(as_frame=True).frame.sample(frac=1, random_state=0)
    digits[:1500].to_csv(folder / "digits.csv", index=False)
    digits[1500:].drop(columns="target").to_csv(folder / "new.csv", index=False)
    write_fruit(folder / "fruit.csv")
    rng = np.random.default_rng(0)
    labels = rng.choice(["a", "b"], 600)
    wrong = rng.random((3, 600)) < 0.05
    predictions = np.where(wrong, np.where(labels == "a", "b", "a"), labels).astype(object)
    predictions[:, 300:][rng.integers(3, size=300) == np.arange(3)[:, None]] = ""  # trained on it
    columns = {f"model{k + 1}": row for k, row in enumerate(predictions)}
    votes = pd.DataFrame({"label": labels, **columns})
    votes.to_csv(folder / "votes.csv", index=False)
    filled = np.where(predictions[:2] == "", labels, predictions[:2])
    models = {f"model{k + 1}": row for k, row in enumerate(filled)}
    pd.DataFrame({"label": labels, **models}).to_csv(folder / "predictions.csv", index=False)
    votes["site"] = np.where(rng.random(600) < 0.6, "north", "south")
    votes.to_csv(folder / "sites.csv", index=False)
    (folder / "votes").mkdir()
    for part in (0, 1):
        half = votes.drop(columns="site").iloc[part::2].replace("", None)
        half.to_parquet(folder / "votes" / f"{part}.parquet", index=False)


def write_fruit(path):
    """Write the table of docs/how-to/tables.rst: dates, gaps, decimal commas."""
    import pandas as pd

    rng = np.random.default_rng(0)
    kind = rng.choice(["apple", "pear"], 402)
    picked = pd.Timestamp("2024-05-01") + pd.to_timedelta(rng.integers(0, 90, 402), "D")
    columns = {
        "id": np.arange(1, 403),
        "picked": picked.strftime("%d.%m.%Y"),
        "site": rng.choice(["north", "south", ""], 402),
        "shelf": rng.integers(1, 6, 402),
        "weight": rng.normal(150 + 15 * (kind == "pear"), 8).round(1),
        "kind": kind,
    }
    pd.DataFrame(columns).to_csv(path, sep=";", decimal=",", index=False)


def commands(page):
    """Yield arguments and the lines that are shown below them."""
    for block in blocks(page, "sh"):
        for line in block.splitlines():
            if line.startswith("tandemvote"):
                yield shlex.split(line, comments=True)[1:], []
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *shown = part.strip().splitlines()
            if command.startswith("tandemvote"):
                yield shlex.split(command)[1:], [line for line in shown if line.strip() != "..."]


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    for extra in ("pandas", "pyarrow"):
        pytest.importorskip(extra)
    folder = tmp_path_factory.mktemp("tables")
    write_tables(folder)
    return folder


@pytest.mark.parametrize(
    "page",
    marked(
        pages_with("sh", "console"),
        {"how-to/tables.rst", "reference/command-line.rst", "reference/file-format.rst"},
    ),
)
def test_every_command_runs_and_prints_what_is_shown(page, tables, tmp_path, monkeypatch, capsys):
    for extra in ("typer", "pandas", "pyarrow", "flint", "jinja2", "skops"):
        pytest.importorskip(extra)
    from tandemvote.cli.app import run

    shutil.copytree(tables, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    shows_bounds = any("error <=" in line for _, shown in commands(page) for line in shown)
    for arguments, shown in commands(page):
        if any(argument.startswith("tcp://") for argument in arguments):
            continue  # tests/votes/test_cluster.py has a cluster
        if arguments[0] == "certify" and not shows_bounds and "--trees" not in arguments:
            arguments += ["--trees", "5"]  # of 100: no bound is shown
        code, output = run(arguments), capsys.readouterr()
        closed = "--max-error" in arguments and "Not guaranteed" in output.err
        assert code == (3 if closed else 0), output
        printed = (output.out + output.err).splitlines()
        for line in shown:
            pattern = re.escape(line.strip()).replace(r"\.\.\.", ".*")
            assert any(re.fullmatch(pattern, each.strip()) for each in printed), (line, printed)


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("how-to/")])
def test_a_guide_has_at_most_120_lines(page):
    assert len((DOCS / page).read_text(encoding="utf-8").splitlines()) <= 120
