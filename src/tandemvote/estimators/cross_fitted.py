"""A few whole models, each trained on all points but one fold and evaluated on that fold."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import KFold
from sklearn.utils import Tags, _safe_indexing, check_random_state, get_tags
from sklearn.utils.validation import _num_samples

from tandemvote.codes import encode
from tandemvote.counting.counts import FloatArray
from tandemvote.ensembles.splits import split
from tandemvote.estimators.trained_vote import TrainedVote
from tandemvote.hard_vote import vote_totals

if TYPE_CHECKING:
    from typing_extensions import Self

STRICTLY = 1e-6
"""How far beyond a tie the averages are mixed with the votes, as a share of what is possible."""


class CertifiedClassifierCV(TrainedVote):
    """Any classifier, trained once per fold, with a guarantee on the error of the models' vote.

    Each model is trained on all points but those of one fold and evaluated on that fold, so all
    labels are used for training and none is set aside. In the manner of scikit-learn's
    `CalibratedClassifierCV`, the models predict together, by plurality.

    Three strong voters give a far tighter guarantee than the hundred trees of one forest: the vote
    errs only where two of the three do, and each of them is a good classifier.

    Parameters
    ----------
    estimator : classifier, optional
        Any classifier or pipeline; a random forest by default. Everything that learns from data,
        encoders and feature selection included, belongs inside the pipeline.
    cv : int or scikit-learn splitter
        Number of folds; or a shuffled `KFold`, a `ShuffleSplit` or `RepeatedKFold`. Splitters that
        look at the data, stratified ones among them, are refused.
    weights, bound, prior, delta, sharpening
        As in `CertifiedForestClassifier`; one weight per fold.
    random_state : int, RandomState instance or None
        Decides the folds, and every `random_state` inside the estimator.
    n_jobs : int or None
        Jobs that train and vote in parallel; the result does not depend on it.
    verbose : int
        Report progress of the training.

    Attributes
    ----------
    certificate_, bounds_, weights_, counts_, certification_, training_rows_, classes_, \
    n_features_in_, feature_names_in_
        As in `CertifiedForestClassifier`.
    estimators_ : list of classifiers
        One per fold. A fold whose training points have a single class gets a constant
        `DummyClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    >>> model = CertifiedClassifierCV(pipeline, random_state=0).fit(X, y)
    >>> model.certificate_.bound, len(model.estimators_)
    ('coalition', 3)
    """

    def __init__(
        self,
        estimator: Any = None,
        cv: Any = 3,
        *,
        weights: str | ArrayLike = "uniform",
        bound: Any = "auto",
        prior: ArrayLike | None = None,
        delta: float = 0.05,
        sharpening: str = "harmonic",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.cv = cv
        self.weights = weights
        self.bound = bound
        self.prior = prior
        self.delta = delta
        self.sharpening = sharpening
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: ArrayLike, X_unlabelled: Any | None = None) -> Self:
        """Train one model per fold, evaluate each on its fold, and certify their vote.

        Parameters
        ----------
        X : array_like, frame, sparse matrix or sequence of texts
            Handed to the estimator as it is, fold by fold.
        y : array_like, shape (n_samples,)
            Labels of any type.
        X_unlabelled : like X, optional
            Points of the same source without labels, none of them among X; they add the bound
            `vote_profile`.
        """
        points, labels = self._validate_training(X, y)
        random_state = check_random_state(self.random_state)
        splitter = self.cv
        if isinstance(splitter, Integral):
            splitter = KFold(int(splitter), shuffle=True, random_state=random_state)
        rows = split(len(labels), splitter, random_state, name="cv")
        self._request().check(
            n_voters=len(rows),
            n_classes=np.unique(labels).size,
            unlabelled=X_unlabelled is not None,
        )
        estimators = [self._base()] * len(rows)
        return self._train(
            estimators, rows, points, labels, X_unlabelled, random_state=random_state
        )

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict by plurality; averaged probabilities break ties, else the smallest class wins.

        How ties are broken costs nothing: the guarantee holds for every rule.

        Parameters
        ----------
        X : array_like, shape (n_samples, n_features)

        Returns
        -------
        ndarray, shape (n_samples,)
        """
        totals, points = self._totals(X), self._validate_new(X)
        winners = self._winners(totals, lambda rows: self._averages(_safe_indexing(points, rows)))
        return np.asarray(self.classes_[winners])

    def predict_proba(self, X: Any) -> FloatArray:
        """Return averaged probabilities that agree with `predict`.

        Where the label of the vote has not the largest averaged probability, the shares of the vote
        are mixed in, as far as is needed for it to have the largest. Of models without
        probabilities these are the shares of the vote.

        Parameters
        ----------
        X : array_like, shape (n_samples, n_features)

        Returns
        -------
        ndarray, shape (n_samples, n_classes)
            Columns follow `classes_`.
        """
        totals = self._totals(X)
        shares = totals / totals.sum(axis=1, keepdims=True)
        averages = self._averages(self._validate_new(X)) if self._have_probabilities() else shares
        winners = self._winners(totals, lambda rows: averages[rows])
        own = np.take_along_axis(averages, winners[:, None], axis=1)
        lead = np.take_along_axis(shares, winners[:, None], axis=1) - shares
        # (1 - t) (own - averages) + t lead > 0 wherever the vote has to overrule the averages.
        overruled = (averages >= own) & (lead > 0)
        enough = np.where(overruled, averages - own, 0.0)
        enough = np.divide(enough, enough + lead, out=enough, where=overruled).max(axis=1)
        mix = np.where(overruled.any(axis=1), enough + (1.0 - enough) * STRICTLY, 0.0)[:, None]
        return np.asarray((1.0 - mix) * averages + mix * shares)

    def _totals(self, X: Any) -> FloatArray:
        return vote_totals(self.predict_voters(X), self.weights_, len(self.classes_))

    def _winners(
        self, totals: FloatArray, averages: Callable[[NDArray[np.intp]], FloatArray]
    ) -> NDArray[np.intp]:
        """Return the position of each winner; averages of the rows that tie break the ties."""
        winners = totals.argmax(axis=1)
        leading = totals == totals.max(axis=1, keepdims=True)
        tied = np.flatnonzero(leading.sum(axis=1) > 1)
        if tied.size and self._have_probabilities():
            winners[tied] = np.where(leading[tied], averages(tied), -1.0).argmax(axis=1)
        return np.asarray(winners)

    def _have_probabilities(self) -> bool:
        return all(hasattr(estimator, "predict_proba") for estimator in self.estimators_)

    def _averages(self, X: Any) -> FloatArray:
        """Average the voters' probabilities by their weights; a class a voter never saw gets 0."""
        averages = np.zeros((_num_samples(X), len(self.classes_)))
        for estimator, weight in zip(self.estimators_, self.weights_, strict=True):
            columns = encode(np.asarray(estimator.classes_), self.classes_)
            averages[:, columns] += weight * estimator.predict_proba(X)
        return np.asarray(averages / self.weights_.sum())

    def _base(self) -> Any:
        return RandomForestClassifier() if self.estimator is None else self.estimator

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._base()).input_tags
        return tags
