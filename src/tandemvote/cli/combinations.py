"""Options that make no sense together are refused, not ignored."""

from __future__ import annotations

from typing import Any

import typer

from tandemvote.cli.options import Design, Learner, Weights

DATA, PREDICTIONS = "DATA", "--predictions"
FOLDS, TREES, HOLDOUT = (f"--design {design.value}" for design in Design)
FOREST = f"--learner {Learner.FOREST.value}"

GOES_WITH: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        (
            *("design", "learner", "seed", "jobs", "test", "test_fraction", "model", "votes"),
            *("keep", "category", "drop_missing", "drop_duplicates", "drop_unlabelled"),
            *("file_format", "separator", "decimal", "encoding", "header", "missing"),
        ),
        (DATA,),
    ),
    "trees": (FOREST,),
    "folds": (FOLDS,),
    "bagging": (TREES,),
    "use_unlabelled": (FOLDS, TREES),
    **dict.fromkeys(("weights", "bound", "sharpening", "unlabelled"), (FOLDS, TREES, PREDICTIONS)),
}
"""Where an option has a meaning; one that is not listed has it everywhere."""


def refuse_what_makes_no_sense(context: typer.Context) -> None:
    """Refuse options that would be ignored, or that contradict each other."""
    given: dict[str, Any] = context.params
    design, learner = given["design"], given["learner"]
    if (given["data"] is None) == (given["predictions"] is None):
        raise typer.BadParameter("give either DATA or --predictions.")
    here = {DATA, f"--design {design.value}", f"--learner {learner.value}"}
    if given["predictions"] is not None:
        here = {PREDICTIONS}
    for parameter in context.command.params:
        places = GOES_WITH.get(str(parameter.name), ())
        source = context.get_parameter_source(str(parameter.name))
        if places and not here & {*places} and source is not None and source.name == "COMMANDLINE":
            raise typer.BadParameter(
                f"{parameter.opts[0]} goes with {' or '.join(places)}, not with"
                f" {_contrast(here, places)}."
            )
    _refuse_contradictions(given, design, learner)


def _contrast(here: set[str], places: tuple[str, ...]) -> str:
    """Name what is there in the place of what an option goes with."""
    words = {place.split()[0] for place in places}
    return next((each for each in sorted(here) if each.split()[0] in words), PREDICTIONS)


def _refuse_contradictions(given: dict[str, Any], design: Design, learner: Learner) -> None:
    bounds, tested = given["bound"], given["test"] or given["test_fraction"]
    unlabelled = given["unlabelled"] or given["use_unlabelled"]
    overlapping = given["weights"] in (Weights.TANDEM, Weights.DISAGREEMENT)
    trained = given["data"] is not None
    for wrong, message in (
        (
            trained and design is Design.TREES and learner is Learner.BOOSTING,
            "--learner boosting goes with --design folds or holdout: boosted trees correct each"
            " other, so they are no voters.",
        ),
        (
            trained and design is Design.FOLDS and overlapping,
            "--weights tandem and disagreement look at points that two voters never saw, and those"
            " of different folds share none. Leave --weights out, or choose --design trees.",
        ),
        (
            trained and design is Design.FOLDS and _of_pairs(bounds),
            f"--bound {_of_pairs(bounds)} looks at points that two voters never saw, and those of"
            " different folds share none. Leave --bound out, or choose --design trees.",
        ),
        (
            given["test"] and given["test_fraction"],
            "--test and --test-fraction both give a test set. Choose one.",
        ),
        (
            design is Design.HOLDOUT and given["test_fraction"] == 0,
            "--design holdout needs labels set aside: give --test-fraction or --test.",
        ),
        (
            "test_set" in bounds and not tested,
            "--bound test_set needs labelled points used for nothing else: give DATA and"
            " --test-fraction, such as 0.2, or --test.",
        ),
        (
            "vote_profile" in bounds and not unlabelled,
            "--bound vote_profile needs unlabelled points: give --unlabelled.",
        ),
        (
            given["drop_unlabelled"] and given["use_unlabelled"],
            "--drop-unlabelled and --use-unlabelled contradict each other.",
        ),
        (
            given["unlabelled"] and given["use_unlabelled"],
            "--unlabelled and --use-unlabelled both give unlabelled points. Choose one.",
        ),
        (
            {*given["drop"]} & {*given["keep"]},
            "--drop and --keep name the same column.",
        ),
    ):
        if wrong:
            raise typer.BadParameter(message)


def _of_pairs(bounds: list[str]) -> str:
    """Return the first bound that says nothing of voters who share no held-out point."""
    from tandemvote.bounds import get_bound  # noqa: PLC0415
    from tandemvote.bounds.requirements import PAIR_OVERLAPS  # noqa: PLC0415

    named = [get_bound(name) for name in bounds if name not in ("auto", "best")]
    return next((bound.name for bound in named if PAIR_OVERLAPS in bound.needs), "")
