"""The skops format: a zip archive of JSON and plain arrays, of which nothing is executed."""

from __future__ import annotations

import io
from copy import copy
from typing import Any
from zipfile import ZIP_STORED, ZipFile

from sklearn.tree._tree import Tree

from tandemvote.bounds import BoundValue
from tandemvote.certificate.certificate import Certificate
from tandemvote.counting.counts import VoteCounts
from tandemvote.estimators import (
    CertifiedBaggingClassifier,
    CertifiedForestClassifier,
    CertifiedVotingClassifier,
)
from tandemvote.estimators.certified_vote import CertifiedVote
from tandemvote.extras import import_extra
from tandemvote.model_file.soundness import (
    ModelFileError,
    refuse_false_promise,
    refuse_unsound_trees,
)
from tandemvote.profile import VoteProfile

OWN_TYPES: tuple[type, ...] = (
    BoundValue,
    Certificate,
    CertifiedBaggingClassifier,
    CertifiedForestClassifier,
    CertifiedVotingClassifier,
    VoteCounts,
    VoteProfile,
)

TRUSTED = [f"{kind.__module__}.{kind.__qualname__}" for kind in (*OWN_TYPES, Tree)]
"""What a file may hold besides what skops trusts by itself: numbers, containers, arrays and the
public estimators of scikit-learn. The compiled trees of scikit-learn are not among those, because
nobody checks where their branches lead; `refuse_unsound_trees` does, before they are used."""


def write_skops(model: CertifiedVote) -> bytes:
    """Return the skops file of a vote, without the votes and labels it was certified by."""
    kept = copy(model)
    del kept.certification_
    data: bytes = _skops().dumps(kept)
    return data


def read_skops(data: bytes) -> CertifiedVote:
    """Return the vote in a skops file, looked through.

    Raises
    ------
    ModelFileError
        If it holds what no such file should. Damaged files raise other errors as well.
    """
    skops = _skops()
    with ZipFile(io.BytesIO(data)) as archive:
        parts = archive.infolist()
    # Parts that are stored as they are take no more memory than the file itself.
    if any(part.compress_type != ZIP_STORED for part in parts) or (
        sum(part.file_size for part in parts) > len(data)
    ):
        raise ModelFileError("its parts are compressed, so a small file could fill the memory")
    unknown = sorted(set(skops.get_untrusted_types(data=data)) - set(TRUSTED))
    if unknown:
        raise ModelFileError(f"it holds the type {unknown[0]}, which is not trusted")
    model = skops.loads(data, trusted=TRUSTED)
    if not isinstance(model, CertifiedVote):
        raise ModelFileError(f"it holds a {type(model).__name__}, not a certified vote")
    refuse_unsound_trees(model)
    refuse_false_promise(model)
    return model


def _skops() -> Any:
    return import_extra("skops.io", "skops")
