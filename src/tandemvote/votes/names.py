"""Names that certificates, their files and the verifier have in common."""

FIRST_ORDER, TANDEM, DISAGREEMENT = "first_order", "tandem", "disagreement"
MINIMIZABLE = (FIRST_ORDER, TANDEM, DISAGREEMENT)
"""Bounds that weights can minimize."""

GIVEN = "given"
"""How weights were fitted that a user passed: unknown."""

C1, C2, COALITION = "c1", "c2", "coalition"
VOTE_PROFILE, TEST_SET = "vote_profile", "test_set"

CLASS, PREDICTED = "class", "predicted"
"""Groupings that need no column."""
