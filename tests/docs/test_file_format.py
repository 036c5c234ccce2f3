"""The page and the JSON Schema of the file format say what files hold."""

import copy
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tandemvote import Votes, certify
from tandemvote.auditing import Finding
from tandemvote.certificate import certify_votes
from tandemvote.record.document import Document, json_schema

jsonschema = pytest.importorskip("jsonschema", reason="part of the dependency group test")

FOLDER = Path(__file__).parents[2] / "docs" / "reference"
PAGE, SCHEMA = FOLDER / "file-format.rst", FOLDER / "certificates-1.schema.json"
has_docs = pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not installed")
pytestmark = pytest.mark.filterwarnings("ignore::tandemvote.bounds.VacuousBoundWarning")

COMMAND = (
    'python -c "import json; from tandemvote.record.document import json_schema as s;'
    ' print(json.dumps(s(), indent=1))" > docs/reference/certificates-1.schema.json'
)


def names_in(schema):
    """Yield the names of all fields that a schema describes."""
    for name, field in schema.get("properties", {}).items():
        yield name
        yield from names_in(field)
    for part in [*schema.get("anyOf", ()), *filter(None, [schema.get("items")])]:
        yield from names_in(part)


@has_docs
def test_every_field_of_the_definition_is_on_the_page():
    section = PAGE.read_text(encoding="utf-8").partition("Fields, version 1")[2]
    named = {*re.findall(r"``(\w+)``", section), "float"}  # the last is part of labels
    assert {*names_in(json_schema())} <= named


@has_docs
def test_the_published_schema_is_that_of_the_definition():
    assert json.loads(SCHEMA.read_text("utf-8")) == json_schema(), COMMAND


def votes_of(labels, n_unlabeled=0, n_voters=3, **options):
    rng = np.random.default_rng(0)
    y, n_rows = rng.choice(labels, 200 + n_unlabeled), 200 + n_unlabeled
    predictions = np.where(rng.random((n_voters, n_rows)) < 0.9, y, rng.choice(labels, n_rows))
    unlabeled = predictions[:, 200:]
    return Votes.from_predictions(predictions[:, :200], y[:200], unlabeled=unlabeled, **options)


def grouped():
    certificate = certify(votes_of(["no", "yes"]))
    by = {"class": "class", "shop": np.resize(["north", "south", None], 200)}
    return replace(certificate, groups=certificate.by_group(by))


FINDING = Finding(
    code="copied_rows",
    severity="error",
    message="3 rows are copies.",
    columns=("é",),
    evidence={"rows": "3"},
    overridden=True,
)
EXAMPLES = {
    "test set": lambda: certify_votes(votes_of([0, 1]), findings=[FINDING], members="0af3" * 8),
    "all bounds": lambda: certify(votes_of([-1, 1]), bound="best"),
    "fitted weights": lambda: certify(votes_of([0.5, 1e-300]), weights="tandem", bound="tandem"),
    "given weights": lambda: certify(votes_of([False, True]), weights=[0.5, 0.5, 0.0]),
    "profile": lambda: certify(votes_of([0, 1], 40), bound="vote_profile"),
    "deployed": lambda: certify(votes_of([0, 1], 40).with_deployed([0, 1] * 20)),
    "referee": lambda: replace(certify(votes_of(["a", "b"], ties="referee")), n_trees=33),
    "latest": lambda: certify(replace(votes_of([0, 1]), latest="2024-01-01")),
    "one row per group": lambda: certify(replace(votes_of([0, 1]), one_row_per_group=True)),
    "recall": lambda: certify(votes_of([0, 1])).for_metric("recall", sides="both"),
    "cost": lambda: certify(votes_of([0, 1])).for_metric("cost", cost=[[0, 1], [5, 0]]),
    "groups": grouped,
}


@pytest.fixture(scope="module", params=EXAMPLES)
def contents(request):
    return EXAMPLES[request.param]().to_dict()


@pytest.fixture(scope="module")
def validator():
    jsonschema.Draft202012Validator.check_schema(json_schema())
    return jsonschema.Draft202012Validator(json_schema())


def test_every_kind_of_certificate_has_the_form_of_the_schema(contents, validator):
    validator.validate(contents)
    assert Document.from_json(contents).to_json() == contents


def places(part, way=()):
    """Yield the place of everything inside a file."""
    items = part.items() if isinstance(part, dict) else enumerate(part)
    for key, each in items:
        yield (*way, key)
        if isinstance(each, dict | list):
            yield from places(each, (*way, key))


def test_what_has_another_type_has_not_the_form_of_the_schema(contents, validator):
    for *way, last in places(contents):
        forged = copy.deepcopy(contents)
        part = forged
        for key in way:
            part = part[key]
        part[last] = 1.5  # which no field may have
        assert not validator.is_valid(forged), (*way, last)


def test_fields_are_neither_missing_nor_unknown(contents, validator):
    for name in contents["certificates"][0]:
        fewer = copy.deepcopy(contents)
        del fewer["certificates"][0][name]
        assert not validator.is_valid(fewer), name
    assert not validator.is_valid({**contents, "more": "text"})
