"""``tandemvote audit`` prints all findings at once, and exits with 2 if errors remain."""

import json

import numpy as np
import pandas as pd
import pytest

from tandemvote.cli.app import run
from tandemvote.cli.training import draw_split


@pytest.fixture
def visits(tmp_path):
    """Write 300 visits of 60 patients, numbered and in no order; who is sick is a coin flip."""
    rng = np.random.default_rng(0)
    patient = rng.permutation(np.repeat(np.arange(60), 5))
    weight = 70 + 10 * rng.normal(size=60)[patient] + rng.normal(size=300)
    sick = rng.integers(2, size=60)[patient]
    table = {"mrn": patient * 7919 % 100_003, "nr": rng.permutation(300), "weight": weight}
    path = tmp_path / "visits.csv"
    pd.DataFrame(table).assign(sick=sick).to_csv(path, index=False)
    return str(path)


def test_all_errors_are_printed_with_the_corrected_command(visits, capsys):
    assert run(["audit", visits, "--target", "sick"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert sum(line.startswith("  error: ") for line in lines) == 2
    command = ["audit", visits, "--target", "sick", "--drop", "nr", "--groups", "mrn"]
    assert lines[-1].endswith(" ".join(command))
    assert run(command) == 0
    assert capsys.readouterr().out == "The audit found nothing suspicious.\n"


def test_overridden_errors_are_still_reported(visits, capsys):
    allow = ["--allow", "identifier", "--allow", "grouped_rows"]
    assert run(["audit", visits, "--target", "sick", *allow, "--json"]) == 0
    findings = json.loads(capsys.readouterr().out)
    assert [(each["columns"], each["overridden"]) for each in findings] == [
        (["nr"], True),
        (["mrn"], True),
    ]
    assert run(["audit", visits, "--target", "sick", "--json"]) == 2
    assert {each["severity"] for each in json.loads(capsys.readouterr().out)} == {"error"}


def test_findings_about_a_column_called_unlabeled_are_reported_once(tmp_path):
    from tandemvote.cli.options import Columns, Drawing
    from tandemvote.cli.training import audited
    from tandemvote.tables import read_table

    path = tmp_path / "table.csv"
    frame = pd.DataFrame({"unlabeled": np.arange(40) // 2, "kind": ["x", "y", "y", "x"] * 10})
    frame.to_csv(path, index=False)
    table = read_table(path, target="kind")
    columns = Columns(target="kind", groups=None, drop=[], category=[], allow=[])
    drawing = Drawing(seed=0, test_size="auto", order=None)
    findings = audited(table, columns, drawing, table.X[:5] + 0.5)
    assert findings.codes.count("sorted_rows") == 1
    copied = [each.message for each in audited(table, columns, drawing, table.X + 0.5)]
    assert any("of 40 unlabeled rows repeat" in message for message in copied)


def test_the_split_does_not_depend_on_how_the_table_is_read(tmp_path):
    from tandemvote.cli.options import Columns, Drawing
    from tandemvote.cli.training import draw_split as split
    from tandemvote.tables import read_table

    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"nr": rng.permutation(90), "size": rng.normal(size=90).round(2)})
    frame["kind"], frame["livch"] = rng.choice(["a", "b"], 90), rng.choice(["0", "1", "2+"], 90)
    path = tmp_path / "table.csv"
    given = {"target": "kind", "groups": None, "drop": [], "category": [], "allow": []}
    drawing = Drawing(seed=0, test_size="auto", order=None)

    def tested(order, **options):
        frame.iloc[order].to_csv(path, index=False)
        rows = split(read_table(path, target="kind", **options), Columns(**given), drawing).test
        return sorted(frame.iloc[order].iloc[rows]["nr"])

    expected = tested(np.arange(90))
    assert len(expected) == 18
    shuffled = rng.permutation(90)
    ways = {"drop": ["nr"]}, {"missing_values": ["2+"]}, {"categories": ["nr"]}, {"decimal": ","}
    for options in ({}, *ways):
        assert tested(shuffled, **options) == expected
    frame["size"] += 1
    assert tested(shuffled) != expected


@pytest.mark.parametrize("options", [[], ["--drop", "nr"]])
def test_a_table_is_audited_once(visits, tmp_path, monkeypatch, capsys, options):
    times = []
    monkeypatch.setattr(
        "tandemvote.auditing.audit.column_clues", lambda columns: times.append(columns) or ()
    )
    new = tmp_path / "new.csv"
    frame = pd.read_csv(visits)
    frame.assign(weight=frame["weight"] + 0.5).to_csv(new, index=False)
    call = [visits, "--target", "sick", "--trees", "30", "--allow", "grouped_rows", *options]
    assert run(["certify", *call, "--scheme", "trees", "--unlabeled", str(new)]) == 0
    assert len(times) == 1
    assert "nr" in {each.name for each in times[0]} or options
    frame.to_csv(new, index=False)
    assert run(["certify", *call, "--scheme", "trees", "--unlabeled", str(new)]) == 2
    assert "300 distinct rows of the 300 unlabeled samples" in capsys.readouterr().err


@pytest.mark.parametrize("options", [[], ["--order", "nr"], ["--groups", "mrn"]])
def test_certify_tests_the_rows_that_the_audit_does_not_see(visits, options, monkeypatch, tmp_path):
    from tandemvote.cli import training
    from tandemvote.model_files.model_file import load_model

    drawn = []
    monkeypatch.setattr(
        training, "draw_split", lambda *given: drawn.append(draw_split(*given)) or drawn[-1]
    )
    model = str(tmp_path / "m.skops")
    allow = ["--allow", "identifier", "--allow", "grouped_rows", "--model", model, "--trees", "2"]
    assert run(["certify", visits, "--target", "sick", *allow, *options]) == 0
    tested = load_model(model)[-1].test_indices_
    assert drawn[0].test.tolist() == tested.tolist()
    assert not np.intersect1d(drawn[0].training, tested).size
