"""
A leak that no program can see
==============================

A guarantee holds if no voter has learned from the samples it is evaluated on. An encoder that looks
at all labels before the forest is trained breaks this, and nothing in the encoded table shows it.
Here is what such a certificate looks like, and how to do it right.
"""

# %%
# Labels that nobody can predict
# ------------------------------
# The labels are coin flips. The columns hold categories that have nothing to do with them.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import TargetEncoder

from tandemvote import CertifiedClassifier, CertifiedForestClassifier

rng = np.random.default_rng(0)
X, y = rng.integers(1000, size=(6000, 8)), rng.integers(2, size=6000)
X, X_new, y, y_new = X[:3000], X[3000:], y[:3000], y[3000:]

# %%
# Wrong: encode, then certify
# ---------------------------
# Each category becomes the mean label of its rows, about three of them. A tree that was not
# trained on a row still sees its label in the encoded columns.

encoder = TargetEncoder().fit(X, y)
leaky = CertifiedForestClassifier(max_samples=0.5, weights="tandem", random_state=0)
leaky.fit(encoder.transform(X), y)
print(str(leaky.certificate_).splitlines()[0])

# %%
# Right: certify the pipeline
# ---------------------------
# Each of the tested pipelines learns its encoding from its training rows.

right = CertifiedClassifier(
    make_pipeline(TargetEncoder(), RandomForestClassifier()), random_state=0
).fit(X, y)
print(str(right.certificate_).splitlines()[0])

# %%
# Errors on new samples
# ---------------------

errors = {
    "encoded before": (leaky, (leaky.predict(encoder.transform(X_new)) != y_new).mean()),
    "encoder inside": (right, (right.predict(X_new) != y_new).mean()),
}
figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
for row, (model, on_new_samples) in enumerate(errors.values()):
    found = model.certificate_
    first = row == 0
    ax.barh(row, found.value, height=0.5, color="0.85", label="guaranteed at most" if first else "")
    ax.plot(found.observed, row, "o", color="tab:blue", label="observed" if first else "")
    ax.plot(on_new_samples, row, "D", color="tab:red", label="on new samples" if first else "")
ax.set(yticks=range(len(errors)), yticklabels=errors, xlabel="error", xlim=(0, 1))
ax.invert_yaxis()
ax.legend(loc="upper right")
plt.show()
