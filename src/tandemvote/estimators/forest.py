"""A random forest with an error bound from its out-of-bag samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils import Tags, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from tandemvote.bounds.averages import HARMONIC
from tandemvote.bounds.registry import AUTO
from tandemvote.certificate.certificate import Certificate
from tandemvote.certification import UNIFORM, CertificateRequest, Certification, certify_votes
from tandemvote.codes import Codes
from tandemvote.counting.counts import FloatArray
from tandemvote.ensembles.evidence import out_of_bag_votes, votes_on
from tandemvote.ensembles.refusals import refuse_class_weight
from tandemvote.ensembles.rows import note_repeated_rows, row_digests
from tandemvote.ensembles.voters import voter_predictions
from tandemvote.frames import (
    note_times,
    refuse_labels_among_features,
    refuse_several_rows_per_case,
)
from tandemvote.hard_vote import held_out_shares, vote_shares

if TYPE_CHECKING:
    from typing_extensions import Self


class CertifiedForestClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A random forest with an upper bound on its error rate.

    The trees are those of `sklearn.ensemble.RandomForestClassifier` with the same parameters and
    seed. Each tree is evaluated on its out-of-bag samples, so no labels are set aside. The class
    with the largest total weight of trees is predicted; ties go to the smallest class.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    weights : {"uniform", "first_order", "tandem", "disagreement"} or array_like, default="uniform"
        Weight of each tree: equal, the weights that minimize the named bound, or the given ones.
        Choosing weights on the training data costs no confidence.
    bound : str or sequence of str, default="auto"
        The bound to report: "auto", which is chosen by the kind of evidence; a name, several, or
        "best" for the smallest of all that apply, each at its share of delta. Choose it before
        seeing the data.
    prior : array_like of shape (n_estimators,), default=None
        Weights fixed before seeing the data; uniform by default.
    delta : float, default=0.05
        Failure probability of the bound, above 0 and at most 0.5.
    sharpening : {"harmonic", "paper"}, default="harmonic"
        Sample sizes that use every out-of-bag set in full, or the bounds as published.
    max_samples : int, float or None, default=None
        Draws of each bootstrap; None draws as many as there are samples. With 0.5, the reduced
        bagging of the paper, more samples are out of bag and the second-order bounds get tighter.
    criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, \
    max_features, max_leaf_nodes, min_impurity_decrease, ccp_alpha, monotonic_cst
        How a tree is grown, as in `RandomForestClassifier`.
    class_weight : {"balanced_subsample"} or None, default=None
        Other class weights let the labels choose the out-of-bag samples.
    random_state : int, RandomState instance or None, default=None
        Determines the bootstraps and the trees.
    n_jobs : int, default=None
        Number of trees that are trained and predict in parallel.
    verbose : int, default=0
        Report progress of the training.

    Attributes
    ----------
    certificate_ : Certificate
        The error bound, what it was computed from, and its assumptions.
    bounds_ : mapping of str to BoundValue
        All bounds that apply; ``certificate_.to_frame()`` makes a table of them.
    weights_ : ndarray of shape (n_estimators,)
        Weights of the trees.
    counts_ : VoteCounts
        Errors and common errors of the trees on out-of-bag samples.
    certification_ : Certification
        The votes, counts and weights behind the certificate.
    training_rows_ : ndarray of shape (n_samples,)
        A digest of each row of X, by which training samples are recognized.
    forest_ : RandomForestClassifier
        The fitted forest, whose own `predict` averages probabilities.
    estimators_ : list of DecisionTreeClassifier
        The trees.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    oob_score_ : float
        Accuracy of the weighted vote of the trees on their out-of-bag samples.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Shares of that vote; NaN at samples that every tree was trained on.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Names of the features, if the columns of X have names.

    See Also
    --------
    CertifiedClassifier : Any classifier, with a tighter bound from a test set.
    certify : Certify a forest or bagging classifier that is fitted already.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = CertifiedForestClassifier(weights="tandem", max_samples=0.5, random_state=0)
    >>> forest.fit(X, y).certificate_.candidates
    ('first_order', 'tandem')
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        weights: str | ArrayLike = UNIFORM,
        bound: str | Sequence[str] = AUTO,
        prior: ArrayLike | None = None,
        delta: float = 0.05,
        sharpening: str = HARMONIC,
        max_samples: float | int | None = None,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float | int = 2,
        min_samples_leaf: float | int = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: str | None = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: ArrayLike | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.weights = weights
        self.bound = bound
        self.prior = prior
        self.delta = delta
        self.sharpening = sharpening
        self.max_samples = max_samples
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: ArrayLike, *, X_unlabelled: Any = None) -> Self:
        """Train the trees, evaluate each on its out-of-bag samples, and certify their vote.

        Parameters
        ----------
        X : array_like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array_like of shape (n_samples,)
            Class labels.
        X_unlabelled : like X, default=None
            Unlabeled samples drawn from the same distribution, none of them among X. They sharpen
            the disagreement bound and add the bound `vote_profile`. Where weights or bound are
            "disagreement", each of the two gets half of them.

        Returns
        -------
        self : CertifiedForestClassifier
            The fitted classifier.
        """
        refuse_labels_among_features(X, y)
        refuse_several_rows_per_case(X, y)
        samples, labels = self._validated(X, y, reset=True)
        check_classification_targets(labels)
        self.classes_ = np.unique(labels)
        if self.classes_.size < 2:
            only = self.classes_.tolist()[0]
            raise ValueError(f"y has 1 class, {only!r}; at least 2 are required.")
        refuse_class_weight(self.class_weight)
        self._request().check(
            n_voters=self.n_estimators,
            classes=self.classes_,
            unlabelled=X_unlabelled is not None,
        )
        unlabelled = None if X_unlabelled is None else self._validated(X_unlabelled)
        self.training_rows_ = row_digests(samples)
        repeated = note_repeated_rows(
            samples, labels, self.training_rows_, what="training", X_unlabelled=unlabelled
        )
        self.forest_ = self._plain_forest().fit(samples, labels)
        self.estimators_ = self.forest_.estimators_
        votes = out_of_bag_votes(self.forest_, samples, labels, X_unlabelled=unlabelled)
        votes = replace(votes, voters=None)  # the trees are kept here
        self._accept(certify_votes(votes, self._request(), notes=(*note_times(X), *repeated)))
        observed = self.certification_.observed
        self.oob_score_ = float("nan") if observed is None else 1.0 - observed
        self.oob_decision_function_ = held_out_shares(votes, self.weights_)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class with the largest total weight; ties go to the smallest class.

        Parameters
        ----------
        X : array_like
            Samples as in `fit`.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Predicted classes.
        """
        check_is_fitted(self)
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the share of the weight behind each class.

        These are shares of votes, not calibrated probabilities.

        Parameters
        ----------
        X : array_like
            Samples as in `fit`.

        Returns
        -------
        shares : ndarray of shape (n_samples, n_classes)
            Columns follow `classes_`.
        """
        return vote_shares(self.predict_voters(X), self.weights_, len(self.classes_))

    def predict_voters(self, X: Any) -> Codes:
        """Return the prediction of every tree as positions in `classes_`.

        Parameters
        ----------
        X : array_like
            Samples as in `fit`.

        Returns
        -------
        codes : ndarray of shape (n_estimators, n_samples)
            One row per tree.
        """
        check_is_fitted(self)
        return voter_predictions(self.forest_, self._validated(X))

    def certify_with_test(
        self,
        X_test: Any,
        y_test: ArrayLike,
        *,
        bound: str | Sequence[str] | None = None,
        keep: bool = False,
    ) -> Certificate:
        """Return the certificate with the test-set bound next to the others.

        Parameters
        ----------
        X_test, y_test : array_like
            Labeled samples used for nothing else: not for training, weights or any choice. Rows
            that were passed to `fit` are rejected.
        bound : str or sequence of str, default=None
            By default the parameter `bound`, where "auto" takes the test set.
        keep : bool, default=False
            Keep it as the certificate of this classifier.

        Returns
        -------
        certificate : Certificate
            The new certificate.
        """
        check_is_fitted(self)
        tested = votes_on([self], X_test, y_test, what="test").votes
        request = self._request() if bound is None else replace(self._request(), bound=bound)
        certification = replace(self.certification_, request=request, test_votes=tested)
        if keep:
            self._accept(certification)
        return certification.certificate

    def _validated(self, X: Any, y: Any = "no_validation", *, reset: bool = False) -> Any:
        allow_nan = get_tags(self).input_tags.allow_nan
        return validate_data(
            self,
            X,
            y,
            reset=reset,
            accept_sparse="csr",
            accept_large_sparse=False,
            dtype=np.float32,
            ensure_all_finite="allow-nan" if allow_nan else True,
        )

    def _plain_forest(self) -> RandomForestClassifier:
        known = RandomForestClassifier().get_params()
        given = self.get_params(deep=False).items()
        return RandomForestClassifier(**{name: value for name, value in given if name in known})

    def _request(self) -> CertificateRequest:
        return CertificateRequest(
            weights=self.weights,
            bound=self.bound,
            prior=self.prior,
            delta=self.delta,
            sharpening=self.sharpening,
        )

    def _accept(self, certification: Certification) -> None:
        self.certification_ = certification
        self.certificate_ = certification.certificate
        self.bounds_, self.counts_ = self.certificate_.bounds, certification.counts
        self.weights_ = certification.weights

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._plain_forest()).input_tags
        return tags
