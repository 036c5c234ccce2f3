"""Three ways to train on a table and certify the result: folds, trees and a hold-out."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tandemvote.cli.options import Bagging, Design, Learner, TrainingOptions
from tandemvote.cli.progress import seconds_of, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tandemvote.tables import Dataset

SHARE_OF_POINTS = {Bagging.FULL: None, Bagging.REDUCED: 0.5}
HOLD_OUT = 0.2
"""Share of the labels that the hold-out takes."""

ROUNDS = 100
"""Rounds of boosting."""

VOTING = 1.3
"""Training and voting take about so many times as long as training alone."""

Points = tuple[Any, Any]


def train(
    design: Design,
    dataset: Dataset,
    asked: dict[str, Any],
    options: TrainingOptions,
    *,
    test: Dataset | None = None,
    unlabelled: NDArray[Any] | None = None,
) -> Any:
    """Train by a design and certify.

    Parameters
    ----------
    design : Design
    dataset : Dataset
    asked : dict
        What is asked of the certificate: weights, bound, delta, sharpening.
    options : TrainingOptions
    test : Dataset, optional
        Labelled points used for nothing else; by default a share of the data set, if asked for.
    unlabelled : ndarray, optional

    Returns
    -------
    certified classifier
        Fitted; its certificate is the one asked for, with the test set if there is one.
    """
    rows, aside = rows_apart(dataset.n_samples, design, options, test)
    X, y = dataset.X[rows], dataset.y[rows]
    tested = (dataset.X[aside], dataset.y[aside]) if test is None else (test.X, test.y)
    refits = not asked.get("ensemble", True)
    models = options.folds + refits if design is Design.FOLDS else 1
    # The models of the folds are trained on all points but one fold.
    work = _estimate(options, X, y) * (models - (design is Design.FOLDS))
    with shown(_words(models, options, len(y)), seconds=work):
        if design is Design.HOLDOUT:
            return _hold_out(learner(options).fit(X, y), *tested, delta=asked["delta"])
        model = _folds(asked, options) if design is Design.FOLDS else _trees(asked, options)
        if not len(tested[1]):
            return model.fit(X, y, X_unlabelled=unlabelled)
        return _with_test_set(model, X, y, test=tested, unlabelled=unlabelled)


def learner(options: TrainingOptions, n_trees: int | None = None) -> Any:
    """Return what is trained as a whole, not yet fitted."""
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier  # noqa: PLC0415

    if options.learner is Learner.BOOSTING:
        # Early stopping would set points aside by class, which a class of one row does not allow.
        return HistGradientBoostingClassifier(
            max_iter=n_trees or ROUNDS, early_stopping=False, random_state=options.seed
        )
    return RandomForestClassifier(
        n_trees or options.trees, random_state=options.seed, n_jobs=options.jobs
    )


def rows_apart(
    n_rows: int, design: Design, options: TrainingOptions, test: Dataset | None
) -> list[NDArray[Any]]:
    """Return the rows of DATA that train, and those that are set aside."""
    import numpy as np  # noqa: PLC0415
    from sklearn.model_selection import train_test_split  # noqa: PLC0415

    share = options.test_fraction
    if share is None:
        share = HOLD_OUT if design is Design.HOLDOUT else 0.0
    rows = np.arange(n_rows)
    if test is not None or not share:
        return [rows, rows[:0]]
    # Not stratified: test points must be independent draws for the binomial limit to hold.
    apart: list[NDArray[Any]] = train_test_split(rows, test_size=share, random_state=options.seed)
    return apart


def _folds(asked: dict[str, Any], options: TrainingOptions) -> Any:
    from tandemvote import CertifiedClassifierCV  # noqa: PLC0415

    return CertifiedClassifierCV(
        learner(options),
        cv=options.folds,
        random_state=options.seed,
        n_jobs=None if options.dask is None else -1,
        **asked,
    )


def _trees(asked: dict[str, Any], options: TrainingOptions) -> Any:
    from tandemvote import CertifiedForestClassifier  # noqa: PLC0415

    return CertifiedForestClassifier(
        options.trees,
        max_samples=SHARE_OF_POINTS[options.bagging],
        random_state=options.seed,
        n_jobs=options.jobs if options.dask is None else -1,
        **asked,
    )


def _hold_out(fitted: Any, X: Any, y: Any, *, delta: float) -> Any:
    from tandemvote import CertifiedVotingClassifier  # noqa: PLC0415

    return CertifiedVotingClassifier([("model", fitted)], prefit=True, delta=delta).fit(X, y)


def _with_test_set(model: Any, X: Any, y: Any, *, test: Points, unlabelled: Any) -> Any:
    from tandemvote.certificate.certificate import TEST_SET  # noqa: PLC0415
    from tandemvote.ensembles.held_out_votes import votes_on  # noqa: PLC0415

    bound = model.bound
    if TEST_SET in bound:
        # The model does not know the test set; its own certificate has the other bounds.
        others = [] if bound == TEST_SET else [name for name in bound if name != TEST_SET]
        model.set_params(bound=others or "first_order")
    model.fit(X, y, X_unlabelled=unlabelled)
    test_votes = votes_on([model], *test, what="test")
    model.set_params(bound=bound)._accept(model.certification_.with_test_set(test_votes, bound))
    return model


def _words(models: int, options: TrainingOptions, n_rows: int) -> str:
    kind = f"forest of {options.trees} trees"
    if options.learner is Learner.BOOSTING:
        kind = "boosted trees"
    return f"Training {models} model{'s' * (models > 1)} ({kind}) on {n_rows:,} rows"


def _estimate(options: TrainingOptions, X: Any, y: Any) -> float:
    """Estimate the seconds that one model takes from those of one and of three trees."""
    small = {n_trees: learner(options, n_trees) for n_trees in (1, 3)}
    first, second = (seconds_of(partial(each.fit, X, y)) for each in small.values())
    n_trees = ROUNDS if options.learner is Learner.BOOSTING else options.trees
    return VOTING * (first + n_trees * max(0.0, second - first) / 2)
