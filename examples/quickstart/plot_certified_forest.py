"""
A random forest with an error bound
===================================

In the paper every tree of a forest votes. Each tree leaves some samples out of its training set;
evaluated on those, the forest gets a guarantee, and every label still goes into training.
"""

# %%
# Fit and read the guarantee
# --------------------------
# The parameters of the trees are those of scikit-learn's forest. ``max_samples=0.5`` lets each
# tree draw half as many samples, which leaves more of them to evaluate pairs of trees on.
# ``weights="tandem"`` gives every tree the weight that makes the guarantee smallest; this may be
# done on the same data.

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from tandemvote import CertifiedForestClassifier, certify, certify_oob
from tandemvote.displays import BoundsDisplay

X, y = load_digits(return_X_y=True)
y = y % 2  # is the handwritten digit odd?
X, X_new, y, y_new = train_test_split(X, y, test_size=0.3, random_state=0)

forest = CertifiedForestClassifier(weights="tandem", max_samples=0.5, random_state=0).fit(X, y)
print(forest.certificate_)

# %%
# In one sentence, and what it rests on:

print(forest.certificate_.guarantee)
for assumption in forest.certificate_.assumptions:
    print("-", assumption)

# %%
# New samples
# -----------
# New samples, which would not have labels in practice. The prediction is the hard weighted vote of
# the trees, because that is what the guarantee is about. The bound is cautious: it must hold for
# every distribution that could have produced data like this.

print(f"errors on {len(y_new)} new samples: {(forest.predict(X_new) != y_new).mean():.3f}")
BoundsDisplay(forest.certificate_).plot()
plt.show()

# %%
# A forest you already have
# -------------------------
# No refit is needed: scikit-learn can draw the bootstrap of each tree again. The training data must
# be the same, in the same order; the leaves of the trees are compared with it.

plain = RandomForestClassifier(max_samples=0.5, random_state=0).fit(X, y)
print(certify_oob(plain, X, y, weights="tandem"))

# %%
# Held-out labels, if there are any, give a much tighter bound.

print(certify(plain, X_new, y_new))

# %%
# Another data set, or the same one in another order, is rejected.

try:
    certify_oob(plain, X[::-1], y[::-1])
except ValueError as error:
    print(error)
