"""Labels that are nullable integers of pandas stay integers, in guarantees and in groups."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

import tandemvote as tv

X, CODES = make_classification(300, random_state=0)
LABELS = pd.Series(CODES, dtype="Int64")
FITTED = {
    "on integers": LogisticRegression().fit(X[:150], CODES[:150]),
    "on nullable ones": LogisticRegression().fit(X[:150], LABELS[:150]),
}


@pytest.mark.parametrize("how", FITTED)
def test_held_out_labels_are_shown_as_integers(how):
    certificate = tv.certify(FITTED[how], X[150:], LABELS[150:], metric="recall", positive=1)
    assert "for class 1 on new data" in certificate.guarantee
    groups = tv.certify(FITTED[how], X[150:], LABELS[150:]).by_group("class")
    assert [each.group.label for each in groups] == [0, 1]
    assert "1.0 " not in repr(groups).split("error <=")[1].replace("recall", "")


@pytest.mark.parametrize(
    "model",
    [
        tv.CertifiedClassifier(LogisticRegression(), random_state=0),
        tv.CertifiedForestClassifier(10, random_state=0),
    ],
    ids=["committee", "forest"],
)
def test_certified_classifiers_predict_integers(model):
    model.fit(X, LABELS)
    assert model.classes_.dtype.kind == "i"
    assert model.predict(X).dtype.kind == "i"


def test_fractions_and_missing_labels_stay_what_they_are():
    votes = tv.Votes.from_predictions([[0.5, 1.0]], np.array([1, 1]))
    assert votes.classes.tolist() == [0.5, 1.0]
    with pytest.raises(ValueError, match="4 of 300 labels"):
        tv.CertifiedClassifier().fit(X, LABELS.where(LABELS.index > 3))
