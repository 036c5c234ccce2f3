"""What a model file holds: a certified vote, alone or after the encoder of its columns."""

from __future__ import annotations

from typing import Any, TypeAlias

from sklearn.pipeline import Pipeline

from tandemvote.estimators.certified_vote import CertifiedVote
from tandemvote.tables import TableEncoder

Model: TypeAlias = "CertifiedVote | Pipeline"
"""A certified vote, or a pipeline of a `TableEncoder` and one."""


class ModelFileError(ValueError):
    """A file cannot be opened as a certified vote, or a vote cannot be kept in such a file."""


def vote_of(model: Model) -> CertifiedVote:
    """Return the vote itself, without the encoder of its columns."""
    vote: CertifiedVote = model[-1] if isinstance(model, Pipeline) else model
    return vote


def encoder_of(model: Model) -> TableEncoder | None:
    """Return what turns columns into numbers, if the model has it."""
    return model[0] if isinstance(model, Pipeline) else None


def refuse_other_models(model: Any) -> None:
    """Refuse what is neither a certified vote nor an encoder followed by one."""
    parts = [part for _, part in model.steps] if isinstance(model, Pipeline) else [model]
    if not isinstance(parts[-1], CertifiedVote):
        raise ModelFileError(f"it holds a {type(parts[-1]).__name__}, not a certified vote")
    if len(parts) > 2 or not all(isinstance(part, TableEncoder) for part in parts[:-1]):
        raise ModelFileError(f"it holds a {type(parts[0]).__name__} before the vote")
