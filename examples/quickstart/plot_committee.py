"""
A committee: nearly the bound of a hold-out
===========================================

Several models are tested together on a test set. One more, the referee, is trained on all labels
and breaks their ties. Their vote gets a guarantee close to that of a hold-out.
"""

# %%
# Train and certify
# -----------------
# `~tandemvote.CertifiedClassifier` takes any classifier. The first line of the certificate has
# three numbers: the error of the tested models' vote on the test samples, the bound with
# 95% confidence, and the error of always predicting the most frequent class.
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tandemvote import CertifiedClassifier, CertifiedForestClassifier

X, y = load_digits(return_X_y=True)
X, X_new, y, y_new = train_test_split(X, y, test_size=0.2, random_state=0)
forests = CertifiedClassifier(RandomForestClassifier(100), random_state=0).fit(X, y)
print(forests.certificate_)

# %%
# Any pipeline will do
# --------------------
# Everything that learns from data belongs inside: each model then learns from its training rows
# alone.
pipeline = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
linear = CertifiedClassifier(pipeline, random_state=0).fit(X, y)

# %%
# Compared with the vote of the trees
# -----------------------------------
# In the paper every tree votes. The bound is then a multiple of the error of single trees.
trees = CertifiedForestClassifier(weights="tandem", max_samples=0.5, random_state=0).fit(X, y)

models = {"forests": forests, "pipelines": linear, "one vote per tree": trees}
figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
for row, model in enumerate(models.values()):
    found = model.certificate_
    ax.plot([found.observed, found.value], [row, row], color="0.7", zorder=1)
    ax.scatter(found.observed, row, color="#14679e", label="observed" if row == 0 else None)
    ax.scatter(found.value, row, color="#b8500a", label="guaranteed" if row == 0 else None)
    ax.scatter(1 - model.score(X_new, y_new), row, marker="|", s=200, color="black",
               label="on new samples" if row == 0 else None)  # fmt: skip
ax.set(yticks=range(3), yticklabels=models, xlabel="error", xlim=(0, None))
ax.invert_yaxis()
ax.legend(loc="upper right")
plt.show()
