"""What all certified classifiers share: from votes to a certificate, and the vote itself."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_array, column_or_1d, indexable
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from tandemvote.bounds.averages import HARMONIC
from tandemvote.bounds.registry import AUTO
from tandemvote.certificate.certificate import Certificate
from tandemvote.certification import UNIFORM, CertificateRequest, Certification, certify_votes
from tandemvote.codes import Codes
from tandemvote.counting.counts import FloatArray
from tandemvote.ensembles.evidence import votes_on
from tandemvote.ensembles.refusals import refuse_fit_parameters
from tandemvote.ensembles.rows import note_repeated_rows, row_digests
from tandemvote.frames import (
    note_times,
    refuse_labels_among_features,
    refuse_several_rows_per_case,
)
from tandemvote.hard_vote import held_out_shares, vote_shares
from tandemvote.votes import Votes

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(eq=False, repr=False, kw_only=True)
class CertifiedVote(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):  # type: ignore[misc]
    """A hard weighted vote and what is promised about it: the base of all certified classifiers.

    A dataclass writes the explicit `__init__` that scikit-learn asks of every estimator.

    Parameters
    ----------
    weights : {"uniform", "first_order", "tandem", "disagreement"} or array_like
        How much each voter counts: equally, by the weights that minimise the named bound, or as
        given. Choosing weights on the training data costs no confidence.
    bound : str or sequence of str
        The bound behind `certificate_`: "auto", which is chosen by the kind of evidence; a name; or
        "best" for the smallest of all that apply, each at its share of delta. Choose it before
        seeing the data.
    prior : array_like of shape (n_voters,), optional
        Weights fixed before seeing the data; uniform by default.
    delta : float in (0, 0.5]
        Probability with which the guarantee may fail.
    sharpening : {"harmonic", "paper"}
        Sample sizes that use every held-out set in full, or the bounds as published.
    random_state : int, RandomState instance or None
        Decides which points train which voter, and every `random_state` inside the voters.
    n_jobs : int or None
        Jobs that train and vote in parallel; the result does not depend on it.
    verbose : int
        Report progress of the training.

    Attributes
    ----------
    certificate_ : Certificate
        What is promised, from what, and under which assumptions.
    bounds_ : mapping of str to BoundValue
        All bounds that apply; ``certificate_.to_frame()`` makes a table of them.
    weights_ : ndarray of shape (n_voters,)
    counts_ : VoteCounts
        Errors and common errors of the voters on points they were not trained on.
    certification_ : Certification
        The votes, counts and weights behind the certificate.
    training_rows_ : ndarray of shape (n_samples,)
        A digest of each row of X, by which points that were trained on are recognised.
    estimators_ : list of classifiers
        The voters. One whose training points have a single class is a constant `DummyClassifier`.
    classes_ : ndarray of shape (n_classes,)
    oob_score_ : float
        Share of the training points that the vote of the voters that did not see them gets right.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Shares of that vote; NaN at points that every voter saw.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if the columns of X have names.
    """

    weights: str | ArrayLike = UNIFORM
    bound: str | Sequence[str] = AUTO
    prior: ArrayLike | None = None
    delta: float = 0.05
    sharpening: str = HARMONIC
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 0

    def __init_subclass__(cls, **options: Any) -> None:
        """Fill in the parameters and attributes that are documented above."""
        super().__init_subclass__(**options)
        if cls.__doc__ and CertifiedVote.__doc__:  # python -OO leaves both out
            _, shared = cleandoc(CertifiedVote.__doc__).split("Parameters\n----------\n")
            cls.__doc__ = cleandoc(cls.__doc__).replace("{shared parameters, attributes}", shared)

    def fit(self, X: Any, y: ArrayLike, *, X_unlabelled: Any = None, **unknown: Any) -> Self:
        """Train the voters, let each predict the points it never saw, and certify the vote.

        Parameters
        ----------
        X : array_like, frame, sparse matrix or sequence of texts, as the voters take it
        y : array_like, shape (n_samples,)
            Labels of any type.
        X_unlabelled : like X, optional
            Points of the same source without labels, none of them among X; they sharpen the
            disagreement bound and add the bound `vote_profile`, which is reported unless two or
            three voters share enough held-out points. Where weights or bound are
            "disagreement", each of the two gets half of them.
        """
        refuse_fit_parameters(unknown)
        refuse_labels_among_features(X, y)
        refuse_several_rows_per_case(X, y)
        if self._deployed_name is not None and X_unlabelled is None:
            raise ValueError(
                f"Of {self._deployed_name} itself, which no labelled point tests, nothing can be"
                " certified without unlabelled points: it may err wherever it differs from the"
                " voters. Pass fit(X, y, X_unlabelled=...), hundreds of points or more, or let the"
                f" voters predict: {self._let_voters_predict}."
            )
        validate_data(self, X, y, skip_check_array=True)
        labels = check_array(y, ensure_2d=False, dtype=None, input_name="y")
        points, labels = indexable(self._validated(X), column_or_1d(labels, warn=True))
        check_classification_targets(labels)
        self.classes_ = np.unique(labels)
        self.training_rows_ = rows = row_digests(points)
        unseen = None if X_unlabelled is None else self._validated(X_unlabelled)
        repeated = note_repeated_rows(points, labels, rows, what="training", X_unlabelled=unseen)
        votes = replace(self._train(points, labels, unseen), voters=None)  # they are kept here
        if self._deployed_name is not None:
            said = self._deployed().predict(unseen)
            votes = votes.with_deployed(said, name=self._deployed_name)
        notes = (*note_times(X), *repeated)
        self._accept(certify_votes(votes, self._request(), notes=notes))
        observed = self.certification_.observed
        self.oob_score_ = float("nan") if observed is None else 1.0 - observed
        self.oob_decision_function_ = held_out_shares(votes, self.weights_)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict by what the certificate is about: the hard weighted vote if nothing else is said.

        That is the label with the largest total weight; ties go to the smallest class.
        """
        check_is_fitted(self)
        if self.certificate_.deployed is not None:
            return np.asarray(self._deployed().predict(self._validated(X)))
        return np.asarray(self.classes_[self._winners(X)])

    def _winners(self, X: Any) -> NDArray[np.intp]:
        """Return the positions in `classes_` of the labels that win the vote."""
        return np.asarray(self.predict_proba(X).argmax(axis=1))

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the share of the weight behind each label, shape (n_samples, n_classes).

        Columns follow `classes_`. These are shares of votes, not calibrated probabilities; of
        another classifier than the vote they are its own probabilities.
        """
        check_is_fitted(self)
        if self.certificate_.deployed is not None:
            return np.asarray(self._deployed().predict_proba(self._validated(X)))
        return vote_shares(self.predict_voters(X), self.weights_, len(self.classes_))

    @abstractmethod
    def predict_voters(self, X: Any) -> Codes:
        """Return what every voter says, as positions in `classes_`, shape (n_voters, n_samples)."""

    def certify_with_test(
        self,
        X_test: Any,
        y_test: ArrayLike,
        *,
        bound: str | Sequence[str] | None = None,
        keep: bool = False,
    ) -> Certificate:
        """Return the certificate with the test-set bound beside the others.

        Parameters
        ----------
        X_test, y_test : array_like
            Labelled points used for nothing else: not for training, weights or any choice. Rows
            that `fit` was given are refused.
        bound : str or sequence of str, optional
            By default what the classifier was asked for, where "auto" takes the test set.
        keep : bool
            Keep it as the certificate of this classifier.
        """
        check_is_fitted(self)
        self._refuse_if_deployed("certify([model], X_test, y_test) tests it")
        tested = votes_on([self], X_test, y_test, what="test").votes
        request = self._request() if bound is None else replace(self._request(), bound=bound)
        found = replace(self.certification_, request=request, test_votes=tested)
        if keep:
            self._accept(found)
        return found.certificate

    def _validated(self, X: Any) -> Any:
        """Return points as the voters take them; refuse other columns than those of `fit`."""
        if hasattr(self, "n_features_in_") and getattr(X, "ndim", 2) == 1:
            raise ValueError(
                f"X has 1 dimension; expected (n_samples, {self.n_features_in_}). Reshape your data"
                " with X.reshape(1, -1) if it is a single point."
            )
        validate_data(self, X, skip_check_array=True, reset=False)
        return indexable(X)[0]

    @abstractmethod
    def _train(self, points: Any, labels: NDArray[Any], unseen: Any) -> Votes:
        """Train `estimators_` and return their votes on points they did not see."""

    @property
    def _deployed_name(self) -> str | None:
        """What `fit` is to certify in place of the vote; None for the vote."""
        return None

    _let_voters_predict = ""

    def _deployed(self) -> Any:
        """Return the fitted classifier that is certified in place of the vote."""

    def _refuse_if_deployed(self, because: str) -> None:
        if self.certificate_.deployed is not None:
            raise ValueError(
                f"{self.certificate_.deployed} predicts here, not the vote: {because}. For the vote"
                f" fit with {self._let_voters_predict}."
            )

    def _request(self) -> CertificateRequest:
        names = [field.name for field in fields(CertificateRequest)]
        return CertificateRequest(**{name: getattr(self, name) for name in names})

    def _check_request(self, n_voters: int, unseen: Any) -> None:
        """Refuse what no such vote can be given, before anything is trained."""
        self._request().check(
            n_voters=n_voters,
            classes=self.classes_,
            unlabelled=unseen is not None,
            deployed=self._deployed_name,
        )

    def _accept(self, found: Certification) -> None:
        self.certification_, self.certificate_ = found, found.certificate
        self.bounds_, self.counts_ = found.certificate.bounds, found.counts
        self.weights_ = found.weights
