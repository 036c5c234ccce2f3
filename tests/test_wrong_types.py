"""Values of a wrong type are rejected by errors that name what is wrong, at every door."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import tandemvote as tv

X, Y = make_classification(200, random_state=0)
MODELS = [LogisticRegression(C=c).fit(X[:100], Y[:100]) for c in (1.0, 0.01)]
TEST = X[100:], Y[100:]
FOREST = RandomForestClassifier(5, random_state=0).fit(X, Y)
CERTIFICATE = tv.certify(MODELS[0], *TEST)

WRONG = {"text": "0.95", "None": None, "list": [1, "a"], "object": object(), "dict": {}, "1j": 1j}
DOORS = {
    "certify": (
        lambda **given: tv.certify(MODELS, *TEST, **given),
        ["groups", "metric", "weights", "bound", "prior", "confidence", "allow", "sides"],
    ),
    "certify_oob": (
        lambda **given: tv.certify_oob(**{"ensemble": FOREST, "X": X, "y": Y} | given),
        ["ensemble", "X", "y", "weights", "bound", "prior", "confidence", "allow"],
    ),
    "certify_selective": (
        lambda **given: tv.certify_selective(MODELS[0], *TEST, **{"max_error": 0.2} | given),
        ["max_error", "confidence", "allow"],
    ),
    "compare": (
        lambda **given: tv.compare(*MODELS, **{"X": TEST[0], "y": TEST[1]} | given),
        ["X", "y", "confidence", "allow"],
    ),
    "labels_needed": (
        lambda **given: tv.labels_needed(**{"error": 0.1, "max_error": 0.2} | given),
        ["error", "max_error", "confidence", "power"],
    ),
    "Monitor": (
        lambda bound=CERTIFICATE, **given: tv.Monitor(bound, **given),
        ["bound", "confidence"],
    ),
    "audit": (lambda **given: tv.audit(**{"X": X} | given), ["X", "y"]),
    "evaluate": (
        lambda **given: CERTIFICATE.evaluate(**{"bound": "test_set"} | given),
        ["bound", "delta"],
    ),
    "forest": (
        lambda **given: tv.CertifiedForestClassifier(5, **given).fit(X, Y),
        ["weights", "bound", "prior", "confidence", "allow", "max_samples"],
    ),
    "committee": (
        lambda **given: tv.CertifiedClassifier(MODELS[0], **given).fit(X, Y),
        ["n_tested", "referee", "test_size", "confidence", "random_state", "allow"],
    ),
}
RIGHT = {
    *((name, "None") for name in ("groups", "prior", "random_state", "y", "delta", "max_samples")),
    *((name, "dict") for name in ("allow", "X")),  # an empty sequence
    *(("X", kind) for kind in ("text", "list")),  # a sequence of samples
}
PLACES = [
    (door, name, kind)
    for door in DOORS
    for name in DOORS[door][1]
    for kind in WRONG
    if (name, kind) not in RIGHT
]


@pytest.mark.parametrize(("door", "name", "kind"), PLACES)
def test_a_value_of_a_wrong_type_is_named(door, name, kind):
    with pytest.raises(ValueError) as raised:
        DOORS[door][0](**{name: WRONG[kind]})
    assert len(str(raised.value)) > 20
    assert not str(raised.value).startswith(("could not convert", "setting an array", "The truth"))


def test_right_values_are_accepted():
    for door, _ in DOORS.values():
        door()
    assert np.isfinite(CERTIFICATE.value)
