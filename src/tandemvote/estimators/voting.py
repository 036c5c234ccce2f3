"""Votes of classifiers that are trained on rows of X: what they share, bagged or different ones."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import Tags, check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from tandemvote.codes import Codes
from tandemvote.ensembles.composed import as_it_is
from tandemvote.ensembles.evidence import hold_out_votes
from tandemvote.ensembles.private_names import NamedEstimators
from tandemvote.ensembles.refusals import refuse_frozen, refuse_other_than_one_label
from tandemvote.ensembles.training import Rows, bootstrap, held_out_mask, split, train
from tandemvote.ensembles.voters import Voter, left_out_votes, predict_codes
from tandemvote.estimators.certified_vote import CertifiedVote
from tandemvote.votes import Votes


@dataclass(eq=False, repr=False, kw_only=True)
class TrainedVote(CertifiedVote):
    """Base of the certified votes that train classifiers on rows of X, frames included."""

    @abstractmethod
    def _bases(self) -> list[Any]:
        """Return the different classifiers to train."""

    @abstractmethod
    def _plan(self, n_samples: int, unseen: Any, random_state: RandomState) -> list[Rows]:
        """Return sets of rows, each of which trains one voter of every classifier."""

    def _train(self, points: Any, labels: NDArray[Any], unseen: Any) -> Votes:
        bases = self._bases()
        for base in bases:
            refuse_other_than_one_label(base)
            refuse_frozen(base)
        random_state = check_random_state(self.random_state)
        parts = self._plan(len(labels), unseen, random_state)
        rows = [part for part in parts for _ in bases]
        self._check_request(len(rows), unseen)
        if self._deployed_name is not None:
            parts = [*parts, np.arange(len(labels))]
        jobs: dict[str, Any] = {"n_jobs": self.n_jobs, "verbose": self.verbose}
        trained = train(bases, points, labels, parts, random_state, **jobs)
        self.estimators_ = trained[: len(rows)]
        if self._deployed_name is not None:
            self.estimator_ = trained[-1]
        asked: dict[str, Any] = {"X_unlabelled": unseen, "n_jobs": self.n_jobs}
        return left_out_votes(self._voters(), points, labels, rows, self.classes_, **asked)

    def _voters(self) -> list[Voter]:
        return [Voter(estimator, self.classes_) for estimator in self.estimators_]

    def predict_voters(self, X: Any) -> Codes:
        """Return what every voter says of new points: codes of shape (n_voters, n_samples)."""
        check_is_fitted(self)
        return predict_codes(self._voters(), self._validated(X), self.n_jobs)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        kinds = [get_tags(base).input_tags for base in self._bases()]
        tags.input_tags = kinds[0]
        tags.input_tags.sparse = all(kind.sparse for kind in kinds)
        tags.input_tags.allow_nan = all(kind.allow_nan for kind in kinds)
        return tags


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
    {shared parameters, attributes}

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

    def _plan(self, n_samples: int, unseen: Any, random_state: RandomState) -> list[Rows]:
        draws = range(self.n_estimators)
        return [bootstrap(n_samples, self.max_samples, random_state) for _ in draws]


@dataclass(eq=False, repr=False)
class CertifiedVotingClassifier(TrainedVote, NamedEstimators):  # type: ignore[misc]
    """A vote of different classifiers with a guarantee on its error rate.

    Every classifier is trained once per split, and each of these voters, the first split's and then
    the second's and so on, is evaluated on the points it was not trained on.

    Parameters
    ----------
    estimators : list of (str, classifier)
    splits : int, "pairs" or scikit-learn splitter
        A number of random halves, which overlap in pairs so that every bound exists; "pairs", as in
        `CertifiedClassifierCV`; or a splitter that needs no labels. With ``KFold`` voters of
        different folds share no held-out point, so bounds that need such points say nothing.
    prefit : bool
        True if the estimators are fitted already; X and y of `fit` must then be points that none
        of them was trained on.
    {shared parameters, attributes}

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
        return [model for _, model in self.estimators]

    def _train(self, points: Any, labels: NDArray[Any], unseen: Any) -> Votes:
        if not self.prefit:
            return super()._train(points, labels, unseen)
        models = self._bases()
        self._check_request(len(models), unseen)
        votes = hold_out_votes(models, points, labels, X_unlabelled=unseen)
        self.estimators_, self.classes_ = as_it_is(models), votes.classes
        return votes

    def _plan(self, n_samples: int, unseen: Any, random_state: RandomState) -> list[Rows]:
        parts = split(n_samples, self.splits, random_state)
        if not isinstance(self.splits, Integral):
            # Random halves may miss each other on tiny data; folds do so by design.
            held_out = held_out_mask(parts, n_samples).repeat(len(self.estimators), axis=0)
            n_unlabelled = 0 if unseen is None else np.shape(unseen)[0]
            self._request().check_overlaps(held_out, n_unlabelled)
        return parts

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, with those of the estimators as name__parameter."""
        return dict(self._get_params("estimators", deep=deep))

    def set_params(self, **params: Any) -> CertifiedVotingClassifier:
        """Set parameters; those of the estimators as name__parameter."""
        self._set_params("estimators", **params)
        return self
