"""Files are checked before the work, and are whole or not there."""

from importlib.util import find_spec

import pytest

from tandemvote.cli import outputs
from tandemvote.cli.app import run


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--report nowhere/r.html", "--report nowhere/r.html: there is no folder nowhere"),
        ("--report r.txt", "--report r.txt ends in '.txt'; expected .html or .htm"),
        ("--certificate c.html", "expected .json"),
        ("--model m.pickle", "expected .skops or .joblib"),
        ("--votes v.json", "expected .csv or .parquet"),
        ("--report folder.html", "--report folder.html is a folder"),
        ("--votes table.csv", "--votes table.csv is also the file that is read"),
        ("--votes ./table.csv", "is also the file that is read"),
        ("--report /proc/r.html", "cannot be written to"),
    ],
)
def test_a_bad_place_is_refused_before_anything_is_read(
    tmp_path, monkeypatch, capsys, options, message
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tandemvote.cli.data.read_table", None)
    (tmp_path / "folder.html").mkdir()
    (tmp_path / "table.csv").write_text("a,kind\n1,x\n2,y\n")
    assert run(["certify", "table.csv", "--target", "kind", *options.split()]) == 2
    shown = capsys.readouterr()
    assert message in shown.err and shown.err.count("\n") == 1 and not shown.out


def test_two_outputs_never_share_a_place(tmp_path):
    paths = {"--votes": tmp_path / "same.csv", "--output": tmp_path / "." / "same.csv"}
    with pytest.raises(Exception, match="is also the file of --votes"):
        outputs.check_outputs(paths, inputs=[])


def test_all_missing_packages_are_named_in_one_line(tmp_path, monkeypatch, capsys):
    absent = ("matplotlib", "jinja2", "skops")
    monkeypatch.setattr(
        outputs, "find_spec", lambda name: None if name in absent else find_spec(name)
    )
    files = ["--report", str(tmp_path / "r.html"), "--model", str(tmp_path / "m.skops")]
    assert run(["certify", "table.csv", "--target", "kind", *files]) == 2
    shown = capsys.readouterr().err
    assert "this needs jinja2, matplotlib, skops, which are not installed" in shown
    assert 'pip install "tandemvote[all]"' in shown and shown.count("\n") == 1
