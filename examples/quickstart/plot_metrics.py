"""
What are its recall, precision and F1?
======================================

Lower limits of other metrics than the error rate, for one classifier and for every class.
"""

# %%
# One class
# ---------
# Of 569 tumors, 300 train a model and the others test it. Class 0 is malignant.

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tandemvote import CertifiedClassifier, certify

X, y = load_breast_cancer(return_X_y=True)
model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[:300], y[:300])
for metric in ("recall", "precision", "f1"):
    print(certify(model, X[300:], y[300:], metric=metric, positive=0).guarantee)

# %%
# To miss a malignant tumor costs ten times as much as a false alarm.

print(certify(model, X[300:], y[300:], cost=[[0, 10], [1, 0]]))

# %%
# All classes of a committee
# --------------------------
# The limits hold together, and for every referee.

X, y = load_digits(return_X_y=True)
committee = CertifiedClassifier(RandomForestClassifier(50), random_state=0).fit(X, y)
certificate = committee.certificate_.for_metric("f1")
print(certificate)

figure, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
limits = certificate.by_class
ax.bar([str(label) for label in limits], list(limits.values()))
ax.set(xlabel="class", ylabel="F1 score at least", ylim=(0, 1))
