"""Names that certificates, their files and the verifier have in common."""

FIRST_ORDER, TANDEM, DISAGREEMENT = "first_order", "tandem", "disagreement"
MINIMIZABLE = (FIRST_ORDER, TANDEM, DISAGREEMENT)
"""Bounds that weights can minimize."""

GIVEN = "given"
"""Takes the place of the bound that weights of a user may have been fitted by: it is unknown."""

C1, C2, COALITION = "c1", "c2", "coalition"
VOTE_PROFILE, TEST_SET = "vote_profile", "test_set"

CLASS, PREDICTED = "class", "predicted"
"""Groupings that need no column."""
