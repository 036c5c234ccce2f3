"""
Tune inside, and see what is confused with what
===============================================

Everything that learns from data belongs inside the classifier that is certified: scaling, the
choice of components, and the search for good parameters.
"""

# %%
# A search is a classifier
# ------------------------
# Each of the three models searches for its own parameters, on its own part of the points.
# Points that train only another model evaluate the result of the search, which has never seen them.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from tandemvote import CertifiedClassifierCV

X, y = load_digits(return_X_y=True)
pipeline = make_pipeline(StandardScaler(), PCA(), SVC())
grid = {"pca__n_components": [20, 40], "svc__C": [1, 10]}
search = GridSearchCV(pipeline, grid, cv=3)

model = CertifiedClassifierCV(search, random_state=0).fit(X, y)
print(str(model.certificate_).splitlines()[0])
for each in model.estimators_:
    print(each.best_params_)

# %%
# What is taken for what
# ----------------------
# ``oob_decision_function_`` holds, for each training point, the shares of the models that were not
# trained on it, and nothing where all were. Its largest entry is the answer to a point as if it
# were new. The matrix is an estimate.

shares = model.oob_decision_function_
seen = ~np.isnan(shares[:, 0])
answers = model.classes_[shares[seen].argmax(axis=1)]
print(f"{seen.sum()} points, wrong: {(answers != y[seen]).mean():.1%}")
display = ConfusionMatrixDisplay.from_predictions(
    y[seen], answers, cmap="Blues", colorbar=False, text_kw={"fontsize": 8}
)
display.ax_.set(xlabel="answer", ylabel="true digit")
plt.show()
