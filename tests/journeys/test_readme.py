"""What the README shows is what a reader gets."""

import doctest
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"

pytestmark = pytest.mark.skipif(
    not README.exists(), reason="the README is not part of an installed package"
)


def blocks(language, path=README):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
    actual = re.findall(rf"code-block:: {language}\n\n((?:   .*\n|\n)+)", text)
    return [re.sub(r"^   ", "", block, flags=re.MULTILINE) for block in actual]


@pytest.fixture(scope="module")
def reader():
    """Names that a reader of the README has: models, a hold-out, predictions."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import train_test_split
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(0)
    X, y = load_breast_cancer(return_X_y=True)
    X_train, X_more, y_train, _ = train_test_split(X, y, test_size=0.5, random_state=0)
    X_train, X_held_out, y_train, y_held_out = train_test_split(X_train, y_train, random_state=0)
    names = {
        "X_train": X_train, "y_train": y_train, "X_more": X_more,
        "X_held_out": X_held_out, "y_held_out": y_held_out,
        "fitted_random_forest": RandomForestClassifier(50, random_state=0).fit(X_train, y_train),
    }  # fmt: skip
    models = {"svm": GaussianNB(), "nearest": KNeighborsClassifier()}
    models["network"] = DecisionTreeClassifier(random_state=0)
    names |= {name: model.fit(X_train, y_train) for name, model in models.items()}
    labeled = [np.concatenate(pair) for pair in ((X_train, X_held_out), (y_train, y_held_out))]
    names["tested"], names["refitted"] = models["network"], GaussianNB().fit(*labeled)
    digits = np.arange(1797) % 10
    names["predictions"] = np.where(rng.random((3, 1797)) < 0.1, (digits + 1) % 10, digits)
    names["mask"] = rng.random((3, 1797)) < 0.5
    return names


def test_every_python_snippet_runs_and_prints_what_is_shown(reader, tmp_path, monkeypatch):
    pytest.importorskip("jinja2")
    monkeypatch.chdir(tmp_path)
    first, *others = blocks("python")
    *statements, expression = first.strip().splitlines()
    exec("\n".join(statements), reader)
    shown = blocks("text")[0].rpartition("  ...")[0]
    assert repr(eval(expression, reader)).startswith(shown)
    numbers = re.findall(r"[\d.]+%", shown)  # those of the picture, without the confidence
    for page in (README, ROOT / "docs" / "how-to" / "share-and-verify.rst"):
        (alt,) = re.findall(r"The top of [^\n]*", page.read_text(encoding="utf-8"))
        assert re.findall(r"[\d.]+%", alt) == [numbers[0], numbers[1], numbers[3]]
    for snippet in others:
        if ">>>" not in snippet:
            exec(snippet, reader)
        if 'weights="tandem"' in snippet:
            pattern = r"On the same digits TND gives ([\d.]+%) and FO ([\d.]+%)"
            claimed = re.search(pattern, README.read_text()).groups()
            (path,) = re.findall(
                r"`tandemvote.weights.(minimize_bound.*?path)`", README.read_text()
            )
            exec("from tandemvote.weights import minimize_bound", reader)
            assert len(eval(path, reader)) > 1
            for name, value in zip(("tandem", "first_order"), claimed, strict=True):
                assert f"guaranteed error <= {value} (95%" in str(reader[name])


def write_tables(folder):
    """Write the files that the commands of the README and of the documentation name."""
    import pandas as pd
    from sklearn.datasets import load_wine

    rng = np.random.default_rng(0)
    wine = load_wine(as_frame=True).frame.rename(columns={"target": "quality"})
    wine["outcome"] = np.where(wine["quality"] == 0, "good", "bad")
    wine.drop(columns="outcome").iloc[:120].to_csv(folder / "wine.csv", index=False)
    wine.drop(columns=["outcome", "quality"]).iloc[120:].to_csv(folder / "more.csv", index=False)
    wine.drop(columns="quality").to_csv(folder / "data.csv", index=False)
    wine["patient"] = np.arange(len(wine)) // 3
    wine.drop(columns="quality").to_csv(folder / "visits.csv", index=False)
    labels = rng.choice(["a", "b"], 200)
    wrong = rng.random((3, 200)) < 0.1
    predictions = np.where(wrong, np.where(labels == "a", "b", "a"), labels).astype(object)
    predictions[rng.integers(3, size=200) != np.arange(3)[:, None]] = ""  # trained on it
    votes = pd.DataFrame(
        {"label": labels, **{f"model{k}": row for k, row in enumerate(predictions)}}
    )
    votes.to_csv(folder / "votes.csv", index=False)
    pd.DataFrame({"label": labels, "prediction": labels}).to_csv(
        folder / "labeled.csv", index=False
    )
    (folder / "votes").mkdir()
    for part in (0, 1):
        whole = votes.iloc[part::2].replace("", None)
        whole.to_parquet(folder / "votes" / f"{part}.parquet", index=False)


def test_every_command_runs(tmp_path, monkeypatch, capsys):
    for extra in ("typer", "pandas", "pyarrow", "flint", "jinja2", "skops"):
        pytest.importorskip(extra)
    from tandemvote.cli.app import run

    write_tables(tmp_path)
    monkeypatch.chdir(tmp_path)
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    commands = [shlex.split(line, comments=True) for line in lines if line.startswith("tandemvote")]
    assert commands
    for _, *arguments in commands:
        if arguments[0] == "certify":
            arguments += ["--trees", "5"]  # of 100: the README shows no number of this table
        code, output = run(arguments), capsys.readouterr()
        closed = "--max-error" in arguments and "Not guaranteed" in output.err
        assert code == (3 if closed else 0), output


def test_the_calculator_prints_the_number_it_shows():
    actual = doctest.testfile(
        str(README),
        module_relative=False,
        optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS,
        encoding="utf-8",
    )
    assert actual.attempted
    assert actual.failed == 0


def test_every_link_within_the_repository_leads_to_a_file():
    text = README.read_text(encoding="utf-8")
    targets = re.findall(r'(?:\]\(|src=")(?!https:)([^)"]+)', text)
    assert "docs/_static/report.png" in targets
    assert [target for target in targets if not (ROOT / target).exists()] == []
    assert "raw.githubusercontent.com" not in text  # absolute in the wheel only
