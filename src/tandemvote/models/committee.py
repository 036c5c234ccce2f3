"""Any classifier with an error bound: tested models, and a referee trained on all labels."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils import Tags, check_array, check_random_state, column_or_1d, get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from tandemvote.auditing import Finding, check_findings
from tandemvote.auditing.audit import audit_columns
from tandemvote.auditing.cells import check_collected
from tandemvote.auditing.finding import ABOUT_TIME
from tandemvote.auditing.rows import row_digests
from tandemvote.certificate.pipeline import certify_votes
from tandemvote.models import private_names as private
from tandemvote.models.digest import HasCertificate, models_digest
from tandemvote.models.members import (
    LabeledSamples,
    Member,
    Unfitted,
    planned_models,
    train_member,
    train_members,
    trees_of,
)
from tandemvote.models.model_checks import check_not_frozen, check_one_label, check_two_classes
from tandemvote.models.parameters import parameter_findings
from tandemvote.models.plurality import Committee
from tandemvote.models.splitting import split_rows
from tandemvote.votes.codes import LABEL_THEM, as_array, check_not_missing, encode, plain_integers
from tandemvote.votes.confidence import failure_probability
from tandemvote.votes.draws import LARGEST_SEED
from tandemvote.votes.index_order import check_same_order, index_of
from tandemvote.votes.votes import REFEREE, SMALLEST, Votes
from tandemvote.votes.weighted_vote import FloatArray


def _has_probabilities(model: CertifiedClassifier) -> bool:
    """Return True if every tested model, or before `fit` the estimator, has predict_proba."""
    parts = getattr(model, "estimators_", None) or [model._bases()["estimator"]]
    return all(hasattr(part, "predict_proba") for part in parts)


class CertifiedClassifier(HasCertificate, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Any classifier with an upper bound on its error rate.

    Some models are trained without a test set and tested on it together. One more model, the
    referee, is trained on all labels. The tested models vote, and the class with the most votes is
    predicted. Where several classes share the first place, the referee names one of these. A test
    sample counts as an error unless the true class is alone in first place. The bound therefore
    holds for every referee, and `refit_referee` may replace it without a new certificate.

    Parameters
    ----------
    estimator : classifier, default=None
        Any classifier or pipeline; a `RandomForestClassifier` by default. Everything that learns
        from data, such as encoders and feature selection, belongs inside the pipeline.
    n_tested : "auto" or int, default="auto"
        Number of `estimator` that are tested. "auto" is 4, or 12 with a third of the trees each if
        `estimator` is a forest of 100 trees or more (`RandomForestClassifier`,
        `ExtraTreesClassifier` or `BaggingClassifier`, also at the end of a pipeline): as much
        training as four whole forests, and a tighter bound. With two classes, an odd number has no
        ties, and the referee is never used.
    referee : bool or classifier, default=True
        If True, one more `estimator` is trained on all samples. A classifier of another kind may
        take its place. If False, the tested models predict alone: by their averaged probabilities,
        or by plurality if they have none. ``n_tested=1, referee=False`` is a plain hold-out.
    test_size : "auto", float or int, default="auto"
        Number of the samples in the test set, or their share, which is rounded up as by
        `train_test_split`. "auto" is a share of ``min(0.2, 4 * n ** (-1 / 3))``, rounded down.
    confidence : float, default=0.95
        Probability with which the bound holds, at least 0.5 and below 1.
    n_jobs : int, default=None
        Number of models that are trained in parallel.
    random_state : int, RandomState instance or None, default=None
        Determines the test set and every `random_state` inside the models.
    allow : sequence of str, default=()
        Codes of errors of `audit` to override, such as "identifier". The certificate records them.

    Attributes
    ----------
    certificate_ : Certificate
        The error bound, what it was computed from, and its assumptions. Raises ValueError if a
        tested model was refitted or replaced.
    estimators_ : list of classifiers
        The tested models, trained on the labels of `y`. A classifier that rejects them, as XGBoost
        does, is trained on 0, 1, ... instead: positions among the classes of its training rows.
    referee_ : classifier or None
        The model trained on all samples.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    test_indices_ : ndarray of int
        Rows of X in the test set.
    training_rows_ : ndarray
        A digest of each row that trained a model, those of `refit_referee` included, by which
        training samples are recognized.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Names of the features, if the columns of X have names.

    See Also
    --------
    CertifiedForestClassifier : The paper's forest, in which every tree votes.
    certify : Certify models that are fitted already, on held-out samples.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = CertifiedClassifier(RandomForestClassifier(), random_state=0).fit(X, y)
    >>> model.certificate_.bound, len(model.estimators_)
    ('test_set', 12)
    >>> model.certificate_.value < 0.15
    True
    """

    estimators_: list[Any]
    referee_: Any
    test_indices_: NDArray[np.intp]
    _labels_of_members: list[Any]

    # Some estimators of scikit-learn have predict after fit only: tags show which are classifiers.
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [private.HasMethods(["fit", "predict"]), BaseEstimator, None],
        "n_tested": [
            private.StrOptions({"auto"}),
            private.Interval(Integral, 1, None, closed="left"),
        ],
        "referee": ["boolean", private.HasMethods(["fit", "predict"]), BaseEstimator],
        "test_size": [
            private.StrOptions({"auto"}),
            private.Interval(private.RealNotInt, 0, 1, closed="neither"),
            private.Interval(Integral, 1, None, closed="left"),
        ],
        "confidence": "no_validation",  # `failure_probability` checks it for all public functions
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "allow": ["array-like", str],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_tested: int | str = "auto",
        referee: Any = True,
        test_size: float | int | str = "auto",
        confidence: float = 0.95,
        n_jobs: int | None = None,
        random_state: Any = None,
        allow: Sequence[str] = (),
    ) -> None:
        self.estimator = estimator
        self.n_tested = n_tested
        self.referee = referee
        self.test_size = test_size
        self.confidence = confidence
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.allow = allow

    @private.fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        order: ArrayLike | None = None,
        **fit_params: Any,
    ) -> Self:
        """Train the models, test them on the test set, and train the referee on all samples.

        Parameters
        ----------
        X : array_like, DataFrame, sparse matrix or sequence of texts of shape (n_samples, ...)
            Samples as the estimator takes them.
        y : array_like of shape (n_samples,)
            Class labels.
        groups : array_like of shape (n_samples,), default=None
            Group of each sample, such as the patient, where samples of one group belong together.
            Whole groups are set aside, and one random row of each of them is tested. The bound is
            then about a random row of a random new group. With metadata routing enabled, they are
            also routed to an estimator that splits by group, such as a grid search.
        order : array_like of shape (n_samples,), default=None
            Time of each sample, as a date or a number, if new samples will be later. The test set
            is then the latest samples, the tested models are trained on earlier ones and the
            referee on all. The bound is about new samples like the latest ones. Samples of equal
            time are not split. With `groups`, a group is as late as its first sample.
        **fit_params
            Parameters of the estimator's `fit`, such as `sample_weight`. Arrays with one value per
            sample are cut to the training rows. They do not enter the test.

        Returns
        -------
        self : CertifiedClassifier
            The fitted classifier.
        """
        return self._fit(X, y, groups, fit_params, order=order)

    def _fit(
        self,
        X: Any,
        y: ArrayLike,
        groups: ArrayLike | None,
        fit_params: dict[str, Any],
        findings: Sequence[Finding] | None = None,
        *,
        drawn_by: Any = None,
        order: ArrayLike | None = None,
    ) -> Self:
        """Fit; the command line has audited the table, and the rows of its file draw the split."""
        delta, bases = failure_probability(self.confidence), self._bases()
        for base in bases.values():
            check_one_label(base)
            check_not_frozen(base)
        check_collected(X)
        validate_data(self, X, y, skip_check_array=True)
        X, labels = indexable(X, _labels(y))
        check_classification_targets(labels)
        check_two_classes(labels, "y has", "Pass samples of other classes.")

        random_state = check_random_state(self.random_state)
        classes, codes = np.unique(labels, return_inverse=True)
        digests = row_digests(X)
        contents = [digests if drawn_by is None else drawn_by, codes]
        test, training, latest = split_rows(
            contents, y, groups, order, self.test_size, random_state=random_state
        )
        outside = f"The {training.size} samples outside the test set have"
        fix = "Pass more samples, or a smaller test set."
        check_two_classes(labels[training], outside, fix)

        if findings is None:
            findings = audit_columns(X, y, groups=groups, training=training)
            if hasattr(bases["estimator"], "steps"):  # a text pipeline, as the finding advises
                findings = [each for each in findings if each.code != "free_text"]
        if order is not None:
            findings = [each for each in findings if each.code not in ABOUT_TIME]
        of_parameters = parameter_findings(bases["estimator"], X, fit_params)
        findings = check_findings([*findings, *of_parameters], self.allow)

        n_tested, tested = planned_models(bases["estimator"], self.n_tested)
        (_, params), *referee = self._learners(fit_params, groups)
        data, learners = LabeledSamples(X, labels, classes), [(tested, params), *referee]
        members = train_members(
            data, training, learners, n_tested, n_jobs=self.n_jobs, random_state=random_state
        )
        # A fit that failed has changed nothing so far.
        models = [member.model for member in members]
        self.classes_, self.training_rows_, self.test_indices_ = classes, digests, test
        self.estimators_ = models[:n_tested]
        self.referee_ = models[-1] if referee else None
        self._labels_of_members = [member[1:] for member in members]

        if referee and (n_tested == 1 or (n_tested % 2 and classes.size == 2)):
            message = f"n_tested={n_tested} models have no ties, so the referee is not used."
            findings = [*findings, Finding(code="no_ties", severity="note", message=message)]
        votes = self._test_votes(X, codes, one_row_per_group=groups is not None, latest=latest)
        digest, n_trees = self._members_digest(), trees_of(tested)
        self._certificate = certify_votes(
            votes, delta=delta, findings=findings, members=digest, n_trees=n_trees
        )
        return self

    def refit_referee(self, X: Any, y: ArrayLike, **fit_params: Any) -> Self:
        """Train the referee again, on any samples. The certificate stays valid.

        The tested models do not change, and the certificate holds for every referee. New labels,
        corrected labels or all labels so far may train it as often as needed.

        Parameters
        ----------
        X, y : array_like
            Samples and labels, with the features and classes of `fit`.
        **fit_params
            Parameters of the referee's `fit`.

        Returns
        -------
        self : CertifiedClassifier
            This classifier, with the new `referee_`.
        """
        check_is_fitted(self)
        if self.referee_ is None:
            raise ValueError(
                "This classifier has no referee (referee=False), and refitting a tested model would"
                " void the certificate. Fit with referee=True."
            )
        check_same_order(X, {"y": y})
        validate_data(self, X, skip_check_array=True, reset=False)
        X, labels = indexable(X, _labels(y))
        seed = check_random_state(self.random_state).randint(LARGEST_SEED)
        encode(labels, self.classes_)  # raises for labels that `fit` did not see
        learner = self._bases()["referee"], fit_params
        data = LabeledSamples(X, labels, self.classes_)
        referee = train_member(data, np.arange(labels.size), learner, seed)
        self.referee_ = referee.model
        self._labels_of_members = [*self._labels_of_members[:-1], referee[1:]]
        new = row_digests(X)
        new = new[~np.isin(new, self.training_rows_)]
        self.training_rows_ = np.concatenate([self.training_rows_, new])
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class with the most votes of the tested models; the referee breaks ties.

        Parameters
        ----------
        X : array_like
            Samples as in `fit`.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Predicted classes.
        """
        self._check_features(X)
        return np.asarray(self.classes_[self._committee().predict(X)])

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the mean probabilities of the tested models that predict the committee's class.

        Parameters
        ----------
        X : array_like
            Samples as in `fit`.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Columns follow `classes_`. The largest probability belongs to the class of `predict`.
        """
        self._check_features(X)
        return self._committee().predict_proba(X)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the routing of fit parameters to the estimator."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        return router.add(**self._bases(), method_mapping=mapping)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._bases()["estimator"]).input_tags
        return tags

    def _bases(self) -> dict[str, Any]:
        """Return the estimator of the tested models, and that of the referee if there is one."""
        base = RandomForestClassifier() if self.estimator is None else self.estimator
        if isinstance(self.referee, bool | np.bool_):
            return {"estimator": base, **({"referee": base} if self.referee else {})}
        return {"estimator": base, "referee": self.referee}

    def _committee(self) -> Committee:
        # Without a referee there are labels of the tested models only.
        pairs = zip([*self.estimators_, self.referee_], self._labels_of_members, strict=False)
        members = [Member(model, *labels) for model, labels in pairs]
        referee = None if self.referee_ is None else members.pop()
        return Committee(members, referee, self.classes_.size, self._averages())

    def _averages(self) -> bool:
        """Return True if the averaged probabilities of several models predict."""
        return self.referee_ is None and len(self.estimators_) > 1 and _has_probabilities(self)

    def _members_digest(self) -> str:
        """Return the digest of the tested models and how they vote, which the certificate holds."""
        rule = [self.referee_ is None, self._averages()]
        labels = self._labels_of_members[: len(self.estimators_)]
        names = getattr(self, "feature_names_in_", None)
        return models_digest([rule, self.classes_, names, *self.estimators_, *labels])

    def _learners(self, fit_params: dict[str, Any], groups: Any) -> list[Unfitted]:
        """Return the `_bases`, each with the fit parameters that are routed to it."""
        if not get_config()["enable_metadata_routing"]:
            return [(base, fit_params) for base in self._bases().values()]
        routed = process_routing(self, "fit", **fit_params, groups=groups)
        return [(base, routed[role].fit) for role, base in self._bases().items()]

    def _test_votes(self, X: Any, codes: NDArray[np.intp], **about: Any) -> Votes:
        """Let the tested models, or their average, predict the test samples."""
        rows = self.test_indices_
        predictions = self._committee().votes(private.pick(X, rows))
        return Votes(
            predictions,
            codes[rows],
            np.ones(predictions.shape, bool),
            self.classes_,
            predictions[:, :0],
            ties=SMALLEST if self.referee_ is None else REFEREE,
            rows=rows,
            n_given=codes.size,
            index=index_of(X),
            **about,
        )

    def _check_features(self, X: Any) -> None:
        """Raise ValueError for other columns than those of fit; members reject single samples."""
        check_is_fitted(self)
        if getattr(X, "ndim", 2) > 1:
            validate_data(self, X, skip_check_array=True, reset=False)


def _labels(y: ArrayLike) -> NDArray[Any]:
    """Return the labels as an array, or raise ValueError if some are missing."""
    check_not_missing(as_array(y), "labels in y", LABEL_THEM)
    values = check_array(plain_integers(y), ensure_2d=False, dtype=None, input_name="y")
    return np.asarray(column_or_1d(values, warn=True))
