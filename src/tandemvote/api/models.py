"""Certificates for models that are already fitted, and for votes from anywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from tandemvote.bounds.averages import HARMONIC
from tandemvote.certificate.certificate import Certificate
from tandemvote.certification import CertificateRequest, certify_votes
from tandemvote.ensembles.composed import as_it_is, last_step
from tandemvote.ensembles.evidence import draw_by_group, evidence, votes_on
from tandemvote.ensembles.refusals import refuse_other_than_one_label
from tandemvote.ensembles.rows import refuse_training_rows, row_digests
from tandemvote.ensembles.training_rows import refuse_points_trained_on
from tandemvote.ensembles.voters import BAGGED, is_certified
from tandemvote.votes import Votes


def certify(
    model: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    X_unlabelled: Any = None,
    deployed: Any = None,
    X_test: Any = None,
    y_test: ArrayLike | None = None,
    weights: str | ArrayLike = "uniform",
    bound: str | Sequence[str] = "auto",
    prior: ArrayLike | None = None,
    delta: float = 0.05,
    sharpening: str = HARMONIC,
) -> Certificate:
    """Certify the hard weighted vote of voters that exist already, or another classifier by them.

    Parameters
    ----------
    model : fitted ensemble, sequence of fitted classifiers, or Votes
        RandomForestClassifier, ExtraTreesClassifier(bootstrap=True) and BaggingClassifier are
        tested on the training points their bootstraps left out, without a refit.
    X, y : array_like, optional
        For an ensemble the data it was trained on, in the same order, which is audited; for a
        sequence of classifiers points that none of them was trained on; for votes nothing.
    groups : array_like of shape (n_samples,), optional
        Group of each held-out sample, such as the patient, where samples of one group belong
        together. No group may have trained a model. One random row of each group is tested, and the
        bound is about a random row of a random new group.
    X_unlabelled : array_like, optional
        Points of the same source that no voter was trained on, none of them among X; they sharpen
        the disagreement bound and add the bound `vote_profile`. Where weights or bound are
        "disagreement", each of the two gets half of them.
    deployed : fitted classifier, or array_like of shape (n_unlabelled,), optional
        What will really be used, to be certified in place of the vote: a model refitted on all
        labels, the ensemble with its own `predict`, next month's model; or what it predicts for the
        unlabelled points. It may have seen anything but these.
    X_test, y_test : array_like, optional
        Labelled points used for nothing else, which add the test-set bound.
    weights : {"uniform", "first_order", "tandem", "disagreement"} or array_like
        How much each voter counts: equally, by the weights that minimise the named bound, or as
        given.
    bound : str or sequence of str
        The bound to report: "auto", which is chosen by the kind of evidence (see
        `tandemvote.bounds.registry`); a name, several, or "best" for all that apply.
    prior : array_like of shape (n_voters,), optional
        Weights fixed before seeing the data; uniform by default.
    delta : float in (0, 0.5]
        Probability with which the guarantee may fail.
    sharpening : {"harmonic", "paper"}
        Sample sizes that use every held-out set in full, or the bounds as published.

    Returns
    -------
    Certificate
        Its `predict` is what is certified. Its `notes` say what was audited, which labels were
        used, and how far the model's own `predict` differs from the vote.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = RandomForestClassifier(max_samples=0.5, random_state=0).fit(X, y)
    >>> certificate = certify(forest, X, y)
    >>> certificate.counts.n_voters, certificate.predict(X[:2]).tolist()
    (100, [0, 0])
    """
    if is_certified(model):
        check_is_fitted(model)
        raise ValueError(f"{type(model).__name__} has certified itself: see its certificate_.")
    request = CertificateRequest(
        weights=weights, bound=bound, prior=prior, delta=delta, sharpening=sharpening
    )
    if groups is not None:
        if not (X_unlabelled is None and X_test is None and deployed is None):
            raise ValueError(
                "groups cannot be combined with X_unlabelled, X_test or deployed: the groups of"
                " those samples are unknown. Pass groups with X and y alone."
            )
        model, X, y = draw_by_group(model, X, y, groups)
    votes, notes, assumptions = evidence(model, X, y, X_unlabelled=X_unlabelled)
    votes = replace(votes, one_row_per_group=votes.one_row_per_group or groups is not None)
    if deployed is not None:
        votes = _with_deployed(votes, deployed, X_unlabelled)
    tested = _votes_on_test_set(model, X, X_test, y_test)
    certificate = certify_votes(
        votes, request, test_votes=tested, notes=notes, assumptions=assumptions
    ).certificate
    if deployed is not None:
        return certificate
    points = {"test": X_test, "unlabelled": X_unlabelled, "training": X}
    own = own_predict_note(model, certificate.predict, **points)
    return replace(certificate, notes=(*certificate.notes, *own))


def _with_deployed(votes: Votes, deployed: Any, X_unlabelled: Any) -> Votes:
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


def _votes_on_test_set(model: Any, X: Any, X_test: Any, y_test: ArrayLike | None) -> Votes | None:
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
    return votes_on(model, X_test, y_test, what="test").votes


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
