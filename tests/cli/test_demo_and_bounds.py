"""The demo and the calculator, as a newcomer meets them."""

import json
import subprocess
import sys

import pytest

from tandemvote import __version__, bounds
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


def test_the_calculator_gives_every_bound_the_numbers_suffice_for(capsys):
    given = ["--gibbs-loss", "0.21", "--tandem-loss", "0.12", "--n", "9460", "--n-pairs", "3360"]
    assert run(["bounds", *given, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["bounds"]
    assert found["first_order"] == bounds.first_order_bound(gibbs_loss=0.21, n_min=9460)
    assert found["tandem"] == bounds.tandem_bound(tandem_loss=0.12, n_min_pairs=3360)
    assert "c_tandem" in found
    assert "disagreement" not in found
    assert run(["bounds", *given, "--disagreement", "0.18", "--errors", "3", "--points", "99"]) == 0
    shown = capsys.readouterr().out
    for label in ("FO", "TND", "DIS", "C1", "C2", "CTD", "TEST"):
        assert f"\n{label}" in f"\n{shown}"


def test_the_command_tells_its_version(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"tandemvote {__version__}\n"


@pytest.mark.parametrize("heavy", ["sklearn", "scipy", "numpy", "pandas", "matplotlib", "dask"])
def test_help_is_shown_without_heavy_imports(heavy):
    code = (
        "import sys\n"
        "from tandemvote.cli.app import run\n"
        "assert run(['certify', '--help']) == 0\n"
        f"sys.exit('{heavy}' in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
