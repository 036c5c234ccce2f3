"""What all certified classifiers share: from votes to a certificate, and the vote itself."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_is_fitted

from tandemvote.certificate.certificate import Certificate
from tandemvote.certification import CertificateRequest, Certification, certify_votes
from tandemvote.codes import Codes
from tandemvote.counting.counts import FloatArray
from tandemvote.ensembles.hold_out import votes_on
from tandemvote.ensembles.training_rows import row_digests
from tandemvote.hard_vote import held_out_shares, vote_shares
from tandemvote.votes import Votes

if TYPE_CHECKING:
    from typing_extensions import Self


class CertifiedVote(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):  # type: ignore[misc]
    """Base of the certified classifiers: a hard weighted vote and what is promised about it."""

    weights: Any
    bound: Any
    prior: Any
    delta: float
    sharpening: str

    estimators_: list[Any]
    classes_: NDArray[Any]

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict by the hard weighted vote, which is what the certificate is about.

        Parameters
        ----------
        X : array_like, shape (n_samples, n_features)

        Returns
        -------
        ndarray, shape (n_samples,)
            The label with the largest total weight; ties go to the smallest class.
        """
        shares = self.predict_proba(X)
        return np.asarray(self.classes_[shares.argmax(axis=1)])

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the share of the weight behind each label.

        Parameters
        ----------
        X : array_like, shape (n_samples, n_features)

        Returns
        -------
        ndarray, shape (n_samples, n_classes)
            Columns follow `classes_`. These are shares of votes, not calibrated probabilities.
        """
        check_is_fitted(self)
        return vote_shares(self.predict_voters(X), self.weights_, len(self.classes_))

    def certify_with_test(
        self, X_test: Any, y_test: ArrayLike, *, bound: str | Sequence[str] | None = None
    ) -> Certificate:
        """Return the certificate with the test-set bound beside the others.

        Parameters
        ----------
        X_test, y_test : array_like
            Labelled points used for nothing else: not for training, weights or any choice. Rows
            that `fit` was given are refused.
        bound : str or sequence of str, optional
            The bound to report, "test_set" included; by default what the classifier was asked for,
            where "auto" takes the test set.
        """
        check_is_fitted(self)
        test_votes = votes_on([self], X_test, column_or_1d(y_test), what="test")
        found = replace(self.certification_, request=self._request())
        return found.with_test_set(test_votes, bound).certificate

    def prune(self, max_voters: int) -> Self:
        """Return a smaller vote with a certificate of its own; no point is spent on it.

        The weights of the voters kept are chosen anew, to minimise the bound that `weights` names,
        else `bound`, else the tandem bound.

        Parameters
        ----------
        max_voters : int
            How many voters to keep at most.

        Returns
        -------
        fitted estimator of the same class
            Its `certificate_` and `counts_` list all voters there were: those left out have
            weight 0, and the guarantee pays for the choice among them. It has no `oob_score_`.
        """
        check_is_fitted(self)
        if len(self.estimators_) < self.counts_.n_voters:
            raise ValueError(
                f"This vote was pruned to {len(self.estimators_)} of {self.counts_.n_voters} voters"
                " before. Prune the whole one again."
            )
        smaller = copy(self)
        smaller._accept(self.certification_.pruned(max_voters))
        kept = np.flatnonzero(smaller.weights_)
        smaller._keep([self.estimators_[voter] for voter in kept])
        smaller.weights_ = smaller.weights_[kept]
        del smaller.oob_score_, smaller.oob_decision_function_
        return smaller

    @abstractmethod
    def predict_voters(self, X: Any) -> Codes:
        """Return what every voter says of new points.

        Parameters
        ----------
        X : array_like, shape (n_samples, n_features)

        Returns
        -------
        ndarray of int, shape (n_voters, n_samples)
            Positions in `classes_`.
        """

    def _keep(self, estimators: list[Any]) -> None:
        self.estimators_ = estimators

    def _request(self) -> CertificateRequest:
        return CertificateRequest(
            weights=self.weights,
            bound=self.bound,
            prior=self.prior,
            delta=self.delta,
            sharpening=self.sharpening,
        )

    def _certify(self, votes: Votes, points: Any) -> Self:
        """Certify the votes on the points of `fit`, and keep what is known of both."""
        self.training_rows_ = row_digests(points)
        self._accept(certify_votes(votes, self._request()))
        observed = self.certification_.observed
        self.oob_score_ = float("nan") if observed is None else 1.0 - observed
        self.oob_decision_function_ = held_out_shares(votes, self.weights_)
        return self

    def _accept(self, found: Certification) -> None:
        self.certification_ = found
        self.counts_ = found.counts
        self.certificate_ = found.certificate
        self.bounds_ = found.certificate.bounds
        self.weights_ = found.weights
