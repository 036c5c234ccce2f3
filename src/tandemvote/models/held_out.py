"""Votes of fitted models on held-out samples, which are checked first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d

from tandemvote.auditing import Finding, check_findings
from tandemvote.auditing.audit import audit
from tandemvote.auditing.rows import row_digests
from tandemvote.certificate.pipeline import Source
from tandemvote.models.groups_and_times import group_codes
from tandemvote.models.model_checks import check_has_predict, check_one_label, predict_labels
from tandemvote.models.private_names import pick
from tandemvote.models.splitting import one_row_per_group
from tandemvote.models.training_rows import can_recognize, check_not_trained_on
from tandemvote.models.trees import frozen_copy
from tandemvote.record.assumptions import UNCHECKED
from tandemvote.votes.codes import Codes, encode, plain_integers
from tandemvote.votes.counts import VoteCounts
from tandemvote.votes.dependent_sets import check_empty_rows
from tandemvote.votes.evidence import Evidence
from tandemvote.votes.index_order import index_of
from tandemvote.votes.printable import printable
from tandemvote.votes.votes import Votes, check_predicts_labels


class Samples(NamedTuple):
    """Held-out samples as they are given to `certify`, `certify_selective` and `compare`."""

    X: Any
    y: Any
    groups: Any = None
    X_unlabeled: Any = None
    allow: Sequence[str] = ()

    def checked(self, models: Sequence[Any]) -> tuple[Any, NDArray[Any], Any, tuple[Finding, ...]]:
        """Return samples, labels, their rows if there are groups, and what the audit found.

        With groups there is one random row of each. Samples that cannot test the models raise
        ValueError.
        """
        X, y, groups, X_unlabeled, allow = self
        if X is None or y is None:
            raise ValueError("X and y are required: samples that no model was trained on.")
        if groups is not None and X_unlabeled is not None:
            raise ValueError(
                "groups cannot be combined with X_unlabeled: one row of each group is drawn from"
                " the labeled samples, so the two are not drawn from the same distribution. Pass"
                " one of them."
            )
        for model in models:
            check_has_predict(model)
        findings = check_findings(audit(X, y, groups=groups, X_unlabeled=X_unlabeled), allow)
        labels = column_or_1d(plain_integers(y))
        for model in models:
            check_not_trained_on(model, X, labels, what="held-out")
            if X_unlabeled is not None:
                check_not_trained_on(model, X_unlabeled, what="unlabeled")
        if groups is None:
            return X, labels, None, findings
        rows = one_row_per_group(group_codes(groups, y), [row_digests(X), labels, groups])
        return pick(X, rows), labels[rows], rows, findings


def votes_of(models: Any, samples: Samples) -> tuple[Source, tuple[Finding, ...]]:
    """Return the votes of models on held-out samples, or votes and what was counted as they are."""
    if hasattr(models, "predict"):
        models = [models]
    if isinstance(models, Sequence) and not (models and isinstance(models[0], Votes)):
        return held_out_votes(models, samples)
    known = isinstance(models, Votes | VoteCounts | Evidence | Iterable)
    if isinstance(models, Mapping) or not known:
        check_has_predict(models)
    *data, allow = samples
    if allow or any(given is not None for given in data):
        raise ValueError(
            "X, y, groups, X_unlabeled and allow cannot be combined with votes, which hold"
            " predictions and labels. Pass fitted models in a list, or the predictions in"
            " Votes.from_predictions."
        )
    if isinstance(models, Votes):
        check_empty_rows(models)
    return models, ()


def unchecked(models: Any, samples: Samples) -> tuple[str, ...]:
    """Return the assumption about models that do not show whether the samples trained them."""
    if samples.X is None:
        return ()
    several = [models] if hasattr(models, "predict") else models
    seen = all(can_recognize(each, samples.X, samples.y) for each in several)
    return () if seen else (UNCHECKED,)


def held_out_votes(models: Sequence[Any], samples: Samples) -> tuple[Votes, tuple[Finding, ...]]:
    """Let models vote on held-out samples; return the votes and what was found in the samples."""
    if not models:
        raise ValueError("There are no classifiers in the sequence. Pass at least one, fitted.")
    X, labels, rows, findings = samples.checked(models)
    voters = partial(predict_each, [frozen_copy(model) for model in models])
    codes, classes = voters(X)
    # The votes get all classes of the models, also those that are never predicted here: as if all
    # models predicted each of them for one more unlabeled sample, which is removed again.
    unlabeled = np.tile(classes, (len(models), 1))
    if samples.X_unlabeled is not None:
        more_codes, more_classes = voters(samples.X_unlabeled)
        unlabeled = np.hstack([more_classes[more_codes], unlabeled])
    votes = Votes.from_predictions(classes[codes], labels, unlabeled=unlabeled)
    check_predicts_labels(votes)
    votes = replace(
        votes,
        unlabeled=votes.unlabeled[:, : -classes.size],
        voters=voters,
        one_row_per_group=rows is not None,
        rows=rows,
        n_given=np.shape(samples.X)[0],
        index=index_of(samples.X),
    )
    return votes, findings


def with_deployed(votes: Source, deployed: Any, X_unlabeled: Any) -> Votes:
    """Return the votes with the predictions of a deployed classifier on the unlabeled samples."""
    is_model = hasattr(deployed, "predict")
    if not isinstance(votes, Votes) or (is_model and X_unlabeled is None):
        raise ValueError(
            "deployed requires votes in memory, not counts, and X_unlabeled: samples that neither"
            " it nor a voter has seen. With Votes, pass its predictions on their unlabeled samples."
        )
    if not is_model:
        return votes.with_deployed(deployed)
    check_one_label(deployed)
    check_not_trained_on(deployed, X_unlabeled, what="unlabeled")
    predict = partial(predict_labels, frozen_copy(deployed))
    name = printable(type(deployed).__name__)
    return votes.with_deployed(predict(X_unlabeled), name=name, predict=predict)


def predict_each(models: Sequence[Any], X: Any) -> tuple[Codes, NDArray[Any]]:
    """Return the predictions of classifiers as positions in their classes, and these classes."""
    labels = [predict_labels(model, X) for model in models]
    # A class that a model does not predict here may be predicted elsewhere.
    of_models = [np.asarray(model.classes_) for model in models if hasattr(model, "classes_")]
    classes = np.unique(np.concatenate([*labels, *of_models]))
    return encode(np.array(labels), classes), classes
