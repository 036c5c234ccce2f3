"""A few whole models, each trained on most of the points and evaluated on the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import KFold
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from tandemvote.codes import encode
from tandemvote.counting.counts import FloatArray
from tandemvote.ensembles.private_names import pick
from tandemvote.ensembles.training import PAIRS, Rows, split
from tandemvote.estimators.voting import TrainedVote
from tandemvote.hard_vote import vote_totals

STRICTLY = 1e-6
"""How far beyond a tie the averages are mixed with the votes, as a share of what is possible."""


def _has_probabilities(model: CertifiedClassifierCV) -> bool:
    fitted = hasattr(model, "certificate_")
    votes = model.certificate_.deployed is None if fitted else model.ensemble
    return votes or hasattr(model._bases()[0], "predict_proba")


@dataclass(eq=False, repr=False)
class CertifiedClassifierCV(TrainedVote):
    """Any classifier, trained a few times, with a guarantee on the error of the models' vote.

    Each model is trained on most of the points and evaluated on the others, so that every label
    trains a model and none is set aside. In the manner of scikit-learn's `CalibratedClassifierCV`,
    the models predict together, by plurality. Averaged probabilities break ties, else the smallest
    class wins; the guarantee holds for every such rule.

    Three strong voters give a far tighter guarantee than the hundred trees of one forest: where two
    of the three are right, so is the vote, and each of them is a good classifier.

    Parameters
    ----------
    estimator : classifier, optional
        Any classifier or pipeline; a random forest by default. Everything that learns from data,
        encoders and feature selection included, belongs inside the pipeline.
    cv : "pairs", int or scikit-learn splitter
        Which points train which model. "pairs": three models, every two of which are evaluated
        together on points that train only the third. A number of folds: one model per fold, trained
        on the others; no two models are then evaluated on the same points, and the guarantee is
        mostly looser. Or a shuffled `KFold`, a `ShuffleSplit` or `RepeatedKFold`. Splitters that
        look at the data, stratified ones among them, are refused.
    ensemble : bool
        If True, these models predict together. If False, one model trained on all labels predicts,
        `estimator_`, and is certified through the others; this takes unlabelled points:
        ``fit(X, y, X_unlabelled=...)``. Through one hold-out,
        ``cv=ShuffleSplit(1, test_size=0.2)``, that is mostly tighter, but nothing then shows points
        of another source.
    {shared parameters, attributes}
    estimator_ : classifier
        The model trained on all labels, with ``ensemble=False``.

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
    ('winning_pair', 3)
    """

    estimator: Any = None
    cv: Any = PAIRS
    _: KW_ONLY
    ensemble: bool = True

    _let_voters_predict = "ensemble=True"

    @property
    def _deployed_name(self) -> str | None:
        return None if self.ensemble else type(self._bases()[0]).__name__

    def _deployed(self) -> Any:
        return self.estimator_

    def _bases(self) -> list[Any]:
        return [RandomForestClassifier() if self.estimator is None else self.estimator]

    def _plan(self, n_samples: int, unseen: Any, random_state: RandomState) -> list[Rows]:
        splitter = self.cv
        if isinstance(splitter, Integral):
            splitter = KFold(int(splitter), shuffle=True, random_state=random_state)
        return split(n_samples, splitter, random_state, name="cv")

    def _winners(self, X: Any) -> NDArray[np.intp]:
        points = self._validated(X)
        return self._without_ties(self._totals(X), lambda rows: self._averages(pick(points, rows)))

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Return averaged probabilities that agree with `predict`.

        Where the label of the vote has not the largest averaged probability, the shares of the vote
        are mixed in, as far as is needed for it to have the largest. Of models without
        probabilities these are the shares of the vote; with ``ensemble=False`` the probabilities of
        the model trained on all labels. Columns follow `classes_`.
        """
        check_is_fitted(self)
        if self.certificate_.deployed is not None:
            return super().predict_proba(X)
        totals = self._totals(X)
        shares = totals / totals.sum(axis=1, keepdims=True)
        averages = self._averages(self._validated(X)) if self._have_probabilities() else shares
        winners = self._without_ties(totals, lambda rows: averages[rows])
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

    def _without_ties(
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
        averages = np.zeros((np.shape(X)[0], len(self.classes_)))
        for estimator, weight in zip(self.estimators_, self.weights_, strict=True):
            columns = encode(np.asarray(estimator.classes_), self.classes_)
            averages[:, columns] += weight * estimator.predict_proba(X)
        return np.asarray(averages / self.weights_.sum())
