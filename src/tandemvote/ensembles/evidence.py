"""One meaning for the arguments of every `certify` function: model, X and y."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_is_fitted

from tandemvote.ensembles.audit import audit_bootstraps, unaudited_assumptions
from tandemvote.ensembles.composed import as_it_is, before_last_step, last_step
from tandemvote.ensembles.copies import note_copies
from tandemvote.ensembles.held_out_votes import hold_out_votes, out_of_bag_votes, votes_on
from tandemvote.ensembles.refusals import (
    assumptions_about_steps,
    refuse_other_than_one_label,
    refuse_without_voters,
)
from tandemvote.ensembles.training_rows import (
    refuse_points_trained_on,
    refuse_training_rows,
    row_digests,
)
from tandemvote.ensembles.voters import BAGGED, is_certified, voters_in
from tandemvote.frames import (
    note_times,
    refuse_labels_among_features,
    refuse_several_rows_per_case,
)
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
    refuse_labels_among_features(X, y)
    refuse_several_rows_per_case(X, y)
    if isinstance(model, Sequence):
        votes = hold_out_votes(model, X, y, X_unlabelled=X_unlabelled)
        used = f"Held-out labels: a hold-out of {votes.n_samples} that trained no voter."
        return Evidence(votes, (used, *_doubts(X, y, "held-out", X_unlabelled)))
    if not isinstance(last_step(model), BAGGED):
        refuse_without_voters(model)
    check_is_fitted(model)
    if isinstance(model, Pipeline):
        assumptions = assumptions_about_steps(model)
        more = None if X_unlabelled is None else before_last_step(model, X_unlabelled)
        found = evidence(model[-1], before_last_step(model, X), y, X_unlabelled=more)
        votes = replace(found.votes, voters=voters_in(model))
        return Evidence(votes, found.notes, (*assumptions, *found.assumptions))
    if X_unlabelled is not None:
        refuse_training_rows(row_digests(X), X_unlabelled, what="unlabelled")
    votes = out_of_bag_votes(model, X, y, X_unlabelled=X_unlabelled)
    used = (
        f"Held-out labels: the {votes.n_samples} the model was trained on, each used for the voters"
        " whose bootstrap left it out; none was set aside."
    )
    notes = (used, audit_bootstraps(model, X, y), *_doubts(X, y, "training", X_unlabelled))
    return Evidence(votes, notes, tuple(unaudited_assumptions(model)))


def _doubts(X: Any, y: ArrayLike, what: str, X_unlabelled: Any) -> tuple[str, ...]:
    """Say what may be wrong with the points."""
    more = () if X_unlabelled is None else note_copies(X_unlabelled, what="unlabelled")
    return (*note_times(X), *note_copies(X, y, what=what), *more)


def _kept(model: Any, X: Any, y: ArrayLike | None, X_unlabelled: Any) -> Evidence:
    """Return the votes that a certified classifier kept of its `fit`."""
    found = model.certification_
    name = type(model).__name__
    if X_unlabelled is not None:
        raise ValueError(f"Pass X_unlabelled to the fit of {name}, which then certifies with it.")
    if found.votes is None:
        raise ValueError(f"A {name} read from a file has no votes. Fit it anew.")
    if found.votes.deployed is not None:
        raise ValueError(
            f"This {name} predicts by {found.votes.deployed.name}, and the labels test only its"
            " voters: certificate_ is all that is certified. Fit it with the vote (ensemble=True,"
            " voting='hard'), or pass [model] with points it never saw."
        )
    if len(model.estimators_) < found.counts.n_voters:
        raise ValueError(
            f"This vote was pruned to {len(model.estimators_)} of {found.counts.n_voters} voters,"
            " and the guarantee must pay for the choice among all. Pass the whole vote with"
            " weights=pruned.certificate_.weights."
        )
    if (X is not None and not np.array_equal(row_digests(X), model.training_rows_)) or (
        y is not None
        and not np.array_equal(column_or_1d(y), found.votes.classes[found.votes.labels])
    ):
        raise ValueError(
            f"X and y are not those that this {name} was fitted on, in the same order. Leave them"
            " out: it has kept its votes. For points it never saw, pass hold_out_votes(model,"
            " X_held_out, y_held_out), or [model] with them."
        )
    used = (
        f"Held-out labels: the {found.votes.n_samples} given to fit, each used for the voters that"
        " were not trained on it."
    )
    return Evidence(found.votes, (used, *found.notes), tuple(found.assumptions))


def with_deployed(votes: Votes, deployed: Any, X_unlabelled: Any) -> Votes:
    """Return the votes with what a deployed classifier, or its predictions, say of X_unlabelled.

    Rows that the classifier was trained on are refused where it keeps a trace of them.
    """
    if not hasattr(deployed, "predict"):
        return votes.with_deployed(deployed)
    name = type(deployed).__name__
    check_is_fitted(deployed)
    refuse_other_than_one_label(deployed)
    if X_unlabelled is None:
        raise ValueError(
            f"Without X_unlabelled nothing is known of {name}: pass points that neither it nor a"
            " voter has seen. With Votes, which hold predictions, pass the predictions of"
            f" {name} on their unlabelled points as deployed."
        )
    refuse_points_trained_on(deployed, X_unlabelled, what="unlabelled")
    said = np.asarray(deployed.predict(X_unlabelled))
    return votes.with_deployed(said, name=name, predict=as_it_is(deployed).predict)


def common_hold_out(
    model: Any, X: Any = None, y: ArrayLike | None = None, *, purpose: str
) -> Evidence:
    """Return votes of all voters on the same points, which were used for nothing else."""
    if is_certified(model) or isinstance(last_step(model), BAGGED):
        raise ValueError(
            f"With a {type(model).__name__}, X and y mean the data it was trained on; {purpose}"
            " needs labelled points that no voter was trained on. Pass hold_out_votes(model,"
            " X_held_out, y_held_out), or [model] to evaluate it as one classifier."
        )
    found = evidence(model, X, y)
    if not found.votes.held_out.all():
        raise ValueError(
            f"These voters have different held-out points; {purpose} needs labelled points that no"
            " voter was trained on: hold_out_votes(model, X_held_out, y_held_out)."
        )
    return found


def votes_on_test_set(model: Any, X: Any, X_test: Any, y_test: ArrayLike | None) -> Votes | None:
    """Let the voters vote on a test set that is shown to be new as far as code can see."""
    if (X_test is None) != (y_test is None):
        raise ValueError("X_test and y_test belong together. Pass both, or neither.")
    if X_test is None or y_test is None:
        return None
    if isinstance(model, Votes):
        raise ValueError(
            "Votes cannot predict X_test. Pass the models themselves; or, for the bound 'test_set'"
            " alone, the vote's own predictions on the test set as votes of a single voter."
        )
    if X is not None:
        refuse_training_rows(row_digests(X), X_test, what="test")
    return votes_on(model, X_test, column_or_1d(y_test), what="test")


def own_predict_note(
    model: Any, vote: Callable[[Any], NDArray[Any]], **points_of: Any
) -> list[str]:
    """Say how often an ensemble predicts otherwise than the vote, on the first points told."""
    if not isinstance(last_step(model), BAGGED):
        return []
    kind, points = next(each for each in points_of.items() if each[1] is not None)
    differs = model.predict(points) != vote(points)
    hint = ", all of which some voters know; expect more on new points" * (kind == "training")
    return [
        f"The certificate is about the hard weighted vote. {type(model).__name__}.predict, another"
        f" classifier, gives another label on {100 * differs.mean():.2g} % of the"
        f" {differs.size} {kind} points{hint}."
    ]
