"""A certificate survives its file, and is verified when it is loaded."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tandemvote.auditing import Finding
from tandemvote.certificate import Certificate, certify_votes
from tandemvote.record.document import Document, digest_of
from tandemvote.record.json_text import parse_document
from tandemvote.verify import CertificateFileError, verify_file
from tandemvote.votes.counts import INTEGER_FIELDS, VoteCounts
from tandemvote.votes.votes import Votes

FINDINGS = [
    Finding(code="time_index", severity="warning", message="The index holds times.", advice="Sort"),
    Finding(
        code="copied_rows",
        severity="error",
        message="3 rows are copies.",
        columns=("x", "é"),
        evidence={"rows": "3"},
        overridden=True,
    ),
]

text = st.text(st.characters(exclude_categories=["Cs"]))


@st.composite
def certificates(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_voters, n_samples = draw(st.integers(1, 6)), draw(st.integers(1, 60))
    labels = draw(
        st.sampled_from(
            [
                ["no", "yes"],
                [0, 1],
                [-(2**63) + 1, 5],
                [0.5, 1.5],
                [False, True],
                ["é", "a\tb", "c"],
                ["alone"],
            ]
        )
    )
    y = rng.choice(labels, n_samples)
    predictions = rng.choice(labels, (n_voters, n_samples))
    predictions = np.where(rng.random(predictions.shape) < 0.8, y, predictions)
    held_out = rng.random(predictions.shape) < draw(st.sampled_from([0.8, 2.0]))
    held_out[:, 0] = True
    unlabeled = rng.choice(labels, (n_voters, draw(st.integers(0, 3))))
    votes = Votes.from_predictions(predictions, y, held_out, unlabeled=unlabeled)
    given_weights = draw(st.booleans())
    finding = Finding(code=draw(text), severity="note", message=draw(text))
    return certify_votes(
        votes,
        weights=rng.dirichlet(np.full(n_voters, 0.5)) if given_weights else "uniform",
        bound=draw(st.sampled_from(["best", "auto", "first_order", ("first_order", "tandem")])),
        delta=draw(st.floats(1e-9, 0.5)),
        published=draw(st.booleans()),
        findings=[finding, *FINDINGS[: draw(st.integers(0, 2))]],
        members=draw(st.sampled_from([None, "0123456789abcdef" * 2])),
    )


@pytest.mark.filterwarnings("ignore::tandemvote.bounds.VacuousBoundWarning")
@settings(max_examples=10, deadline=None)
@given(certificates())
def test_a_certificate_survives_its_file(certificate):
    data = json.dumps(certificate.document.to_json(), indent=1, ensure_ascii=False).encode()
    document = Document.from_json(parse_document(data))
    assert verify_file(document, votes=certificate.votes).problem is None
    again = Certificate.load(document)
    assert_same(again, certificate)
    assert again.document.to_json() == certificate.document.to_json()


def assert_same(again, certificate):
    for name in ("guarantee", "headline", "basis", "advice", "value", "bound", "delta", "group"):
        assert getattr(again, name) == getattr(certificate, name)
    for name in ("candidates", "fitted", "published", "members", "one_row_per_group", "observed"):
        assert getattr(again, name) == getattr(certificate, name)
    for name in ("baseline", "findings", "assumptions", "versions", "deployed", "ties"):
        assert getattr(again, name) == getattr(certificate, name)
    assert again.weights.tolist() == certificate.weights.tolist()
    assert again.prior.tolist() == certificate.prior.tolist()
    assert again.counts.classes.tolist() == certificate.counts.classes.tolist()
    for name in INTEGER_FIELDS:
        assert np.array_equal(getattr(again.counts, name), getattr(certificate.counts, name))


@pytest.fixture
def certificate():
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=500)
    votes = Votes.from_predictions(labels ^ (rng.random((5, 500)) < 0.1), labels)
    return certify_votes(votes, bound="best", findings=FINDINGS, members="0123456789abcdef" * 2)


def test_saving_and_loading_by_path(certificate, tmp_path):
    path = certificate.save(tmp_path / "certificate.json")
    again = Certificate.load(path)
    assert_same(again, certificate)
    assert again.bounds == pytest.approx(certificate.bounds)
    assert again.groups is None and again.votes is None
    assert json.loads(path.read_text()) == certificate.to_dict()
    assert [file.name for file in tmp_path.iterdir()] == ["certificate.json"]


def test_findings_and_what_was_overridden_survive(certificate, tmp_path):
    again = Certificate.load(certificate.save(tmp_path / "certificate.json"))
    assert again.findings == tuple(FINDINGS)
    assert "overridden error: 3 rows are copies. [copied_rows]" in repr(again)
    assert "warning: The index holds times. Sort [time_index]" in repr(again)


def test_numbers_in_evidence_become_text(certificate, tmp_path):
    """A file holds texts; what is written must be read."""
    finding = replace(FINDINGS[1], evidence={"rows": 3})
    path = replace(certificate, findings=(finding,)).save(tmp_path / "certificate.json")
    assert Certificate.load(path).findings[0].evidence == {"rows": "3"}


@pytest.mark.long
def test_groups_are_saved_and_loaded_with_their_certificate(certificate, tmp_path):
    site = np.resize(["north", "south", None], 500)
    groups = certificate.by_group({"class": "class", "site": site})
    again = Certificate.load(groups.save(tmp_path / "certificate.json"))
    assert_same(again, certificate)
    assert again.groups.groupings == groups.groupings
    for loaded, group in zip(again.groups, groups, strict=True):
        assert_same(loaded, group)
    assert repr(again.groups) == repr(groups)
    twice = Certificate.load(again.save(tmp_path / "again.json"))
    assert repr(twice.groups) == repr(groups)
    with pytest.raises(ValueError, match="the first certificate of a file is about all samples"):
        groups["north"].save(tmp_path / "north.json")
    assert not (tmp_path / "north.json").exists()


def test_a_save_that_fails_leaves_the_old_file(certificate, tmp_path, monkeypatch):
    path = certificate.save(tmp_path / "certificate.json")
    before = path.read_bytes()
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        certificate.save(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["certificate.json"]


@pytest.mark.parametrize(("limit", "value"), [("MAX_BYTES", 1000), ("MAX_PUNCTUATION", {b'"': 50})])
def test_a_file_that_nobody_could_read_is_not_written(
    certificate, tmp_path, monkeypatch, limit, value
):
    monkeypatch.setattr(f"tandemvote.record.json_text.{limit}", value)
    with pytest.raises(CertificateFileError, match="The file"):
        certificate.save(tmp_path / "certificate.json")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("candidates", "tandem"), (0.01).hex(), "the tandem bound is 0.01"),
        (("value",), (0.01).hex(), "the value is stated as 0.01"),
        (("delta",), (0.06).hex(), "in the file and only"),
        (("weights", 0), (0.9).hex(), "the weights sum to"),
        (("candidates", "TND"), (1.0).hex(), "no rule for the bound 'TND'"),
        (("findings",), [], "words or counts were changed"),
    ],
)
def test_loading_rejects_what_does_not_hold(certificate, tmp_path, place, value, message):
    document = certificate.to_dict()
    part = document["certificates"][0]
    for step in place[:-1]:
        part = part[step]
    part[place[-1]] = value
    if "words" not in message:
        document["digest"] = digest_of(document)
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(document))
    with pytest.raises(CertificateFileError, match=message):
        Certificate.load(path)


@pytest.mark.parametrize("unit", ["D", "ns"])
def test_labels_that_json_cannot_hold_are_rejected_on_saving(unit, tmp_path):
    dates = np.array(["2020-01-01", "2020-01-02"], f"datetime64[{unit}]")
    votes = Votes.from_predictions([dates], dates)
    with pytest.raises(ValueError, match="Convert them to text or integers"):
        certify_votes(votes).save(tmp_path / "dates.json")
    assert not list(tmp_path.iterdir())


def test_overlaps_of_too_many_sizes_are_neither_read_nor_written(monkeypatch, tmp_path):
    # A checker keeps an exact fraction for each size: millions of them would fill the memory.
    rng = np.random.default_rng(0)
    votes = Votes.from_predictions(
        rng.integers(2, size=(6, 500)), rng.integers(2, size=500), rng.random((6, 500)) < 0.5
    )
    certificate = certify_votes(votes, bound="first_order")
    n_sizes = np.unique(VoteCounts.from_votes(votes).overlaps).size
    monkeypatch.setattr("tandemvote.record.document.MAX_SIZES", n_sizes)
    path = certificate.save(tmp_path / "c.json")
    monkeypatch.setattr("tandemvote.record.document.MAX_SIZES", n_sizes - 1)
    for use in (verify_file, certificate.save):
        with pytest.raises(CertificateFileError, match="different numbers of common samples"):
            use(path)


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    certificate = certify_votes(Votes.from_predictions([[0, 1] * 50], [0, 1] * 50))
    with pytest.raises(FileNotFoundError, match=r"c\.json: there is no folder .*nowhere"):
        certificate.save(tmp_path / "nowhere" / "c.json")
