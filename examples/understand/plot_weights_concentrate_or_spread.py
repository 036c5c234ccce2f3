"""
Weights that concentrate, weights that spread
=============================================

A vote's weights can be chosen to make its guarantee as small as possible. Which guarantee is
minimized decides what the weights look like. The first-order bound sees only how often each tree
errs alone, so it puts nearly everything on the few best trees and gives the vote away. The tandem
bound sees how often two trees err *together*: it keeps many trees, because their errors cancel.

This is Figure 2b of the paper, on handwritten digits.
"""

# %%
# Out-of-bag votes of a forest
# ----------------------------
# Every tree is evaluated on the training samples that its own bootstrap left out, and every pair of
# trees on the samples that both left out.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from tandemvote import VoteCounts
from tandemvote.models.trees import out_of_bag_votes, predict_members
from tandemvote.votes.weighted_vote import weighted_vote
from tandemvote.weights import minimize_bound

X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, random_state=0, stratify=y)
forest = RandomForestClassifier(n_estimators=100, max_samples=0.5, random_state=0).fit(X, y)

counts = VoteCounts.from_votes(out_of_bag_votes(forest, X, y))
print(counts)

# %%
# Two bounds, two sets of weights
# -------------------------------
# Both bounds hold for all weights at once, so the weights may be fitted on the same votes.

solutions = {bound: minimize_bound(counts, bound) for bound in ("first_order", "tandem")}
for bound, solution in solutions.items():
    print(f"{bound}: {solution.value:.4f}")

# %%
# The number of equal voters that would be as concentrated, 1 / sum of squared weights, tells the
# two apart at a glance.

test_votes = predict_members(forest, X_test)[0]


def test_error(weights):
    """Error of the weighted hard vote on samples that were used for nothing else."""
    winners = weighted_vote(test_votes, weights, forest.n_classes_)
    return np.mean(forest.classes_[winners] != y_test)


choices = {"uniform": np.full(100, 0.01)}
choices |= {bound: solution.weights for bound, solution in solutions.items()}
print("weights       effective trees   test error of the vote")
for name, weights in choices.items():
    print(f"{name:12} {1 / np.sum(weights**2):16.1f} {test_error(weights):24.3f}")

# %%
# The picture
# -----------
# Trees from heaviest to lightest, and the weight that the heaviest ones hold together.

figure, (each, together) = plt.subplots(1, 2, figsize=(8.4, 5), layout="constrained")
colors = {"uniform": "0.6", "first_order": "tab:red", "tandem": "tab:blue"}
labels = {"uniform": "uniform", "first_order": "first order (FO)", "tandem": "tandem (TND)"}
rank = np.arange(1, 101)
for name, weights in choices.items():
    ordered = np.sort(weights)[::-1]
    style = {"color": colors[name], "label": labels[name]}
    each.plot(rank, ordered, linestyle="--" if name == "uniform" else "-", **style)
    together.plot(rank, np.cumsum(ordered), linestyle="--" if name == "uniform" else "-", **style)
each.set(xlabel="tree, heaviest first", ylabel="weight", yscale="log", ylim=(1e-6, 1))
together.set(xlabel="heaviest trees", ylabel="weight they hold", ylim=(0, 1.02))
together.legend(loc="lower right")
figure.suptitle("First-order weights concentrate, tandem weights spread")
plt.show()
