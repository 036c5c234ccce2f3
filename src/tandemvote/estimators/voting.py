"""Votes of bagged or of different classifiers, certified on the points each was not trained on."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from tandemvote.ensembles.held_out_votes import hold_out_votes
from tandemvote.ensembles.private_names import NamedEstimators
from tandemvote.ensembles.refusals import refuse_other_than_one_label
from tandemvote.ensembles.training import Rows, bootstrap, held_out_mask, split
from tandemvote.estimators.trained_vote import TrainedVote
from tandemvote.votes import Votes

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(eq=False, repr=False)
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
    max_samples : int, float or None
        Draws of each bootstrap: a number, a share of the points, or None for as many as there are.
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> bagging = CertifiedBaggingClassifier(KNeighborsClassifier(), 10, random_state=0)
    >>> bagging.fit(X, y).counts_
    VoteCounts(10 voters, 3 classes, n_min=48, n_min_pairs=15)
    """

    estimator: Any = None
    n_estimators: int = 100
    _: KW_ONLY
    max_samples: float | int | None = None

    def _bases(self) -> list[Any]:
        return [DecisionTreeClassifier() if self.estimator is None else self.estimator]

    def _plan(
        self, n_samples: int, unseen: Any, random_state: RandomState
    ) -> tuple[list[Any], list[Rows]]:
        draws = range(self.n_estimators)
        rows = [bootstrap(n_samples, self.max_samples, random_state) for _ in draws]
        return self._bases() * len(rows), rows


@dataclass(eq=False, repr=False)
class CertifiedVotingClassifier(TrainedVote, NamedEstimators):  # type: ignore[misc]
    """A vote of different classifiers with a guarantee on its error rate.

    Every classifier is trained once per split, and each of these voters, the first split's and then
    the second's and so on, is evaluated on the points it was not trained on.

    Parameters
    ----------
    estimators : list of (str, classifier)
    splits : int or scikit-learn splitter
        A number of random halves, which overlap in pairs so that every bound exists; or a splitter
        that needs no labels. With ``KFold`` voters of different folds share no held-out point, so
        bounds that need such points say nothing.
    prefit : bool
        True if the estimators are fitted already; X and y of `fit` must then be points that none
        of them was trained on.
    {parameters}

    Attributes
    ----------
    {attributes}

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

    estimators: list[tuple[str, Any]]
    _: KW_ONLY
    splits: Any = 5
    prefit: bool = False

    def _bases(self) -> list[Any]:
        if not self.estimators or not all(len(pair) == 2 for pair in self.estimators):
            raise ValueError(
                f"estimators is {self.estimators!r}; expected a list of (name, classifier) pairs,"
                " at least one."
            )
        models = [model for _, model in self.estimators]
        for model in models:
            refuse_other_than_one_label(model)
        return models

    def _train(self, points: Any, labels: NDArray[Any], unseen: Any) -> Votes:
        if not self.prefit:
            return super()._train(points, labels, unseen)
        models = self._bases()
        self._check_request(len(models), unseen)
        votes = hold_out_votes(models, points, labels, X_unlabelled=unseen)
        self.estimators_, self.classes_ = models, votes.classes
        return replace(votes, voters=None)

    def _plan(
        self, n_samples: int, unseen: Any, random_state: RandomState
    ) -> tuple[list[Any], list[Rows]]:
        models = self._bases()
        parts = split(n_samples, self.splits, random_state)
        rows = [part for part in parts for _ in models]
        if not isinstance(self.splits, Integral):
            # Random halves may miss each other on tiny data; folds do so by design.
            n_unlabelled = 0 if unseen is None else np.shape(unseen)[0]
            self._request().check_overlaps(held_out_mask(rows, n_samples), n_unlabelled)
        return models * len(parts), rows

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, with those of the estimators as name__parameter."""
        return dict(self._get_params("estimators", deep=deep))

    def set_params(self, **params: Any) -> Self:
        """Set parameters; those of the estimators as name__parameter."""
        self._set_params("estimators", **params)
        return self
