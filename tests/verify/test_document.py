"""A file that is not a certificate is rejected in one clear line, without taking much memory."""

import tracemalloc
import zlib
from base64 import b64encode

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandemvote.record import encodings as kinds
from tandemvote.record import json_text
from tandemvote.record.document import MAX_VOTERS, SCHEMA, Document
from tandemvote.record.json_text import parse_document, read_document
from tandemvote.verify import CertificateFileError


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe{}", "not text in UTF-8"),
        (b"[1]", "not hold a JSON object"),
        (b'{"a": NaN}', "NaN' is not an integer"),
        (b'{"a": -Infinity}', "is not an integer"),
        (b'{"a": 1.5}', "hexadecimal"),
        (b'{"a": 1e400}', "is not an integer"),
        (b'{"a": ' + b"9" * 100_000 + b"}", "not JSON: Exceeds the limit"),
        (b'{"a": 1, "a": 2}', "'a' occurs twice"),
        (b'{"a": "\\ud800"}', "not text in UTF-8"),
        (b'{"a": 1', "not JSON"),
        (b"PK\3\4" + b"\xff" * 2**24, "as a model file is"),
        (b"[" * 60_000, "nested too deeply"),
        (b'{"a":' * 60_000, "nested too deeply"),
        (b"[" * 70_000, "times '\\['"),
        (b"[" + b"1," * 2**20 + b"1,1]", "times ','"),
        (b" " * 10**7, "not JSON"),
        (b"{}", "schema is None"),
        (b'{"schema": "tandemvote/certificate/4"}', f"reads '{SCHEMA}' only"),
        (b'{"schema": "tandemvote/certificates/2"}', f"reads '{SCHEMA}' only"),
        (b'{"schema": ["tandemvote/certificates/1"]}', "schema is a list"),
        (b'{"certificates": [1, 2]}', "schema is None"),
        (b'{"certificates": {"1": 2}}', "schema is None"),
    ],
)
def test_what_is_not_a_certificate_gets_one_clear_line(data, message):
    with pytest.raises(CertificateFileError, match=message) as caught:
        Document.from_json(parse_document(data))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_many_words_are_rejected_before_they_take_four_times_their_room(monkeypatch):
    monkeypatch.setattr(json_text, "MAX_UNICODE_BYTES", 1000)
    plain = b'{"counts": "' + b"x" * 2000 + b'"}'
    assert parse_document(plain)["counts"] == "x" * 2000
    with pytest.raises(CertificateFileError, match="larger than 1000 bytes"):
        parse_document(plain.replace(b'"x', b'"\xf0\x9f\x98\x80'))


def test_a_byte_order_mark_is_accepted():
    assert parse_document(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}


def test_a_file_that_is_not_a_certificate_is_named(tmp_path):
    path = tmp_path / "wine.csv"
    path.write_text("a,b")
    with pytest.raises(CertificateFileError, match=r"wine\.csv is not a certificate\. The file is"):
        read_document(path)


def test_a_file_above_the_limit_is_rejected_by_its_size(tmp_path, monkeypatch):
    monkeypatch.setattr(json_text, "MAX_BYTES", 1000)
    path = tmp_path / "spaces.json"
    path.write_bytes(b" " * 5000)
    with pytest.raises(CertificateFileError, match="larger than 1000 bytes"):
        read_document(path)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("counts", "n_voters"), MAX_VOTERS + 1, f"integer from 1 to {MAX_VOTERS}"),
        (("counts", "n_voters"), 10**18, "Certify fewer groups, or fewer voters"),
        (("counts", "n_voters"), 10**4000, "Certify fewer groups, or fewer voters"),
        (("counts", "n_voters"), "5", "n_voters is '5'"),
        (("counts", "n_voters"), 0, "n_voters is 0"),
        (("counts", "n_voters"), True, "counts.n_voters is True"),
        (("counts", "n_voters"), 5, "120 bytes that 5 voters need"),
        (("counts",), None, "The certificates, or parts of them, are missing"),
        (("weights",), [(0.25).hex()] * 4, "weights has 4 numbers; expected 6"),
        (("prior",), [], "prior has 0 numbers; expected 6"),
        (("counts", "overlaps"), "AAAA", "cannot be unpacked"),
        (("counts", "overlaps"), "?", "cannot be unpacked"),
        (("counts", "overlaps"), "é", "cannot be unpacked"),
        (("counts", "overlaps"), 7, "is 7, not a text"),
        (("counts", "extra"), 7, "counts.'extra' is an unknown field"),
        (("counts", "encoding"), "pickle", "encoding is 'pickle', not known"),
        (("extra",), 7, "'extra' is an unknown field"),
        (("weights", 0), "nan", "weights\\[0\\] is 'nan', not a number in hexadecimal"),
        (("weights", 0), "inf", "not a number in hexadecimal"),
        (("weights", 0), "0x1p999999", "not a number in hexadecimal"),
        (("weights", 0), "0x1p-3", "not a number in hexadecimal"),
        (("weights", 0), 1, "not a number in hexadecimal"),
        (("weights", 0), "0x" + "0" * 10**6, "not a number in hexadecimal"),
        (("candidates",), [], "candidates is a list, not an object"),
        (("candidates",), {}, "has no candidates"),
        (("candidates", "tandem"), 1, "candidates.'tandem' is 1, not a number in hexadecimal"),
        (("printed",), 0, "printed is 0, not a text"),
        (("test",), {"n_errors": 1, "n_samples": -1}, "test.n_samples is -1"),
        (("test",), {"n_errors": 1, "n_samples": 10**11}, "test.n_samples is 100000000000"),
        (("test",), {"n_errors": 1}, "test.n_samples is missing"),
        (("test",), 5, "test is 5, not an object"),
        (("class_counts",), [1], "class_counts has 1 numbers; expected 2"),
        (("class_counts", 0), -1, "class_counts\\[0\\] is -1"),
        (("class_counts", 0), True, "class_counts\\[0\\] is True"),
        (("classes",), [True, 1], "classes of several kinds"),
        (("classes",), [0, 2**63], "classes\\[1\\] is 9223372036854775808"),
        (("classes",), [0, None], "classes\\[1\\] is None"),
        (("classes",), [0, {"float": "1.5"}], "float is '1.5', not a number in hexadecimal"),
        (("classes",), [], "class_counts has 2 numbers; expected 0"),
        (("findings",), [None], "findings\\[0\\] is None"),
        (("findings", 0, "severity"), "fatal", "severity is 'fatal'"),
        (("findings", 0, "evidence"), {"a": 1}, "evidence.'a' is 1, not a text"),
        (("findings", 0, "overridden"), 1, "overridden is 1, not true or false"),
        (("assumptions",), [None], "assumptions\\[0\\] is None"),
        (("published",), "no", "published is 'no', not true or false"),
        (("one_row_per_group",), 0, "one_row_per_group is 0, not true or false"),
        (("metric",), "auc", "reads 'error' and 'accuracy'"),
        (("direction",), "above", "reads 'at most' and 'at least' only"),
        (("deployed",), 1, "deployed is 1"),
        (("group",), {"by": "class", "label": None}, "does not fit"),
        (("group",), {"by": "class"}, "group.label is missing"),
    ],
)
def test_a_wrong_field_is_named(document, changed, place, value, message):
    with pytest.raises(CertificateFileError, match=message) as caught:
        Document.from_json(changed(document, ("certificates", 0, *place), value))
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("versions",), {"a": 1}, "versions.'a' is 1, not a text"),
        (("certificates",), [], "certificates is empty"),
        (("certificates",), {}, "certificates is a dict"),
        (("groupings",), [{"by": "a", "labels": [[]]}], "labels\\[0\\] is a list, not a text"),
        (("groupings",), [{"by": "a", "labels": [{}]}], "labels\\[0\\].float is missing"),
        (("groupings",), [{"by": 1, "labels": []}], "by is 1, not a text"),
        (("digest",), None, "digest is None"),
        (("extra",), 7, "'extra' is an unknown field"),
    ],
)
def test_a_wrong_part_of_the_file_is_named(document, changed, place, value, message):
    with pytest.raises(CertificateFileError, match=message) as caught:
        Document.from_json(changed(document, place, value))
    assert len(str(caught.value)) < 200


def test_a_document_is_written_as_it_was_read(document):
    assert Document.from_json(document).to_json() == document


def test_a_zip_bomb_is_never_inflated():
    bomb = b64encode(zlib.compress(bytes(2**25), 9)).decode()
    tracemalloc.start()
    with pytest.raises(CertificateFileError, match="120 bytes that 5 voters need"):
        kinds.unpack_matrix(bomb, 5, "overlaps")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**21


@pytest.mark.parametrize("change", [lambda d: d[:-1], lambda d: d + b"x", lambda d: d + d])
def test_packed_counts_must_end_where_they_should(change):
    packed = zlib.compress(np.arange(15, dtype="<i8").tobytes())
    with pytest.raises(CertificateFileError):
        kinds.unpack_matrix(b64encode(change(packed)).decode(), 5, "overlaps")


@given(st.integers(1, 30), st.integers(0, 2**32))
def test_matrices_unpack_to_what_was_packed(n_voters, seed):
    matrix = np.random.default_rng(seed).integers(0, 10**10, (n_voters, n_voters))
    matrix = matrix + matrix.T
    packed = kinds.pack(matrix)
    assert np.array_equal(kinds.unpack_matrix(packed, n_voters, "overlaps"), matrix)
