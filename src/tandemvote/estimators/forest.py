"""A random forest that certifies itself on the points its bootstraps left out."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from tandemvote.codes import Codes
from tandemvote.ensembles.evidence import out_of_bag_votes
from tandemvote.ensembles.refusals import refuse_class_weight
from tandemvote.ensembles.voters import voter_predictions
from tandemvote.estimators.certified_vote import CertifiedVote
from tandemvote.votes import Votes

VOTING = ("hard", "soft")


@dataclass(eq=False, repr=False)
class CertifiedForestClassifier(CertifiedVote):
    """A random forest with a guarantee on its error rate.

    The trees are those of `sklearn.ensemble.RandomForestClassifier` with the same parameters and
    seed. Each is evaluated on the training points its bootstrap left out, so no labels are set
    aside. The prediction is the hard weighted vote of the trees.

    Parameters
    ----------
    n_estimators : int
        Number of trees.
    max_samples : int, float or None
        Draws of each bootstrap; None draws as many as there are points. With 0.5, the reduced
        bagging of the paper, more points are left out and the second-order bounds get tighter.
    voting : {"hard", "soft"}
        The weighted vote of the trees; or the average of their probabilities, which is how a
        `RandomForestClassifier` predicts. The latter is certified through the trees, whose weights
        enter the certificate alone, and takes unlabelled points: ``fit(X, y, X_unlabelled=...)``.
    criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, \
    max_features, max_leaf_nodes, min_impurity_decrease, ccp_alpha, monotonic_cst
        How a tree is grown, as in `RandomForestClassifier`.
    class_weight : {"balanced_subsample"} or None
        Other class weights let the labels choose the points left out.
    {shared parameters, attributes}
    forest_ : RandomForestClassifier
        The fitted forest, whose own `predict` averages probabilities.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = CertifiedForestClassifier(weights="tandem", max_samples=0.5, random_state=0)
    >>> forest.fit(X, y).certificate_.candidates
    ('first_order', 'tandem')
    """

    n_estimators: int = 100
    _: KW_ONLY
    max_samples: float | int | None = None
    voting: str = "hard"
    criterion: str = "gini"
    max_depth: int | None = None
    min_samples_split: float | int = 2
    min_samples_leaf: float | int = 1
    min_weight_fraction_leaf: float = 0.0
    max_features: Any = "sqrt"
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    class_weight: str | None = None
    ccp_alpha: float = 0.0
    monotonic_cst: ArrayLike | None = None

    _let_voters_predict = 'voting="hard"'

    @property
    def _deployed_name(self) -> str | None:
        if self.voting not in VOTING:
            raise ValueError(f"voting={self.voting!r}; choose {' or '.join(map(repr, VOTING))}.")
        return None if self.voting == "hard" else RandomForestClassifier.__name__

    def _deployed(self) -> Any:
        return self.forest_

    def _train(self, points: Any, labels: NDArray[Any], unseen: Any) -> Votes:
        refuse_class_weight(self.class_weight)
        self._check_request(self.n_estimators, unseen)
        self.forest_ = self._plain_forest().fit(points, labels)
        self.estimators_ = self.forest_.estimators_
        return out_of_bag_votes(self.forest_, points, labels, X_unlabelled=unseen)

    def predict_voters(self, X: Any) -> Codes:
        """Return what every tree says of new points: codes of shape (n_voters, n_samples)."""
        check_is_fitted(self)
        return voter_predictions(self.forest_, self._validated(X))

    def _validated(self, X: Any) -> Any:
        finite = "allow-nan" if get_tags(self).input_tags.allow_nan else True
        asked: dict[str, Any] = {"dtype": np.float32, "ensure_all_finite": finite, "reset": False}
        return validate_data(self, X, accept_sparse="csr", accept_large_sparse=False, **asked)

    def _plain_forest(self) -> RandomForestClassifier:
        known = RandomForestClassifier().get_params()
        given = self.get_params(deep=False).items()
        return RandomForestClassifier(**{name: value for name, value in given if name in known})

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._plain_forest()).input_tags
        return tags
