"""No face of the library certifies that coin flips can be predicted.

The labels are coin flips, so every classifier errs on half of all new samples. Models know their
training samples by heart, and a person may pass these samples wherever samples are asked for. Every
way in must reject them, or give a guarantee that is no better than guessing.
"""

import inspect
import json
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from typer.testing import CliRunner

import tandemvote
from tandemvote import (
    CertifiedClassifier,
    CertifiedForestClassifier,
    VoteCounts,
    Votes,
    certify,
    certify_oob,
    certify_selective,
    compare,
)
from tandemvote.certificate import GroupCertificates
from tandemvote.cli.app import app
from tandemvote.monitoring.comparison import Comparison

N_ROWS = 1200
LOWEST_HONEST_VALUE = 0.4

rng = np.random.default_rng(0)
X = rng.normal(size=(N_ROWS, 5))
y = rng.integers(2, size=N_ROWS)
ORDER = rng.permutation(N_ROWS)
TREE = DecisionTreeClassifier(random_state=0)

PLACES = {
    "the same rows": (X, y),
    "the same rows in another order": (X[ORDER], y[ORDER]),
    "a part of them": (X[ORDER[:700]], y[ORDER[:700]]),
    "a frame of them": (pd.DataFrame(X), pd.Series(y)),
}

TWO_PLACES = ["the same rows", "a part of them"]

WHOLE = ["the same rows", "a frame of them"]
"""All training rows as they were: those of a model that keeps no rows are recognized together."""

HELD_OUT = ["compare", "certify", "certify_selective"]


def fitted():
    """Every kind of model whose training rows can be recognized."""
    forest = RandomForestClassifier(50, random_state=0).fit(X, y)
    return {
        "forest": forest,
        "forest in a pipeline": make_pipeline(
            StandardScaler(), RandomForestClassifier(50, random_state=0)
        ).fit(X, y),
        "extra trees": ExtraTreesClassifier(50, bootstrap=True, random_state=0).fit(X, y),
        "bagged trees": BaggingClassifier(TREE, 50, random_state=0).fit(X, y),
        "certified forest": CertifiedForestClassifier(50, random_state=0).fit(X, y),
        "committee": CertifiedClassifier(TREE, random_state=0).fit(X, y),
    }


@pytest.fixture(scope="module")
def models():
    return fitted()


BAGGED = ["forest", "extra trees", "bagged trees"]
CERTIFIED = ["certified forest", "committee"]
ALL = [*BAGGED, "forest in a pipeline", *CERTIFIED]


def value(issued):
    """The smallest error rate that was guaranteed."""
    if isinstance(issued, Comparison):
        return 0.5 - issued.lower  # the stump errs on half of all new samples
    if isinstance(issued, GroupCertificates):
        return min(each.value for each in issued)
    if getattr(issued, "direction", "") == "at least":
        return 1 - issued.value
    return issued.error if hasattr(issued, "error") else issued.value


CLASSIFIERS = {
    "CertifiedForestClassifier": CertifiedForestClassifier(50, random_state=0),
    "CertifiedClassifier": CertifiedClassifier(TREE, random_state=0),
}


@cache
def stump():
    return DecisionTreeClassifier(max_depth=1).fit(X[::2], y[::2])


@cache
def frozen():
    return make_pipeline(StandardScaler(), FrozenEstimator(clone(TREE).fit(X, y)))


# Each entry point: which models it is tried on, and what a person might call with training rows.
ENTRY_POINTS = {
    "compare": (ALL, [lambda model, X, y: compare(stump(), model, X, y)]),
    "certify": (
        ALL,
        [
            certify,
            lambda model, X, y: certify([model], X, y, bound="first_order"),
            lambda model, X, y: certify([model, model], X, y),
            lambda model, X, y: certify(model, X, y, metric="balanced_accuracy"),
            lambda model, X, y: certify(model, X, y, cost=[[0, 1], [1, 0]]),
            lambda model, X, y: certify(model, X, y).by_group("class"),
            lambda model, X, y: certify([model], X, y).by_group("predicted"),
            lambda model, X, y: certify(model, X, y).by_group(np.arange(len(y)) % 2),
            lambda model, X, y: certify(model, X, y, groups=np.arange(len(y)) // 2),
            lambda model, X, y: certify(model, X, y, metric="f1", positive=1),
            lambda model, X, y: certify([model], X, y, metric="cost", cost=[[0, 1], [1, 0]]),
            lambda model, X, y: certify(model, X, y, X_unlabeled=X, bound="vote_profile"),
            lambda model, X, y: certify(model, X, y, X_unlabeled=X, deployed=model),
            lambda model, X, y: certify([stump()], X, y, X_unlabeled=X, deployed=model),
        ],
    ),
    "certify_oob": (
        ALL,
        [
            certify_oob,
            lambda model, X, y: certify_oob(model, X, y, weights="tandem", bound="best"),
            lambda model, X, y: certify_oob(model, X, y).by_group("class"),
            lambda model, X, y: certify_oob(model, X, y, X_unlabeled=X, bound="vote_profile"),
            lambda model, X, y: certify_oob(model, X, y, X_unlabeled=X, deployed=model),
        ],
    ),
    "certify_selective": (
        ALL,
        [
            lambda model, X, y: certify_selective(model, X, y, max_error=0.05),
            lambda model, X, y: certify_selective([model], X, y, max_error=0.05),
            lambda model, X, y: certify_selective([model, model], X, y, max_error=0.2),
        ],
    ),
    "CertifiedForestClassifier": (
        ["forest"],
        [
            lambda _, X, y: CertifiedForestClassifier(50, random_state=0).fit(X, y).certificate_,
            lambda _, X, y: (
                CertifiedForestClassifier(50, bound="vote_profile", random_state=0)
                .fit(X, y, X_unlabeled=X)
                .certificate_
            ),
        ],
    ),
    "CertifiedClassifier": (
        ["forest"],
        [
            lambda _, X, y: CertifiedClassifier(TREE, random_state=0).fit(X, y).certificate_,
            lambda _, X, y: (
                CertifiedClassifier(TREE, n_tested=3, referee=False, random_state=0)
                .fit(X, y)
                .certificate_
            ),
            lambda model, X, y: (
                CertifiedClassifier(TREE, referee=model, random_state=0)
                .fit(X, y)
                .refit_referee(X, y)
                .certificate_
            ),
            lambda _, X, y: (
                CertifiedClassifier(TREE, random_state=0)
                .fit(X, y, groups=np.arange(len(y)) // 2)
                .certificate_
            ),
        ],
    ),
}

# Methods of the classifiers, beyond `fit`, through which samples come in.
METHODS = {
    "refit_referee": (
        ["committee"],
        [
            lambda model, X, y: clone(model).fit(X, y).refit_referee(X, y).certificate_,
        ],
    ),
    "frozen parts": (
        ["forest"],
        [
            lambda _, X, y: CertifiedClassifier(frozen()).fit(X, y).certificate_,
            lambda _, X, y: CertifiedClassifier(TREE, referee=frozen()).fit(X, y).certificate_,
            lambda _, X, y: certify_oob(BaggingClassifier(frozen(), 20).fit(X, y), X, y),
            lambda _, X, y: certify_oob(BaggingClassifier(frozen()[-1], 20).fit(X, y), X, y),
            lambda _, X, y: CertifiedClassifier(frozen()[-1]).fit(X, y).certificate_,
        ],
    ),
}

# Names through which no samples come in, or only numbers that do not say where they come from.
WITHOUT_POINTS = {
    "Certificate": "made from a file",
    "Monitor": "predictions do not show where they come from: an assumption",
    "audit": "returns findings, not a bound",
    "labels_needed": "takes numbers",
    "VoteCounts": "integers do not show where they come from: an assumption",
    "Votes": "predictions do not show where they come from: an assumption",
    "load_model": "made from a file",
    "write_report": "takes a certificate",
}


def calls():
    """First ways at all places; others at two, one of which is left to the slow tests."""
    for name, (kinds, ways) in {**ENTRY_POINTS, **METHODS}.items():
        for row, kind in enumerate(kinds):
            whole = name in HELD_OUT and kind not in CERTIFIED
            for number, way in enumerate(ways):
                places = WHOLE if whole else PLACES if number == 0 else TWO_PLACES
                for column, place in enumerate(places):
                    later = number > 0 and len(kinds) > 1 and (row + number + column) % 2
                    yield pytest.param(
                        kind,
                        way,
                        place,
                        id=f"{name}-{number}-{kind}-{place}",
                        marks=[pytest.mark.slow] if later else [],
                    )


@pytest.mark.parametrize(("kind", "way", "place"), list(calls()))
def test_training_rows_never_give_a_good_guarantee(kind, way, place, models):
    try:
        issued = way(models[kind], *PLACES[place])
    except ValueError as rejection:
        assert len(str(rejection)) > 40, "a rejection says what is wrong and what to do"
    else:
        assert value(issued) >= LOWEST_HONEST_VALUE


def is_named(issued, codes):
    """Return True if a finding of a certificate has one of the codes."""
    whole = issued.certificate if isinstance(issued, GroupCertificates) else issued
    return bool({each.code for each in whole.findings} & codes)


COPIES = {
    "every row twice": np.repeat(np.arange(N_ROWS // 2), 2),
    "the table appended to itself": np.tile(np.arange(N_ROWS // 2), 2),
    "one class oversampled": np.concatenate([np.arange(N_ROWS), np.repeat(np.flatnonzero(y), 4)]),
}
"""Rows of a table with copies, as oversampling and joins make them."""

TRAINING = {
    "committee": lambda X, y: CertifiedClassifier(TREE, random_state=0).fit(X, y).certificate_,
    "hold-out": lambda X, y: (
        CertifiedClassifier(TREE, n_tested=1, referee=False, random_state=0).fit(X, y).certificate_
    ),
    "certified forest": lambda X, y: (
        CertifiedForestClassifier(50, random_state=0).fit(X, y).certificate_
    ),
    "certify_oob": lambda X, y: certify_oob(
        RandomForestClassifier(50, random_state=0).fit(X, y), X, y
    ),
    "certify": lambda X, y: certify(
        DecisionTreeClassifier(random_state=0).fit(X[::2], y[::2]), X[1::2], y[1::2]
    ),
    "certify by class": lambda X, y: certify(
        DecisionTreeClassifier(random_state=0).fit(X[::2], y[::2]), X[1::2], y[1::2]
    ).by_group("class"),
    "compare": lambda X, y: compare(
        DecisionTreeClassifier(max_depth=1).fit(X[::2], y[::2]),
        DecisionTreeClassifier(random_state=0).fit(X[::2], y[::2]),
        X[1::2],
        y[1::2],
    ),
    "certify_selective": lambda X, y: certify_selective(
        DecisionTreeClassifier(random_state=0).fit(X[::2], y[::2]), X[1::2], y[1::2], max_error=0.2
    ),
}


@pytest.mark.parametrize("rows", COPIES)
@pytest.mark.parametrize("way", TRAINING)
def test_copies_in_training_and_test_are_rejected_or_named(way, rows):
    """A tree knows its training rows by heart, so copies of them seem to be predicted."""
    rows = COPIES[rows]
    try:
        issued = TRAINING[way](X[rows], y[rows])
    except ValueError as rejection:
        assert len(str(rejection)) > 40
    else:
        assert value(issued) >= LOWEST_HONEST_VALUE or is_named(issued, {"copied_rows"})


def abstaining(which):
    """Voters that know half of all labels and guess the others, with predictions left empty."""
    new = np.random.default_rng(3)
    hard = new.random(N_ROWS) < 0.5
    wrong = np.where(hard, new.random((5, N_ROWS)) < 0.5, new.random((5, N_ROWS)) < 0.03)
    empty = {
        "all voters alike": np.tile(hard, (5, 1)),
        "each voter by itself": hard ^ (new.random((5, N_ROWS)) < 0.1),
        "one voter": hard & (np.arange(5) == 2)[:, None],
        "two voters of five": hard & (np.arange(5) < 2)[:, None],
        "half of the hard samples": hard & (new.random((5, N_ROWS)) < 0.5),
    }[which]
    return y ^ wrong, empty


HOLES = {
    "certify": certify,
    "certify with weights": lambda votes: certify(votes, weights="tandem"),
    "certify by one bound": lambda votes: certify(votes, bound="first_order"),
    "certify by class": lambda votes: certify(votes).by_group("class"),
    "certify counts": lambda votes: certify(VoteCounts.from_votes(votes)),
    "certify an iterable": lambda votes: certify(iter([votes])),
    "certify_selective": lambda votes: certify_selective(votes, max_error=0.2),
}


@pytest.mark.parametrize(
    "which",
    [
        *("all voters alike", "each voter by itself", "one voter", "two voters of five"),
        "half of the hard samples",
    ],
)
def test_votes_that_are_left_out_at_hard_samples_are_rejected_or_named(which, tmp_path):
    predictions, empty = abstaining(which)
    votes = Votes.from_predictions(predictions, y, ~empty)
    for name, way in HOLES.items():
        try:
            issued = way(votes)
        except ValueError as rejection:
            assert "empty_as_error" in str(rejection) or "were trained on" in str(rejection), name
        else:
            assert is_named(issued, {"observed_above_bound"}), name
    cells = np.where(empty, "", predictions.astype(str))
    table = pd.DataFrame(cells.T).add_prefix("voter").assign(label=y.astype(str))
    table.to_csv(tmp_path / "votes.csv", index=False)
    table.replace("", None).to_parquet(tmp_path / "votes.parquet")
    for file in ("votes.csv", "votes.parquet"):
        call = ["certify-votes", str(tmp_path / file)]
        rejection = CliRunner().invoke(app, call).exception
        assert isinstance(rejection, ValueError) and "empty_as_error" in str(rejection)
        done = CliRunner().invoke(app, [*call, "--empty-as-error", "--json"])
        assert done.exit_code == 0
        counted = np.where(empty, 1 - y, predictions)
        observed = ((counted != y).sum(axis=0) > 2).mean()
        assert json.loads(done.stdout.splitlines()[-1])["guaranteed"] > observed


def test_every_public_name_is_either_tried_on_coin_flips_or_takes_no_samples():
    assert {*ENTRY_POINTS, *WITHOUT_POINTS} == set(tandemvote.__all__)


def test_every_public_method_that_takes_labels_is_tried_on_coin_flips():
    taking_labels = {
        name
        for estimator in (CertifiedForestClassifier, CertifiedClassifier)
        for name, method in inspect.getmembers(estimator, inspect.isfunction)
        if not name.startswith("_") and "y" in set(inspect.signature(method).parameters)
    }
    assert taking_labels == {"fit", "refit_referee", "score"}


@pytest.fixture
def flips(tmp_path, monkeypatch):
    """A table of coin flips, and a call of the command line with it."""
    monkeypatch.chdir(tmp_path)
    table = pd.DataFrame(X, columns=list("abcde")).assign(label=np.where(y, "heads", "tails"))
    table.to_csv("data.csv", index=False)
    table.drop(columns="label").to_csv("more.csv", index=False)
    call = ["certify", "data.csv", "--target", "label", "--json", "--trees", "10"]
    return lambda options: CliRunner().invoke(app, [*call, *options.split()])


@pytest.mark.parametrize(
    "options", ["--scheme trees", "--scheme holdout", "--learner boosting", "--by class"]
)
def test_no_scheme_of_the_command_line_predicts_coin_flips(flips, options):
    done = flips(options)
    assert done.exit_code == 0
    printed = json.loads(done.stdout.splitlines()[-1])  # Click before 8.2 mixes both streams
    values = [float.fromhex(each["value"]) for each in printed["certificates"]]
    assert min([printed["guaranteed"], *values]) >= LOWEST_HONEST_VALUE


def test_the_command_line_rejects_training_rows_as_new_samples(flips):
    rejected = flips("--unlabeled more.csv --scheme trees")
    assert isinstance(rejected.exception, ValueError)
    assert "trained on" in str(rejected.exception) or "labeled samples" in str(rejected.exception)


def test_predictions_on_training_rows_are_an_assumption_in_words(models):
    predictions = [tree.predict(X) for tree in models["forest"].estimators_]
    certificate = certify(Votes.from_predictions(predictions, y))
    assert certificate.value < LOWEST_HONEST_VALUE, "nobody can see it from predictions alone"
    assert any("trained on" in text for text in certificate.assumptions)


@pytest.mark.parametrize("kind", BAGGED)
def test_new_samples_are_not_taken_for_training_rows(kind, models):
    new = np.random.default_rng(1)
    X_new, labels = new.normal(size=(3000, 5)), new.integers(2, size=3000)
    assert certify([models[kind]], X_new, labels, bound="first_order").value > 0.5
    assert certify(models[kind], X_new, labels).counts.n_voters == 1
