"""A random forest that certifies itself on the points its bootstraps left out."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils import Tags, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from tandemvote.codes import Codes
from tandemvote.ensembles.members import voter_predictions
from tandemvote.ensembles.out_of_bag import out_of_bag_votes
from tandemvote.ensembles.refusals import refuse_class_weight
from tandemvote.ensembles.training_rows import refuse_training_rows, row_digests
from tandemvote.estimators.certified_vote import CertifiedVote

if TYPE_CHECKING:
    from typing_extensions import Self

CERTIFICATE_PARAMETERS = ("weights", "bound", "prior", "delta", "sharpening")


class CertifiedForestClassifier(CertifiedVote):
    """A random forest with a guarantee on its error rate.

    The trees are those of `sklearn.ensemble.RandomForestClassifier` with the same parameters and
    seed. Each is evaluated on the training points its bootstrap left out, so no labels are set
    aside. The prediction is the hard weighted vote of the trees.

    Parameters
    ----------
    n_estimators : int
        Number of trees.
    weights : {"uniform", "first_order", "tandem", "disagreement"} or array_like
        How much each tree counts: equally, as minimises the bound of that name, or as given.
        Choosing weights on the training data costs no confidence.
    bound : str or sequence of str
        The bound behind `certificate_`: "auto", which is chosen by the kind of evidence; a name; or
        "best" for the smallest of all that apply, each at its share of delta. Choose it before
        seeing the data.
    max_samples : int, float or None
        Draws of each bootstrap; None draws as many as there are points. With 0.5, the reduced
        bagging of the paper, more points are left out and the second-order bounds get tighter.
    prior : array_like of shape (n_estimators,), optional
        Weights fixed before seeing the data; uniform by default.
    delta : float in (0, 1)
        Probability with which the guarantee may fail.
    criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, \
    max_features, max_leaf_nodes, min_impurity_decrease, ccp_alpha, monotonic_cst
        How a tree is grown, as in `RandomForestClassifier`.
    class_weight : {"balanced_subsample"} or None
        Other class weights let the labels choose the points left out.
    random_state : int, RandomState instance or None
        Decides the bootstraps and the trees.
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
        Errors and common errors of the trees on points left out.
    certification_ : Certification
        The votes, counts and weights behind the certificate.
    training_rows_ : ndarray of shape (n_samples,)
        A digest of each row of X, by which points that were trained on are recognised.
    forest_ : RandomForestClassifier
        The fitted forest, whose own `predict` averages probabilities and is not certified.
    estimators_ : list of DecisionTreeClassifier
    classes_ : ndarray of shape (n_classes,)
    oob_score_ : float
        Share of the training points that the vote of the trees that did not see them gets right.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Shares of that vote; NaN at points that every tree saw.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if the columns of X have names.

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
        weights: str | ArrayLike = "uniform",
        bound: Any = "auto",
        max_samples: float | int | None = None,
        prior: ArrayLike | None = None,
        delta: float = 0.05,
        sharpening: str = "harmonic",
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
        self.max_samples = max_samples
        self.prior = prior
        self.delta = delta
        self.sharpening = sharpening
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

    def fit(self, X: Any, y: ArrayLike, X_unlabelled: Any | None = None) -> Self:
        """Grow the trees, let each predict the points it never saw, and certify the vote.

        Parameters
        ----------
        X : array_like or sparse matrix, shape (n_samples, n_features)
        y : array_like, shape (n_samples,)
            Labels of any type.
        X_unlabelled : array_like, shape (n_unlabelled, n_features), optional
            Points of the same source without labels, none of them among X; they sharpen the
            disagreement bound and add the bound `vote_profile`. Where weights or bound are
            "disagreement", each of the two gets half of them.
        """
        refuse_class_weight(self.class_weight)
        points, labels = self._validate(X, y=y)
        check_classification_targets(labels)
        self._request().check(
            n_voters=self.n_estimators,
            n_classes=np.unique(labels).size,
            unlabelled=X_unlabelled is not None,
        )
        unlabelled = None if X_unlabelled is None else self._validate(X_unlabelled, reset=False)
        if unlabelled is not None:
            refuse_training_rows(row_digests(points), unlabelled, what="unlabelled")
        self.forest_ = self._plain_forest().fit(points, labels)
        self.estimators_ = self.forest_.estimators_
        self.classes_ = self.forest_.classes_
        votes = out_of_bag_votes(self.forest_, points, labels, X_unlabelled=unlabelled)
        return self._certify(replace(votes, voters=None), points)

    def predict_voters(self, X: Any) -> Codes:
        """Return what every tree says of new points: codes of shape (n_voters, n_samples)."""
        check_is_fitted(self)
        return voter_predictions(self.forest_, self._validate(X, reset=False))

    def _keep(self, estimators: list[Any]) -> None:
        self.forest_ = copy(self.forest_).set_params(n_estimators=len(estimators))
        self.forest_.estimators_ = self.estimators_ = estimators

    def _validate(self, X: Any, **options: Any) -> Any:
        allow_nan = get_tags(self).input_tags.allow_nan
        return validate_data(
            self,
            X,
            accept_sparse="csr",
            accept_large_sparse=False,
            dtype=np.float32,
            ensure_all_finite="allow-nan" if allow_nan else True,
            **options,
        )

    def _plain_forest(self) -> RandomForestClassifier:
        shared = self.get_params(deep=False)
        for name in CERTIFICATE_PARAMETERS:
            del shared[name]
        return RandomForestClassifier(**shared)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._plain_forest()).input_tags
        return tags
