"""
Samples without labels, a tighter guarantee for trees
=====================================================

Labels are expensive, samples are often free. For the vote of many trees they say something that
labels cannot: how clearly the trees decide. Where nearly all trees agree, the vote errs only if
nearly all of them do, and that is rare.
"""

# %%
# The same labels, more and more samples
# --------------------------------------
# Half of the digits keep their labels. Some of the others are given to ``fit`` without.

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from tandemvote import CertifiedForestClassifier

X, y = load_digits(return_X_y=True)
X, X_more, y, y_more = train_test_split(X, y, train_size=900, random_state=0)

plain = CertifiedForestClassifier(50, random_state=0).fit(X, y)
sizes = [50, 100, 200, 400, 897]
certificates = []
for n in sizes:
    forest = CertifiedForestClassifier(50, random_state=0).fit(X, y, X_unlabeled=X_more[:n])
    certificates.append(forest.certificate_)
    print(f"{n:4} unlabeled samples: {forest.certificate_.guarantee}")

# %%
# The picture
# -----------
# With unlabeled samples the bound ``vote_profile`` is reported; without them, the smaller of the
# first-order and the tandem bound, each at half of delta.

error = (plain.predict(X_more) != y_more).mean()
figure, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
ax.plot(sizes, [each.value for each in certificates], "o-", label="guaranteed with these samples")
ax.axhline(plain.certificate_.value, color="tab:orange", label="guaranteed without any")
ax.axhline(error, color="0.5", linestyle=":", label="error on the other half")
ax.set(xlabel="unlabeled samples", ylabel="error of the vote", ylim=(0, 1))
ax.legend()
plt.show()
