"""Steps from a file to a certified classifier: read, audit, train."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.progress import SpinnerColumn, TimeElapsedColumn
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state

from tandemvote import CertifiedClassifier, CertifiedForestClassifier
from tandemvote.auditing import Finding, Findings, FindingsError, check_findings
from tandemvote.auditing.audit import audit_columns
from tandemvote.auditing.cells import read_contents
from tandemvote.auditing.rows import unlabeled_findings
from tandemvote.certificate import Certificate
from tandemvote.cli.messages import progress, say
from tandemvote.cli.options import (
    Columns,
    Confidence,
    Drawing,
    FileReading,
    Forest,
    Learner,
    Scheme,
    Training,
    bounds_of,
)
from tandemvote.models.splitting import Split, split_rows
from tandemvote.tables import DatasetError, Table, TableColumns, read_table, with_encoder
from tandemvote.tables.encoding import make_encoder, text_columns
from tandemvote.tables.errors import number_of
from tandemvote.votes.draws import shuffled
from tandemvote.votes.names import CLASS, PREDICTED
from tandemvote.votes.printable import printable

FEWEST_LABELED = 20
NEAR_ZERO = 0.005
"""Observed error up to which a column that reveals the label explains it."""

ENCODER_SHARE = 0.1
"""Share of the rows that train the encoder of text columns, and no tree (--scheme trees)."""


def read_data(
    path: str,
    columns: Columns,
    reading: FileReading,
    *,
    by: Collection[str] = (),
    quiet: bool = False,
    order: str | None = None,
) -> Table:
    """Read DATA and report on the error stream how."""
    table = read_table(
        path,
        target=columns.target,
        drop=columns.drop,
        groups=columns.groups,
        groups_until=columns.groups_until,
        order=order,
        categories=columns.category,
        others=[name for name in by if name not in (CLASS, PREDICTED, columns.target)],
        **vars(reading),
    )
    if len(table.y) < FEWEST_LABELED:
        raise DatasetError(
            f"{path} has {number_of(len(table.y), 'row')}; at least {FEWEST_LABELED} are required,"
            " thousands for a useful bound. Give more rows."
        )
    if not quiet:
        say(f"Read {printable(table.summary)}.", err=True)
    return table


def audited(table: Table, columns: Columns, training: Drawing, unlabeled: Any = None) -> Findings:
    """Audit a table; raise all errors at once, unless they are overridden.

    What columns reveal about labels is looked for outside the test set that `train` draws: it
    depends on the seed and the file, and not on what is dropped.
    """
    split = draw_split(table, columns, training)
    rows = None if split is None else split.training
    groups = None if columns.groups is None else table.others[columns.groups]
    dropped = {*table.raw}.difference(table.kinds)
    found = audit_columns(table.raw, table.y, groups=groups, training=rows, dropped=dropped)
    findings = [*table.findings, *found]
    if unlabeled is not None:  # which is converted as X is
        names = [name for each in found if each.code == "identifier" for name in each.columns]
        contents = read_contents(table.X), read_contents(unlabeled)
        findings += unlabeled_findings(*contents, skipped=names)
    return check_findings(findings, columns.allow)


def check_leaks(certificate: Certificate, columns: Collection[str], allow: Collection[str]) -> None:
    """Raise leaks of the audit as errors if the observed error is as small as they make it.

    Where all columns reveal the label, none of them is more than a feature.
    """
    leaks = [each for each in certificate.findings if each.code == "leak"]
    others = {*columns}.difference(*(each.columns for each in leaks))
    is_small = certificate.observed is not None and certificate.observed <= NEAR_ZERO
    if leaks and others and is_small and "leak" not in allow:
        raise FindingsError(Findings(replace(each, severity="error") for each in leaks))


def draw_split(table: Table, columns: Columns, training: Drawing) -> Split | None:
    """Draw the split of `train`; without a test set, as out of bag, return None."""
    if getattr(training, "scheme", None) is Scheme.TREES:
        return None
    given = columns.groups, training.order
    groups, order = (None if name is None else table.others[name] for name in given)
    contents = [table.digests, np.unique(table.y, return_inverse=True)[1]]
    random_state = check_random_state(training.seed)
    how = table.y, groups, order, training.test_size
    return split_rows(contents, *how, random_state=random_state)


def read_groupings(by: Collection[str], target: str, columns: Collection[str]) -> list[str]:
    """Return what --by names; the label column is "class", which must not be another column."""
    for name in {*by} & {CLASS, PREDICTED} & {*columns} - {target}:
        raise typer.BadParameter(
            f"--by {name} is ambiguous: the {name} of each row, or the column {name!r}. Rename the"
            " column."
        )
    return [CLASS if name == target else name for name in by]


def train(
    table: Table,
    columns: Columns,
    training: Training,
    guarantee: Confidence,
    findings: Findings,
    *,
    forest: Forest | None = None,
    unlabeled: Any = None,
) -> tuple[Pipeline, Any]:
    """Return a fitted pipeline whose last step has a certificate, and the rows it was fitted on."""
    if not guarantee.quiet:
        say(f"Training {training.learner} with scheme {training.scheme}.", err=True)
    with progress(SpinnerColumn(), TimeElapsedColumn()) as clock:
        clock.add_task("")
        if training.scheme is Scheme.TREES and forest is not None:
            voting = CertifiedForestClassifier(
                training.trees,
                weights=forest.weights,
                bound=bounds_of(forest.bound),
                published=forest.published,
                max_samples=forest.max_samples,
                confidence=guarantee.confidence,
                n_jobs=-1,
                random_state=training.seed,
                allow=columns.allow,
            )
            return _train_trees(voting, table, unlabeled, findings)
        holdout = training.scheme is Scheme.HOLDOUT
        model = CertifiedClassifier(
            with_encoder(learner(training), table.kinds),
            n_tested=1 if holdout else "auto",
            referee=not holdout,
            test_size=training.test_size,
            confidence=guarantee.confidence,
            random_state=training.seed,
            allow=columns.allow,
        )
        groups = None if columns.groups is None else table.others[columns.groups]
        order = None if training.order is None else table.others[training.order]
        model._fit(table.X, table.y, groups, {}, findings, drawn_by=table.digests, order=order)
        return Pipeline([("columns", TableColumns(table.kinds)), ("vote", model)]), slice(None)


def _train_trees(
    forest: CertifiedForestClassifier, table: Table, unlabeled: Any, findings: Findings
) -> tuple[Pipeline, NDArray[np.intp]]:
    """Fit a forest; an encoder of text columns is fitted on rows that no tree is evaluated on."""
    X, rows = table.X, np.arange(len(table.y))
    steps = [("columns", TableColumns(table.kinds))]
    if text_columns(table.kinds):
        n_encoder = int(np.ceil(ENCODER_SHARE * len(rows)))
        order = shuffled([table.digests, table.y], forest.random_state)
        chosen, rows = np.sort(order[:n_encoder]), np.sort(order[n_encoder:])
        encoder = make_encoder().fit(X.iloc[chosen], table.y[chosen])
        X = encoder.transform(X.iloc[rows])
        unlabeled = None if unlabeled is None else encoder.transform(unlabeled)
        steps.append(("encoder", encoder))
        message = f"{n_encoder} random rows train the encoder of the text columns, and no tree."
        note = Finding(code="encoder_rows", severity="note", message=message)
        findings = Findings([*findings, note])
    forest._fit(X, table.y[rows], unlabeled, findings)
    return Pipeline([*steps, ("vote", forest)]), rows


def learner(training: Training) -> Any:
    """Return the classifier that is trained as a whole, not yet fitted."""
    if training.learner is Learner.BOOSTING:
        # Early stopping would set rows aside by class, which fails for a class with one row.
        return HistGradientBoostingClassifier(max_iter=training.trees, early_stopping=False)
    return RandomForestClassifier(training.trees, n_jobs=-1)
