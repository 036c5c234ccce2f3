"""Options that make no sense together are refused, not ignored."""

from __future__ import annotations

from typing import Any

import typer

from tandemvote.cli.options import Deploy, Design, Learner, Weights
from tandemvote.counting.parquet_files import names_parquet

DATA, PREDICTIONS = "DATA", "--predictions"
PAIRS, FOLDS, TREES, HOLDOUT = (f"--design {design.value}" for design in Design)
FOREST, BOOSTING = (f"--learner {learner.value}" for learner in Learner)

GOES_WITH: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        (
            *("design", "deploy", "learner", "seed", "jobs", "test", "test_fraction", "model"),
            *("votes", "category", "drop_missing", "drop_duplicates", "drop_unlabelled"),
            *("file_format", "separator", "decimal", "encoding", "header", "missing"),
        ),
        (DATA,),
    ),
    "trees": (FOREST,),
    "folds": (FOLDS,),
    "bagging": (TREES,),
    "use_unlabelled": (DATA,),
    **dict.fromkeys(("weights", "bound", "sharpening", "dask"), (PAIRS, FOLDS, TREES, PREDICTIONS)),
}
"""Where an option has a meaning; one that is not listed has it everywhere."""


def refuse_what_makes_no_sense(context: typer.Context, designs: list[Design]) -> None:
    """Refuse options of a call that would be ignored, or that contradict each other.

    If DATA is given, `designs` are to be trained on it.
    """
    given: dict[str, Any] = context.params
    predictions = given.get("predictions") is not None
    if (given["data"] is None) != predictions:
        raise typer.BadParameter("give either DATA or --predictions.")
    here = {PREDICTIONS}
    if not predictions:
        trained = (f"--design {design.value}" for design in designs)
        here = {DATA, f"--learner {given['learner'].value}", *trained}
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


def _contradictions(given: dict[str, Any], here: set[str]) -> dict[str, Any]:
    """Return messages, and whether each applies."""
    bounds, model = given.get("bound", []), given.get("model")
    test, share = given.get("test"), given["test_fraction"]
    predictions = given.get("predictions")
    file, rows = given["unlabelled"], given["use_unlabelled"]
    more = file or rows
    deploy, folds = given.get("deploy", Deploy.VOTE), FOLDS in here
    deployed, refit = deploy is not Deploy.VOTE, deploy is Deploy.REFIT
    only_hold_out = HOLDOUT in here and not {PAIRS, FOLDS, TREES} & here
    weighs_pairs = given.get("weights") in (Weights.TANDEM, Weights.DISAGREEMENT)
    pair_bound = _first_of_pairs(bounds) if bounds else ""
    no_pairs = "and voters of different folds share none. Leave it out, or choose --design pairs."
    return {
        "--learner boosting goes with --design pairs, folds or holdout: boosted trees correct"
        " each other, so they are no voters.": {TREES, BOOSTING} <= here,
        f"--weights tandem and disagreement look at points two voters never saw, {no_pairs}": (
            folds and weighs_pairs
        ),
        f"--bound {pair_bound} looks at points that two voters never saw, {no_pairs}": (
            folds and pair_bound
        ),
        "--test and --test-fraction both give a test set. Choose one.": test and share,
        "--design holdout needs labels set aside: give --test-fraction or --test.": (
            HOLDOUT in here and share == 0
        ),
        "--bound test_set needs labelled points used for nothing else: give DATA and"
        " --test-fraction, such as 0.2, or --test.": "test_set" in bounds and not (test or share),
        "--deploy refit goes with --design pairs, folds or holdout, whose models vouch for the"
        " one trained on all labels.": refit and TREES in here,
        "--design holdout tests its model by labels alone. Leave unlabelled points out, or give"
        " --deploy refit: they certify the model trained on all labels.": (
            only_hold_out and more and not refit
        ),
        "--deploy average goes with --design trees: it is what a forest predicts.": (
            deploy is Deploy.AVERAGE and TREES not in here
        ),
        f"--deploy {deploy.value} needs points without labels, on which the voters vouch for it:"
        " give --unlabelled or --use-unlabelled.": deployed and not more,
        f"--deploy {deploy.value} goes without --test and --by, and --test-fraction only with"
        " --design holdout: they are about the vote.": (
            deployed and (test or given["by"] or (share and not only_hold_out))
        ),
        "--by predicted requires rows that no voter was trained on: use --design holdout, or"
        " --by class.": (
            "predicted" in given.get("by", [])
            and given["target"] != "predicted"
            and {PAIRS, FOLDS, TREES} & here
        ),
        "--bound vote_profile needs unlabelled points: give --unlabelled.": (
            "vote_profile" in bounds and not more
        ),
        "--drop-unlabelled and --use-unlabelled contradict each other.": (
            given["drop_unlabelled"] and rows
        ),
        "--unlabelled and --use-unlabelled both give unlabelled points. Choose one.": file and rows,
        "--dask counts predictions in Parquet files, not in text, which is read whole. Leave it"
        " out.": given["dask"] and predictions and not names_parquet(predictions),
        "--drop and --keep name the same column.": {*given["drop"]} & {*given["keep"]},
        f"--model {model}: a .skops file cannot keep boosted models. Choose .joblib, for yourself"
        " and for those who trust you.": BOOSTING in here and model and model.suffix == ".skops",
    }


def _first_of_pairs(bounds: list[str]) -> str:
    """Return the first bound that says nothing of voters who share no held-out point."""
    from tandemvote.bounds import get_bound
    from tandemvote.bounds.requirements import PAIR_OVERLAPS

    named = [get_bound(name) for name in bounds if name not in ("auto", "best")]
    return next((bound.name for bound in named if PAIR_OVERLAPS in bound.needs), "")
