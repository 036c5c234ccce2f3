"""
Certify models you already have
===============================

Three different models were trained on the same samples, and 200 labeled samples were kept away from
all of them. What can be guaranteed for their vote, and for each model alone?
"""

# %%
# A list is certified on samples that none of the models saw
# ----------------------------------------------------------
# Nothing is trained again, and nothing is chosen on the held-out samples: they are a test set, and
# the guarantee is the exact binomial limit, the tightest there is.

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tandemvote import certify

X, y = load_breast_cancer(return_X_y=True)
X_train, X_held_out, y_train, y_held_out = train_test_split(X, y, test_size=200, random_state=0)
models = {
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
    "nearest neighbors": make_pipeline(StandardScaler(), KNeighborsClassifier()),
    "random forest": RandomForestClassifier(random_state=0),
}
for model in models.values():
    model.fit(X_train, y_train)

vote = certify(list(models.values()), X_held_out, y_held_out)
print(vote)

# %%
# The `predict` of the certificate is the certified vote.

print(vote.predict(X_held_out[:5]))

# %%
# Each model alone, and their vote
# --------------------------------
# Four statements are made on the same samples. So that all four hold together, each gets a quarter
# of the failure probability. Then the smallest may be picked.

confidence = 1 - 0.05 / 4
models["their vote"] = list(models.values())
found = {
    name: certify(model, X_held_out, y_held_out, confidence=confidence)
    for name, model in models.items()
}

figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
for row, (name, each) in enumerate(found.items()):
    ax.plot([each.observed, each.value], [row, row], color="0.7", zorder=1)
    ax.scatter(each.observed, row, color="tab:blue", label="observed" if row == 0 else None)
    ax.scatter(each.value, row, color="tab:orange", label="guaranteed" if row == 0 else None)
    print(f"{name:20} {each.guarantee}")
ax.set(yticks=range(len(found)), yticklabels=found, xlabel="error", xlim=(0, None))
ax.invert_yaxis()
ax.legend()
plt.show()

# %%
# Samples that a model was trained on are rejected
# ------------------------------------------------

try:
    certify(models["random forest"], X_train, y_train)
except ValueError as error:
    print(error)
