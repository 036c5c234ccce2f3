"""Certify fitted models on held-out samples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d

from tandemvote.abstention import check_empty_rows
from tandemvote.auditing import Finding, check_findings
from tandemvote.auditing.cells import check_collected
from tandemvote.auditing.checks import audit
from tandemvote.bounds.registry import AUTO
from tandemvote.certificate.certificate import Certificate
from tandemvote.certificate.pipeline import UNIFORM, certify_votes
from tandemvote.counts import VoteCounts
from tandemvote.decimals import failure_probability
from tandemvote.frames import index_of
from tandemvote.metrics import check_metric
from tandemvote.models.model_checks import check_has_predict, check_one_label
from tandemvote.models.private_names import pick
from tandemvote.models.splitting import group_codes, one_row_per_group
from tandemvote.models.training_rows import check_not_trained_on
from tandemvote.models.voters import frozen_copy, predict_each, predict_labels
from tandemvote.monitor import check_predicts_labels
from tandemvote.spelling import check_same_words
from tandemvote.votes import Votes
from tandemvote.votes_io import count_votes


def certify(
    models: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    metric: str = "error",
    positive: Any = None,
    cost: ArrayLike | None = None,
    sides: str = "one",
    weights: str | ArrayLike = UNIFORM,
    bound: str | Sequence[str] = AUTO,
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
    bound : str or sequence of str, default="auto"
        "auto" chooses by the kind of evidence; a name, several names, or "best" for all that apply.
        The smallest of several bounds is reported, each at its share of the failure probability.
    X_unlabeled : array_like, default=None
        Unlabeled samples from the same distribution that no model was trained on. They allow the
        bound "vote_profile". For "disagreement", weights and bound use one half of them each.
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
    check_metric(metric)
    delta = failure_probability(confidence)
    votes, findings = votes_of(models, Samples(X, y, groups, X_unlabeled, allow))
    if deployed is not None:
        votes = with_deployed(votes, deployed, X_unlabeled)
    certificate = certify_votes(votes, weights=weights, bound=bound, delta=delta, findings=findings)
    metric = "cost" if cost is not None and metric == "error" else metric
    if (metric, positive, sides) == ("error", None, "one"):
        return certificate
    return certificate.for_metric(metric, positive=positive, cost=cost, sides=sides)


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
        check_collected(X)
        labels = column_or_1d(y)
        if not 2 <= labels.size == np.shape(X)[0]:
            raise ValueError(
                f"X has {np.shape(X)[0]} samples and y has {labels.size}. Pass one label per"
                " sample, in the same order, for at least 2 samples."
            )
        findings = check_findings(audit(X, y, groups=groups, X_unlabeled=X_unlabeled), allow)
        for model in models:
            check_not_trained_on(model, X, labels, what="held-out")
            if X_unlabeled is not None:
                check_not_trained_on(model, X_unlabeled, what="unlabeled")
        if groups is None:
            return X, labels, None, findings
        rows = one_row_per_group(group_codes(groups, y))
        return pick(X, rows), labels[rows], rows, findings


def votes_of(models: Any, samples: Samples) -> tuple[Votes | VoteCounts, tuple[Finding, ...]]:
    """Return the votes of models on held-out samples, or votes and counts as they are."""
    if hasattr(models, "predict") or isinstance(models, Sequence):
        return held_out_votes([models] if hasattr(models, "predict") else models, samples)
    if isinstance(models, Mapping) or not isinstance(models, Votes | VoteCounts | Iterable):
        check_has_predict(models)
    if any(given is not None for given in samples[:-1]):
        raise ValueError(
            "X, y, groups and X_unlabeled cannot be combined with votes, which hold predictions and"
            " labels. Pass the fitted models, or put the predictions into Votes.from_predictions."
        )
    votes = models if isinstance(models, Votes | VoteCounts) else count_votes(models)
    check_empty_rows(votes)
    return votes, ()


def held_out_votes(models: Sequence[Any], samples: Samples) -> tuple[Votes, tuple[Finding, ...]]:
    """Let models vote on held-out samples; return the votes and what was found in the samples."""
    if not models:
        raise ValueError("There are no classifiers in the sequence. Pass at least one, fitted.")
    X, labels, rows, findings = samples.checked(models)
    voters = partial(predict_each, [frozen_copy(model) for model in models])
    n_given = np.shape(samples.X)[0]
    codes, classes = voters(X)
    more, more_classes = codes[:, :0], classes
    if samples.X_unlabeled is not None:
        more, more_classes = voters(samples.X_unlabeled)
    # One set of sorted classes for the labels and for what the voters predict.
    known = np.concatenate([classes, more_classes])
    joined = Votes.from_predictions([labels], labels, unlabeled=known[None, :])
    if joined.classes.dtype.kind == "U":
        predicted = classes[np.unique(codes)].tolist()
        check_same_words(predicted, np.unique(labels).tolist(), n_given)
    position, more_position = np.split(joined.unlabeled[0], [len(classes)])
    votes = Votes(
        predictions=position[codes],
        labels=joined.labels,
        held_out=np.ones(codes.shape, bool),
        classes=joined.classes,
        unlabeled=more_position[more],
        voters=voters,
        one_row_per_group=rows is not None,
        rows=rows,
        n_given=n_given,
        index=index_of(samples.X),
    )
    check_predicts_labels(votes)
    return votes, findings


def with_deployed(votes: Votes | VoteCounts, deployed: Any, X_unlabeled: Any) -> Votes:
    """Return the votes with the predictions of a deployed classifier on the unlabeled samples."""
    if not isinstance(votes, Votes):
        raise ValueError("deployed requires votes in memory, not counts or an iterable of Votes.")
    if not hasattr(deployed, "predict"):
        return votes.with_deployed(deployed)
    name = type(deployed).__name__
    check_one_label(deployed)
    if X_unlabeled is None:
        raise ValueError(
            f"Certifying {name} as deployed requires X_unlabeled: samples that neither it nor a"
            " voter has seen. With Votes, pass its predictions on their unlabeled samples."
        )
    check_not_trained_on(deployed, X_unlabeled, what="unlabeled")
    predict = partial(predict_labels, frozen_copy(deployed))
    return votes.with_deployed(predict(X_unlabeled), name=name, predict=predict)
