"""What certified votes of any classifiers share: checks that leave X alone, training, voting."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags, check_array, check_random_state, column_or_1d, get_tags, indexable
from sklearn.utils.validation import check_is_fitted, validate_data

from tandemvote.codes import Codes, encode
from tandemvote.ensembles.refusals import refuse_frozen, refuse_other_than_one_label
from tandemvote.ensembles.training import Rows, held_out_mask, train
from tandemvote.ensembles.voters import Voter, predict_codes, predict_held_out
from tandemvote.estimators.certified_vote import CertifiedVote
from tandemvote.votes import Votes


@dataclass(eq=False, repr=False, kw_only=True)
class TrainedVote(CertifiedVote):
    """Base of the certified votes that train classifiers on rows of X, frames included."""

    @abstractmethod
    def _bases(self) -> list[Any]:
        """Return the different classifiers to train."""

    @abstractmethod
    def _plan(
        self, n_samples: int, unseen: Any, random_state: RandomState
    ) -> tuple[Sequence[Any], Sequence[Rows]]:
        """Return the classifier behind each voter, and the rows that train it."""

    def _validate_training(self, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any]]:
        validate_data(self, X, y, skip_check_array=True)
        labels = check_array(y, ensure_2d=False, dtype=None, input_name="y")
        points, labels = indexable(X, column_or_1d(labels, warn=True))
        return points, labels

    def _validate_new(self, X: Any) -> Any:
        if hasattr(self, "n_features_in_") and getattr(X, "ndim", 2) == 1:
            raise ValueError(
                f"X has 1 dimension; expected (n_samples, {self.n_features_in_}). Reshape your data"
                " with X.reshape(1, -1) if it is a single point."
            )
        validate_data(self, X, skip_check_array=True, reset=False)
        return indexable(X)[0]

    def _train(self, points: Any, labels: NDArray[Any], unseen: Any) -> Votes:
        for base in self._bases():
            refuse_other_than_one_label(base)
            refuse_frozen(base)
        random_state = check_random_state(self.random_state)
        estimators, rows = self._plan(len(labels), unseen, random_state)
        self._check_request(len(rows), unseen)
        whole = [] if self._deployed_name is None else self._bases()
        trained = train(
            [*estimators, *whole],
            points,
            labels,
            [*rows, *[np.arange(len(labels)) for _ in whole]],
            random_state,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        self.estimators_ = trained[: len(rows)]
        if whole:
            self.estimator_ = trained[-1]
        held_out = held_out_mask(rows, len(labels))
        codes = encode(labels, self.classes_)
        predictions = predict_held_out(self._voters(), points, codes, held_out, self.n_jobs)
        unlabelled = predictions[:, :0]
        if unseen is not None:
            unlabelled = predict_codes(self._voters(), unseen, self.n_jobs)
        return Votes(predictions, codes, held_out, self.classes_, unlabelled)

    def _voters(self) -> list[Voter]:
        return [Voter(estimator, self.classes_) for estimator in self.estimators_]

    def predict_voters(self, X: Any) -> Codes:
        """Return what every voter says of new points: codes of shape (n_voters, n_samples)."""
        check_is_fitted(self)
        return predict_codes(self._voters(), self._validate_new(X), self.n_jobs)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        kinds = [get_tags(base).input_tags for base in self._bases()]
        tags.input_tags = kinds[0]
        tags.input_tags.sparse = all(kind.sparse for kind in kinds)
        tags.input_tags.allow_nan = all(kind.allow_nan for kind in kinds)
        return tags
