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
from sklearn.utils.validation import check_is_fitted

from tandemvote.certificate import Certificate
from tandemvote.counts import FloatArray, VoteCounts
from tandemvote.ensembles.hard_vote import vote_shares, vote_totals
from tandemvote.ensembles.terms import Terms
from tandemvote.ensembles.voters import Codes
from tandemvote.profile import VoteProfile
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
        return vote_shares(self._predict_codes(X), self.weights_, len(self.classes_))

    def certify_with_test(
        self, X_test: Any, y_test: ArrayLike, *, bound: str | Sequence[str] | None = None
    ) -> Certificate:
        """Return the certificate with the test-set bound beside the others.

        Parameters
        ----------
        X_test, y_test : array_like
            Labelled points used for nothing else: not for training, weights or any choice.
        bound : str or sequence of str, optional
            The bound to report, "test_set" included; by default the one of `certificate_`.
        """
        predicted = Votes.from_predictions([self.predict(X_test)], y_test)
        terms = replace(self._terms(), bound=self.bound if bound is None else bound)
        note = f"Test-set labels: {predicted.n_samples} set aside for the test-set bound."
        return terms.certify(
            self.counts_,
            self.certificate_.weights,
            profile=self.certificate_.profile,
            test_counts=VoteCounts.from_votes(predicted),
            notes=[*self.certificate_.notes, note],
        )

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
        terms = self._terms()
        weights = terms.prune_weights(self.counts_, max_voters)
        kept = np.flatnonzero(weights)
        smaller = copy(self)
        smaller._keep([self.estimators_[voter] for voter in kept])
        smaller.weights_ = weights[kept]
        smaller._issue(terms, weights)
        del smaller.oob_score_, smaller.oob_decision_function_
        return smaller

    @abstractmethod
    def _predict_codes(self, X: Any) -> Codes:
        """Let every voter predict codes, shape (n_voters, n_samples)."""

    def _keep(self, estimators: list[Any]) -> None:
        self.estimators_ = estimators

    def _terms(self) -> Terms:
        return Terms(
            weights=self.weights,
            bound=self.bound,
            prior=self.prior,
            delta=self.delta,
            sharpening=self.sharpening,
        )

    def _certify(self, votes: Votes, terms: Terms) -> Self:
        """Count the votes, choose the weights, issue the certificate."""
        votes, self.unlabelled_votes_ = terms.set_apart(votes)
        self.counts_ = VoteCounts.from_votes(votes)
        self.weights_ = terms.choose_weights(self.counts_)
        self._issue(terms, self.weights_)
        totals = vote_totals(votes.predictions, self.weights_, len(self.classes_), votes.held_out)
        weight = totals.sum(axis=1, keepdims=True)
        judged = weight[:, 0] > 0
        self.oob_decision_function_ = np.full_like(totals, np.nan)
        np.divide(totals, weight, out=self.oob_decision_function_, where=weight > 0)
        right = totals[judged].argmax(axis=1) == votes.labels[judged]
        self.oob_score_ = float(right.mean()) if right.size else float("nan")
        return self

    def _issue(self, terms: Terms, weights: FloatArray) -> None:
        unlabelled = self.unlabelled_votes_
        profile = VoteProfile.of(unlabelled, weights) if unlabelled.size else None
        self.certificate_ = terms.certify(self.counts_, weights, profile=profile)
        self.bounds_ = self.certificate_.bounds
