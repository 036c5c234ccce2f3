"""What columns, groups and figures are called where people read of them."""

from __future__ import annotations

from tandemvote.experiments.frames import BOUND_LABELS

COLUMN_WORDS = {
    "test_risk": "test risk",
    **BOUND_LABELS,
    "gibbs_loss": "Gibbs loss",
    "n_min": "smallest held-out set",
    "disagreement": "disagreement",
    "tandem_loss": "tandem loss",
    "n_min_pairs": "smallest overlap",
}
"""What the columns of rows are called."""

GROUP_WORDS = {
    "bounds": "bounds with uniform weights",
    "statistics": "statistics with uniform weights",
    "optimised test risk": "test risk with optimised weights",
    "optimised bounds": "bounds with optimised weights",
    "unlabelled": "few labelled points",
}
"""What the groups of the comparison are called."""

ZERO_RULE = (
    "A repetition without errors on either side counts as 1, one with a divisor of 0 as infinite; "
    "sets without any errors, or with an infinite quartile, are left out."
)

FIGURE_WORDS = {
    "figure-1-bounds": "Figure 1. Test risk (black) and bounds, uniform weights. The paper's text "
    "does not name its data sets; the choice is ours.",
    "figure-2a-test-risk-ratios": "Figure 2a. Test risk of optimised over uniform weights: median "
    f"and quartiles, logarithmic scale. {ZERO_RULE}",
    "figure-2b-weights": "Figure 2b. Optimised weights of two forests, best tree first; weights "
    "below 0.0001 fall off the picture. The paper's text does not name its data sets either.",
    "indicator-relaxations": "The relaxations of the indicator function.",
    "bounds-uniform-binary": "Bounds with uniform weights, binary sets.",
    "bounds-uniform-multiclass": "Bounds with uniform weights, multiclass sets.",
    "disagreement-against-tandem": "Disagreement over Gibbs loss against TND over FO, without "
    "Mushroom, Shuttle and Protein, as in the paper: losses near 0, or bounds above 1.",
    "bounds-optimised-binary": "Bounds before and after (hatched) optimisation, binary sets.",
    "bounds-optimised-multiclass": "Bounds before and after (hatched) optimisation, multiclass "
    "sets.",
    "bagging-uniform-binary": "Full and reduced (hatched) bagging, uniform weights, binary sets.",
    "bagging-uniform-multiclass": "Full and reduced (hatched) bagging, uniform weights, multiclass "
    "sets.",
    "bagging-optimised-binary": "Full and reduced (hatched) bagging, optimised weights, binary "
    "sets.",
    "bagging-optimised-multiclass": "Full and reduced (hatched) bagging, optimised weights, "
    "multiclass sets.",
    "bagging-test-risk-ratios": "Test risk of reduced over full bagging: median and quartiles. "
    f"{ZERO_RULE}",
    "bagging-tandem-ratios": "TND of reduced over full bagging: median and quartiles.",
    "unlabelled-curves": "Test risk and bounds against the labelled fraction.",
}
"""Captions of the figures, by file name and in the order of the paper."""
