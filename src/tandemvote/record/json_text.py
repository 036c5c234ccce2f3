"""JSON from unknown sources: read within limits, rejected in one line."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NoReturn

from tandemvote.votes.printable import printable

MAX_BYTES = 2**28
"""Largest file that is read: 256 MB."""

MAX_PUNCTUATION = {b"[": 2**16, b"{": 2**16, b",": 2**20, b'"': 2**20}
"""Largest number of each: a list of empty lists takes thirty times the memory of its text."""

MAX_UNICODE_BYTES = 2**24
"""Largest file with characters beyond ASCII: 16 MB. Each of them makes all characters take four
times the memory, and what is large in an honest certificate is packed numbers, in ASCII."""


class CertificateFileError(ValueError):
    """The file is not a certificate of a known schema."""


def read_document(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a JSON object of at most `MAX_BYTES`, without fractions and without a key twice."""
    name = printable(str(path))
    try:
        with Path(path).open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # no file can have a path with a null character
        reason = getattr(error, "strerror", None) or error
        raise CertificateFileError(f"{name} cannot be read: {reason}.") from error
    try:
        return parse_document(data)
    except CertificateFileError as error:
        raise CertificateFileError(f"{name} is not a certificate. {error}") from error


def parse_document(data: bytes) -> dict[str, Any]:
    """Parse the bytes of a file.

    Examples
    --------
    >>> parse_document(b'{"n": 1}')
    {'n': 1}
    >>> parse_document(b'{"n": 1, "n": 2}')
    Traceback (most recent call last):
        ...
    tandemvote.record.json_text.CertificateFileError: The key 'n' occurs twice.
    """
    if data.startswith(b"PK\3\4"):
        raise CertificateFileError("The file is a ZIP archive, as a model file is; pass the JSON.")
    reason = "" if data.isascii() else " with characters beyond ASCII"
    limit = MAX_UNICODE_BYTES if reason else MAX_BYTES
    if len(data) > limit:
        raise CertificateFileError(f"The file is larger than {limit} bytes, the limit{reason}.")
    for mark, limit in MAX_PUNCTUATION.items():
        if data.count(mark) > limit:
            raise CertificateFileError(f"The file has more than {limit} times {mark.decode()!r}.")
    try:
        document = json.loads(
            data.decode("utf-8-sig"),
            object_pairs_hook=_object,
            parse_float=_reject_number,
            parse_constant=_reject_number,
        )
        # A lone surrogate is valid JSON, but it is not valid text and cannot be printed.
        canonical(document).encode("utf-8")
    except UnicodeError as error:
        raise CertificateFileError("The file is not text in UTF-8.") from error
    except RecursionError as error:
        raise CertificateFileError("The file is nested too deeply for a certificate.") from error
    except CertificateFileError:
        raise
    except ValueError as error:  # of json, and of integers with thousands of digits
        raise CertificateFileError(f"The file is not JSON: {error}.") from error
    if not isinstance(document, dict):
        raise CertificateFileError("The file does not hold a JSON object.")
    return document


def canonical(document: object) -> str:
    """Return the one text of a document that its digest is taken of."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    parsed: dict[str, Any] = {}
    for key, value in pairs:
        if key in parsed:
            raise CertificateFileError(f"The key {shortened(key)} occurs twice.")
        parsed[key] = value
    return parsed


def _reject_number(text: str) -> NoReturn:
    raise CertificateFileError(f"{shortened(text)} is not an integer or a text in hexadecimal.")


def shortened(value: object) -> str:
    """Show a value from a file on one line of bounded length, control characters escaped."""
    if value is None or isinstance(value, str | int):
        text = ascii(value[:60] if isinstance(value, str) else value)
    else:  # only the kind of a container: its text may be as large as the file
        text = f"a {type(value).__name__}"
    return text if len(text) <= 43 else f"{text[:40]}..."
