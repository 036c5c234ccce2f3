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
    observed, guaranteed = ([float(row[place].rstrip("%")) for row in rows] for place in (1, 2))
    assert all(low < high for low, high in zip(observed, guaranteed, strict=True))
    assert guaranteed[0] < 1.3 * guaranteed[1] < guaranteed[2]
    assert "6 tested models of 20 trees and a referee; a test set of" in shown
    assert "With 95% confidence, the error rate of this committee on new data is at most" in shown
    assert str(report) in shown
    assert "<html" in report.read_text(encoding="utf-8")
    paper = [line.split() for line in shown.splitlines() if line.startswith(("  FO ", "  TND "))]
    assert [row[0] for row in paper] == ["FO", "FO", "TND", "TND"]
    errors, bounds = ([float(row[place].rstrip("%")) for row in paper] for place in (-2, -1))
    assert errors[1] > 2 * errors[0] and errors[3] < 2 * errors[2]
    assert bounds[1] < bounds[0] and bounds[3] <= bounds[2]
