"""Files as their publishers write them, and a server to fetch them from."""

from __future__ import annotations

import bz2
import gzip
import tempfile
import threading
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import numpy as np
import pytest

from reproduction.datasets import CATALOG, RawFile, loading
from reproduction.datasets.checks import content_digest


def libsvm_text(X, y, *, after_colon=""):
    lines = []
    for row, label in zip(X, y, strict=True):
        entries = [f"{i + 1}:{after_colon}{row[i]:.9g}" for i in np.flatnonzero(row)]
        lines.append(" ".join([f"{label:+d}", *entries]))
    return ("\n".join(lines) + "\n").encode()


def idx_bytes(values):
    header = bytes([0, 0, 8, values.ndim]) + np.array(values.shape, dtype=">i4").tobytes()
    return header + values.astype(np.uint8).tobytes()


def csv_text(columns):
    return ("\n".join(",".join(map(str, row)) for row in columns) + "\n").encode()


def blank_separated(X, y):
    rows = (" ".join([*(f"{v:.9g}" for v in row), str(k)]) for row, k in zip(X, y, strict=True))
    return ("\n".join(rows) + "\n").encode()


def compress_unix(data, *, widest=16, clear_when_full=True):
    """LZW as the compress command writes it; the reader of the recipes must undo it."""
    bits, n_bits, run_start = 0, 0, 0
    width, table = 9, {bytes([value]): value for value in range(256)}
    next_code = 257

    def emit(code):
        nonlocal bits, n_bits
        bits |= code << n_bits
        n_bits += width

    def pad():
        nonlocal n_bits, run_start
        group = 8 * width
        run_start = n_bits = run_start + -(-(n_bits - run_start) // group) * group

    chunks, word = [], b""
    for value in data:
        longer = word + bytes([value])
        if longer in table:
            word = longer
            continue
        emit(table[word])
        word = bytes([value])
        if next_code < 1 << widest:
            table[longer] = next_code
            next_code += 1
            # The reader learns each string one code later, so it widens one code later too.
            if next_code == (1 << width) + 1 and width < widest:
                pad()
                width += 1
        elif clear_when_full:
            emit(256)
            pad()
            width, table, next_code = 9, {bytes([v]): v for v in range(256)}, 257
        if n_bits - run_start == 0 and n_bits > 2**16:  # keep the big integer small
            chunks.append(bits.to_bytes(n_bits // 8, "little"))
            bits, n_bits, run_start = 0, 0, 0
    if word:
        emit(table[word])
    chunks.append(bits.to_bytes(-(-n_bits // 8), "little"))
    return bytes([0x1F, 0x9D, 0x80 | widest]) + b"".join(chunks)


def _two_idx_parts(X, y):
    side = 28
    pixels = np.zeros((len(X), side * side), dtype=np.uint8)
    pixels[:, : X.shape[1]] = X
    cut = len(X) // 2
    parts = []
    for rows in (slice(0, cut), slice(cut, None)):
        images = pixels[rows].reshape(-1, side, side)
        parts += [idx_bytes(images), idx_bytes(y[rows])]
    return [gzip.compress(part, compresslevel=1) for part in parts]


def _halves(write):
    def files(X, y):
        cut = 2 * len(X) // 3
        return [write(X[:cut], y[:cut]), write(X[cut:], y[cut:])]

    return files


def _with_superset(X, y):
    cut, shuffled = len(X) // 20, np.random.default_rng(0).permutation(len(X))
    return [libsvm_text(X[:cut], y[:cut]), libsvm_text(X[shuffled], y[shuffled])]


def _mushroom(X, y):
    letters = np.array(list("zyxwvutsrq?ab"))  # not in alphabetical order, "?" among them
    return [csv_text(np.column_stack([np.array(["e", "p"])[y], letters[X]]))]


def _connect_four(X, y):
    states = np.array(["b", "o", "x"])[X.reshape(len(X), -1, 3).argmax(axis=2)]
    text = csv_text(np.column_stack([states, np.array(["draw", "loss", "win"])[y]]))
    return [compress_unix(text)]


def _shuttle(X, y):
    train, test = _halves(blank_separated)(X, y)
    return [compress_unix(train), test]


def _bz2_halves(write):
    return lambda X, y: [bz2.compress(part) for part in _halves(write)(X, y)]


WRITERS = {
    "Adult": _with_superset,
    "Cod-RNA": lambda X, y: [libsvm_text(X, y)],
    "Connect-4": _connect_four,
    "Fashion-MNIST": _two_idx_parts,
    "Letter": lambda X, y: [
        csv_text(np.column_stack([[chr(65 + label) for label in y], X.astype(str)]))
    ],
    "MNIST": _two_idx_parts,
    "Mushroom": _mushroom,
    "Pendigits": _halves(libsvm_text),
    "Phishing": lambda X, y: [libsvm_text(X * 0.18257, y)],
    "Protein": _bz2_halves(lambda X, y: libsvm_text(X, y, after_colon=" ")),
    "SVMGuide1": lambda X, y: [libsvm_text(X, y)],
    "SatImage": _halves(blank_separated),
    "Sensorless": lambda X, y: [blank_separated(X, y)],
    "Shuttle": _shuttle,
    "Splice": _halves(libsvm_text),
    "USPS": _bz2_halves(lambda X, y: libsvm_text(X, y + 1)),
    "w1a": _with_superset,
}


@pytest.fixture
def published():
    """Give the published files of a data set with these values: ``published(name, X, y)``."""

    def files(name, X, y):
        entry = CATALOG[name]
        contents = WRITERS[name](X, np.asarray(y, dtype=np.int64))
        return {file.name: data for file, data in zip(entry.files, contents, strict=True)}

    return files


@dataclass
class Site:
    """What the loopback server serves, and how it misbehaves."""

    base_url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    failures_left: dict[str, int] = field(default_factory=dict)
    cut_short: set[str] = field(default_factory=set)
    requests: list[str] = field(default_factory=list)

    def entry_here(self, entry, X, y):
        """Point an entry at this server and tell it to expect these values."""
        _, counts = np.unique(y, return_counts=True)
        seen = entry.digest is not None
        return replace(
            entry,
            files=tuple(RawFile((f"{self.base_url}/{file.name}",)) for file in entry.files),
            n_samples=len(X),
            n_classes=len(counts),
            c_min=round(counts.min() / len(X), 4),
            c_max=round(counts.max() / len(X), 4),
            digest=content_digest(X, y, ordered=entry.ordered) if seen else None,
            class_counts=None if entry.class_counts is None else tuple(counts.tolist()),
        )


@pytest.fixture
def site():
    served = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            name = self.path.lstrip("/")
            served.requests.append(name)
            if served.failures_left.get(name, 0):
                served.failures_left[name] -= 1
                self.send_error(503)
            elif name not in served.files:
                self.send_error(404)
            else:
                content = served.files[name]
                self.send_response(200)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content[: len(content) // 2 if name in served.cut_short else None])

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    served.base_url = f"http://127.0.0.1:{server.server_port}"
    yield served
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """A cache and a scratch folder of the test's own, and no waiting between attempts."""
    pooch_core = pytest.importorskip("pooch.core")
    cache, scratch = tmp_path / "cache", tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(loading, "cache_folder", lambda: cache)
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    monkeypatch.setattr(pooch_core, "time", SimpleNamespace(sleep=lambda seconds: None))
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.delenv(loading.DATA_VARIABLE, raising=False)
    return SimpleNamespace(cache=cache, scratch=scratch)
