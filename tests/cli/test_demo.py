"""The demo, as a newcomer meets it."""

from tandemvote.cli.app import run


def test_the_demo_leads_with_three_forests_shows_the_paper_beside_and_writes_a_report(
    tmp_path, capsys
):
    report = tmp_path / "demo.html"
    assert run(["demo", "--report", str(report), "--trees", "20"]) == 0
    shown = capsys.readouterr().out
    rows = [line for line in shown.splitlines() if line.startswith(("digits", "breast cancer"))]
    assert ["three forests" in row for row in rows] == [True, False, True, False]
    for few, trees in (rows[:2], rows[2:]):
        assert float(few.split()[-2]) < float(trees.split()[-2])
    assert "bound: winning_pair (PAIR)" in shown
    assert "With probability at least 95 %" in shown
    assert str(report) in shown
    assert "<svg" in report.read_text(encoding="utf-8")
