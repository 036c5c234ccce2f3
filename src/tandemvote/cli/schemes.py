"""Train a certified classifier on a table by one of the schemes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray
from rich.progress import SpinnerColumn, TimeElapsedColumn
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

from tandemvote import CertifiedClassifier, CertifiedForestClassifier
from tandemvote.auditing import Finding, check_findings
from tandemvote.auditing.checks import audit
from tandemvote.cli.messages import say
from tandemvote.cli.options import Bagging, Guarantee, Learner, Scheme, Training, Weights
from tandemvote.cli.running import progress
from tandemvote.tables import Dataset


def train(
    scheme: Scheme,
    dataset: Dataset,
    guarantee: Guarantee,
    training: Training,
    *,
    unlabeled: NDArray[Any] | None = None,
    findings: Sequence[Finding] = (),
) -> Any:
    """Fit the classifier of a scheme; it has a certificate."""
    groups = None if training.groups is None else dataset.beside[training.groups]
    trained = {
        Scheme.COMMITTEE: "4 models that are tested, and the referee",
        Scheme.HOLDOUT: "1 model that is tested",
        Scheme.TREES: f"{training.trees} trees",
    }
    say(f"Training {trained[scheme]}.", err=True)
    found = audit(dataset.X, dataset.y, groups=groups, X_unlabeled=unlabeled)
    copies = [each for each in found if each.code in ("copied_rows", "shared_rows")]
    known = check_findings([*dataset.findings, *findings, *copies])
    with progress(SpinnerColumn(), TimeElapsedColumn()) as clock:
        clock.add_task("")
        if scheme is Scheme.TREES:
            forest: Any = CertifiedForestClassifier(
                training.trees,
                max_samples=0.5 if training.bagging is Bagging.REDUCED else None,
                confidence=guarantee.confidence,
                n_jobs=training.jobs if training.dask is None else -1,
                random_state=training.seed,
                **guarantee.request(Weights.TANDEM),
            )
            return forest.fit(dataset.X, dataset.y, X_unlabeled=unlabeled, findings=known)
        tested: dict[str, Any] = {"n_tested": 1, "referee": False}
        model = CertifiedClassifier(
            learner(training),
            test_size=training.test_size,
            confidence=guarantee.confidence,
            n_jobs=None if training.dask is None else -1,
            random_state=training.seed,
            **(tested if scheme is Scheme.HOLDOUT else {}),
        )
        return model.fit(dataset.X, dataset.y, groups=groups, findings=known)


def learner(training: Training) -> Any:
    """Return the classifier that is trained as a whole, not yet fitted."""
    if training.learner is Learner.BOOSTING:
        # Early stopping would set rows aside by class, which fails for a class with one row.
        return HistGradientBoostingClassifier(early_stopping=False)
    return RandomForestClassifier(training.trees, n_jobs=training.jobs)
