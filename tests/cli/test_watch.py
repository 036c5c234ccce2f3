"""The command watch: files that grow, labels that arrive late, groups, and files that are wrong."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from sklearn.linear_model import LogisticRegression

from tandemvote import Certificate, Votes, certify
from tandemvote.cli.app import run

WATCH = ["watch", "c.json", "rows.csv"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a certificate about rows and one about groups."""
    monkeypatch.chdir(tmp_path)
    y = np.array(["no", "yes"] * 200)
    certify(Votes.from_predictions([np.where(np.arange(400) < 20, "no", y)], y)).save("c.json")
    rng = np.random.default_rng(0)
    X, patients = rng.normal(size=(600, 2)), np.arange(300).repeat(2)
    labels = np.where(X[:, 0] + 0.1 * rng.normal(size=600) > 0, "yes", "no")
    model = LogisticRegression().fit(X[:200], labels[:200])
    certify(model, X[200:], labels[200:], groups=patients[200:]).save("groups.json")
    return tmp_path


def rows_of(errors, known=True, **columns):
    """Return rows of a file; labels that are not known are empty."""
    table = {"label": np.where(known, "no", ""), "prediction": np.where(errors, "yes", "no")}
    return pd.DataFrame({**table, **columns})


def watched(rows, *words):
    rows.to_csv("rows.csv", index=False)
    return run([*WATCH, *words])


def test_one_line_and_exit_code_4_on_an_alarm(folder, capsys):
    assert watched(rows_of(np.zeros(300))) == 0
    assert capsys.readouterr().out.startswith("no alarm for error rate")
    assert watched(rows_of(np.arange(300) % 3 == 0), "--picture", "w.png") == 4
    shown = capsys.readouterr().out
    assert shown.startswith("alarm after ")
    assert shown.endswith("; 100 errors in 300 samples\n")
    assert (folder / "w.png").exists()


def test_missing_labels_are_counted(folder, capsys):
    assert watched(rows_of(np.ones(300), np.arange(300) % 20 == 0)) == 0
    assert "; 15 errors in 300 samples; labels missing: 285, counted as right" in (
        capsys.readouterr().out
    )


@pytest.mark.parametrize(("draws", "calls"), [(2, 5), pytest.param(300, 8, marks=pytest.mark.slow)])
@pytest.mark.parametrize("in_groups", [False, True])
def test_late_labels_raise_no_more_alarms_and_alarms_stay(folder, draws, calls, in_groups, capsys):
    """Errors at the rate of the certificate are labeled at once, right predictions later."""
    name = "groups.json" if in_groups else "c.json"
    words = ["--groups", "patient"] if in_groups else []
    u, alarms, seen_by_label = Certificate.load(name).value, 0, 0
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        sizes = rng.choice([1, 1, 4], size=300) if in_groups else np.ones(300, int)
        patient = np.repeat(np.arange(300), sizes)
        # Large groups err twice as often. A random row of a random group errs with probability u.
        rate = np.where(sizes > 1, 1.5 * u, 0.75 * u)[patient] if in_groups else u
        errors = rng.random(patient.size) < rate
        delay = rng.integers(200, size=errors.size) * ~errors
        labeled_at = np.arange(errors.size) + delay
        codes = []
        for n in np.linspace(10, errors.size + 200, calls).astype(int):
            rows = rows_of(errors, labeled_at < n, patient=patient)[:n]
            rows.to_csv("rows.csv", index=False)
            codes.append(run(["watch", name, "rows.csv", *words]))
            capsys.readouterr()
        assert codes == sorted(codes), "an alarm vanished"
        assert set(codes) <= {0, 4}
        alarms += codes[-1] == 4
        # The trap: the order in which labels arrive.
        rows_of(errors[np.argsort(labeled_at)]).to_csv("rows.csv", index=False)
        seen_by_label += run(["watch", "c.json", "rows.csv"]) == 4
        capsys.readouterr()
    assert alarms <= binom.isf(1e-4, draws, 0.05)
    assert in_groups or seen_by_label >= 0.5 * draws


def test_groups_are_whole_and_the_last_one_waits(folder, capsys):
    call = ["watch", "groups.json", "rows.csv", "--groups", "patient"]
    patient = np.array(list("aaabbc"))
    rows_of([1, 0, 0, 0, 0, 1], patient=patient).to_csv("rows.csv", index=False)
    assert run(call) == 0
    assert "; 0.33 errors in 2 groups" in capsys.readouterr().out
    for names, row in (("aaabba", 6), ("aabbab", 5)):
        rows_of(np.zeros(6), patient=list(names)).to_csv("rows.csv", index=False)
        assert run(call) == 2
        shown = capsys.readouterr()
        assert f"Group 'a' comes back in row {row}. The rows of a group must be adjacent" in (
            shown.err
        )
        assert shown.out == ""


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        ("", [], "rows.csv has no column 'label'"),
        ("label,prediction\nno\n", [], "row 1 has 1 cells and the header 2"),
        ("label,prediction\nno,\n", [], "Row 1 of column 'prediction' is empty. Fill it"),
        ("label,prediction\n,\n", [], "Row 1 of column 'prediction' is empty. Fill it"),
        (
            "label,prediction\nno,no\n,NO\n",
            [],
            "'NO' in column 'prediction', row 2, is not a class",
        ),
        ("label,prediction\n yes,no\n", [], "' yes' in column 'label', row 1, is not a class of"),
        ("label,prediction\nno,no\n", ["-t", "y"], "rows.csv has no column 'y'"),
        ("label,prediction\nno,no\n", ["-t", "prediction"], "must be different columns"),
        ("label,prediction\nno,no\n", ["--groups", "p"], "not about groups. Certify with --groups"),
        ("label,prediction\nno,no\n", ["--confidence", "0.2"], "--confidence 0.2 is not valid"),
    ],
)
def test_a_wrong_file_or_call_gives_one_clear_error(folder, capsys, text, words, message):
    (folder / "rows.csv").write_text(text)
    assert run([*WATCH, *words]) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.err.startswith("Error: ")
    assert shown.err.count("\n") == 1
    assert shown.out == ""


def test_groups_need_a_column_without_empty_cells(folder, capsys):
    (folder / "rows.csv").write_text("label,prediction,p\nno,no,a\nno,no,\n")
    assert run(["watch", "groups.json", "rows.csv"]) == 2
    assert "The certificate is about groups. Name their column by --groups" in (
        capsys.readouterr().err
    )
    assert run(["watch", "groups.json", "rows.csv", "--groups", "p"]) == 2
    assert "Row 2 of column 'p' is empty" in capsys.readouterr().err
