"""
Groups, and a classifier that abstains
======================================

A certificate is about the average over all new samples. If one class is rare, that average says
little about it: always predicting the frequent class has a small error. And if some samples are
easy and others hard, it says little about the easy ones. Two finer certificates help.
"""

# %%
# A rare class
# ------------
# One handwritten digit in ten is an eight. The certificate of the whole classifier looks fine.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from tandemvote import CertifiedForestClassifier, certify, certify_selective
from tandemvote.displays import GroupsDisplay, SelectiveDisplay

X, digit = load_digits(return_X_y=True)
y = np.where(digit == 8, "eight", "another")
X_train, X_rest, y_train, y_rest = train_test_split(X, y, train_size=900, random_state=0)
X_hold_out, X_new, y_hold_out, y_new = train_test_split(
    X_rest, y_rest, train_size=500, random_state=0
)

model = CertifiedForestClassifier(50, random_state=0).fit(X_train, y_train)
print(model.certificate_.guarantee)

# %%
# Split by true class it looks different. The samples of a class that a tree was not trained on are
# a fair sample of that class, so the same bounds hold for them alone, each class at its share of
# delta; no further labels are needed. A rare class has few samples and, here, many errors.

by_class = model.certificate_.by_group("class")
print(by_class)
GroupsDisplay(by_class).plot()
plt.show()

# %%
# A hold-out that no model saw gives exact limits, also of the precision (how often a predicted
# class is right), and for any group that is known of a sample, here by its ink.

ink = np.where(X_hold_out.sum(axis=1) > 300, "much ink", "little ink")
on_hold_out = certify(model, X_hold_out, y_hold_out).by_group(
    {"predicted": "predicted", "ink": ink}
)
print(on_hold_out)
GroupsDisplay(on_hold_out).plot()
plt.show()

# %%
# Only confident samples
# ----------------------
# The margin of a vote is the lead of its winner: the difference of the two largest shares. A vote
# may abstain where its margin is small. Name the largest error rate that is allowed: on held-out
# samples, the smallest threshold that keeps it is searched for.

found = certify_selective(model, X_hold_out, y_hold_out, max_error=0.03)
print(found)
print(found.guarantee)
SelectiveDisplay(found).plot()
plt.show()

# %%
# `predict` returns the classes of the confident samples, and a mask that marks these samples.

labels, confident = found.predict(X_new)
print(f"confident on {confident.mean():.1%} of {len(y_new)} new samples")
print(f"errors among them: {np.mean(labels != y_new[confident]):.2%}")
print(f"errors among all:  {np.mean(model.predict(X_new) != y_new):.2%}")
