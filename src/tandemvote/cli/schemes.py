"""Train a certified classifier on a table by one of the schemes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import SpinnerColumn, TimeElapsedColumn
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import Pipeline

from tandemvote import CertifiedClassifier, CertifiedForestClassifier
from tandemvote.auditing import Finding, Findings
from tandemvote.cli.messages import progress, say
from tandemvote.cli.options import Columns, Confidence, Learner, Scheme, Training
from tandemvote.tables import Table, with_encoder
from tandemvote.tables.encoding import make_encoder, text_columns

ENCODER_SHARE = 0.1
"""Share of the rows that train the encoder of text columns, and no tree (--scheme trees)."""


def train(
    table: Table,
    columns: Columns,
    training: Training,
    guarantee: Confidence,
    *,
    unlabeled: Any,
    findings: Findings,
) -> tuple[Pipeline, Any]:
    """Return a fitted pipeline whose last step has a certificate, and the rows it was fitted on."""
    trained = {
        Scheme.COMMITTEE: "4 models that are tested, and the referee",
        Scheme.HOLDOUT: "1 model that is tested",
        Scheme.TREES: f"{training.trees} trees",
    }
    say(f"Training {trained[training.scheme]}.", err=True)
    with progress(SpinnerColumn(), TimeElapsedColumn()) as clock:
        clock.add_task("")
        if training.scheme is Scheme.TREES:
            return _train_trees(table, training, guarantee, unlabeled, findings)
        tested: dict[str, Any] = {"n_tested": 1, "referee": False}
        model = CertifiedClassifier(
            with_encoder(learner(training), table.kinds),
            test_size=training.test_size,
            confidence=guarantee.confidence,
            random_state=training.seed,
            **(tested if training.scheme is Scheme.HOLDOUT else {}),
        )
        groups = None if columns.groups is None else table.others[columns.groups]
        model.fit(table.X, table.y, groups=groups, findings=findings)
        return Pipeline([("columns", table.columns()), ("vote", model)]), ...


def _train_trees(
    table: Table, training: Training, guarantee: Confidence, unlabeled: Any, findings: Findings
) -> tuple[Pipeline, NDArray[np.intp]]:
    """Fit a forest; an encoder of text columns is fitted on rows that no tree is evaluated on."""
    X, rows = table.X, np.arange(len(table.y))
    steps = [("columns", table.columns())]
    if text_columns(table.kinds):
        n_encoder = int(np.ceil(ENCODER_SHARE * len(rows)))
        shuffled = np.random.default_rng(training.seed).permutation(rows)
        chosen, rows = np.sort(shuffled[:n_encoder]), np.sort(shuffled[n_encoder:])
        encoder = make_encoder().fit(X.iloc[chosen], table.y[chosen])
        X = encoder.transform(X.iloc[rows])
        unlabeled = None if unlabeled is None else encoder.transform(unlabeled)
        steps.append(("encoder", encoder))
        message = f"{n_encoder} random rows train the encoder of the text columns, and no tree."
        note = Finding(code="encoder_rows", severity="note", message=message)
        findings = Findings([*findings, note])
    forest = CertifiedForestClassifier(
        training.trees,
        max_samples=0.5,
        confidence=guarantee.confidence,
        n_jobs=-1,
        random_state=training.seed,
    )
    forest.fit(X, table.y[rows], X_unlabeled=unlabeled, findings=findings)
    return Pipeline([*steps, ("vote", forest)]), rows


def learner(training: Training) -> Any:
    """Return the classifier that is trained as a whole, not yet fitted."""
    if training.learner is Learner.BOOSTING:
        # Early stopping would set rows aside by class, which fails for a class with one row.
        return HistGradientBoostingClassifier(max_iter=training.trees, early_stopping=False)
    return RandomForestClassifier(training.trees, n_jobs=-1)
