"""
Is the certificate still true?
==============================

An alarm that may be checked after every label, and is false with a probability of at most 5%.
"""

# %%
# A model, its certificate, and data that changes
# -----------------------------------------------
# Digits arrive one by one. From the 401st on, the images are noisy.

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier

from tandemvote import Monitor, certify
from tandemvote.displays import MonitorDisplay

X, y = load_digits(return_X_y=True)
model = RandomForestClassifier(random_state=0).fit(X[:600], y[:600])
certificate = certify(model, X[600:1000], y[600:1000])
print(certificate.guarantee)

rng = np.random.default_rng(0)
new, labels = X[1000:].copy(), y[1000:]
new[400:] += rng.normal(scale=6.0, size=new[400:].shape)

# %%
# The evidence
# ------------
# It falls while the certificate is true, and rises when the error rate is above the bound.

monitor = Monitor(certificate)
path = monitor.update_evidence(labels, model.predict(new))
print(monitor)
MonitorDisplay(monitor, path).plot()

# %%
# Labels that arrive late
# -----------------------
# Samples stay in the order in which they arrived. A missing label counts as right.

known = np.where(rng.random(len(labels)) < 0.8, labels, np.nan)
print(Monitor(certificate).update(known, model.predict(new)))

# %%
# Label until a goal is shown
# ---------------------------
# The other direction: the number of labels need not be fixed in advance.

goal = Monitor(0.15, goal=True)
print(goal.update(labels[:400], model.predict(new[:400])))
