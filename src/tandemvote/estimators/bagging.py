"""Bagging of any classifier, certified on the points the bootstraps left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import Tags, check_random_state, get_tags

from tandemvote.ensembles.splits import bootstrap
from tandemvote.estimators.trained_vote import TrainedVote

if TYPE_CHECKING:
    from typing_extensions import Self


class CertifiedBaggingClassifier(TrainedVote):
    """A bagged ensemble of any classifier with a guarantee on its error rate.

    Every voter is trained on a bootstrap of the points and evaluated on those left out. Voters get
    drawn rows alone, picked from X as it is, so pipelines may use the columns of a frame.

    Parameters
    ----------
    estimator : classifier, optional
        What to bag; a decision tree by default.
    n_estimators : int
        Number of voters.
    weights, bound, max_samples, prior, delta, sharpening
        As in `CertifiedForestClassifier`.
    random_state : int, RandomState instance or None
        Decides the bootstraps, and every `random_state` inside the estimator.
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
        A voter whose bootstrap holds a single class is a constant `DummyClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> bagging = CertifiedBaggingClassifier(KNeighborsClassifier(), 10, random_state=0)
    >>> bagging.fit(X, y).counts_
    VoteCounts(10 voters, 3 classes, n_min=48, n_min_pairs=15)
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 100,
        *,
        weights: str | ArrayLike = "uniform",
        bound: Any = "auto",
        max_samples: float | int | None = None,
        prior: ArrayLike | None = None,
        delta: float = 0.05,
        sharpening: str = "harmonic",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.weights = weights
        self.bound = bound
        self.max_samples = max_samples
        self.prior = prior
        self.delta = delta
        self.sharpening = sharpening
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: ArrayLike, X_unlabelled: Any | None = None) -> Self:
        """Train the voters, let each predict the points it never saw, and certify the vote.

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
        self._request().check(
            n_voters=self.n_estimators,
            n_classes=np.unique(labels).size,
            unlabelled=X_unlabelled is not None,
        )
        random_state = check_random_state(self.random_state)
        rows = [
            bootstrap(len(labels), self.max_samples, random_state) for _ in range(self.n_estimators)
        ]
        estimators = [self._base()] * self.n_estimators
        return self._train(
            estimators, rows, points, labels, X_unlabelled, random_state=random_state
        )

    def _base(self) -> Any:
        return DecisionTreeClassifier() if self.estimator is None else self.estimator

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._base()).input_tags
        return tags
