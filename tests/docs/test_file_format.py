"""The page of the file format names every field of its definition."""

import inspect
import re
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from tandemvote.record import document

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "file-format.rst"
RECORDS = [
    record
    for _, record in inspect.getmembers(document, inspect.isclass)
    if is_dataclass(record) and record.__module__ == document.__name__
]


@pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not installed")
@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_every_field_of_the_definition_is_on_the_page(record):
    section = PAGE.read_text(encoding="utf-8").partition("Fields, version 1")[2]
    named = set(re.findall(r"``(\w+)``", section))
    stored = {field.name for field in fields(record)} - {"expected_digest"}  # computed on reading
    assert stored <= named
