"""
Which labels train, and which evaluate?
=======================================

Every certificate comes from labels of points that a voter was not trained on. Designs differ in
which these are. The picture of a report shows it for a data set of flowers.
"""

# %%
# Three models, tested in pairs
# -----------------------------
# Half of these labels train one model and evaluate the two others as a pair. The other half trains
# all three.

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

from tandemvote import CertifiedClassifierCV, CertifiedForestClassifier, hold_out_votes
from tandemvote.displays import LabelUseDisplay

X, y = load_iris(return_X_y=True)
pairs = CertifiedClassifierCV(random_state=0).fit(X, y)
LabelUseDisplay.from_votes(pairs.certification_.votes).plot()
plt.show()

# %%
# Folds
# -----
# Every label trains two of the three models and evaluates the third.

folds = CertifiedClassifierCV(cv=3, random_state=0).fit(X, y)
LabelUseDisplay.from_votes(folds.certification_.votes).plot()
plt.show()

# %%
# The trees of a forest
# ---------------------
# Each tree draws its training points with replacement and is evaluated on those it did not draw: a
# different set for each tree. Points without labels, here 50 of them, tell how clearly the trees
# decide.

X_labelled, X_more, y_labelled, _ = train_test_split(X, y, test_size=50, random_state=0)
forest = CertifiedForestClassifier(8, random_state=0)
forest.fit(X_labelled, y_labelled, X_unlabelled=X_more)
display = LabelUseDisplay.from_votes(forest.certification_.votes).plot()
print(display.frame())
plt.show()

# %%
# A common hold-out
# -----------------
# No voter has seen these points. Their labels train nothing.

X_train, X_held_out, y_train, y_held_out = train_test_split(X, y, random_state=0)
model = KNeighborsClassifier().fit(X_train, y_train)
votes = hold_out_votes([model], X_held_out, y_held_out)
LabelUseDisplay.from_votes(votes).plot()
plt.show()
