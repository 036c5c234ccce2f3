"""Options that contradict each other are rejected before any work, not ignored."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import typer

from tandemvote.cli.options import Learner, Scheme

COMMITTEE, HOLDOUT, TREES = (f"--scheme {scheme.value}" for scheme in Scheme)
FOREST, BOOSTING = (f"--learner {learner.value}" for learner in Learner)
CLASS, PREDICTED = "class", "predicted"

REQUIRES: dict[str, tuple[str, ...]] = {
    "trees": (FOREST,),
    "test_size": (COMMITTEE, HOLDOUT),
}
"""Options of certify that have a meaning for some schemes or learners only."""


def check_combinations(context: typer.Context) -> None:
    """Reject options of certify that would be ignored, or that contradict each other."""
    given: dict[str, Any] = context.params
    here = {f"--learner {given['learner'].value}", f"--scheme {given['scheme'].value}"}
    for parameter in context.command.params:
        places = REQUIRES.get(str(parameter.name), ())
        source = context.get_parameter_source(str(parameter.name))
        if places and not here & {*places} and source is not None and source.name == "COMMANDLINE":
            raise typer.BadParameter(
                f"{parameter.opts[0]} requires {' or '.join(places)}, and this is"
                f" {', '.join(sorted(here))}."
            )
    for message, applies in _contradictions(given, here).items():
        if applies:
            raise typer.BadParameter(message)
    check_bounds([], by=given["by"], unlabeled=given["unlabeled"] is not None)


def check_bounds(bounds: Collection[str], *, by: Collection[str], unlabeled: bool) -> None:
    """Reject names of bounds that do not exist, or not for this evidence."""
    if bounds:
        from tandemvote.bounds import get_bound

        for name in {*bounds} - {"auto", "best"}:
            get_bound(name)
    if "vote_profile" in bounds and not unlabeled:
        raise typer.BadParameter("--bound vote_profile requires --unlabeled.")
    if by and unlabeled and (not bounds or {"auto", "best", "vote_profile"} & {*bounds}):
        raise typer.BadParameter(
            "--by cannot be combined with --unlabeled and the bound vote_profile: the groups of"
            " unlabeled rows are unknown. Remove one of them; certify-votes can report another"
            " bound, such as --bound tandem."
        )


def check_ambiguous(by: Collection[str], columns: Collection[str]) -> None:
    """Reject a word for the true or the predicted class that is also the name of a column."""
    for name in {*by} & {CLASS, PREDICTED} & {*columns}:
        raise typer.BadParameter(
            f"--by {name} is ambiguous: the {name} of each row, or the column {name!r}. Rename the"
            " column."
        )


def _contradictions(given: dict[str, Any], here: set[str]) -> dict[str, Any]:
    """Return messages, and whether each applies."""
    model, groups = given["model"], given["groups"]
    return {
        "--learner boosting requires --scheme committee or holdout: boosted trees correct each"
        " other, so they cannot vote.": {TREES, BOOSTING} <= here,
        "--unlabeled requires --scheme trees. The committee and the hold-out are tested on labels,"
        " so rows without labels would change nothing.": given["unlabeled"] and TREES not in here,
        "--groups requires --scheme committee or holdout. The trees of a forest are tested on"
        " out-of-bag rows, and other rows of the same group have trained them.": (
            groups and TREES in here
        ),
        "--groups names the label column. Name the column that marks rows which belong"
        " together.": groups is not None and groups == given["target"],
        "--by predicted requires that every model is tested: use --scheme holdout, or --by"
        " class.": (
            PREDICTED in given["by"] and given["target"] != PREDICTED and HOLDOUT not in here
        ),
        f"--model {model}: a .skops file cannot hold boosted models. Choose .joblib, for yourself"
        " and for those who trust you.": BOOSTING in here and model and model.suffix == ".skops",
    }
