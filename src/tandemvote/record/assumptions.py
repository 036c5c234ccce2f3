"""The assumptions of a bound that code cannot check, in words.

Certificates list these texts, their files keep them, and ``tandemvote verify`` rejects a file in
which one of them is missing.
"""

from __future__ import annotations

HARD_VOTE = (
    "The bound is about the weighted majority vote (the class with the largest total weight), not"
    " about averaged probabilities."
)

VOTES = (
    "The samples are drawn independently from the distribution that the classifier will be used"
    " on: no duplicated, grouped or time-ordered rows.",
    "Which samples train which model was decided without looking at the data.",
    "No model was trained on its held-out samples, and they were not used for anything else: not"
    " for tuning, not for selecting features or models, not for choosing the bound, the confidence"
    " or the prior.",
    HARD_VOTE,
    "The models are used unchanged. After a refit, even on more data, the bound no longer holds.",
)

REFEREE_BREAKS_TIES = (
    "The tested models are used unchanged. If one of them is refitted or replaced, the bound no"
    " longer holds. The referee only breaks their ties. It may be refitted or replaced at any time,"
    " with any samples."
)
"""Replaces the last text of `VOTES` if a referee breaks ties."""

REFEREE_MAY_KNOW = (
    "The test samples did not influence the tested models: not by training, tuning, selecting"
    " features or models, or choosing the bound, the confidence or the prior. The referee may have"
    " been trained on them."
)
"""Replaces the texts about held-out samples and about test samples if a referee breaks ties."""

ONE_ROW_PER_GROUP = (
    "The groups are drawn independently from the distribution of groups that the classifier will"
    " be used on, and no row of a test group trained a tested model. The bound is about a random"
    " row of a random new group: not about further rows of known groups, and not about a random row"
    " of all data where groups differ in size."
)
"""Replaces the first text of `VOTES` if one row of each group is tested."""

DRAW = (
    "Rows were drawn by a seed and the contents of all rows, not by their order. The data, labels"
    " and models were made without regard to this draw, and the seed was fixed beforehand: a second"
    " seed is a second try. The data vary so much that two independent data sets are practically"
    " never equal."
)
"""Added if the library drew test samples, a row of each group or the order of samples."""

ORDER_OF_ROWS = (
    "The order of the rows does not depend on their contents, or no seed was fixed: bootstraps and"
    " other splits are drawn by positions."
)
"""Added if voters were not tested on all samples."""

LATEST = (
    "The test samples are the latest ones. The bound is about new samples drawn from the"
    " distribution of these, independently of each other and of them, given all earlier samples. A"
    " change of the distribution within the time of the test samples or after it is not covered."
)
"""Replaces the first text of `VOTES` if the latest rows are tested, and is added to that on groups.
"""

UNCHECKED = (
    "Whether each model was trained on these samples could not be checked: one of them keeps no"
    " record by which all of its training samples would be recognized."
)
"""Listed for fitted models only, about which a file says nothing."""

BOOTSTRAPS_UNCHECKED = (
    "Each member was trained on its bootstrap and on no other sample, and its estimator knew none"
    " of the samples before. Only decision trees keep a record by which this is checked."
)
"""Listed for bagged members other than trees."""

UNLABELED_SAMPLES = (
    "The unlabeled samples are drawn independently from the same distribution. They were used"
    " neither to train a model nor to choose the weights. Samples on which the models disagree more"
    " than their errors allow would have been rejected. A shift to samples on which they agree"
    " cannot be detected."
)

DEPLOYED = (
    "The bound is about the deployed classifier as it was when it predicted the unlabeled samples,"
    " not about the vote of the models through which it is certified. After a refit of the deployed"
    " classifier the bound no longer holds.",
    "Labeled and unlabeled samples are drawn independently from the distribution that the deployed"
    " classifier will be used on: no duplicated, grouped or time-ordered rows.",
    "The unlabeled samples were used for nothing else: neither the deployed classifier nor a model"
    " nor the weights were trained, tuned or chosen on them. Samples on which several models"
    " disagree more than their errors allow would have been rejected. With one model, or on samples"
    " on which all models agree, a shift cannot be detected.",
    VOTES[1],
    VOTES[2],
)
"""The assumptions of a bound on another classifier than the vote."""

TEST_SAMPLES = (
    "The test samples are drawn independently from the same distribution. They were used for"
    " nothing else: not for training, tuning, choosing the weights or the bound."
)

GROUPS = (
    "Which samples form a group was fixed before looking at these samples: no bins chosen on them."
    " New samples of a group are drawn from the same distribution as its samples in the data. The"
    " frequencies of the groups may change, except for precision."
)

METRIC = (
    "The metric, its class and its costs were chosen without looking at the test samples. Several"
    " metrics hold together only if they share the failure probability."
)

THRESHOLDS = (
    "The thresholds, max_error and the confidence were fixed before looking at the held-out"
    " samples."
)
"""Replaces the second text of `VOTES` if a classifier abstains."""


def standard_assumptions(
    *,
    profile: bool = False,
    test_set: bool = False,
    deployed: bool = False,
    referee: bool = False,
    one_row_per_group: bool = False,
    drawn: bool = False,
    split: bool = False,
    latest: bool = False,
    one_voter: bool = False,
    measure: bool = False,
) -> tuple[str, ...]:
    """List the assumptions of a bound.

    The bound uses the profile of unlabeled samples, a test set, a deployed classifier, a referee
    that breaks ties, one row per group, other random draws, voters not tested on all samples, the
    latest rows, a single voter, or a measure other than the error rate.
    """
    draws = [text for text, is_made in ((DRAW, drawn), (ORDER_OF_ROWS, split)) if is_made]
    if deployed:
        return (*DEPLOYED, *draws)
    texts = [text for text in VOTES if text != HARD_VOTE or not one_voter]
    if referee:
        texts[2], texts[-1] = REFEREE_MAY_KNOW, REFEREE_BREAKS_TIES
    if latest:
        texts[0] = LATEST
    if one_row_per_group:
        texts[:1] = [ONE_ROW_PER_GROUP, *[LATEST] * latest]
    if profile:
        texts.append(UNLABELED_SAMPLES)
    if test_set and not referee:
        texts.append(TEST_SAMPLES)
    if measure:
        texts.append(METRIC)
    return (*texts, *draws)


def selective_assumptions(**kind: bool) -> tuple[str, ...]:
    """List the assumptions of a classifier that abstains, on a kind of samples as above."""
    texts = standard_assumptions(one_voter=True, **kind)
    return tuple(THRESHOLDS if text == VOTES[1] else text for text in texts)
