"""A certificate survives its file, and a file that is no certificate gets one clear line."""

import json
import os
import tracemalloc
import zlib
from base64 import b64encode
from importlib.resources import files

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tandemvote import Certificate, VoteCounts, Votes
from tandemvote.certificate import file_fields, file_record, file_text
from tandemvote.certificate.file import certificate_of, document_of
from tandemvote.certificate.file_record import MAX_VOTERS, CertificateRecord, digest_of
from tandemvote.certificate.file_text import (
    CertificateFileError,
    parse_document,
    read_document,
)
from tandemvote.counting.counts import INTEGER_FIELDS
from tandemvote.hard_vote import VoteProfile


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
            ]
        )
    )
    y = rng.choice(labels, n_samples)
    predictions = rng.choice(labels, (n_voters, n_samples))
    predictions = np.where(rng.random(predictions.shape) < 0.8, y, predictions)
    held_out = rng.random(predictions.shape) < 0.8
    held_out[:, 0] = True
    unlabelled = rng.choice(labels, (n_voters, draw(st.integers(0, 3))))
    votes = Votes.from_predictions(predictions, y, held_out, unlabelled=unlabelled)
    counts = VoteCounts.from_votes(votes)
    test = Votes.from_predictions([rng.integers(2, size=20)], rng.integers(2, size=20))
    return Certificate.from_counts(
        counts,
        weights=rng.dirichlet(np.full(n_voters, 0.1)),
        bound=draw(st.sampled_from(["best", "first_order", ("first_order", "first_order")])),
        delta=draw(st.floats(1e-9, 0.999)),
        test_counts=VoteCounts.from_votes(test) if draw(st.booleans()) else None,
        notes=draw(st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=2)),
    )


@pytest.mark.filterwarnings("ignore::tandemvote.bounds.VacuousBoundWarning")
@settings(max_examples=40, deadline=None)
@given(certificates())
def test_a_certificate_survives_its_file(certificate):
    data = json.dumps(document_of(certificate), indent=1, ensure_ascii=False).encode()
    again = certificate_of(CertificateRecord.from_document(parse_document(data)))
    assert repr(again) == repr(certificate)
    assert repr(again.bounds) == repr(certificate.bounds)
    assert again.guarantee == certificate.guarantee
    assert again.weights.tolist() == certificate.weights.tolist()
    assert again.prior.tolist() == certificate.prior.tolist()
    assert again.counts.classes.tolist() == certificate.counts.classes.tolist()
    assert dict(again.versions) == dict(certificate.versions)
    assert again.assumptions == certificate.assumptions
    for name in INTEGER_FIELDS:
        assert np.array_equal(getattr(again.counts, name), getattr(certificate.counts, name))


@pytest.fixture
def certificate():
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=500)
    wrong = rng.random((5, 500)) < 0.1
    counts = VoteCounts.from_votes(Votes.from_predictions(labels ^ wrong, labels))
    return Certificate.from_counts(counts, bound="best")


@pytest.fixture
def document(certificate):
    return document_of(certificate)


def test_saving_and_loading_by_path(certificate, tmp_path):
    path = certificate.save(tmp_path / "certificate.json")
    assert repr(Certificate.load(path)) == repr(certificate)
    assert [file.name for file in tmp_path.iterdir()] == ["certificate.json"]


def test_a_save_that_fails_leaves_the_old_file(certificate, tmp_path, monkeypatch):
    path = certificate.save(tmp_path / "certificate.json")
    before = path.read_bytes()
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        certificate.save(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["certificate.json"]


def test_files_follow_the_published_schema(document):
    schema = json.loads(
        files("tandemvote.certificate").joinpath("certificate.schema.json").read_text()
    )
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    validator.validate(document)
    for name in schema["required"]:
        assert not validator.is_valid({k: v for k, v in document.items() if k != name})
    assert not validator.is_valid({**document, "extra": 1})


def test_loading_refuses_a_changed_file(document, tmp_path):
    path = tmp_path / "changed.json"
    document["notes"].append("checked by an authority")
    path.write_text(json.dumps(document))
    with pytest.raises(CertificateFileError, match="changed after it was written"):
        Certificate.load(path)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("bounds", 1, "value"), (0.01).hex(), "'tandem' is 0.01 in the file and 0."),
        (("guarantee", "value"), (0.01).hex(), "not the smallest of its candidates"),
        (("confidence", "delta"), (0.06).hex(), "share of delta"),
        (("confidence", "candidates"), ["tandem"], "not the smallest of its candidates"),
        (("weights", 0), (0.9).hex(), "sums to"),
        (("classes", "labels"), [0, 1, 2], "does not apply"),
        (("bounds", 1, "name"), "test_set", "does not apply"),
        (("bounds", 1, "name"), "TND", "no bound 'TND'"),
    ],
)
def test_loading_refuses_what_the_counts_do_not_give(document, place, value, message):
    forged = forge(document, place, value)
    with pytest.raises(ValueError, match=message):
        certificate_of(CertificateRecord.from_document(forged))


def test_loading_refuses_a_guarantee_by_a_bound_that_is_not_stated(document):
    guarantee = {**document["guarantee"], "bound": document["bounds"].pop(0)["name"]}
    with pytest.raises(CertificateFileError, match="not the smallest of its candidates"):
        certificate_of(CertificateRecord.from_document(forge(document, ("guarantee",), guarantee)))


@pytest.mark.parametrize("unit", ["D", "ns"])
def test_labels_that_json_cannot_hold_are_refused_on_saving(unit, tmp_path):
    dates = np.array(["2020-01-01", "2020-01-02"], f"datetime64[{unit}]")
    counts = VoteCounts.from_votes(Votes.from_predictions([[0, 1]], [0, 1]))
    strange = VoteCounts(classes=dates, **{name: getattr(counts, name) for name in INTEGER_FIELDS})
    with pytest.raises(ValueError, match="Convert them to text or integers"):
        Certificate.from_counts(strange).save(tmp_path / "dates.json")
    assert not list(tmp_path.iterdir())


def forge(document, place, value):
    """Change one field and recompute the digest, as anyone can."""
    forged = json.loads(json.dumps(document))
    *way, last = place
    part = forged
    for step in way:
        part = part[step]
    part[last] = value
    forged["digest"] = digest_of(forged)
    return forged


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe{}", "not text in UTF-8"),
        (b"[1]", "no JSON object"),
        (b'{"a": NaN}', "NaN' is no integer"),
        (b'{"a": -Infinity}', "is no integer"),
        (b'{"a": 1.5}', "hexadecimal"),
        (b'{"a": 1e400}', "is no integer"),
        (b'{"a": ' + b"9" * 100_000 + b"}", "more than 19 digits"),
        (b'{"a": 1, "a": 2}', "'a' occurs twice"),
        (b'{"a": "\\ud800"}', "not text in UTF-8"),
        (b'{"a": 1', "not JSON"),
        (b"[" * 60_000, "nested too deeply"),
        (b'{"a":' * 60_000, "nested too deeply"),
        (b"[" * 70_000, "times '\\['"),
        (b"[" + b"1," * 2**20 + b"1,1]", "times ','"),
        (b" " * 10**7, "not JSON"),
        (b"{}", "schema is missing"),
        (b'{"schema": "tandemvote/certificate/3"}', "reads 'tandemvote/certificate/4' only"),
        (b'{"schema": "tandemvote/certificate/5"}', "reads 'tandemvote/certificate/4' only"),
        (b'{"schema": ["tandemvote/certificate/4"]}', "schema is a list"),
    ],
)
def test_what_is_no_certificate_gets_one_clear_line(data, message):
    with pytest.raises(CertificateFileError, match=message) as caught:
        CertificateRecord.from_document(parse_document(data))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("words", [b"\xf0\x9f\x98\x80", b"\\ud83d\\ude00", b'\\"'])
def test_many_words_are_refused_before_they_take_four_times_their_room(words, monkeypatch):
    monkeypatch.setattr(file_text, "MAX_WORDS", 1000)
    plain = b'{"counts": "' + b"x" * 2000 + b'"}'
    assert parse_document(plain)["counts"] == "x" * 2000
    with pytest.raises(CertificateFileError, match="more than 1000 bytes of words"):
        parse_document(plain.replace(b'"x', b'"' + words + b"x"))


def test_a_byte_order_mark_is_no_trouble():
    assert parse_document(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_without_a_writer_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CertificateFileError, match="pipe cannot be read: it is a pipe"):
        read_document(tmp_path / "pipe")


@pytest.mark.parametrize("leads", [np.nan, 5e-324, 0.3])
def test_loading_refuses_profiles_that_no_vote_has(leads):
    votes = Votes.from_predictions([[1, 0, 1], [1, 1, 1]], [1, 1, 1])
    weights = np.array([0.6, 0.4])
    profile = VoteProfile.of([[1, 0], [1, 1]], weights)
    certificate = Certificate.from_counts(
        VoteCounts.from_votes(votes), weights=weights, bound="vote_profile", profile=profile
    )
    forged = document_of(certificate)
    for name in ("leads", "gaps"):
        forged = forge(forged, ("profile", name), file_fields.pack(np.full(2, leads)))
    with pytest.raises(ValueError, match=r"of the vote"):
        certificate_of(CertificateRecord.from_document(forged))


def test_a_file_above_the_limit_is_refused_by_its_size(tmp_path, monkeypatch):
    monkeypatch.setattr(file_text, "MAX_BYTES", 1000)
    path = tmp_path / "spaces.json"
    path.write_bytes(b" " * 5000)
    with pytest.raises(CertificateFileError, match="larger than 1000 bytes"):
        Certificate.load(path)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("counts", "n_voters"), 10**18, f"integer from 1 to {MAX_VOTERS}"),
        (("counts", "n_voters"), True, "counts.n_voters is True"),
        (("counts", "n_voters"), 4, "80 bytes that 4 voters need"),
        (("weights",), [(0.25).hex()] * 4, "weights is a list of 4 numbers, not of 5"),
        (("counts", "overlaps"), "AAAA", "cannot be unpacked"),
        (("counts", "overlaps"), "?", "cannot be unpacked"),
        (("counts", "overlaps"), "é", "cannot be unpacked"),
        (("counts", "overlaps"), 7, "is 7, not a text"),
        (("counts", "extra"), 7, "counts.'extra' is an unknown field"),
        (("extra",), 7, "'extra' is an unknown field"),
        (("weights", 0), "nan", "weights\\[0\\] is 'nan', not a number in hexadecimal"),
        (("weights", 0), "inf", "not a number in hexadecimal"),
        (("weights", 0), "0x1p999999", "not a number in hexadecimal"),
        (("weights", 0), "0x1p-3", "not a number in hexadecimal"),
        (("weights", 0), 1, "not a number in hexadecimal"),
        (("weights", 0), "0x" + "0" * 10**6, "not a number in hexadecimal"),
        (("bounds",), {}, "bounds is a dict"),
        (("bounds",), [1], "bounds\\[0\\] is 1, not an object"),
        (("bounds", 0, "name"), "tandem", "stated twice"),
        (("bounds", 0, "printed"), "0.1\n", "not a decimal"),
        (("bounds", 0, "printed"), "٠.١", "not a decimal"),
        (("bounds", 0, "printed"), "1E-9999", "not a decimal"),
        (("test",), {"n_errors": 1, "n_samples": -1}, "test.n_samples is -1"),
        (("test",), {"n_errors": 1}, "test.n_samples is missing"),
        (("test",), 5, "test is 5, not an object"),
        (("confidence", "candidates"), [], "is empty"),
        (("confidence", "candidates"), [1], "candidates\\[0\\] is 1, not a text"),
        (("classes", "kind"), "pickle", "reads 'text' and"),
        (("classes", "labels"), [True, 1], "labels\\[0\\] is True, not an integer"),
        (("versions",), {"a": 1}, "not an object of texts"),
        (("notes",), [None], "notes\\[0\\] is None"),
        (("sharpening",), "none", "reads 'harmonic' and 'paper' only"),
    ],
)
def test_a_wrong_field_is_named(document, place, value, message):
    with pytest.raises(CertificateFileError, match=message) as caught:
        CertificateRecord.from_document(forge(document, place, value))
    assert len(str(caught.value)) < 200


def test_a_zip_bomb_is_never_inflated():
    bomb = b64encode(zlib.compress(bytes(2**25), 9)).decode()
    tracemalloc.start()
    with pytest.raises(CertificateFileError, match="120 bytes that 5 voters need"):
        file_fields.unpack_matrix(bomb, 5, "overlaps")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**21


@pytest.mark.parametrize("change", [lambda d: d[:-1], lambda d: d + b"x", lambda d: d + d])
def test_packed_counts_must_end_where_they_should(change):
    packed = zlib.compress(np.arange(15, dtype="<i8").tobytes())
    with pytest.raises(CertificateFileError):
        file_fields.unpack_matrix(b64encode(change(packed)).decode(), 5, "overlaps")


@given(st.integers(1, 30), st.integers(0, 2**32))
def test_matrices_unpack_to_what_was_packed(n_voters, seed):
    matrix = np.random.default_rng(seed).integers(0, 10**10, (n_voters, n_voters))
    matrix = matrix + matrix.T
    packed = file_fields.pack(matrix)
    assert np.array_equal(file_fields.unpack_matrix(packed, n_voters, "overlaps"), matrix)


def test_sets_of_too_many_different_sizes_are_neither_read_nor_written(monkeypatch):
    # A checker keeps an exact fraction a size: millions of them would fill the memory.
    rng = np.random.default_rng(0)
    votes = Votes.from_predictions(
        rng.integers(2, size=(6, 500)), rng.integers(2, size=500), rng.random((6, 500)) < 0.5
    )
    certificate = Certificate.from_counts(VoteCounts.from_votes(votes), bound="first_order")
    document = document_of(certificate)
    n_sizes = np.unique(certificate.counts.overlaps).size
    monkeypatch.setattr(file_record, "MAX_SIZES", n_sizes)
    assert document_of(certificate) == document
    monkeypatch.setattr(file_record, "MAX_SIZES", n_sizes - 1)
    with pytest.raises(CertificateFileError, match="different numbers of points"):
        CertificateRecord.from_document(document)
    with pytest.raises(ValueError, match="Train fewer voters"):
        document_of(certificate)
