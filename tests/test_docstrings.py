"""Public docstrings have the sections of numpydoc."""

from dataclasses import is_dataclass

import pytest

import tandemvote

validate = pytest.importorskip("numpydoc.validate", reason="part of the dependency group test")

# No summary, parameters that are missing or unknown, no description of a
# parameter, a summary over several lines, sections unknown or in another order.
CODES = {"GL06", "GL07", "GL08", "PR01", "PR02", "PR07", "SS01", "SS06"}


@pytest.mark.parametrize("name", tandemvote.__all__)
def test_a_public_docstring_is_valid_numpydoc(name):
    by_attributes = {"PR01"} if is_dataclass(getattr(tandemvote, name)) else set()
    problems = validate.validate(f"tandemvote.{name}")["errors"]
    assert not [text for code, text in problems if code in CODES - by_attributes]


def test_the_check_notices_a_parameter_without_description():
    problems = validate.validate("tandemvote.codes.comparable")["errors"]
    assert "PR01" in {code for code, _ in problems}
