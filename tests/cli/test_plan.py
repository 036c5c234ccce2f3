"""The command plan."""

from tandemvote import labels_needed
from tandemvote.cli.app import run


def test_plan_prints_the_number_for_the_test_set_and_in_all(capsys):
    assert run(["plan", "--error", "3%", "--max-error", "0.05"]) == 0
    shown = capsys.readouterr().out
    assert f"{labels_needed(0.03, 0.05)} test rows" in shown
    assert "3,470 labeled rows" in shown
    assert run(["plan", "--error", "0.1", "--max-error", "0.05"]) == 2
    assert "--error 0.1 and --max-error 0.05 are not valid" in capsys.readouterr().err
