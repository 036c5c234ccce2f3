"""What certified votes of any classifiers share: checks that leave X alone, training, voting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, column_or_1d, indexable
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from tandemvote.codes import Codes, encode
from tandemvote.ensembles.refusals import refuse_frozen
from tandemvote.ensembles.splits import Rows, held_out_mask
from tandemvote.ensembles.training import train
from tandemvote.ensembles.training_rows import refuse_training_rows, row_digests
from tandemvote.ensembles.voters import Voter, predict_codes, predict_held_out
from tandemvote.estimators.certified_vote import CertifiedVote
from tandemvote.votes import Votes

if TYPE_CHECKING:
    from typing_extensions import Self


class TrainedVote(CertifiedVote):
    """Base of the certified votes that train classifiers on rows of X, frames included."""

    n_jobs: int | None
    verbose: int

    def _validate_training(self, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any]]:
        validate_data(self, X, y, skip_check_array=True)
        labels = column_or_1d(
            check_array(y, ensure_2d=False, dtype=None, input_name="y"), warn=True
        )
        check_classification_targets(labels)
        points, labels = indexable(X, labels)
        return points, labels

    def _validate_new(self, X: Any) -> Any:
        if hasattr(self, "n_features_in_") and getattr(X, "ndim", 2) == 1:
            raise ValueError(
                f"X has 1 dimension; expected (n_samples, {self.n_features_in_}). Reshape your data"
                " with X.reshape(1, -1) if it is a single point."
            )
        validate_data(self, X, skip_check_array=True, reset=False)
        return indexable(X)[0]

    def _train(
        self,
        estimators: Sequence[Any],
        rows: Sequence[Rows],
        points: Any,
        labels: NDArray[Any],
        X_unlabelled: Any | None,
        *,
        random_state: RandomState,
    ) -> Self:
        for estimator in estimators:
            refuse_frozen(estimator)
        unseen = self._validate_unlabelled(X_unlabelled, points)
        self.classes_ = np.unique(labels)
        self.estimators_ = train(
            estimators, points, labels, rows, random_state, n_jobs=self.n_jobs, verbose=self.verbose
        )
        voters = self._voters()
        held_out = held_out_mask(rows, len(labels))
        codes = encode(labels, self.classes_)
        predictions = predict_held_out(voters, points, codes, held_out, self.n_jobs)
        unlabelled = predictions[:, :0]
        if unseen is not None:
            unlabelled = predict_codes(voters, unseen, self.n_jobs)
        votes = Votes(predictions, codes, held_out, self.classes_, unlabelled)
        return self._certify(votes, points)

    def _validate_unlabelled(self, X_unlabelled: Any | None, points: Any) -> Any | None:
        if X_unlabelled is None:
            return None
        unseen = self._validate_new(X_unlabelled)
        refuse_training_rows(row_digests(points), unseen, what="unlabelled")
        return unseen

    def _voters(self) -> list[Voter]:
        return [Voter(estimator, self.classes_) for estimator in self.estimators_]

    def predict_voters(self, X: Any) -> Codes:
        """Return what every voter says of new points: codes of shape (n_voters, n_samples)."""
        check_is_fitted(self)
        return predict_codes(self._voters(), self._validate_new(X), self.n_jobs)
