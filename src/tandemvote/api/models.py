"""Certificates for models that are already fitted, and for votes from anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from tandemvote.bounds.sharpening import HARMONIC
from tandemvote.certificate.certificate import Certificate
from tandemvote.certification import CertificateRequest, certify_votes
from tandemvote.ensembles.evidence import (
    evidence,
    is_certified,
    own_predict_note,
    votes_on_test_set,
    with_deployed,
)


def certify(
    model: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
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
        tested on the training points their bootstraps left out, without a refit. Classifiers in
        a sequence are tested on points that none of them was trained on.
    X, y : array_like, optional
        For an ensemble the data it was trained on, in the same order, which is audited; for a
        sequence of classifiers points that none of them was trained on; for votes nothing.
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
        How much each voter counts: equally, as minimises the bound of that name, or as given.
    bound : str or sequence of str
        The bound to report: "auto", which is chosen by the kind of evidence (see
        `tandemvote.bounds.automatic`); a name, several, or "best" for all that apply.
    prior : array_like of shape (n_voters,), optional
        Weights fixed before seeing the data; uniform by default.
    delta : float in (0, 1)
        Probability with which the guarantee may fail.
    sharpening : {"harmonic", "paper"}
        Sample sizes that use every held-out set in full, or the bounds as published.

    Returns
    -------
    Certificate
        Its `predict` is the vote that is certified, or the deployed classifier. Its `notes` say
        what was audited, which labels were used, and how far the model's own `predict` differs
        from that vote.

    Raises
    ------
    ValueError
        Where no guarantee can be had; the message names the way out.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = RandomForestClassifier(max_samples=0.5, random_state=0).fit(X, y)
    >>> certificate = certify(forest, X, y)
    >>> certificate.counts.n_voters, certificate.predict(X[:2]).tolist()
    (100, [0, 0])

    A model that was tested on a hold-out, and then refitted on all labels:

    >>> tested = RandomForestClassifier(random_state=0).fit(X[:200], y[:200])
    >>> refitted = RandomForestClassifier(random_state=0).fit(X[:369], y[:369])
    >>> given = {"X_unlabelled": X[369:], "deployed": refitted}
    >>> certify([tested], X[200:369], y[200:369], **given).deployed
    'RandomForestClassifier'
    """
    if is_certified(model):
        check_is_fitted(model)
        raise ValueError(f"{type(model).__name__} has certified itself: see its certificate_.")
    request = CertificateRequest(
        weights=weights, bound=bound, prior=prior, delta=delta, sharpening=sharpening
    )
    found = evidence(model, X, y, X_unlabelled=X_unlabelled)
    votes = found.votes
    if deployed is not None:
        votes = with_deployed(votes, deployed, X_unlabelled)
    certificate = certify_votes(
        votes,
        request,
        test_votes=votes_on_test_set(model, X, X_test, y_test),
        notes=found.notes,
        assumptions=found.assumptions,
    ).certificate
    if deployed is not None:
        return certificate
    own = own_predict_note(
        model, certificate.predict, test=X_test, unlabelled=X_unlabelled, training=X
    )
    return replace(certificate, notes=(*certificate.notes, *own))
