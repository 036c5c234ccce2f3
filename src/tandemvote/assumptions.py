"""What must be true for a guarantee to hold and no code can see, in words.

Certificates list these texts, their files keep them, and ``tandemvote verify`` refuses a file that
leaves out one that its numbers rest on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Assumption:
    """One thing that must be true.

    Attributes
    ----------
    text : str
        What certificates say today.
    earlier : tuple of str
        What they said before; files with these words stay valid.
    """

    text: str
    earlier: tuple[str, ...] = ()


VOTES = (
    Assumption(
        "The points are independent draws from the source the vote will be used on: no duplicated,"
        " grouped or time-ordered rows."
    ),
    Assumption("Which points a voter was trained on was decided without looking at the data."),
    Assumption(
        "Held-out points were not used in any other way: not for tuning, not for selecting features"
        " or voters, not for choosing the kind of bound, delta or the prior."
    ),
    Assumption(
        "The guarantee is about the hard weighted vote (the label with the largest total weight),"
        " not about averaged probabilities."
    ),
    Assumption("The voters are used as they were: a refit, even on more data, is another vote."),
)

UNLABELLED_POINTS = Assumption(
    "The unlabelled points are independent draws from the same source; they were used neither to"
    " train a voter nor to choose the weights. Points on which the voters differ more than their"
    " errors allow would have been refused; a shift to points on which they agree, rightly or"
    " wrongly, cannot be seen.",
    earlier=(
        "The unlabelled points are independent draws from the same source; they were used neither"
        " to train a voter nor to choose the weights.",
    ),
)

TEST_POINTS = Assumption(
    "The test points are independent draws from the same source; they were used for nothing else:"
    " not for training, tuning, choosing the weights or the kind of bound."
)

CLASSES = Assumption(
    "Points of a class look as points of that class did in the data. How frequent the classes are"
    " may change."
)

SELECTIVE = (
    "The hold-out is made of independent draws from the source the vote will be used on: no"
    " duplicated, grouped or time-ordered rows.",
    "The hold-out was used for nothing else: not for training, weights, tuning or any choice.",
    "The thresholds, the largest error allowed and delta were fixed before looking at the"
    " hold-out.",
    "The voters and weights are used as they were: a refit, even on more data, is another vote.",
)
"""What a vote that abstains rests on."""


def standard_assumptions(
    *, profile: bool = False, test_set: bool = False, by_class: bool = False
) -> tuple[str, ...]:
    """List what a guarantee for a vote rests on.

    Parameters
    ----------
    profile, test_set : bool
        Whether it uses unlabelled points, or a test set.
    by_class : bool
        Whether it is about the points of each class.

    Examples
    --------
    >>> len(standard_assumptions()), len(standard_assumptions(profile=True, test_set=True))
    (5, 7)
    """
    return tuple(each.text for each in _needed(profile, test_set, by_class))


def missing_assumptions(texts: Iterable[str], *, profile: bool, test_set: bool) -> tuple[str, ...]:
    """List the assumptions of a vote that are not among some texts, in any known wording.

    Examples
    --------
    >>> missing_assumptions(standard_assumptions(), profile=False, test_set=False)
    ()
    >>> len(missing_assumptions(["All is well."], profile=True, test_set=False))
    6
    """
    known = set(texts)
    return tuple(
        each.text
        for each in _needed(profile, test_set, False)
        if known.isdisjoint((each.text, *each.earlier))
    )


def _needed(profile: bool, test_set: bool, by_class: bool) -> tuple[Assumption, ...]:
    extra = ((profile, UNLABELLED_POINTS), (test_set, TEST_POINTS), (by_class, CLASSES))
    return (*VOTES, *(each for used, each in extra if used))
