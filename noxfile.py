"""The support matrix: the tests with old and new versions of Python and of the libraries.

`make matrix` runs every session whose interpreter is found; ``nox -s newest-3.12`` runs
one, ``nox --list`` names them all.
"""

import os

import nox

nox.options.default_venv_backend = "uv"
nox.options.reuse_existing_virtualenvs = True

PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
NEXT_PYTHON = "3.15"  # allowed to fail until it is supported
VERSIONS = ["1.6, 2, 1.26", "1.7, 2, 2", "1.8, 3, 2"]  # of scikit-learn, pandas, numpy

EVERYTHING = ["-e", ".[all]", "--group", "test", "--group", "reproduction"]
PINNED = ["-c", "constraints.txt", *EVERYTHING]

# What touches other libraries and files. Pure mathematics, simulations and the reproduction take
# most of the time and see only numpy and scipy: they run with the oldest and the newest versions.
INTERFACES = [
    f"tests/{room}"
    for room in (
        "certificate", "cli", "displays", "journeys", "model_files", "models", "monitoring",
        "report", "tables", "verify", "votes", "test_public_face.py",
    )
]  # fmt: skip

# What works without any extra; the rest is tested to say which one is missing by `make dist`.
WITHOUT_EXTRAS = [
    "tests/bounds", "tests/inequalities", "tests/weights", "tests/theory",
    "tests/certificate/test_file.py", "tests/certificate/test_selective.py",
    "tests/models/test_bootstraps.py", "tests/models/test_honesty.py",
    "tests/votes/test_codes.py", "tests/votes/test_weighted_vote.py",
]  # fmt: skip

CLIENTS = ["lightgbm", "xgboost", "catboost", "imbalanced-learn", "mlflow", "polars"]

# Old releases use what their own dependencies have deprecated since, and warn more often.
OLD_WARNINGS = ("::DeprecationWarning", "::FutureWarning", ":The least populated class:UserWarning")
OLD_RELEASES = [word for warning in OLD_WARNINGS for word in ("-W", f"ignore{warning}")]


def run_tests(session: nox.Session, *arguments: str) -> None:
    """Run some of the tests on all cores; more options may follow ``--`` on the command line."""
    session.run("pytest", "-q", "-n", "auto", "--dist", "worksteal", *arguments, *session.posargs)


@nox.session(python=[*PYTHONS, NEXT_PYTHON])
def newest(session: nox.Session) -> None:
    """Everything that pip installs today, without a pin; all tests on the newest Python."""
    session.install(*EVERYTHING)
    run_tests(session, *([] if session.python == PYTHONS[-1] else INTERFACES))


@nox.session(python=PYTHONS[0])
def oldest(session: nox.Session) -> None:
    """All tests with the lowest version that pyproject.toml allows of each library."""
    session.install("--resolution", "lowest-direct", *EVERYTHING)
    run_tests(session, *OLD_RELEASES)


@nox.session(python="3.12")
@nox.parametrize("versions", VERSIONS, ids=VERSIONS)
def between(session: nox.Session, versions: str) -> None:
    """Releases of scikit-learn, pandas and numpy between the oldest and the newest."""
    libraries = zip(("scikit-learn", "pandas", "numpy"), versions.split(", "), strict=True)
    pins = [f"{name}=={release}.*" for name, release in libraries]
    if "numpy==1.26.*" in pins:
        pins.append("pyarrow==18.*")  # the newest needs numpy 2
    session.install(*PINNED, *pins)
    run_tests(session, *OLD_RELEASES, *INTERFACES)


@nox.session(python=[PYTHONS[0], PYTHONS[-1]])
def bare(session: nox.Session) -> None:
    """The library with nothing but what it depends on."""
    session.install("-e", ".", "--group", "test")
    run_tests(session, *WITHOUT_EXTRAS)


@nox.session(python="3.13")
def clients(session: nox.Session) -> None:
    """Classifiers and tables of other libraries: fit, certify, save and load."""
    session.install(*EVERYTHING, *CLIENTS)
    run_tests(session, "-W", "default", "-rs", "tests/clients")


@nox.session(python=PYTHONS[-1], default=False)
def unreleased(session: nox.Session) -> None:
    """Wheels that numpy, scipy and scikit-learn build every night, from NIGHTLY_WHEELS."""
    session.install(*EVERYTHING)
    nightly = ["--index-url", os.environ["NIGHTLY_WHEELS"], "--prerelease", "allow"]
    session.install("--upgrade", "--no-deps", *nightly, "numpy", "scipy", "scikit-learn")
    run_tests(session, *OLD_RELEASES)
