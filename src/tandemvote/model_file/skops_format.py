"""The skops format: a zip archive of JSON and plain arrays, of which nothing is executed."""

from __future__ import annotations

import io
from copy import copy
from dataclasses import replace
from typing import Any
from zipfile import ZIP_STORED, ZipFile

import numpy as np
from sklearn.pipeline import Pipeline

from tandemvote.bounds import BoundValue
from tandemvote.certificate.certificate import Certificate
from tandemvote.certificate.file import certificate_of, record_of
from tandemvote.certification import Certification
from tandemvote.counting.counts import VoteCounts
from tandemvote.ensembles.private_names import Tree
from tandemvote.estimators import (
    CertifiedBaggingClassifier,
    CertifiedClassifierCV,
    CertifiedForestClassifier,
    CertifiedVotingClassifier,
)
from tandemvote.estimators.certified_vote import CertifiedVote
from tandemvote.extras import import_extra
from tandemvote.hard_vote import VoteProfile
from tandemvote.model_file.contents import (
    Model,
    ModelFileError,
    encoder_of,
    refuse_other_models,
    refuse_unsound_trees,
    vote_of,
)
from tandemvote.tables import TableEncoder

OWN_TYPES: tuple[type, ...] = (
    BoundValue,
    Certificate,
    CertifiedBaggingClassifier,
    CertifiedClassifierCV,
    CertifiedForestClassifier,
    CertifiedVotingClassifier,
    TableEncoder,
    VoteCounts,
    VoteProfile,
)

TRUSTED = [f"{kind.__module__}.{kind.__qualname__}" for kind in (*OWN_TYPES, Tree)]
"""What a file may hold besides what skops trusts by itself: numbers, containers, arrays and the
public estimators of scikit-learn. Its compiled trees are not among those, because skops does not
check where their branches lead; `refuse_unsound_trees` does, before they are used."""


def write_skops(model: Model) -> bytes:
    """Return the skops file of a vote, without the votes and labels it was certified by."""
    vote, encoder = copy(vote_of(model)), encoder_of(model)
    del vote.certification_
    kept = vote if encoder is None else Pipeline([("columns", encoder), ("vote", vote)])
    return bytes(import_extra("skops.io", "skops").dumps(kept))


def read_skops(data: bytes) -> Model:
    """Return the vote in a skops file, checked; damaged files raise errors of any kind."""
    skops = import_extra("skops.io", "skops")
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
    refuse_other_models(model)
    refuse_unsound_trees(model)
    refuse_false_promise(vote_of(model))
    return model


def refuse_false_promise(model: CertifiedVote) -> None:
    """Compute the certificate again from its counts; refuse another, or one of other weights."""
    certificate = certificate_of(record_of(model.certificate_))
    weights = certificate.weights
    if len(model.weights_) < len(weights):  # a pruned vote has no voters of weight 0
        weights = weights[weights > 0]
    if not np.array_equal(weights, model.weights_) or len(weights) != len(model.estimators_):
        raise ModelFileError("its certificate is about a vote with other weights")
    if certificate.deployed is not None and not hasattr(model._deployed(), "predict"):
        raise ModelFileError("its certificate is about a classifier that it does not hold")
    names = ("observed", "guessing")
    shown: dict[str, Any] = {name: getattr(model.certificate_, name, None) for name in names}
    if not all(share is None or 0.0 <= float(share) <= 1.0 for share in shown.values()):
        raise ModelFileError("its certificate shows an error that is no share of points")
    model._accept(
        Certification(
            request=model._request(),
            counts=certificate.counts,
            weights=certificate.weights,
            profile=certificate.profile,
            notes=certificate.notes,
        )
    )
    model.certificate_, model.bounds_ = replace(certificate, **shown), certificate.bounds
    model.weights_ = weights
