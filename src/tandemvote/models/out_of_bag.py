"""Certify a fitted ensemble on the samples that the bootstraps of its members left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from numpy.typing import ArrayLike
from sklearn.utils import column_or_1d

from tandemvote.auditing import check_findings
from tandemvote.auditing.checks import audit
from tandemvote.bounds.registry import AUTO
from tandemvote.certificate.certificate import Certificate
from tandemvote.certificate.pipeline import UNIFORM, certify_votes
from tandemvote.decimals import failure_probability
from tandemvote.frames import index_of
from tandemvote.models.bootstraps import out_of_bag_votes
from tandemvote.models.held_out import with_deployed
from tandemvote.models.model_checks import check_bagged
from tandemvote.models.voters import frozen_copy, predict_members, voter_predictions


def certify_oob(
    ensemble: Any,
    X: Any,
    y: ArrayLike,
    *,
    weights: str | ArrayLike = UNIFORM,
    bound: str | Sequence[str] = AUTO,
    X_unlabeled: Any = None,
    deployed: Any = None,
    published: bool = False,
    prior: ArrayLike | None = None,
    confidence: float = 0.95,
    allow: Sequence[str] = (),
) -> Certificate:
    """Certify a fitted ensemble on its out-of-bag samples, without refitting it.

    Parameters
    ----------
    ensemble : classifier
        A fitted RandomForestClassifier, ExtraTreesClassifier(bootstrap=True), or BaggingClassifier
        of decision trees. Its trees vote.
    X, y : array_like
        The data it was trained on, in the same order. Its bootstraps are audited.
    weights : {"uniform", "first_order", "tandem", "disagreement"} or array_like
        Equal weights, weights that minimize the named bound, or one weight per member. All bounds
        hold for weights that were chosen on the same data.
    bound : str or sequence of str, default="auto"
        As in `certify`.
    X_unlabeled, deployed
        As in `certify`. ``deployed=ensemble`` certifies the ensemble's own `predict`, which
        averages probabilities.
    published : bool, default=False
        Whether to use the bounds in the form in which they were published.
    prior : array_like of shape (n_members,), default=None
        Weights fixed before seeing the data; uniform by default.
    confidence : float, default=0.95
        Probability with which the bound holds.
    allow : sequence of str, default=()
        Codes of errors of `audit` to override, such as "identifier". The certificate records them.

    Returns
    -------
    Certificate
        The bound on the error rate of the members' vote; its `predict` is that vote.

    Raises
    ------
    AuditError
        If the ensemble was not trained on X and y, or its bootstraps depend on the data.

    See Also
    --------
    certify : Certify fitted models on held-out samples.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = RandomForestClassifier(max_samples=0.5, random_state=0).fit(X, y)
    >>> certificate = certify_oob(forest, X, y)
    >>> certificate.counts.n_voters, certificate.predict(X[:2]).tolist()
    (100, [0, 0])
    """
    delta = failure_probability(confidence)
    findings = check_findings(audit(X, y, X_unlabeled=X_unlabeled), allow)
    check_bagged(ensemble)
    votes = out_of_bag_votes(ensemble, X, column_or_1d(y))
    voters = partial(predict_members, frozen_copy(ensemble))
    votes = replace(votes, voters=voters, index=index_of(X))
    if X_unlabeled is not None:
        votes = replace(votes, unlabeled=voter_predictions(ensemble, X_unlabeled))
    if deployed is not None:
        votes = with_deployed(votes, deployed, X_unlabeled)
    return certify_votes(
        votes,
        weights=weights,
        bound=bound,
        prior=prior,
        published=published,
        delta=delta,
        findings=findings,
    )
