"""Every change of a certificate file is found, or has changed nothing that matters."""

import json
from dataclasses import replace

import numpy as np
import pytest

from tandemvote.bounds import Estimates, get_bound
from tandemvote.certificate.evidence_fields import evidence_of
from tandemvote.record.document import PROFILE, Document, digest_of
from tandemvote.record.encodings import pack, unpack
from tandemvote.record.json_text import parse_document
from tandemvote.verify import CertificateFileError, verify_file
from tandemvote.votes.decimals import rounded_up
from tandemvote.votes.profile import Shares

pytestmark = pytest.mark.filterwarnings("ignore::tandemvote.bounds.VacuousBoundWarning")

FOUND, HARMLESS = "found", "harmless"


@pytest.fixture(scope="module")
def originals(make_certificate):
    sizes = [{}, {"n_classes": 3}, {"n_voters": 2, "n_samples": 60}, {"n_unlabeled": 30}]
    certificates = [make_certificate(seed, **sizes[seed % 4]) for seed in range(8)]
    # Where every sample is labeled, three of them have groups.
    for place in (0, 1, 2):
        groups = certificates[place].by_group("class")
        certificates[place] = replace(certificates[place], groups=groups)
    return [each.document.to_json() for each in certificates]


def test_changed_bytes_are_found(originals):
    outcomes = [bytes_outcome(originals, seed) for seed in range(50)]
    assert outcomes.count(FOUND) > 42


def test_forged_fields_are_found_or_harmless(originals):
    outcomes = [forgery_outcome(originals, seed) for seed in range(20)]
    assert outcomes.count(FOUND) > 8


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
        verdict = verify_file(Document.from_json(document))
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
    record = forged["certificates"][rng.integers(len(forged["certificates"]))]
    if seed % 10 == 0:
        forge_groups(forged, rng)
    else:
        FORGERIES[rng.integers(len(FORGERIES))](record, rng)
    forged["digest"] = digest_of(forged)
    try:
        document = Document.from_json(forged)
        verdict = verify_file(document, rigorous=seed % 5 == 0)
    except CertificateFileError:
        return FOUND
    if not verdict.valid:
        return FOUND
    for record in document.certificates:
        estimates = Estimates(
            evidence_of(record), record.weights, record.prior, published=record.published
        )
        share = record.delta / len(record.candidates)
        for name, value in record.candidates.items():
            true = get_bound(name).function(estimates, share)
            assert true == pytest.approx(value, abs=1e-8)
        assert float(record.stated["printed"]) >= value
    return HARMLESS


def forge_value(record, rng):
    """Make a bound, or all that depends on it, a little or much better."""
    bound = str(rng.choice(list(record["candidates"])))
    value = float.fromhex(record["candidates"][bound]) * (1 - 10.0 ** -rng.integers(1, 9))
    record["candidates"][bound] = value.hex()
    if rng.random() < 0.5:
        record.update(bound=bound, value=value.hex(), printed=rounded_up(value))


def forge_number(record, rng):
    """Change one hexadecimal digit somewhere."""
    holder = record[rng.choice(["weights", "prior"])]
    places = [(holder, int(rng.integers(len(holder))))]
    places += [(record, "delta"), (record, "value")]
    places += [(record["candidates"], bound) for bound in record["candidates"]]
    part, name = places[rng.integers(len(places))]
    text = part[name]
    digits = [i for i, c in enumerate(text) if c in "0123456789abcdef" and i > 2]
    place = int(rng.choice(digits))
    part[name] = text[:place] + rng.choice(list("0123456789abcdef")) + text[place + 1 :]


def forge_counts(record, rng):
    """Change one count, by one or by much, or copy one matrix over another."""
    counts = record["counts"]
    names = [name for name in counts if name not in ("n_voters", "encoding")]
    name = rng.choice(names)
    copied = rng.choice(names) if rng.random() < 0.1 else name
    n_pairs = counts["n_voters"] * (counts["n_voters"] + 1) // 2
    triangle = unpack(counts[copied], n_pairs, name, "voters", "i8")
    triangle[rng.integers(triangle.size)] += rng.choice([1, -1, 10, -10, 10**9, 2**62])
    counts[name] = pack(triangle)


def forge_confidence(record, rng):
    """Take a candidate out, add one, or claim another delta."""
    candidates = record["candidates"]
    choice = rng.integers(3)
    if choice == 0 and len(candidates) > 1:
        candidates.pop(str(rng.choice(list(candidates))))
    elif choice == 1:
        candidates["first_order"] = next(iter(candidates.values()))
    delta = float.fromhex(record["delta"]) * (1 if rng.random() < 0.5 else 0.5)
    record["delta"] = delta.hex()


def forge_structure(record, rng):
    """Drop, swap or replace whole parts."""
    match rng.integers(7):
        case 0:
            record["candidates"].pop(str(rng.choice(list(record["candidates"]))))
        case 1:
            rng.shuffle(record["weights"])
        case 2:
            record["weights"] = record["prior"]
        case 3:
            record["classes"] = record["classes"][:1]
        case 4:
            name = rng.choice(["test", "observed"])
            record[name] = {"n_errors": int(rng.integers(30)), "n_samples": 200}
        case 5:
            record["class_counts"] = record["class_counts"][::-1]
        case _:
            record[rng.choice(list(record))] = [None, 0, "", [], {}][rng.integers(5)]


def forge_evidence(record, rng):
    """Claim the other form, or change what the voters predicted on unlabeled samples."""
    profile = record["profile"]
    if profile is None or rng.random() < 0.2:
        record["published"] = not record["published"]
        return
    n_samples = profile["n_samples"]
    values = vars(PROFILE.read(profile, "profile"))
    match rng.integers(4):
        case 0:
            name = rng.choice(["leads", "gaps"])
            values[name][rng.integers(n_samples)] *= 1 + 10.0 ** -rng.integers(1, 9)
        case 1:
            order = rng.permutation(n_samples)
            values = {name: value[order] for name, value in values.items()}
        case 2:
            values = {name: np.sort(value) for name, value in values.items()}
        case _:
            values = {name: value[1:] for name, value in values.items()}
    record["profile"] = PROFILE.write(Shares(**values))


def forge_groups(document, rng):
    """Drop a group, list fewer labels or groupings, or take one record for another."""
    certificates, groupings = document["certificates"], document["groupings"]
    match rng.integers(4):
        case 0:
            certificates.pop(int(rng.integers(len(certificates))))
        case 1 if groupings:
            groupings[0]["labels"].pop()
        case 2:
            document["groupings"] = groupings * int(rng.choice([0, 2]))
        case _:
            first, second = rng.integers(len(certificates), size=2)
            certificates[first]["counts"] = certificates[second]["counts"]


FORGERIES = [
    forge_value,
    forge_number,
    forge_counts,
    forge_confidence,
    forge_structure,
    forge_evidence,
]
