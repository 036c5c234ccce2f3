"""A classifier of a table with a certificate, trained by one of the schemes."""

from __future__ import annotations

from typing import Any

import typer
from numpy.typing import NDArray
from rich.progress import SpinnerColumn, TimeElapsedColumn
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

from tandemvote import CertifiedClassifier, CertifiedForestClassifier
from tandemvote.cli.options import Bagging, Guarantee, Learner, Scheme, Training
from tandemvote.cli.running import progress
from tandemvote.tables import Dataset


def train(
    scheme: Scheme,
    dataset: Dataset,
    guarantee: Guarantee,
    training: Training,
    *,
    unlabelled: NDArray[Any] | None = None,
) -> Any:
    """Train by a scheme and return the fitted classifier with its certificate."""
    groups = None if training.groups is None else dataset.beside[training.groups]
    trained = {
        Scheme.COMMITTEE: "4 models that are tested, and the referee",
        Scheme.HOLDOUT: "1 model that is tested",
        Scheme.TREES: f"{training.trees} trees",
    }
    typer.echo(f"Training {trained[scheme]}.", err=True)
    with progress(SpinnerColumn(), TimeElapsedColumn()) as clock:
        clock.add_task("")
        if scheme is Scheme.TREES:
            forest: Any = CertifiedForestClassifier(
                training.trees,
                max_samples=0.5 if training.bagging is Bagging.REDUCED else None,
                n_jobs=training.jobs if training.dask is None else -1,
                random_state=training.seed,
                **guarantee.request(scheme),
            )
            return forest.fit(dataset.X, dataset.y, X_unlabelled=unlabelled)
        tested: dict[str, Any] = {"n_tested": 1, "referee": False}
        model = CertifiedClassifier(
            learner(training),
            test_size=training.test_size,
            confidence=guarantee.confidence,
            n_jobs=None if training.dask is None else -1,
            random_state=training.seed,
            **(tested if scheme is Scheme.HOLDOUT else {}),
        )
        return model.fit(dataset.X, dataset.y, groups=groups)


def learner(training: Training) -> Any:
    """Return the classifier that is trained as a whole, not yet fitted."""
    if training.learner is Learner.BOOSTING:
        # Early stopping would set rows aside by class, which a class of one row does not allow.
        return HistGradientBoostingClassifier(early_stopping=False)
    return RandomForestClassifier(training.trees, n_jobs=training.jobs)
