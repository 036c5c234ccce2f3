"""
The model you deploy is not the one you tested
==============================================

A model is tested on a hold-out, and then refitted on all labels, because labels are precious. The
refitted model is another one, and the test says nothing about it. Samples without labels close the
gap: they show how often the two predictions differ.
"""

# %%
# Tested, then refitted
# ---------------------
# Both are random forests for handwritten digits. The second one also learns from the hold-out.

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from tandemvote import certify

X, y = load_digits(return_X_y=True)
X, X_more, y, y_more = train_test_split(X, y, test_size=700, random_state=0)
X_train, X_held_out, y_train, y_held_out = train_test_split(X, y, test_size=0.4, random_state=0)

tested = RandomForestClassifier(random_state=0).fit(X_train, y_train)
refitted = RandomForestClassifier(random_state=1).fit(X, y)
print(certify(tested, X_held_out, y_held_out).guarantee)

# %%
# Through the tested model to the refitted one
# --------------------------------------------
# ``deployed`` names what will be used. Where it answers as the tested model does, it errs no more
# often; where the two differ, it may be wrong every time.

certificate = certify(tested, X_held_out, y_held_out, X_unlabeled=X_more, deployed=refitted)
print(certificate)

# %%
# How many unlabeled samples?
# ---------------------------
# They must be new to both models and come from the same distribution. Beyond a few hundred, more of
# them change little here: what remains is how often the two models differ. The certificate's
# ``predict`` is that of the refitted model.

sizes = [25, 50, 100, 200, 400, 700]
values = [
    certify(tested, X_held_out, y_held_out, X_unlabeled=X_more[:n], deployed=refitted).value
    for n in sizes
]
figure, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
ax.plot(sizes, values, "o-", label="guaranteed for the refitted model")
ax.axhline(
    certify(tested, X_held_out, y_held_out).value, color="tab:orange",
    label="guaranteed for the tested model",
)  # fmt: skip
error = (certificate.predict(X_more) != y_more).mean()
ax.axhline(error, color="0.5", linestyle=":", label="error of the refitted model")
ax.set(xlabel="unlabeled samples", ylabel="error", ylim=(0, None))
ax.legend()
plt.show()
