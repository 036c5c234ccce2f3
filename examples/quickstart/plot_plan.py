"""
How many more labels?
=====================

The size of a test set that shows a goal, for several expected error rates.
"""

# %%
# The closer the goal, the more labels
# ------------------------------------
# The goal is an error rate of at most 5%, with 95% confidence and a probability of success of 80%.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier

from tandemvote import CertifiedClassifier, labels_needed

errors = np.linspace(0, 0.045, 19)
needed = [labels_needed(error, 0.05) for error in errors]
figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
ax.plot(100 * errors, needed, "o-")
ax.set(yscale="log", xlabel="expected error rate in percent", ylabel="test samples")
print("expected 3%:", labels_needed(0.03, 0.05), "test samples")

# %%
# A certificate that misses its goal
# ----------------------------------
# It answers the same question for its own test set.

X, y = load_digits(return_X_y=True)
model = CertifiedClassifier(RandomForestClassifier(50), random_state=0).fit(X, y)
print(model.certificate_)
print(model.certificate_.labels_for(0.05))
