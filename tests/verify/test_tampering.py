"""Every change of a certificate file is found, or has changed nothing that matters."""

import json

import numpy as np
import pytest

from tandemvote.certificate import file_fields
from tandemvote.certificate.file import certificate_of, document_of
from tandemvote.certificate.file_record import CertificateRecord, digest_of
from tandemvote.certificate.file_text import parse_document
from tandemvote.verify import CertificateFileError, verify_file

FOUND, HARMLESS = "found", "harmless"


@pytest.fixture
def originals(make_certificate):
    sizes = [{}, {"n_classes": 3}, {"n_voters": 2, "n_samples": 60}, {"n_unlabelled": 30}]
    return [document_of(make_certificate(seed, **sizes[seed % 4])) for seed in range(8)]


def test_changed_bytes_are_found(originals):
    outcomes = [bytes_outcome(originals, seed) for seed in range(300)]
    assert outcomes.count(FOUND) > 270


def test_forged_fields_are_found_or_harmless(originals):
    outcomes = [forgery_outcome(originals, seed) for seed in range(100)]
    assert outcomes.count(FOUND) > 50


@pytest.mark.slow
def test_ten_thousand_tamperings_are_found_or_harmless(originals):
    for seed in range(1000, 6000):
        bytes_outcome(originals, seed)
        forgery_outcome(originals, seed)


def bytes_outcome(originals, seed):
    """Flip, insert or delete a few bytes. A verdict of valid needs the same document as before."""
    rng = np.random.default_rng(seed)
    original = originals[rng.integers(len(originals))]
    data = bytearray(json.dumps(original, indent=1).encode())
    for _ in range(rng.integers(1, 4)):
        place = int(rng.integers(len(data)))
        match rng.integers(4):
            case 0:
                data[place] ^= 1 << int(rng.integers(8))
            case 1:
                data.insert(place, int(rng.integers(256)))
            case 2:
                del data[place : place + int(rng.integers(1, 9))]
            case _:
                data[place] = rng.choice(list(b'0123456789abcdef"[]{},:. '))
    try:
        document = parse_document(bytes(data))
        verdict = verify_file(CertificateRecord.from_document(document))
    except CertificateFileError:
        return FOUND
    if not verdict.valid:
        return FOUND
    assert document == original
    return HARMLESS


def forgery_outcome(originals, seed):
    """Forge a field and recompute the digest, as anyone can.

    A verdict of valid is right only if the library itself, whose formulas the verifier shares
    nothing with, computes the stated numbers from the forged counts.
    """
    rng = np.random.default_rng(seed)
    forged = json.loads(json.dumps(originals[rng.integers(len(originals))]))
    FORGERIES[rng.integers(len(FORGERIES))](forged, rng)
    forged["digest"] = digest_of(forged)
    try:
        record = CertificateRecord.from_document(forged)
        verdict = verify_file(record, rigorous=seed % 5 == 0)
    except CertificateFileError:
        return FOUND
    if not verdict.valid:
        return FOUND
    certificate = certificate_of(record)  # raises unless every number is within 1e-9
    assert float(record.printed) >= certificate.value
    return HARMLESS


def forge_value(document, rng):
    """Make a bound, or all that depends on it, a little or much better."""
    stated = document["bounds"][rng.integers(len(document["bounds"]))]
    value = float.fromhex(stated["value"]) * (1 - 10.0 ** -rng.integers(1, 9))
    stated["value"] = value.hex()
    if rng.random() < 0.5:
        stated["printed"] = f"{np.ceil(value * 1000) / 1000:.3f}"
        document["guarantee"] = {
            "bound": stated["name"],
            "value": stated["value"],
            "printed": stated["printed"],
        }


def forge_number(document, rng):
    """Change one hexadecimal digit somewhere."""
    lists = [document["weights"], document["prior"]]
    holder = lists[rng.integers(2)]
    places = [(holder, int(rng.integers(len(holder))))]
    places += [(document["confidence"], name) for name in ("delta", "share")]
    places += [(bound, name) for bound in document["bounds"] for name in ("value", "delta")]
    part, name = places[rng.integers(len(places))]
    text = part[name]
    digits = [i for i, c in enumerate(text) if c in "0123456789abcdef" and i > 2]
    place = int(rng.choice(digits))
    part[name] = text[:place] + rng.choice(list("0123456789abcdef")) + text[place + 1 :]


def forge_counts(document, rng):
    """Change one count, by one or by much, or copy one matrix over another."""
    counts = document["counts"]
    names = [name for name in counts if name not in ("n_voters", "encoding")]
    name = rng.choice(names)
    copied = rng.choice(names) if rng.random() < 0.1 else name
    n_pairs = counts["n_voters"] * (counts["n_voters"] + 1) // 2
    triangle = file_fields.unpack(counts[copied], n_pairs, name, "voters", "i8")
    triangle[rng.integers(triangle.size)] += rng.choice([1, -1, 10, -10, 10**9, 2**62])
    counts[name] = file_fields.pack(triangle)


def forge_confidence(document, rng):
    """Take a candidate out, add one, or claim another delta throughout."""
    confidence, candidates = document["confidence"], document["confidence"]["candidates"]
    choice = rng.integers(3)
    if choice == 0 and len(candidates) > 1:
        candidates.pop(int(rng.integers(len(candidates))))
    elif choice == 1:
        candidates.append("first_order")
    delta = float.fromhex(confidence["delta"]) * (1 if rng.random() < 0.5 else 0.5)
    confidence["delta"], confidence["share"] = delta.hex(), (delta / len(candidates)).hex()
    for bound in document["bounds"]:
        due = "share" if bound["name"] in candidates else "delta"
        bound["delta"] = confidence[due]


def forge_structure(document, rng):
    """Drop, swap or replace whole parts."""
    match rng.integers(6):
        case 0:
            document["bounds"].pop(int(rng.integers(len(document["bounds"]))))
        case 1:
            rng.shuffle(document["weights"])
        case 2:
            document["weights"] = document["prior"]
        case 3:
            document["classes"]["labels"] = document["classes"]["labels"][:1]
        case 4:
            document["test"] = {"n_errors": int(rng.integers(30)), "n_samples": 200}
        case _:
            document[rng.choice(list(document))] = [None, 0, "", [], {}][rng.integers(5)]


def forge_evidence(document, rng):
    """Count sets another way, or change what the vote said of unlabelled points."""
    profile = document["profile"]
    if profile is None or rng.random() < 0.2:
        other = {"harmonic": "paper", "paper": "harmonic"}
        document["sharpening"] = other[document["sharpening"]]
        return
    n_points = profile["n_points"]
    values = {name: file_fields.unpack(profile[name], n_points, name, "points") for name in SHARES}
    match rng.integers(4):
        case 0:
            values[rng.choice(SHARES)][rng.integers(n_points)] *= 1 + 10.0 ** -rng.integers(1, 9)
        case 1:
            order = rng.permutation(n_points)
            values = {name: value[order] for name, value in values.items()}
        case 2:
            values = {name: np.sort(value) for name, value in values.items()}
        case _:
            profile["n_points"] -= 1
            values = {name: value[1:] for name, value in values.items()}
    profile.update({name: file_fields.pack(value) for name, value in values.items()})


SHARES = ("leads", "gaps")
FORGERIES = [
    forge_value,
    forge_number,
    forge_counts,
    forge_confidence,
    forge_structure,
    forge_evidence,
]
