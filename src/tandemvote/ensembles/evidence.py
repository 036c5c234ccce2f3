"""One meaning for model, X and y everywhere: votes on points that the voters never saw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.pipeline import Pipeline
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_is_fitted

from tandemvote.ensembles.audit import audit_bootstraps, unaudited_assumptions
from tandemvote.ensembles.composed import last_step, steps_before, through
from tandemvote.ensembles.private_names import pick
from tandemvote.ensembles.refusals import (
    assumptions_about_steps,
    refuse_without_independent_bootstraps,
    refuse_without_voters,
)
from tandemvote.ensembles.rows import note_repeated_rows, row_digests
from tandemvote.ensembles.splitting import group_codes, one_row_per_group
from tandemvote.ensembles.training_rows import refuse_points_trained_on
from tandemvote.ensembles.voters import (
    BAGGED,
    is_certified,
    left_out_votes,
    member_input,
    members_of,
    voters_in,
)
from tandemvote.frames import (
    note_times,
    refuse_labels_among_features,
    refuse_other_order,
    refuse_several_rows_per_case,
)
from tandemvote.spelling import FEWEST_POINTS, refuse_other_words
from tandemvote.votes import Votes


class Evidence(NamedTuple):
    """Votes on points that the voters never saw, and what is to be said about them."""

    votes: Votes
    notes: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()


def evidence(
    model: Any, X: Any = None, y: ArrayLike | None = None, *, X_unlabelled: Any = None
) -> Evidence:
    """Let voters vote on points they never saw.

    X and y mean, for an ensemble, the data it was trained on; for a sequence, points that none of
    the classifiers was trained on. Votes bring their own. A certified classifier has kept the votes
    of its `fit`; X and y may be left out.
    """
    if isinstance(model, Votes):
        if not (X is None and y is None and X_unlabelled is None):
            raise ValueError(
                "Votes already hold predictions and labels. Pass no X and y with them; predictions"
                " on unlabelled points go into Votes.from_predictions(unlabelled=...)."
            )
        return Evidence(model)
    if is_certified(model):
        check_is_fitted(model)
        return _kept(model, X, y, X_unlabelled)
    if X is None or y is None:
        raise ValueError(
            "X or y is missing. Pass the training data of an ensemble, or a hold-out for a list of"
            " fitted classifiers."
        )
    if isinstance(model, Sequence):
        return _held_out(model, X, y, X_unlabelled=X_unlabelled)
    refuse_labels_among_features(X, y)
    refuse_several_rows_per_case(X, y)
    if not isinstance(last_step(model), BAGGED):
        refuse_without_voters(model)
    check_is_fitted(model)
    if isinstance(model, Pipeline):
        assumptions, steps = assumptions_about_steps(model), steps_before(model)
        more = None if X_unlabelled is None else through(steps, X_unlabelled)
        found = evidence(model[-1], through(steps, X), y, X_unlabelled=more)
        votes = replace(found.votes, voters=voters_in(model))
        return Evidence(votes, found.notes, (*assumptions, *found.assumptions))
    votes = out_of_bag_votes(model, X, y, X_unlabelled=X_unlabelled)
    rows = note_repeated_rows(X, y, row_digests(X), what="training", X_unlabelled=X_unlabelled)
    used = (
        f"Held-out labels: the {votes.n_samples} the model was trained on, each used for the voters"
        " whose bootstrap left it out; none was set aside."
    )
    notes = (used, audit_bootstraps(model, X, y), *note_times(X), *rows)
    return Evidence(votes, notes, tuple(unaudited_assumptions(model)))


def _kept(model: Any, X: Any, y: ArrayLike | None, X_unlabelled: Any) -> Evidence:
    """Return the votes that a certified classifier kept of its `fit`."""
    found = model.certification_
    name = type(model).__name__
    if X_unlabelled is not None:
        raise ValueError(f"Pass X_unlabelled to the fit of {name}, which then certifies with it.")
    if found.votes is None:
        raise ValueError(f"A {name} read from a file has no votes. Fit it anew.")
    labels = found.votes.classes[found.votes.labels]
    rows = getattr(model, "test_indices_", np.arange(len(labels)))
    if (X is not None and not np.array_equal(row_digests(X), model.training_rows_)) or (
        y is not None
        and not (
            np.shape(y)[0] == model.training_rows_.size and (column_or_1d(y)[rows] == labels).all()
        )
    ):
        raise ValueError(
            f"X and y are not those that this {name} was fitted on, in the same order. Leave them"
            " out: it has kept its votes. For points it never saw, pass hold_out_votes(model,"
            " X_held_out, y_held_out), or [model] with them."
        )
    n_used, n_given = int(found.votes.held_out.any(axis=0).sum()), model.training_rows_.size
    used = (
        f"Held-out labels: {n_used} of the {n_given} given to fit, each used for the voters that"
        " were not trained on it."
    )
    return Evidence(found.votes, (used, *found.notes), tuple(found.assumptions))


def out_of_bag_votes(
    model: Any, X: ArrayLike, y: ArrayLike, *, X_unlabelled: ArrayLike | None = None
) -> Votes:
    """Let every voter of a fitted ensemble predict the training points its bootstrap left out.

    The model is a RandomForestClassifier, ExtraTreesClassifier or BaggingClassifier whose
    bootstraps do not depend on the labels; X and y are its training points, in the same order,
    which `audit_bootstraps` checks. `X_unlabelled` are further points of the same source.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> out_of_bag_votes(forest, X, y)
    Votes(20 voters, 150 labelled points, 3 classes)
    """
    refuse_without_independent_bootstraps(model, np.shape(y)[0])
    votes = left_out_votes(
        members_of(model),
        member_input(model, X),
        column_or_1d(y),
        model.estimators_samples_,
        np.asarray(model.classes_),
        X_unlabelled=None if X_unlabelled is None else member_input(model, X_unlabelled),
        n_jobs=model.n_jobs,
    )
    return replace(votes, voters=voters_in(model))


def hold_out_votes(models: Any, X: Any, y: ArrayLike, *, X_unlabelled: Any | None = None) -> Votes:
    """Let fitted classifiers vote on labelled points that none of them was trained on.

    Points that a model, or one inside it, is seen to be trained on are refused: by certified
    classifiers, forests, bagged trees and nearest neighbours; by trees and gradient boosting, if
    they are all the training points.

    Parameters
    ----------
    models : sequence of fitted classifiers, or one fitted ensemble
        An ensemble stands for its members: RandomForestClassifier, ExtraTreesClassifier or
        BaggingClassifier, with bootstrap or without, or a certified classifier.
    X, y : array_like, shapes (n_samples, n_features) and (n_samples,)
        At least 2 points, handed to each classifier as they are, and their labels.
    X_unlabelled : array_like, shape (n_unlabelled, n_features), optional
        Further points of the same source.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> models = [KNeighborsClassifier(k).fit(X[::2], y[::2]) for k in (1, 5)]
    >>> hold_out_votes(models, X[1::2], y[1::2])
    Votes(2 voters, 75 labelled points, 3 classes)
    """
    return _held_out(models, X, y, X_unlabelled=X_unlabelled).votes


def _held_out(models: Any, X: Any, y: ArrayLike, *, X_unlabelled: Any = None) -> Evidence:
    n_samples = len(column_or_1d(y))
    if n_samples < 2:
        raise ValueError(
            f"A hold-out of {n_samples} points says nothing; at least 2 are needed, thousands for"
            " a useful guarantee. Hold out more points, or evaluate out of bag."
        )
    found = votes_on(models, X, y, what="held-out", X_unlabelled=X_unlabelled)
    used = f"Held-out labels: a hold-out of {n_samples} that trained no voter."
    return Evidence(found.votes, (used, *found.notes))


def votes_on(models: Any, X: Any, y: ArrayLike, *, what: str, X_unlabelled: Any = None) -> Evidence:
    """Let models vote on labelled points, called `what` in errors, that seem to be new to them."""
    voters, labels = voters_in(models), column_or_1d(y)
    notes = new_points(models, X, y, what=what, X_unlabelled=X_unlabelled)
    codes, classes = voters(X)
    more, more_classes = (codes[:, :0], classes) if X_unlabelled is None else voters(X_unlabelled)
    # Votes check and sort labels of any kind: here the true ones together with those of the voters.
    known = np.concatenate([classes, more_classes])
    joined = Votes.from_predictions([labels], labels, unlabelled=known[None, :])
    words = [np.unique(part).tolist() for part in (classes[np.unique(codes)], labels)]
    is_text = all(isinstance(word, str) for part in words for word in part)
    if is_text and labels.size >= FEWEST_POINTS:
        refuse_other_words(*words)
    position, more_position = np.split(joined.unlabelled[0], [len(classes)])
    said, held_out = position[codes], np.ones(codes.shape, bool)
    votes = Votes(said, joined.labels, held_out, joined.classes, more_position[more], voters)
    return Evidence(votes, notes)


def new_points(
    models: Any, X: Any, y: ArrayLike, *, what: str, X_unlabelled: Any = None
) -> tuple[str, ...]:
    """Refuse points on which models cannot be tested; return what else is to be said of them.

    Refused are several rows of a case, labels among the features, and points that a model
    is seen to be trained on. In errors the points are called `what`.
    """
    refuse_labels_among_features(X, y)
    refuse_several_rows_per_case(X, y, remedy="Pass it as groups")
    labels = column_or_1d(y)
    notes = note_repeated_rows(X, labels, row_digests(X), what=what, X_unlabelled=X_unlabelled)
    for model in models if isinstance(models, Sequence) else [models]:
        refuse_points_trained_on(model, X, labels, what=what)
        if X_unlabelled is not None:
            refuse_points_trained_on(model, X_unlabelled, what="unlabelled")
    return (*note_times(X), *notes)


def draw_by_group(
    model: Any, X: Any, y: ArrayLike | None, groups: ArrayLike
) -> tuple[Any, Any, ArrayLike | None]:
    """Return a model and held-out samples with one random row of each group.

    Rows of one group are not independent, and one row of each is. Of Votes the columns are drawn.
    """
    is_votes = isinstance(model, Votes)
    if not (model.is_test_set if is_votes else isinstance(model, Sequence)):
        raise ValueError(
            "groups is not supported for out-of-bag samples: other rows of the same group trained"
            " the voters. Use CertifiedClassifier().fit(X, y, groups=groups), or pass a list of"
            " models, [model], with samples of groups that trained none of them."
        )
    if is_votes:
        rows = one_row_per_group(group_codes(groups, model.labels))
        parts = {"labels": model.labels[rows], "held_out": model.held_out[:, rows]}
        return replace(model, predictions=model.predictions[:, rows], **parts), X, y
    if X is None or y is None:
        raise ValueError("X or y is missing. Pass held-out samples and their labels.")
    refuse_other_order(X, {"y": y, "groups": groups})
    rows = one_row_per_group(group_codes(groups, y))
    return model, pick(X, rows), column_or_1d(y)[rows]


def common_hold_out(model: Any, X: Any = None, y: ArrayLike | None = None) -> Votes:
    """Return votes of all voters on the same points, which were used for nothing else."""
    if is_certified(model) or isinstance(last_step(model), BAGGED):
        raise ValueError(
            f"With a {type(model).__name__}, X and y mean the data it was trained on; a vote that"
            " abstains needs labelled points that no voter was trained on. Pass"
            " hold_out_votes(model, X_held_out, y_held_out), or [model] to evaluate it as one"
            " classifier."
        )
    votes = evidence(model, X, y).votes
    if not votes.held_out.all():
        raise ValueError(
            "These voters have different held-out points; a vote that abstains needs labelled"
            " points that no voter was trained on: hold_out_votes(model, X_held_out, y_held_out)."
        )
    return votes
