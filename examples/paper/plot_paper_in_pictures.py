"""
The paper in three pictures
===========================

How the bounds come about, how much each step adds, and what minimizing them does to the weights, on
one random forest with full bagging, as in the experiments of the paper.
"""

# %%
# Relaxations of a step
# ---------------------
# Let Z be the weight of the voters that are wrong on a sample. The vote can be wrong only where
# Z is at least 1/2. The first-order bound replaces this step by 2 Z, the second-order bound by 4
# Z², and both take the mean. Where voters are rarely wrong together, Z is small and 4 Z² is far
# below 2 Z.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

from tandemvote import VoteCounts, Votes
from tandemvote.bounds import (
    Estimates,
    c_tandem_bound,
    c_tandem_oracle,
    first_order_bound,
    first_order_oracle,
    tandem_bound,
    tandem_oracle,
)
from tandemvote.displays import WeightsDisplay
from tandemvote.models.trees import out_of_bag_votes, predict_members
from tandemvote.votes.weighted_vote import weighted_vote
from tandemvote.weights import minimize_bound

z = np.linspace(0.0, 1.0, 501)
figure, axes = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
axes.plot(z, z >= 0.5, color="black", label="vote may be wrong: 1[Z ≥ 1/2]")
axes.plot(z, 2 * z, color="tab:red", label="first order: 2 Z")
axes.plot(z, 4 * z**2, color="tab:blue", label="second order: 4 Z²")
axes.set(xlabel="weight Z of the voters that are wrong", xlim=(0, 1), ylim=(0, 2))
axes.legend(loc="upper left")
plt.show()

# %%
# From the test error to the bound
# --------------------------------
# Two steps separate the test error of a vote from its bound. The *oracle* bound is what would
# follow from the true losses of the voters, here those on 12,000 other samples. The *empirical*
# bound is what follows from the out-of-bag samples: for the first order from about a third of
# the samples, for pairs of trees from about a ninth. The C-bound has the smallest oracle bound
# and loses the most in the second step.

X, y = make_classification(18_000, n_informative=8, flip_y=0.02, class_sep=0.8, random_state=0)
X, X_test, y, y_test = X[:6000], X[6000:], y[:6000], y[6000:]
forest = RandomForestClassifier(n_estimators=100, random_state=0).fit(X, y)
counts = VoteCounts.from_votes(out_of_bag_votes(forest, X, y))
predictions, classes = predict_members(forest, X_test)
test = VoteCounts.from_votes(Votes.from_predictions(classes[predictions], y_test))


def test_error(weights):
    """Return the error rate of the weighted vote on the test samples."""
    return float(np.mean(classes[weighted_vote(predictions, weights, 2)] != y_test))


uniform = np.full(100, 0.01)
empirical, true = Estimates(counts, published=True), Estimates(test)
pair = {"gibbs_loss": true.gibbs_loss, "tandem_loss": true.tandem_loss}
bars = {
    "test error": (test_error(uniform), "black"),
    "2 G": (first_order_oracle(gibbs_loss=true.gibbs_loss), "lightcoral"),
    "FO": (first_order_bound(empirical), "tab:red"),
    "4 T": (tandem_oracle(tandem_loss=true.tandem_loss), "lightskyblue"),
    "TND": (tandem_bound(empirical), "tab:blue"),
    "C-bound": (c_tandem_oracle(**pair), "0.8"),
    "CTD": (c_tandem_bound(empirical), "0.5"),
}
figure, axes = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
values, colors = zip(*bars.values(), strict=True)
axes.bar_label(axes.bar(list(bars), values, color=colors), fmt="%.2f", fontsize=11)
axes.set_ylabel("error rate of the vote, bound on it")
axes.tick_params(axis="x", labelsize=11)
plt.show()

# %%
# Weights
# -------
# Both bounds hold for all weights at once, so weights may be chosen by the bound on the same
# samples. The first-order bound sees only how often each tree is wrong and keeps a few trees.
# The tandem bound sees which trees are wrong together and keeps most of them.

solutions = {
    name: minimize_bound(counts, bound, published=True)
    for name, bound in {"FO": "first_order", "TND": "tandem"}.items()
}
print("weights    bound   test error")
for name, bound in {"FO": first_order_bound, "TND": tandem_bound}.items():
    weights = solutions[name].weights
    print(f"uniform {name:>4}: {bound(empirical):.3f}   {test_error(uniform):.3f}")
    print(f"best    {name:>4}: {solutions[name].value:.3f}   {test_error(weights):.3f}")
WeightsDisplay({name: solution.weights for name, solution in solutions.items()}).plot()
plt.show()

# %%
# How the weights were found
# --------------------------
# The bounds are minimized in PAC-Bayes-lambda form (Theorem 9) and reported in the smaller kl
# form. ``method="irprop"`` is the procedure of the paper: it alternates between iRProp+ on the
# weights and the closed form of lambda. The default reaches the same minimum in fewer
# evaluations.

papers = minimize_bound(counts, "tandem", published=True, method="irprop")
for name, solution in {"default": solutions["TND"], "irprop": papers}.items():
    end = solution.relaxed
    print(f"{name}: {end.bound:.6f} at lambda {end.lam:.4f}, KL {end.kl_divergence:.4f};", end=" ")
    print(f"reported {solution.value:.6f}, {len(solution.path) - 1} steps")
print("bound by step:", [round(step.bound, 4) for step in solutions["TND"].path])
