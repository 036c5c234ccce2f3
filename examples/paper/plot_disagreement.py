"""
Disagreement needs no labels
============================

Two bounds look at pairs of voters. The tandem bound counts how often two voters err *together*, for
which it needs labeled samples that both of them left out. With two classes the same quantity can be
had in two parts: how often a voter errs, for which every labeled sample it left out will do, and
how often two voters disagree, for which no label is needed. Where labels are few and unlabeled
samples many, the second way can win.
"""

# %%
# The same trees, fewer and fewer labels
# --------------------------------------
# Is a handwritten digit odd? A share of the images keeps its labels; the others are handed to
# `fit` without. Each share is drawn twice.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from tandemvote import CertifiedForestClassifier

X, digit = load_digits(return_X_y=True)
y = digit % 2
shares = np.array([0.9, 0.6, 0.4, 0.2])
names = ("tandem", "disagreement")
values = {name: np.empty((len(shares), 2)) for name in names}
for row, share in enumerate(shares):
    for seed in range(2):
        labeled, unlabeled, labels, _ = train_test_split(X, y, train_size=share, random_state=seed)
        forest = CertifiedForestClassifier(n_estimators=20, random_state=seed)
        forest.fit(labeled, labels, X_unlabeled=unlabeled)
        for name in names:
            values[name][row, seed] = forest.certificate_.bounds[name]

print("labeled   tandem   disagreement")
for row, share in enumerate(shares):
    print(f"{share:8.0%} {values['tandem'][row].mean():8.3f}", end="")
    print(f" {values['disagreement'][row].mean():14.3f}")

# %%
# The picture
# -----------
# With plenty of labels the tandem bound is the smaller one, because it estimates one quantity
# instead of the difference of two. As labels get few its overlaps get too small first, and the
# disagreement bound takes over: its pairs are counted on the unlabeled samples as well. Drawing
# fewer samples a tree (``max_samples=0.5``) leaves larger overlaps and keeps the tandem bound ahead
# for longer.
#
# Which of the two to certify with is to be decided beforehand. With ``bound=["tandem",
# "disagreement"]`` both are tried, each at half of delta.

styles = {
    "tandem": {"color": "tab:blue", "marker": "o", "label": "tandem (TND)"},
    "disagreement": {"color": "tab:orange", "marker": "^", "label": "disagreement (DIS)"},
}
figure, axis = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
for name in names:
    axis.plot(shares, values[name].mean(axis=1), **styles[name])
    low, high = values[name].min(axis=1), values[name].max(axis=1)
    axis.fill_between(shares, low, high, color=styles[name]["color"], alpha=0.15, linewidth=0)
axis.set(
    xlabel=f"share of the {len(y)} samples that have labels",
    ylabel="bound on the error of the vote",
    ylim=(0, 1.02),
)
axis.invert_xaxis()
axis.xaxis.set_major_formatter("{x:.0%}")
axis.legend(loc="lower right")
plt.show()
