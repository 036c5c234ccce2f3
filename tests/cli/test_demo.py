"""The demo, as a newcomer meets it."""

from tandemvote.cli.app import run


def test_the_demo_compares_baggings_and_weights_and_writes_a_report(tmp_path, capsys):
    report = tmp_path / "demo.html"
    assert run(["demo", "--report", str(report), "--voters", "20"]) == 0
    shown = capsys.readouterr().out
    for word in ("digits", "breast cancer", "full", "reduced", "uniform", "tandem", "FO", "TND"):
        assert word in shown
    assert "With probability at least 95 %" in shown
    assert str(report) in shown
    assert "<svg" in report.read_text(encoding="utf-8")
