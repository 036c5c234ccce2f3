"""
Tutorial 1: certify a classifier
================================

You train a classifier on a table and want a number to rely on: with 95% confidence, the error rate
on new data is at most this. You need no more than scikit-learn and ten minutes.
"""

# %%
# The data
# --------
# 569 tumors, 30 measurements each, and whether the tumor is malignant (0) or benign (1). Each row
# is one patient, so the rows are independent. If a patient had several rows, you would pass the
# column of patients to ``fit``: ``groups=patients``.

from sklearn.datasets import load_breast_cancer

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
print(X.shape, y.value_counts().to_dict())

# %%
# The model
# ---------
# Any scikit-learn classifier will do. Everything that learns from data belongs inside: here a
# scaler and a logistic regression form one pipeline. For columns of categories, use a
# ``ColumnTransformer`` with a ``OneHotEncoder`` as the first step.

from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

pipeline = make_pipeline(StandardScaler(), LogisticRegression())

# %%
# The certificate
# ---------------
# ``fit`` receives **all** labeled samples. Do not set any aside: ``fit`` draws a random test set
# itself. Six models are trained without the test set and tested on it. One more, the
# **referee**, is then trained on all samples.

from tandemvote import CertifiedClassifier

model = CertifiedClassifier(pipeline, random_state=0).fit(X, y)
print(model.certificate_)

# %%
# The first line has three numbers:
#
# - **observed error**: the error rate of the tested models' vote on the test set, an estimate.
# - **guaranteed error**: the error rate on new data is at most this, with 95% confidence.
# - **majority-class baseline**: the error rate of always predicting the more frequent class. A
#   bound above the baseline is of no use.
#
# The lines below it name the evidence: the models, the size of the test set, and the bound.
#
# Why is the guaranteed error larger than the observed one? The test set has few samples, and a
# sample already counts as an error if the true class ties with another one, since the referee could
# name the wrong one.
# More labels bring the two numbers closer together.
#
# In your own words: *if I repeated all of this with new patients many times, at most 5% of these
# bounds would be below the true error rate*.

# %%
# If the data looks wrong
# -----------------------
# ``fit`` audits the data first. Suppose that the table has a column that numbers the patients:

from tandemvote import audit

print(audit(X.assign(patient=range(len(X))), y))

# %%
# Each line is a finding: what was found, what to do, and a code in brackets.
#
# - **error**: ``fit`` raises a ``FindingsError``. Correct the data: here, drop the column. If the
#   finding does not apply to your data, pass ``allow=["identifier"]``. The certificate records it.
# - **warning** and **note**: ``fit`` continues, and the certificate lists them. They are questions
#   to you. For example, ``copied_rows``: if rows are copies of one patient, remove the copies. If
#   different patients have equal values, the bound is valid.

# %%
# What was trained
# ----------------
# ``predict`` is the vote of the tested models, whose ties the referee breaks, as the bound assumes.

print(len(model.estimators_), "tested models and the referee", type(model.referee_).__name__)
print(model.predict(X[:5]))

# %%
# New labels
# ----------
# When new labels arrive, train the referee again. The certificate stays valid, because it holds for
# every referee. Do not call ``fit`` again with other seeds until the number looks better: the
# smallest of several bounds is not a valid bound.

model.refit_referee(X, y)
print(model.certificate_.guarantee)

# %%
# What you must check yourself
# ----------------------------
# The certificate lists its assumptions. The two most important ones: rows are independent, and new
# samples are drawn from the same distribution.

for assumption in model.certificate_.assumptions:
    print("-", assumption)

# %%
# The picture
# -----------
# A test set of this size proves less than a larger one. The bound for the same observed error rate
# decreases with the number of test samples:

import matplotlib.pyplot as plt
import numpy as np

from tandemvote.inequalities import clopper_pearson

sizes = np.array([50, 100, 200, 500, 1000, 2000, 5000])
bounds = [clopper_pearson(round(0.03 * size), int(size), delta=0.05) for size in sizes]
figure, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
ax.plot(sizes, 100 * np.array(bounds), "o-", linewidth=3, label="guaranteed error")
ax.axhline(3, color="gray", linestyle="--", label="observed error")
ax.set(xscale="log", xlabel="test samples", ylabel="error rate (%)", ylim=(0, None))
ax.legend()
plt.show()
