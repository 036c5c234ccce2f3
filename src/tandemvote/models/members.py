"""The models of a committee: the tested ones, which differ by seeds or rows, and the referee."""

from __future__ import annotations

from contextlib import suppress
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.parallel import Parallel, delayed

from tandemvote.inequalities.outward import FloatArray
from tandemvote.models.model_checks import BAGGED, last_step, predict_labels
from tandemvote.models.private_names import pick, slice_fit_params
from tandemvote.votes.codes import encode
from tandemvote.votes.draws import LARGEST_SEED, Rows

Unfitted = tuple[Any, dict[str, Any]]
"""An estimator, not fitted, and its fit parameters."""


class LabeledSamples(NamedTuple):
    """All samples and their labels, and the classes of `classes_`."""

    X: Any
    y: NDArray[Any]
    classes: NDArray[Any]


SUBSET = 0.95
"""Share of the training rows for each further model of a deterministic learner. Measured with
boosting on six data sets: 0.95 gave 1.03 times the bound of a hold-out, 0.9 gave 1.09, a bootstrap
1.16, at the same error rate."""

MANY_TREES = 100
FORESTS, OTHERS = (12, 3), (6, 1)
"""Number of tested models for ``n_tested="auto"``, and the divisor of the number of their trees:
for forests of many trees, and for every other learner. The measurements are in
docs/benchmarks/schemes.rst."""

N_COMPARED = 200
"""Training rows on which the scores of two seeds are compared."""


def planned_models(estimator: Any, n_tested: int | str) -> tuple[int, Any]:
    """Return how many models are tested, and the estimator that each of them is a clone of.

    "auto" decides by the kind of learner and its number of trees only, never by the data.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> planned_models(RandomForestClassifier(100), "auto")
    (12, RandomForestClassifier(n_estimators=33))
    >>> planned_models(RandomForestClassifier(99), "auto")
    (6, RandomForestClassifier(n_estimators=99))
    """
    if not isinstance(n_tested, str):
        return n_tested, estimator
    n_trees = trees_of(estimator) or 0
    n_models, divisor = FORESTS if n_trees >= MANY_TREES else OTHERS
    if divisor > 1:
        estimator = clone(estimator)
        last_step(estimator).set_params(n_estimators=n_trees // divisor)
    return n_models, estimator


def trees_of(model: Any) -> int | None:
    """Return the number of trees of a forest, also at the end of a pipeline; None for others."""
    forest = last_step(model)
    is_forest = isinstance(forest, BAGGED) and isinstance(forest.n_estimators, Integral)
    return int(forest.n_estimators) if is_forest else None


class Member(NamedTuple):
    """A fitted model, and how its predictions become positions in `classes_`.

    It was trained on `labels`: the classes as they are given, or 0, 1, ... if it requires these.
    `positions` are those of the labels in `classes_`.
    """

    model: Any
    labels: NDArray[Any]
    positions: NDArray[np.intp]

    @property
    def is_forest(self) -> bool:
        """Return True if `predict` is by code the class with the largest probability."""
        return type(self.model) in (Pipeline, *BAGGED) and type(last_step(self.model)) in BAGGED

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Return positions in `classes_`."""
        return self._positions_of(predict_labels(self.model, X))

    def predict_proba(self, X: Any, n_classes: int) -> FloatArray:
        """Return probabilities of all classes; 0 for those that the model was not trained on."""
        predicted = np.asarray(self.model.predict_proba(X))
        probabilities = np.zeros((len(predicted), n_classes))
        columns = self._positions_of(np.asarray(getattr(self.model, "classes_", self.labels)))
        probabilities[:, columns] = predicted
        return probabilities

    def _positions_of(self, labels: NDArray[Any]) -> NDArray[np.intp]:
        if self.labels.dtype.kind == "b" and labels.dtype.kind in "OU":  # some CatBoost releases
            labels = labels.astype(str) == "True"
        return np.asarray(self.positions[encode(labels, self.labels)])


def train_member(data: LabeledSamples, rows: Rows, learner: Unfitted, seed: int) -> Member:
    """Fit a clone of an estimator to some rows, with a seed.

    It gets the labels as they are given, so that class weights and scorers mean what they say, or
    codes of the classes among these rows if it rejects the labels, as XGBoost does. Labels of
    other rows do not enter its training, not even by the number of classes.
    """
    X, y, classes = data
    estimator, params = learner
    model = seeded(clone(estimator), RandomState(seed))
    samples, labels = pick(X, rows), y[rows]
    params = slice_fit_params(X, params, indices=rows)
    try:
        return Member(model.fit(samples, labels, **params), classes, np.arange(classes.size))
    except (TypeError, ValueError):
        # A dict of class weights would be about other classes if these were replaced by codes.
        for name, value in model.get_params().items():
            if "class_weight" in name and isinstance(value, dict):
                raise
        own, codes = np.unique(labels, return_inverse=True)
        with suppress(Exception):  # the first error is about what the user passed
            model = clone(model).fit(samples, codes, **params)
            return Member(model, np.arange(own.size), encode(own, classes).astype(np.intp))
        raise


def train_members(
    data: LabeledSamples,
    training: Rows,
    learners: list[Unfitted],
    n_tested: int,
    *,
    n_jobs: int | None,
    random_state: RandomState,
) -> list[Member]:
    """Train the tested models, and the referee last if there is one.

    `learners` are that of the tested models, and that of the referee. The models of a random
    learner differ by their seeds. A learner that gives the same scores with two seeds gets a random
    part of the training rows for every model but the first.
    """
    X, y, _ = data
    tested, *referee = learners
    seeds = random_state.randint(LARGEST_SEED, size=n_tested + 1).tolist()

    def trained(jobs: list[tuple[Rows, Unfitted, int]]) -> list[Member]:
        return list(Parallel(n_jobs=n_jobs)(delayed(train_member)(data, *job) for job in jobs))

    jobs = [(training, tested, seed) for seed in seeds[:n_tested]]
    members = trained(jobs[:2])
    some = pick(X, training[:N_COMPARED])
    if n_tested > 1 and have_equal_scores(members[0].model, members[1].model, some):
        members = members[:1]
        # The part drawn for the first model is not used: it is trained already, on all rows.
        for number in range(n_tested):
            part = random_state.choice(training, int(SUBSET * training.size), replace=False)
            if (y[part] != y[part[0]]).any():  # one class alone cannot train most classifiers
                jobs[number] = (np.sort(part), tested, seeds[number])
    jobs += [(np.arange(len(y)), learner, seeds[-1]) for learner in referee]
    return members + trained(jobs[len(members) :])


def have_equal_scores(first: Any, second: Any, X: Any) -> bool:
    """Return True if two models give the same scores, or the same classes if they have no scores.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), [0, 0, 1, 1]
    >>> have_equal_scores(GaussianNB().fit(X, y), GaussianNB().fit(X, y), X)
    True
    """
    for method in ("predict_proba", "decision_function", "predict"):
        if hasattr(first, method):
            return np.array_equal(getattr(first, method)(X), getattr(second, method)(X))
    return True


def seeded(estimator: Any, random_state: RandomState) -> Any:
    """Set every `random_state` parameter of an estimator and of the estimators inside it.

    Those that scikit-learn marks as deprecated are left alone: setting them would warn.
    """
    seeds = {
        name: int(random_state.randint(LARGEST_SEED))
        for name, value in sorted(estimator.get_params().items())
        if f"__{name}".endswith("__random_state") and value != "deprecated"
    }
    return estimator.set_params(**seeds)
