"""What must be true for a guarantee to hold and no code can see, in words.

Certificates list these texts, their files keep them, and ``tandemvote verify`` rejects a file that
leaves out one that its numbers rest on.
"""

from __future__ import annotations

from collections.abc import Iterable

HARD_VOTE = (
    "The guarantee is about the hard weighted vote (the label with the largest total weight),"
    " not about averaged probabilities."
)

VOTES = (
    "The samples are independent draws from the source the vote will be used on: no duplicated,"
    " grouped or time-ordered rows.",
    "Which samples a voter was trained on was decided without looking at the data.",
    "Held-out samples were not used in any other way: not for tuning, not for selecting features"
    " or voters, not for choosing the kind of bound, delta or the prior.",
    HARD_VOTE,
    "The voters are used as they were: a refit, even on more data, is another vote.",
)

TESTED_AND_UNTESTED = (
    "The tested models are used as they were: to refit or replace one of them voids the bound. The"
    " untested models (the referee) may be refitted or replaced at any time, with any samples."
)
"""What a vote with untested voters rests on, in place of the last one above."""

UNTESTED_MAY_KNOW = (
    "The test samples did not influence the tested models: not by training, tuning, selecting"
    " features or models, or choosing the bound, delta or the prior. The untested models (the"
    " referee) may have been trained on them."
)
"""The same in place of the one about held-out samples above, and of the one about test samples."""

ONE_ROW_PER_GROUP = (
    "The groups are independent draws from the distribution of groups that the classifier will"
    " meet. The bound is about a random row of a random new group: not about further rows of known"
    " groups, and not about a random row of all data where groups differ in size."
)
"""What a bound from one row per group rests on, in place of the first one above."""

UNLABELED_POINTS = (
    "The unlabeled samples are independent draws from the same source; they were used neither to"
    " train a voter nor to choose the weights. Samples on which the voters differ more than their"
    " errors allow would have been rejected; a shift to samples on which they agree, rightly or"
    " wrongly, cannot be seen."
)

DEPLOYED = (
    "The guarantee is about the deployed classifier as it was when it predicted the unlabeled"
    " samples, not about the vote of the voters through which it is certified; refitted it is"
    " another classifier.",
    "Labeled and unlabeled samples are independent draws from the source that the deployed"
    " classifier will meet: no duplicated, grouped or time-ordered rows.",
    "The unlabeled samples were used for nothing else: neither the deployed classifier nor a voter"
    " nor the weights were trained, tuned or chosen on them. Samples on which several voters differ"
    " more than their errors allow would have been rejected; one voter alone has nobody to differ"
    " from, and a shift to samples on which all agree, rightly or wrongly, cannot be seen.",
    VOTES[1],
    VOTES[2],
)
"""What a guarantee for another classifier rests on, in place of all others."""

TEST_POINTS = (
    "The test samples are independent draws from the same source; they were used for nothing else:"
    " not for training, tuning, choosing the weights or the kind of bound."
)

GROUPS = (
    "Which samples form a group was fixed before looking at these samples: no bins chosen on them."
    " New samples of a group look as those in the data did. How frequent the groups are may change,"
    " except for precision."
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
    *,
    profile: bool = False,
    test_set: bool = False,
    by_group: bool = False,
    deployed: bool = False,
    untested: bool = False,
    one_row_per_group: bool = False,
    one_voter: bool = False,
) -> tuple[str, ...]:
    """List what a guarantee rests on that uses unlabeled samples, a test set, or goes by group.

    With `deployed` it is about another classifier than the vote, with `untested` about a vote in
    which some voters have no held-out samples, with `one_voter` about that voter itself.
    """
    if deployed:
        return DEPLOYED
    votes = [text for text in VOTES if text != HARD_VOTE or not one_voter]
    if untested:
        votes[2], votes[-1] = UNTESTED_MAY_KNOW, TESTED_AND_UNTESTED
    if one_row_per_group:
        votes[0] = ONE_ROW_PER_GROUP
    tested = test_set and not untested
    extra = ((profile, UNLABELED_POINTS), (tested, TEST_POINTS), (by_group, GROUPS))
    return (*votes, *(text for used, text in extra if used))


def missing_assumptions(texts: Iterable[str], **uses: bool) -> tuple[str, ...]:
    """List the `standard_assumptions` that are not among some texts.

    Examples
    --------
    >>> missing_assumptions(standard_assumptions())
    ()
    >>> len(missing_assumptions(["All is well."], profile=True))
    6
    """
    known = set(texts)
    return tuple(text for text in standard_assumptions(**uses) if text not in known)
