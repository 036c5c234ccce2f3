"""
Worst, best and independent voters
==================================

When do pairs of voters say more than single ones? Section 3.2 of the paper compares the first-order
oracle bound 2 G with the second-order one 4 T in three cases, each with a closed form. Here the
cases are built as votes, counted, and set against their formulas.
"""

# %%
# Three ensembles
# ---------------
# **Worst case**: all voters give the same predictions. Whenever one errs, all do, so T = G and the
# second-order bound is twice the first-order one.
#
# **Best case**: M voters err on M disjoint parts of the samples, 1/M each. No two err together,
# so T = 1/M^2 and the second-order bound is smaller by a factor of M/2.
#
# **Independent case**: every pattern of errors occurs as often as independent voters with error L
# would show it. Then T = L^2 + L (1 - L) / M.

from itertools import product

import matplotlib.pyplot as plt
import numpy as np

from tandemvote import VoteCounts, Votes
from tandemvote.bounds import Estimates, c_tandem_oracle, first_order_oracle, tandem_oracle


def estimates_of(wrong):
    """Losses of voters that err where `wrong` is 1, shape (n_voters, n_samples)."""
    votes = Votes.from_predictions(wrong, np.zeros(wrong.shape[1], int))
    return Estimates(VoteCounts.from_votes(votes))


def independent(n_voters, odds):
    """All error patterns of n_voters, as often as at an error rate of 1 / (1 + odds)."""
    patterns = np.array(list(product([0, 1], repeat=n_voters)))
    return np.repeat(patterns, odds ** (n_voters - patterns.sum(axis=1)), axis=0).T


M = 8
cases = {
    "worst": (np.tile([1, 0, 0, 0, 0, 0, 0, 0], (M, 1)), 1 / 8, 1 / 8),
    "best": (np.eye(M, dtype=int), 1 / M, 1 / M**2),
    "independent": (independent(M, odds=3), 1 / 4, 1 / 16 + 3 / 16 / M),
}
for name, (wrong, gibbs, tandem) in cases.items():
    found = estimates_of(wrong)
    print(
        f"{name:<12} G = {found.gibbs_loss:.4f} (closed form {gibbs:.4f})"
        f"   T = {found.tandem_loss:.4f} (closed form {tandem:.4f})"
    )

# %%
# More and more independent voters
# --------------------------------
# With voters of error L = 0.3 the vote itself gets ever better, but its bounds do not follow all
# the way: the first-order bound stays at 2 L, the second-order one falls to 4 L^2, and only the
# C-bound, which subtracts the mean, goes to 0.

loss = 0.3
sizes = np.unique(np.geomspace(1, 1000, 60).astype(int))
tandems = loss**2 + loss * (1 - loss) / sizes
figure, axes = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
axes.plot(sizes, np.full(sizes.size, first_order_oracle(gibbs_loss=loss)), label="FO: 2 G")
axes.plot(sizes, [tandem_oracle(tandem_loss=t) for t in tandems], label="TND: 4 T")
axes.plot(
    sizes,
    [c_tandem_oracle(gibbs_loss=loss, tandem_loss=t) for t in tandems],
    label="C-bound",
)
axes.axhline(4 * loss**2, color="grey", linewidth=0.8, linestyle=":")
axes.annotate("4 L²", (1, 4 * loss**2), xytext=(2, 3), textcoords="offset points", color="grey")
axes.set(xscale="log", xlabel="independent voters", ylabel="oracle bound", ylim=(0, 1.05))
axes.legend(frameon=False)
plt.show()
