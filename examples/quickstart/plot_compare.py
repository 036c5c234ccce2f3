"""
Is the new model better?
========================

A paired comparison on one test set: which model has the smaller error rate, and by how much at
least.
"""

# %%
# Three candidates against the model in use
# -----------------------------------------
# All of them predict the same test samples, and share the failure probability.

from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from tandemvote import compare
from tandemvote.displays import ComparisonDisplay

X, y = load_digits(return_X_y=True)
in_use = DecisionTreeClassifier(random_state=0).fit(X[:900], y[:900])
candidates = [GaussianNB(), KNeighborsClassifier(), RandomForestClassifier(random_state=0)]
results = compare(in_use, [each.fit(X[:900], y[:900]) for each in candidates], X[900:], y[900:])
for each in results:
    print(each)

# %%
# The picture
# -----------
# Lines end at the limits, squares are observed. A line on one side of 0 shows the better model.

ComparisonDisplay(results).plot()
