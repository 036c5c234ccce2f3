"""Bagging of any classifier, certified on the points the bootstraps left out."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

from numpy.random import RandomState
from sklearn.tree import DecisionTreeClassifier

from tandemvote.ensembles.training import Rows, bootstrap
from tandemvote.estimators.trained_vote import TrainedVote


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
        As in `CertifiedForestClassifier`.
    weights, bound, prior, delta, sharpening, random_state, n_jobs, verbose
        And all attributes: as in `CertifiedVote`.

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
