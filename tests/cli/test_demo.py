"""The demo, as a newcomer meets it."""

from tandemvote.cli.app import run


def test_the_demo_compares_the_schemes_leads_with_the_committee_and_writes_a_report(
    tmp_path, capsys
):
    report = tmp_path / "demo.html"
    assert run(["demo", "--report", str(report), "--trees", "20"]) == 0
    shown = capsys.readouterr().out
    schemes = ("committee", "holdout", "trees")
    rows = [line.split() for line in shown.splitlines() if line.strip().startswith(schemes)]
    assert [row[0] for row in rows] == [*schemes]
    observed, guaranteed = ([float(row[place]) for row in rows] for place in (1, 3))
    assert all(low < high for low, high in zip(observed, guaranteed, strict=True))
    assert guaranteed[0] < 1.15 * guaranteed[1] < guaranteed[2]
    assert "bound: test_set (TEST); the vote of 4 tested models and 1 untested" in shown
    assert "With probability at least 95 %" in shown
    assert str(report) in shown
    assert "<svg" not in (page := report.read_text(encoding="utf-8"))
    assert "The 4 tested models must stay as they are" in page
