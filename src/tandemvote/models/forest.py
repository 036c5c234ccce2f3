"""A random forest with an error bound from its out-of-bag samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils import Tags, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from tandemvote.auditing import Finding, check_findings
from tandemvote.auditing.audit import audit
from tandemvote.auditing.cells import check_collected
from tandemvote.auditing.rows import row_digests
from tandemvote.bounds import Bound
from tandemvote.bounds.estimates import check_distribution
from tandemvote.certificate.pipeline import BoundName, certify_votes, check_request
from tandemvote.models import private_names as private
from tandemvote.models.digest import HasCertificate, models_digest
from tandemvote.models.model_checks import check_class_weight, check_two_classes
from tandemvote.models.trees import out_of_bag_votes, predict_members, validated
from tandemvote.votes.codes import plain_integers
from tandemvote.votes.confidence import failure_probability
from tandemvote.votes.weighted_vote import FloatArray, vote_shares


class CertifiedForestClassifier(HasCertificate, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A random forest with an upper bound on its error rate.

    The trees are those of `sklearn.ensemble.RandomForestClassifier` with the same parameters and
    seed. Each tree is evaluated on its out-of-bag samples, so no labels are set aside. The class
    with the largest total weight of trees is predicted; ties go to the smallest class.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    weights : {"uniform", "first_order", "tandem", "disagreement"} or array_like, default="tandem"
        Weight of each tree: equal, the weights that minimize the named bound, or the given ones.
        Choosing weights on the training data costs no confidence.
    bound : str or sequence of str, default="auto"
        The bound to report: "auto", which is chosen by the kind of evidence; a name, several, or
        "best" for the smallest of all that apply, each at its share of delta. Choose it before
        seeing the data.
    prior : array_like of shape (n_estimators,), default=None
        Weights fixed before seeing the data; uniform by default.
    published : bool, default=False
        Whether to use the bounds in the form in which they were published.
    confidence : float, default=0.95
        Probability with which the bound holds, at least 0.5 and below 1.
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
    allow : sequence of str, default=()
        Codes of errors of `audit` to override, such as "identifier". The certificate records them.

    Attributes
    ----------
    certificate_ : Certificate
        The error bound, what it was computed from, and its assumptions. Raises ValueError if a tree
        was refitted or replaced.
    weights_ : ndarray of shape (n_estimators,)
        Weights of the trees.
    training_rows_ : ndarray of shape (n_samples,)
        A digest of each row of X, by which training samples are recognized.
    forest_ : RandomForestClassifier
        The fitted forest, whose own `predict` averages probabilities.
    estimators_ : list of DecisionTreeClassifier
        The trees.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Names of the features, if the columns of X have names.

    See Also
    --------
    CertifiedClassifier : Any classifier, with a tighter bound from a test set.
    certify_oob : Certify a forest that is fitted already.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = CertifiedForestClassifier(max_samples=0.5, random_state=0).fit(X, y)
    >>> forest.certificate_.fitted, list(forest.certificate_.candidates)
    ('tandem', ['first_order', 'tandem'])
    """

    forest_: RandomForestClassifier

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **private.FOREST_CONSTRAINTS,
        "weights": [str, "array-like"],
        "bound": [str, Bound, "array-like"],
        "prior": ["array-like", None],
        "published": ["boolean"],
        "confidence": "no_validation",  # as in CertifiedClassifier
        "allow": ["array-like", str],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        weights: str | ArrayLike = "tandem",
        bound: BoundName | Sequence[BoundName] = "auto",
        prior: ArrayLike | None = None,
        published: bool = False,
        confidence: float = 0.95,
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
        allow: Sequence[str] = (),
    ) -> None:
        self.n_estimators = n_estimators
        self.weights = weights
        self.bound = bound
        self.prior = prior
        self.published = published
        self.confidence = confidence
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
        self.allow = allow

    @private.fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike, *, X_unlabeled: Any = None) -> Self:
        """Train the trees, evaluate each on its out-of-bag samples, and certify their vote.

        Parameters
        ----------
        X : array_like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Training samples. Bootstraps draw single samples, so samples that belong together
            require `CertifiedClassifier` and its `groups`.
        y : array_like of shape (n_samples,)
            Class labels.
        X_unlabeled : like X, default=None
            Unlabeled samples drawn from the same distribution, none of them among X. They sharpen
            the bound "disagreement" and allow the bound "vote_profile", each of which gets one half
            of them if ``weights="disagreement"``.

        Returns
        -------
        self : CertifiedForestClassifier
            The fitted classifier.
        """
        return self._fit(X, y, X_unlabeled)

    def _fit(
        self, X: Any, y: ArrayLike, X_unlabeled: Any, findings: Sequence[Finding] | None = None
    ) -> Self:
        """Fit; the command line has audited the table as it was read, and passes its findings."""
        delta = failure_probability(self.confidence)
        check_collected(X)
        _, labels = validated(self, X, plain_integers(y), reset=True)
        check_classification_targets(labels)
        check_two_classes(labels, "y has", "Pass samples of other classes.")
        classes = np.unique(labels)
        check_class_weight(self.class_weight)
        check_request(self.bound, self.weights, classes)
        if not isinstance(self.weights, str):
            check_distribution(self.weights, self.n_estimators, "weights")
        check_distribution(self.prior, self.n_estimators, "prior")
        if X_unlabeled is not None:
            validated(self, X_unlabeled)  # before the trees are grown
        if findings is None:
            findings = audit(X, y, X_unlabeled=X_unlabeled)
        findings = check_findings(findings, self.allow)
        forest = self._plain_forest().fit(X, labels)
        self._certificate = certify_votes(
            out_of_bag_votes(forest, X, labels, X_unlabeled),
            weights=self.weights,
            bound=self.bound,
            prior=self.prior,
            published=self.published,
            delta=delta,
            findings=findings,
            members=models_digest([classes, forest]),
        )
        # A fit that failed has not changed the classifier.
        self.forest_, self.classes_, self.training_rows_ = forest, classes, row_digests(X)
        return self

    @property
    def weights_(self) -> FloatArray:
        """Weights of the trees, which are those that are certified."""
        check_is_fitted(self, "_certificate")
        return self._certificate.weights

    @property
    def estimators_(self) -> list[Any]:
        """The trees."""
        check_is_fitted(self, "forest_")
        return list(self.forest_.estimators_)

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
        shares = self.predict_proba(X)
        return np.asarray(self.classes_[shares.argmax(axis=1)])

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
        check_is_fitted(self)
        votes, _ = predict_members(self.forest_, X)
        return vote_shares(votes, self.weights_, len(self.classes_))

    def _members_digest(self) -> str:
        """Return the digest of the forest, which the certificate holds."""
        return models_digest([self.classes_, self.forest_])

    def _plain_forest(self) -> RandomForestClassifier:
        """Return scikit-learn's forest, unfitted, with the parameters that both classes have."""
        names = RandomForestClassifier().get_params()
        params = self.get_params(deep=False).items()
        return RandomForestClassifier(**{name: value for name, value in params if name in names})

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._plain_forest()).input_tags
        return tags
