"""What `make dist` built, installed as users do: into empty environments, far from the clone."""

import email
import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

pytestmark = pytest.mark.dist

ROOT = Path(__file__).parents[2]
VOTES = "label,first,second,third\n" + "a,a,a,b\nb,b,b,b\n" * 60

CERTIFY = """
import numpy as np
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from tandemvote import Certificate, CertifiedClassifier, __version__
from tandemvote.verify import verify_file

assert __version__ == {version!r}, __version__
X, y = load_iris(return_X_y=True)
model = CertifiedClassifier(RandomForestClassifier(10), random_state=0).fit(X, y)
assert 0 < model.certificate_.value < 1
model.certificate_.save("iris.json")
assert Certificate.load("iris.json").value == model.certificate_.value
assert verify_file("iris.json").valid
"""

MISSING = {
    "made.to_frame()": "report",
    "import tandemvote.displays as d; d.BoundsDisplay(made).plot()": "report",
    "from tandemvote.report import write_report; write_report('r.html', made)": "report",
    "from tandemvote.verify import verify_file; verify_file('iris.json', rigorous=True)": "verify",
    "from tandemvote.tables import read_table; read_table('votes.csv', target='label')": "data",
    "from tandemvote.model_files.model_file import load_model; load_model('m.skops')": "skops",
}


def built(pattern):
    """Return the one file of its kind in dist/."""
    actual = list((ROOT / "dist").glob(pattern))
    assert len(actual) == 1, "run `make dist`, which builds it"
    return actual[0]


def environment(folder, *requirements):
    """Install into an empty environment and return its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    install = ["install", "--quiet", "--no-compile", *map(str, requirements)]
    subprocess.run([sys.executable, "-m", "pip", "--python", python, *install], check=True)
    return python


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """Python with the library and nothing but what it depends on, and a folder to work in."""
    folder = tmp_path_factory.mktemp("bare")
    (folder / "votes.csv").write_text(VOTES)
    (folder / "m.skops").write_bytes(b"")
    return environment(folder / "env", built("*.tar.gz")), folder


@pytest.fixture(scope="module")
def complete(tmp_path_factory):
    """The same with every extra."""
    folder = tmp_path_factory.mktemp("complete")
    (folder / "votes.csv").write_text(VOTES)
    return environment(folder / "env", f"tandemvote[all] @ {built('*.whl').as_uri()}"), folder


def run(where, *arguments):
    python, folder = where
    return subprocess.run(
        [python, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


def test_the_wheel_holds_the_package_and_nothing_else():
    with zipfile.ZipFile(built("*.whl")) as wheel:
        files = wheel.namelist()
    information = f"tandemvote-{version('tandemvote')}.dist-info/"
    assert all(name.startswith(("tandemvote/", information)) for name in files)
    inside = [name for name in files if name.startswith("tandemvote/")]
    assert {Path(name).suffix for name in inside} <= {".py", ".typed", ".json", ".html", ".css"}
    elsewhere = {"tests", "experiments", "datasets", "reproduction", "validity", "examples"}
    assert not [name for name in inside if elsewhere & set(Path(name).parts)]
    assert {"tandemvote/py.typed", f"{information}licenses/LICENSE"} <= set(files)


def test_the_wheel_is_that_of_the_version_license_and_pythons_that_are_promised():
    with zipfile.ZipFile(built("*.whl")) as wheel:
        text = wheel.read(f"tandemvote-{version('tandemvote')}.dist-info/METADATA").decode()
    metadata = email.message_from_string(text)
    assert metadata["License-Expression"] == "BSD-3-Clause"
    assert metadata["Requires-Python"] == ">=3.11"
    extras = {"cli", "report", "data", "dask", "verify", "skops", "excel", "all"}
    assert set(metadata.get_all("Provides-Extra")) == extras


def test_the_citation_names_this_version():
    assert f"\nversion: {version('tandemvote')}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


def test_the_sdist_carries_what_its_tests_need():
    with tarfile.open(built("*.tar.gz")) as sdist:
        files = {name.partition("/")[2] for name in sdist.getnames()}
    needed = "LICENSE README.md Makefile pyproject.toml tests/conftest.py validity/table.csv"
    needed += " docs/conf.py docs/_static/report.png examples/quickstart/plot_committee.py"
    assert files.issuperset(needed.split())
    assert built("*.tar.gz").stat().st_size < 1_500_000  # no rows of experiments


def test_without_extras_a_model_is_certified_and_its_certificate_verified(bare):
    answer = run(bare, "-c", CERTIFY.format(version=version("tandemvote")))
    assert answer.returncode == 0, answer.stderr


def test_without_extras_what_is_missing_is_named_with_the_extra_that_brings_it(bare):
    if not (bare[1] / "iris.json").exists():
        run(bare, "-c", CERTIFY.format(version=version("tandemvote")))
    start = "from tandemvote import Certificate; made = Certificate.load('iris.json');"
    for code, extra in MISSING.items():
        answer = run(bare, "-c", start + code)
        last = answer.stderr.strip().splitlines()[-1:]
        assert last and f'pip install "tandemvote[{extra}]"' in last[0], (code, answer.stderr)


@pytest.mark.parametrize("command", [["-m", "tandemvote", "--help"], ["-m", "tandemvote", "demo"]])
def test_without_extras_the_command_says_in_one_line_how_to_get_it(bare, command):
    answer = run(bare, *command)
    assert answer.returncode == 2
    assert answer.stderr.count("\n") == 1
    assert 'pip install "tandemvote[cli]"' in answer.stderr


def test_with_all_extras_the_module_certifies_and_the_script_verifies(complete):
    options = "certify-votes votes.csv --certificate vote.json --report vote.html"
    made = run(complete, "-m", "tandemvote", *options.split())
    assert made.returncode == 0, made.stderr
    assert (complete[1] / "vote.html").stat().st_size > 10_000
    options = "verify vote.json --rigorous --votes votes.csv"
    checked = run((complete[0].with_name("tandemvote"), complete[1]), *options.split())
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_with_all_extras_every_module_can_be_imported(complete):
    code = (
        "import pkgutil, importlib, tandemvote\n"
        "for found in pkgutil.walk_packages(tandemvote.__path__, 'tandemvote.'):\n"
        "    if not found.name.endswith('__main__'): importlib.import_module(found.name)\n"
    )
    answer = run(complete, "-W", "error::DeprecationWarning:tandemvote", "-c", code)
    assert answer.returncode == 0, answer.stderr


def test_all_extras_leave_out_the_tools_of_developers(complete):
    for tool in ("pytest", "mypy"):
        assert run(complete, "-c", f"import {tool}").returncode == 1
