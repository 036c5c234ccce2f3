"""
How many labels does a guarantee need?
======================================

Three schemes on the same digits: a test set of a quarter of the labels, a committee, and the
trees of one forest. All three bounds get smaller with more labels.
"""

# %%
# From 200 to 1,600 labels
# ------------------------
# The test set takes a quarter of the labels and certifies one forest trained on the rest. The
# committee's referee and the trees train with every label.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier

from tandemvote import CertifiedClassifier, CertifiedForestClassifier, certify

X, y = load_digits(return_X_y=True)
order = np.random.default_rng(0).permutation(len(y))
X, y = X[order], y[order]
sizes = np.array([200, 400, 800, 1600])
found = {"a test set": [], "a committee": [], "the trees of one forest": []}
for n in sizes:
    spent = n // 4
    model = RandomForestClassifier(50, random_state=0).fit(X[spent:n], y[spent:n])
    found["a test set"].append(certify(model, X[:spent], y[:spent]))
    committee = CertifiedClassifier(RandomForestClassifier(50), random_state=0).fit(X[:n], y[:n])
    found["a committee"].append(committee.certificate_)
    trees = CertifiedForestClassifier(50, max_samples=0.5, weights="tandem", random_state=0)
    found["the trees of one forest"].append(trees.fit(X[:n], y[:n]).certificate_)

# %%
# The picture
# -----------
# Solid lines are guaranteed, dotted ones observed. The guarantee of a test set is the closest to
# what is observed; a committee comes next, and its referee trains with every label. Trees need far
# more labels.

figure, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
for (name, certificates), color in zip(found.items(), ("C2", "C0", "C1"), strict=True):
    guaranteed = [each.value for each in certificates]
    ax.plot(sizes, guaranteed, "o-", color=color, label=name)
    ax.plot(sizes, [each.observed for each in certificates], ":", color=color)
    print(f"{name:25}", "  ".join(f"{value:.3f}" for value in guaranteed))
ax.set(
    xlabel="labels in all", ylabel="error", xscale="log", ylim=(0, 1.02), xticks=sizes,
    xticklabels=sizes,
)  # fmt: skip
ax.minorticks_off()
ax.axhline(0.9, color="0.6", linewidth=1)
ax.annotate("majority class", (sizes[0], 0.91), color="0.4")
ax.legend()
plt.show()
