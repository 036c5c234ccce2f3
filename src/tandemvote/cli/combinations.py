"""Options that make no sense together are refused, not ignored."""

from __future__ import annotations

from typing import Any

import typer

from tandemvote.cli.options import Learner, Scheme
from tandemvote.counting.parquet_files import names_parquet

DATA, PREDICTIONS = "DATA", "--predictions"
COMMITTEE, HOLDOUT, TREES = (f"--scheme {scheme.value}" for scheme in Scheme)
FOREST, BOOSTING = (f"--learner {learner.value}" for learner in Learner)

GOES_WITH: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        (
            *("scheme", "learner", "seed", "jobs", "groups", "model", "votes", "category"),
            *("drop_missing", "drop_duplicates", "drop_unlabelled", "use_unlabelled"),
            *("file_format", "separator", "decimal", "encoding", "header", "missing"),
        ),
        (DATA,),
    ),
    "trees": (FOREST,),
    "test_size": (COMMITTEE, HOLDOUT),
    "bagging": (TREES,),
    "dask": (COMMITTEE, TREES, PREDICTIONS),
    **dict.fromkeys(("weights", "bound", "sharpening"), (TREES, PREDICTIONS)),
}
"""Where an option has a meaning; one that is not listed has it everywhere."""


def refuse_what_makes_no_sense(context: typer.Context) -> None:
    """Reject options of a call that would be ignored, or that contradict each other."""
    given: dict[str, Any] = context.params
    predictions = given["predictions"] is not None
    if (given["data"] is None) != predictions:
        raise typer.BadParameter("give either DATA or --predictions.")
    here = {PREDICTIONS}
    if not predictions:
        scheme, learner = given["scheme"].value, given["learner"].value
        here = {DATA, f"--learner {learner}", f"--scheme {scheme}"}
    for parameter in context.command.params:
        places = GOES_WITH.get(str(parameter.name), ())
        source = context.get_parameter_source(str(parameter.name))
        if places and not here & {*places} and source is not None and source.name == "COMMANDLINE":
            raise typer.BadParameter(
                f"{parameter.opts[0]} goes with {' or '.join(places)}, not with"
                f" {', '.join(sorted(here - {DATA}))}."
            )
    for message, applies in _contradictions(given, here).items():
        if applies:
            raise typer.BadParameter(message)
    if given["bound"]:
        from tandemvote.bounds import get_bound

        for name in {*given["bound"]} - {"auto", "best"}:
            get_bound(name)


def _contradictions(given: dict[str, Any], here: set[str]) -> dict[str, Any]:
    """Return messages, and whether each applies."""
    bounds, model, predictions = given["bound"], given["model"], given["predictions"]
    file, rows, groups = given["unlabelled"], given["use_unlabelled"], given["groups"]
    tested = {COMMITTEE, HOLDOUT} & here
    return {
        "--learner boosting goes with --scheme committee or holdout: boosted trees correct each"
        " other, so they cannot vote.": {TREES, BOOSTING} <= here,
        f"--{'unlabelled' if file else 'use-unlabelled'} goes with --scheme trees. The committee"
        " and the hold-out are tested on labels, and rows without labels would change nothing."
        + (" Use --drop-unlabelled to exclude them." if rows else " Leave it out."): (file or rows)
        and tested,
        "--groups goes with --scheme committee or holdout. The trees of a forest are tested on"
        " out-of-bag rows, and other rows of the same group have trained them.": (
            groups and TREES in here
        ),
        "--groups names the label column. Give the column that marks rows which belong together.": (
            groups is not None and groups == given["target"]
        ),
        "--groups and --keep name the same column. The column of the groups is not a feature.": (
            groups in given["keep"]
        ),
        "--bound test_set requires rows that test the classifier: use --scheme committee or"
        " holdout.": "test_set" in bounds and not predictions,
        "--by predicted requires that every model is tested: use --scheme holdout, or --by"
        " class.": (
            "predicted" in given["by"]
            and given["target"] != "predicted"
            and {COMMITTEE, TREES} & here
        ),
        "--bound vote_profile requires unlabelled rows: give --unlabelled.": (
            "vote_profile" in bounds and not (file or rows)
        ),
        "--drop-unlabelled and --use-unlabelled contradict each other.": (
            given["drop_unlabelled"] and rows
        ),
        "--unlabelled and --use-unlabelled both give unlabelled rows. Choose one.": file and rows,
        "--dask counts predictions in Parquet files, not in text, which is read whole. Leave it"
        " out.": given["dask"] and predictions and not names_parquet(predictions),
        "--drop and --keep name the same column.": {*given["drop"]} & {*given["keep"]},
        f"--model {model}: a .skops file cannot keep boosted models. Choose .joblib, for yourself"
        " and for those who trust you.": BOOSTING in here and model and model.suffix == ".skops",
    }
