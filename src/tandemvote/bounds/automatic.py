"""Which bound to report if a user names none."""

from __future__ import annotations

AUTO = "auto"

FEW_VOTERS = 15
"""Up to so many voters each can have a limit of its own without paying much for it."""


def automatic_bounds(
    *, n_voters: int, overlapping: bool, unlabelled: bool, test_set: bool
) -> tuple[str, ...]:
    """Choose by the kind of evidence, never by its value, so that the choice costs no confidence.

    Parameters
    ----------
    n_voters : int
    overlapping : bool
        Whether every two voters share held-out points.
    unlabelled : bool
        Whether there are points without labels.
    test_set : bool
        Whether there are labelled points that were used for nothing else: a test set, or a common
        hold-out if the weights were fixed beforehand.

    Returns
    -------
    tuple of str
        Names of bounds; of several the smallest counts, each at its share of delta.

    Examples
    --------
    >>> evidence = {"overlapping": True, "unlabelled": False, "test_set": False}
    >>> automatic_bounds(n_voters=3, **evidence), automatic_bounds(n_voters=100, **evidence)
    (('coalition',), ('first_order', 'tandem'))
    """
    if test_set:
        return ("test_set",)
    if unlabelled:
        return ("vote_profile",)
    if n_voters <= FEW_VOTERS:
        return ("coalition",)
    return ("first_order", "tandem") if overlapping else ("first_order",)
