"""Votes of different classifiers, certified on the points each was not trained on."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Tags, check_random_state, get_tags
from sklearn.utils.metaestimators import _BaseComposition
from sklearn.utils.validation import _num_samples

from tandemvote.ensembles.hold_out import hold_out_votes
from tandemvote.ensembles.refusals import refuse_other_than_one_label
from tandemvote.ensembles.splits import held_out_mask, split
from tandemvote.estimators.trained_vote import TrainedVote

if TYPE_CHECKING:
    from typing_extensions import Self


class CertifiedVotingClassifier(TrainedVote, _BaseComposition):  # type: ignore[misc]
    """A vote of different classifiers with a guarantee on its error rate.

    Every classifier is trained once per split, and each of these voters is evaluated on the points
    it was not trained on.

    Parameters
    ----------
    estimators : list of (str, classifier)
    splits : int or scikit-learn splitter
        A number of random halves, which overlap in pairs so that every bound exists; or a splitter
        that needs no labels. With ``KFold`` voters of different folds share no held-out point, so
        only the bound "first_order" exists.
    prefit : bool
        True if the estimators are fitted already; X and y of `fit` must then be points that none
        of them was trained on.
    weights, bound, prior, delta, sharpening
        As in `CertifiedForestClassifier`, with ``len(estimators) * splits`` voters: the first
        split's, then the second's, and so on.
    random_state : int, RandomState instance or None
        Decides the random halves, and every `random_state` inside the estimators.
    n_jobs : int or None
        Jobs that train and vote in parallel; the result does not depend on it.
    verbose : int
        Report progress of the training.

    Attributes
    ----------
    certificate_, bounds_, weights_, counts_, classes_, oob_score_, oob_decision_function_, \
    n_features_in_, feature_names_in_
        As in `CertifiedForestClassifier`.
    estimators_ : list of classifiers

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> models = [("nearest", KNeighborsClassifier()), ("bayes", GaussianNB())]
    >>> voting = CertifiedVotingClassifier(models, splits=3, random_state=0).fit(X, y)
    >>> voting.counts_
    VoteCounts(6 voters, 3 classes, n_min=75, n_min_pairs=33)
    """

    def __init__(
        self,
        estimators: list[tuple[str, Any]],
        *,
        splits: Any = 5,
        prefit: bool = False,
        weights: str | ArrayLike = "uniform",
        bound: Any = "auto",
        prior: ArrayLike | None = None,
        delta: float = 0.05,
        sharpening: str = "harmonic",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimators = estimators
        self.splits = splits
        self.prefit = prefit
        self.weights = weights
        self.bound = bound
        self.prior = prior
        self.delta = delta
        self.sharpening = sharpening
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: ArrayLike, X_unlabelled: Any | None = None) -> Self:
        """Train the voters unless they are fitted, evaluate them on unseen points and certify.

        Parameters
        ----------
        X : array_like, frame or sparse matrix, shape (n_samples, n_features)
        y : array_like, shape (n_samples,)
            Labels of any type.
        X_unlabelled : like X, optional
            Points of the same source without labels, none of them among X; they sharpen the
            disagreement bound and add the bound `vote_profile`.
        """
        points, labels = self._validate_training(X, y)
        models = self._models()
        random_state = check_random_state(self.random_state)
        parts = [] if self.prefit else split(len(labels), self.splits, random_state)
        rows = [part for part in parts for _ in models]
        request = self._request()
        request.check(
            n_voters=len(models) if self.prefit else len(rows),
            n_classes=np.unique(labels).size,
            unlabelled=X_unlabelled is not None,
        )
        if self.prefit:
            unseen = self._validate_unlabelled(X_unlabelled, points)
            votes = hold_out_votes(models, points, labels, X_unlabelled=unseen)
            self.estimators_, self.classes_ = models, votes.classes
            return self._certify(replace(votes, voters=None), points)
        if not isinstance(self.splits, Integral):
            # Random halves may miss each other on tiny data; folds do so by design.
            n_unlabelled = 0 if X_unlabelled is None else _num_samples(X_unlabelled)
            request.check_overlaps(held_out_mask(rows, len(labels)), n_unlabelled)
        return self._train(
            models * len(parts), rows, points, labels, X_unlabelled, random_state=random_state
        )

    def _models(self) -> list[Any]:
        if not self.estimators or not all(len(pair) == 2 for pair in self.estimators):
            raise ValueError(
                f"estimators is {self.estimators!r}; expected a list of (name, classifier) pairs,"
                " at least one."
            )
        models = [model for _, model in self.estimators]
        for model in models:
            refuse_other_than_one_label(model)
        return models

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, with those of the estimators as name__parameter."""
        return dict(self._get_params("estimators", deep=deep))

    def set_params(self, **params: Any) -> Self:
        """Set parameters; those of the estimators as name__parameter."""
        self._set_params("estimators", **params)
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = [get_tags(model).input_tags for _, model in self.estimators]
        tags.input_tags.sparse = all(each.sparse for each in inner)
        tags.input_tags.allow_nan = all(each.allow_nan for each in inner)
        return tags
