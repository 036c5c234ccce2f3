"""Certificates of a few models, of trees or a hold-out of a table, or of given predictions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import typer
from joblib import parallel_config
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress, ProgressColumn, SpinnerColumn, TimeElapsedColumn
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import train_test_split

from tandemvote import CertifiedClassifier, CertifiedForestClassifier
from tandemvote.certificate.certificate import TEST_SET
from tandemvote.certification import (
    CertificateRequest,
    Certification,
    certify_counts,
    certify_votes,
)
from tandemvote.cli.data import GROUPS_OF_VOTES, refuse_ambiguous
from tandemvote.cli.options import Bagging, Design, Guarantee, Learner, Reading, Training
from tandemvote.counting import parquet
from tandemvote.counting.parquet_files import names_parquet
from tandemvote.counting.shards import count_shards
from tandemvote.ensembles.rows import refuse_training_rows, row_digests
from tandemvote.extras import import_extra
from tandemvote.tables import Dataset, read_votes
from tandemvote.tables.columns import MISSING_TEXTS
from tandemvote.tables.errors import number_of
from tandemvote.tables.votes_table import column_names, refuse_no_voters
from tandemvote.votes import Votes

HOLD_OUT = 0.2  # share of the labels


def train(
    design: Design,
    dataset: Dataset,
    asked: dict[str, Any],
    training: Training,
    *,
    test: Dataset | None = None,
    unlabelled: NDArray[Any] | None = None,
) -> Any:
    """Train by a design; return a fitted classifier with the certificate that is `asked` for.

    It is tested by `test`, labelled points used for nothing else; by default by a share of the data
    set, if options ask for one.
    """
    refit = not asked.get("ensemble", True)
    rows, aside = rows_apart(dataset.n_samples, design, training, test)
    if refit:  # what is set aside tests one model and trains the other
        rows, aside = np.arange(dataset.n_samples), aside[:0]
    X, y = dataset.X[rows], dataset.y[rows]
    tested = (dataset.X[aside], dataset.y[aside]) if test is None else (test.X, test.y)
    if test is not None:  # before training; and a single model keeps no trace of its rows
        refuse_training_rows(row_digests(X), test.X, what="test")
    n_models = {Design.PAIRS: 3, Design.FOLDS: training.folds}.get(design, 1) + refit
    typer.echo(f"Training {number_of(n_models, 'model')} on {len(y):,} rows.", err=True)
    with _progress(SpinnerColumn(), TimeElapsedColumn()) as clock:
        clock.add_task("")
        asked = {**asked, "random_state": training.seed}
        model: Any
        if design is not Design.TREES:
            alone = {"n_tested": 1, "referee": False} if design is Design.HOLDOUT else {}
            confidence, seed = 1.0 - asked["delta"], asked["random_state"]
            model = CertifiedClassifier(
                learner(training), confidence=confidence, random_state=seed, **alone
            )
            return model.fit(X, y)
        asked["n_jobs"] = training.jobs if training.dask is None else -1
        share = 0.5 if training.bagging is Bagging.REDUCED else None
        model = CertifiedForestClassifier(training.trees, max_samples=share, **asked)
        bound = model.bound
        if TEST_SET in bound:
            # The model does not know the test set; its own certificate has the other bounds.
            others = [] if bound == TEST_SET else [name for name in bound if name != TEST_SET]
            model.set_params(bound=others or "first_order")
        model.fit(X, y, X_unlabelled=unlabelled)
        if len(tested[1]):
            model.set_params(bound=bound).certify_with_test(*tested, keep=True)
        return model


def learner(training: Training) -> Any:
    """Return what is trained as a whole, not yet fitted."""
    if training.learner is Learner.BOOSTING:
        # Early stopping would set points aside by class, which a class of one row does not allow.
        return HistGradientBoostingClassifier(early_stopping=False, random_state=training.seed)
    return RandomForestClassifier(training.trees, random_state=training.seed, n_jobs=training.jobs)


def rows_apart(
    n_rows: int, design: Design, training: Training, test: Dataset | None
) -> list[NDArray[Any]]:
    """Return the rows of DATA that train, and those that are set aside."""
    share = training.test_fraction
    if share is None:
        share = HOLD_OUT if design is Design.HOLDOUT else 0.0
    rows = np.arange(n_rows)
    if test is not None or not share:
        return [rows, rows[:0]]
    # Not stratified: test points must be independent draws for the binomial limit to hold.
    apart: list[NDArray[Any]] = train_test_split(rows, test_size=share, random_state=training.seed)
    return apart


def _progress(*columns: ProgressColumn) -> Progress:
    """Return bars or clocks that a terminal shows until the work is done, and a log never."""
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def certify_predictions(
    path: str, guarantee: Guarantee, reading: Reading, training: Training, *, client: Any
) -> tuple[Certification, str]:
    """Certify the vote whose predictions are in a table, a folder or many files; describe it, too.

    Small tables are read whole, Parquet files of any size in parts, whose votes are not kept.
    """
    request, target = CertificateRequest(**guarantee.asked(None)), reading.target or "label"
    ignore = [*reading.drop, *({*guarantee.by} - {*GROUPS_OF_VOTES})]
    if not {*guarantee.by}.isdisjoint(GROUPS_OF_VOTES):
        refuse_ambiguous(guarantee.by, {*column_names(path)} - {target})
    if names_parquet(path):
        shards = parquet.ParquetVotes(path, label=target, ignore=ignore)
        if client is not None or shards.n_points * shards.n_voters > parquet.BATCH_CELLS:
            if training.unlabelled is not None:
                raise typer.BadParameter("--unlabelled needs predictions that fit in memory.")
            refuse_no_voters(next(iter(shards)), shards.columns.voters, reading.keep)
            # A mistake is better found before hours of counting; only the labels are unknown yet.
            request.check(n_voters=shards.n_voters)
            typer.echo(f"Counting {shards.n_points} points.", err=True)
            with _progress() as bars:
                task = bars.add_task("points", total=shards.n_points)
                counts = count_shards(shards, client=client, progress=partial(bars.advance, task))
            request.check(n_voters=shards.n_voters, classes=counts.classes)
            voters = f"{shards.n_voters} voters at {shards.n_points} points"
            return certify_counts(counts, request), f"Predictions of {voters}, {Path(path).name}"
    votes = read_votes(
        path, target=target, ignore=ignore, keep=reading.keep, unlabelled=training.unlabelled
    )
    _note_missing_texts(votes)
    voters = f"Predictions of {votes.n_voters} voters"
    return certify_votes(votes, request), f"{voters}, {Path(path).name}"


def _note_missing_texts(votes: Votes) -> None:
    """Say that predictions such as NA count as errors, if no label is written like that."""
    known = votes.classes[np.unique(votes.labels)]
    for text in sorted({*MISSING_TEXTS} & {*votes.classes.tolist()} - {*known.tolist()}):
        said = (votes.predictions == np.searchsorted(votes.classes, text)) & votes.held_out
        typer.echo(
            f"Note: {said.sum()} predictions are {text!r}, which is no label; they count as errors."
            " Where a voter was trained on the point, leave the cell empty.",
            err=True,
        )


@contextmanager
def connected(address: str | None) -> Iterator[Any]:
    """Yield the client of a Dask cluster to count on, which joblib uses too; or None."""
    if address is None:
        yield None
        return
    distributed = import_extra("distributed", "dask")
    with distributed.Client(address) as client, parallel_config("dask"):
        yield client
