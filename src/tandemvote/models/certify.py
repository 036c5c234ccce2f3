"""Certify fitted models: on held-out samples, out of bag, and where they are confident."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d

from tandemvote.auditing import check_findings
from tandemvote.auditing.audit import audit
from tandemvote.certificate import Certificate, SelectiveCertificate, certify_votes
from tandemvote.certificate.for_metric import Sides
from tandemvote.certificate.pipeline import BoundName
from tandemvote.metrics.metric import MetricName
from tandemvote.models.held_out import Samples, unchecked, votes_of, with_deployed
from tandemvote.models.model_checks import check_bagged, is_made_of_trees
from tandemvote.models.parameters import parameter_findings
from tandemvote.models.trees import frozen_copy, out_of_bag_votes
from tandemvote.record.assumptions import BOOTSTRAPS_UNCHECKED, selective_assumptions
from tandemvote.votes.confidence import failure_probability
from tandemvote.votes.votes import PredictCodes, Votes, check_all_samples
from tandemvote.votes.weighted_vote import FloatArray, vote_shares


def certify(
    models: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    metric: MetricName = "error",
    positive: Any = None,
    cost: ArrayLike | None = None,
    sides: Sides = "one",
    weights: str | ArrayLike = "uniform",
    bound: BoundName | Sequence[BoundName] = "auto",
    prior: ArrayLike | None = None,
    published: bool = False,
    X_unlabeled: Any = None,
    deployed: Any = None,
    confidence: float = 0.95,
    allow: Sequence[str] = (),
) -> Certificate:
    """Certify fitted models on held-out samples.

    Parameters
    ----------
    models : classifier, sequence of classifiers, Votes, VoteCounts or iterable of Votes
        A fitted classifier is certified by its own `predict`, a sequence by the vote of its
        members. Votes and counts are predictions from anywhere.
    X, y : array_like, default=None
        Samples that no model was trained on, and their labels. Not for votes, which hold both.
    groups : array_like of shape (n_samples,), default=None
        Group of each sample, such as the patient, where samples of one group belong together. One
        random row of each group is tested, and the bound is about a random row of a random new
        group.
    metric : str, default="error"
        "error", "accuracy", "recall", "precision", "f1", "specificity", "balanced_accuracy" or
        "cost"; see `Certificate.for_metric`.
    positive : label, default=None
        Class that recall, precision, F1 and specificity are about. By default 1 of two classes, and
        the average over the classes if there are more.
    cost : array_like of shape (n_classes, n_classes), default=None
        Cost of each true class (row) and predicted class (column). It selects metric "cost".
    sides : {"one", "both"}, default="one"
        "both" gives an interval, each side at half of the failure probability.
    weights : {"uniform", "first_order", "tandem", "disagreement"} or array_like
        Equal weights, weights that minimize the named bound on these samples, or one weight per
        voter. Given weights count as fixed in advance if ``bound="test_set"``.
    bound : str, Bound or sequence of them, default="auto"
        "auto" chooses by the kind of evidence; a name, several names, or "best" for all that apply;
        a `tandemvote.bounds.Bound` of one's own, for which `verify` has no rule.
        The smallest of several bounds is reported, each at its share of the failure probability.
    prior : array_like of shape (n_voters,), default=None
        Weights fixed before seeing the data; uniform by default.
    published : bool, default=False
        Whether to use the bounds in the form in which they were published.
    X_unlabeled : array_like, default=None
        Unlabeled samples from the same distribution that no model was trained on. They sharpen the
        bound "disagreement" and allow the bound "vote_profile", each of which gets one half of them
        if ``weights="disagreement"``.
    deployed : classifier or array_like of shape (n_unlabeled,), default=None
        Another classifier to certify through the voters and `X_unlabeled`, or its predictions on
        these samples. It may have been trained on anything but these samples.
    confidence : float, default=0.95
        Probability with which the bound holds.
    allow : sequence of str, default=()
        Codes of errors of `audit` to override, such as "identifier". The certificate records them.

    Returns
    -------
    Certificate
        The bound; its `predict` is the certified classifier.

    See Also
    --------
    certify_oob : Certify an ensemble on the data it was trained on.
    CertifiedClassifier : Train and certify at once, with every label used for training.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LogisticRegression(max_iter=10_000).fit(X[:300], y[:300])
    >>> certificate = certify(model, X[300:], y[300:])
    >>> certificate.bound, round(certificate.value, 2)
    ('test_set', 0.08)
    >>> certify(model, X[300:], y[300:], metric="recall").guarantee
    'With 95% confidence, the recall of this classifier for class 1 on new data is at least 90.5%.'
    """
    delta = failure_probability(confidence)
    samples = Samples(X, y, groups, X_unlabeled, allow)
    votes, findings = votes_of(models, samples)
    if deployed is not None:
        votes = with_deployed(votes, deployed, X_unlabeled)
    request: Any = {"weights": weights, "bound": bound, "prior": prior, "published": published}
    certificate = certify_votes(votes, delta=delta, findings=findings, **request)
    assumptions = (*certificate.assumptions, *unchecked(models, samples))
    certificate = replace(certificate, assumptions=assumptions)
    metric = "cost" if cost is not None and metric == "error" else metric
    if (metric, positive, sides) == ("error", None, "one"):
        return certificate
    return certificate.for_metric(metric, positive=positive, cost=cost, sides=sides)


def certify_oob(
    ensemble: Any,
    X: Any,
    y: ArrayLike,
    *,
    weights: str | ArrayLike = "uniform",
    bound: BoundName | Sequence[BoundName] = "auto",
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
        of any classifiers. Its members vote.
    X, y : array_like
        The data it was trained on, in the same order. Its bootstraps are drawn again from its seeds
        and audited. Whether members other than trees were trained on them is an assumption, which
        the certificate lists. Bootstraps draw single samples, so samples that belong together
        (`groups` of `certify`) cannot be certified here.
    weights : {"uniform", "first_order", "tandem", "disagreement"} or array_like
        Equal weights, weights that minimize the named bound, or one weight per member. All bounds
        hold for weights that were chosen on the same data.
    bound : str, Bound or sequence of them, default="auto"
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
    BootstrapError
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
    check_bagged(ensemble)
    found = *audit(X, y, X_unlabeled=X_unlabeled), *parameter_findings(ensemble, X, {})
    findings = check_findings(found, allow)
    votes = out_of_bag_votes(frozen_copy(ensemble), X, column_or_1d(y), X_unlabeled)
    if deployed is not None:
        votes = with_deployed(votes, deployed, X_unlabeled)
    request: Any = {"weights": weights, "bound": bound, "prior": prior, "published": published}
    certificate = certify_votes(votes, delta=delta, findings=findings, **request)
    if is_made_of_trees(ensemble):
        return certificate
    assumptions = (*certificate.assumptions, BOOTSTRAPS_UNCHECKED)
    return replace(certificate, assumptions=assumptions)


def certify_selective(
    models: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    max_error: float,
    groups: ArrayLike | None = None,
    confidence: float = 0.95,
    allow: Sequence[str] = (),
) -> SelectiveCertificate:
    """Certify a classifier that predicts only where it is confident.

    Parameters
    ----------
    models : classifier, sequence of classifiers, or Votes
        Of a fitted classifier the margin is the difference of its two largest probabilities, of a
        sequence or of votes that of the two largest shares of the vote.
    X, y : array_like, default=None
        Samples that no model was trained on, used for nothing else, and their labels.
    max_error : float
        Largest error rate allowed among confident samples. The smallest of the margins 0, 0.1, ...,
        0.9 that can be shown to keep it is chosen.
    groups : array_like of shape (n_samples,), default=None
        As in `certify`.
    confidence : float, default=0.95
        Probability with which the bound and the coverage hold together.
    allow : sequence of str, default=()
        Codes of errors of `audit` to override, such as "identifier". The certificate records them.

    Returns
    -------
    SelectiveCertificate
        Its `predict` returns the classes of the confident samples, and which these are.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> forest = RandomForestClassifier(random_state=0).fit(X[:900], y[:900])
    >>> certificate = certify_selective(forest, X[900:], y[900:], max_error=0.05)
    >>> certificate.coverage > 0.7
    True
    >>> labels, confident = certificate.predict(X[900:])
    >>> int(confident.sum()) == labels.size == certificate.chosen.n_confident
    True
    """
    delta = failure_probability(confidence)
    samples, by_group = Samples(X, y, groups, allow=allow), groups is not None
    kind = {"one_row_per_group": by_group, "drawn": by_group}
    if hasattr(models, "predict"):
        tested, labels, _, findings = samples.checked([models])
        shares_of: Any = partial(_probabilities, frozen_copy(models))
        shares, classes = shares_of(tested)
    else:
        votes, findings = votes_of(models, samples)
        if not isinstance(votes, Votes) or not votes.held_out.all():
            raise ValueError(
                "Some voters were trained on some of these samples, or only counts are given."
                " certify_selective requires predictions on samples that no voter was trained on."
            )
        check_all_samples(votes.group)
        kind = {"one_row_per_group": votes.one_row_per_group, "drawn": votes.drawn}
        kind["latest"] = votes.latest is not None
        labels, classes = votes.classes[votes.labels], votes.classes
        shares = vote_shares(votes.predictions, np.ones(votes.n_voters), classes.size)
        shares_of = None if votes.voters is None else partial(_vote_shares, votes.voters)
    certificate = SelectiveCertificate.from_shares(
        shares,
        labels,
        max_error=max_error,
        classes=classes,
        delta=delta,
        shares_of=shares_of,
        findings=findings,
        assumptions=selective_assumptions(**kind),
    )
    assumptions = (*certificate.assumptions, *unchecked(models, samples))
    return replace(certificate, assumptions=assumptions)


def _vote_shares(voters: PredictCodes, X: Any) -> tuple[FloatArray, NDArray[Any]]:
    codes, classes = voters(X)
    return vote_shares(codes, np.ones(len(codes)), len(classes)), classes


def _probabilities(model: Any, X: Any) -> tuple[FloatArray, NDArray[Any]]:
    if not hasattr(model, "predict_proba"):
        raise ValueError(
            f"{type(model).__name__} has no predict_proba, so its confidence is unknown. Use a"
            " classifier with predict_proba, or a list of classifiers."
        )
    return np.asarray(model.predict_proba(X)), np.asarray(model.classes_)
