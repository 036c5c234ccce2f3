"""Every public callable has the sections of numpydoc."""

import pkgutil
from dataclasses import is_dataclass
from enum import Enum
from importlib import import_module
from inspect import isclass
from types import FunctionType

import pytest

from tandemvote import Certificate, Monitor, VoteCounts, Votes
from tandemvote.certificate import GroupCertificates, SelectiveCertificate
from tandemvote.votes.reading import VoteFiles

validate = pytest.importorskip("numpydoc.validate", reason="part of the dependency group test")

# No summary, a summary over several lines, sections unknown or in another order, parameters that
# are missing, unknown or not described, no section Returns, no section Examples.
CODES = {"GL06", "GL07", "GL08", "SS01", "SS06", "PR01", "PR02", "PR07", "RT01", "EX01"}

NAMES = ("bounds", "displays", "inequalities", "tables", "verify", "weights")
PACKAGES = ["tandemvote", *(f"tandemvote.{name}" for name in NAMES)]
PUBLIC = [
    f"{package}.{name}"
    for package in PACKAGES
    for name in import_module(package).__all__
    if callable(getattr(import_module(package), name))
]


FILES = [
    *(f"tandemvote.votes.reading.{name}" for name in ("VoteFiles", "check_voters", "read_votes")),
    *(f"tandemvote.votes.vote_tables.{name}" for name in ("column_names", "read_columns")),
    *("tandemvote.votes.reading.read_predictions", "tandemvote.votes.counting.count_votes"),
]

CLASSES = [Certificate, GroupCertificates, Monitor, SelectiveCertificate, VoteCounts, Votes]
# Functions that a class uses as methods: their first parameter stands for the object.
FUNCTIONS = {"for_metric", "labels_for"}
METHODS = [
    f"{each.__module__}.{each.__name__}.{name}"
    for each in [*CLASSES, VoteFiles]
    for name, method in vars(each).items()
    if not name.startswith("_") and isinstance(method, FunctionType | classmethod)
    if name not in FUNCTIONS
]


def problems_of(path):
    """Return the problems of a docstring, but for those that its kind of object cannot have."""
    public = pkgutil.resolve_name(path)
    exempt = set()
    if isclass(public):
        exempt |= {"RT01"}
        if is_dataclass(public) or issubclass(public, tuple | Enum):  # described by their fields
            exempt |= {"PR01"}
        if issubclass(public, Exception):
            exempt |= {"PR01", "EX01"}
    problems = validate.validate(path)["errors"]
    return {code: text for code, text in problems if code in CODES - exempt}


@pytest.mark.parametrize("path", PUBLIC + FILES + METHODS)
def test_a_public_docstring_is_complete(path):
    assert problems_of(path) == {}


def test_the_check_notices_missing_sections():
    assert {"PR01", "RT01", "EX01"} <= problems_of("tandemvote.votes.codes.comparable").keys()
