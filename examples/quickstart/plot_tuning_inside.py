"""
Tune inside
===========

Everything that learns from data belongs inside the classifier that is certified: scaling, the
choice of components, and the search for good parameters.
"""

# %%
# A search is a classifier
# ------------------------
# Each model searches for its own parameters on its training rows. The test samples evaluate the
# result of the searches, which have never seen them.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from tandemvote import CertifiedClassifier
from tandemvote.votes.weighted_vote import weighted_vote

X, y = load_digits(return_X_y=True)
pipeline = make_pipeline(StandardScaler(), PCA(), SVC())
grid = {"pca__n_components": [20, 40], "svc__C": [1, 10]}
search = GridSearchCV(pipeline, grid, cv=3)

model = CertifiedClassifier(search, random_state=0).fit(X, y)
print(str(model.certificate_).splitlines()[0])
for each in model.estimators_:
    print(each.best_params_)

# %%
# Confusion matrix
# ----------------
# ``test_indices_`` are the test samples, which the tested models have never seen. The referee has:
# so the matrix shows the vote of the tested models. It is an estimate.

test = model.test_indices_
votes = np.array([each.predict(X[test]) for each in model.estimators_])
predicted = model.classes_[weighted_vote(votes, np.ones(len(votes)), len(model.classes_))]
print(f"{len(test)} test samples, wrong: {(predicted != y[test]).mean():.1%}")
display = ConfusionMatrixDisplay.from_predictions(
    y[test], predicted, cmap="Blues", colorbar=False, text_kw={"fontsize": 8}
)
display.ax_.set(xlabel="predicted digit", ylabel="true digit")
plt.show()
