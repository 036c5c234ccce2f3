"""Feed bytes to the reader and the verifier of certificate files; see README.md."""

import json
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["tandemvote.certificate", "tandemvote.verify", "json"]):
    from tandemvote.record.document import Document, digest_of
    from tandemvote.record.json_text import parse_document
    from tandemvote.verify import CertificateFileError, verify_file


def one_input(data: bytes) -> None:
    """Read and verify; only the promised error may come out."""
    try:
        document = parse_document(data)
        # Random bytes never hit upon a digest; recompute it, as an attacker would.
        document["digest"] = digest_of(document)
        verify_file(Document.from_json(document))
    except CertificateFileError as error:
        assert "\n" not in str(error) and len(str(error)) < 300, str(error)


def write_seeds(folder: Path) -> None:
    """Write honest files for the fuzzer to start from."""
    import numpy as np  # noqa: PLC0415

    from tandemvote.certificate import certify_votes  # noqa: PLC0415
    from tandemvote.votes.votes import Votes  # noqa: PLC0415

    rng = np.random.default_rng(0)
    for seed, n_classes in enumerate((2, 3)):
        labels = rng.integers(n_classes, size=30)
        votes = Votes.from_predictions(rng.integers(n_classes, size=(2, 30)), labels)
        certificate = certify_votes(votes, bound="best")
        (folder / f"seed{seed}.json").write_text(json.dumps(certificate.to_dict()))
        site = rng.choice(["north", "south", None], size=30)
        certificate.by_group({"class": "class", "site": site}).save(folder / f"groups{seed}.json")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--seeds"]:
        write_seeds(Path(sys.argv[2]))
        sys.exit()
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
