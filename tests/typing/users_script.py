"""What a user writes, checked by mypy --strict and pyright in `make lint`; it never runs.

A comment ``type: ignore`` marks a mistake that both must find: both report it if it is unnecessary.
"""

from typing import assert_type

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from tandemvote import (
    Certificate,
    CertifiedClassifier,
    CertifiedForestClassifier,
    Monitor,
    Votes,
    audit,
    certify,
    certify_oob,
    certify_selective,
    compare,
    labels_needed,
)
from tandemvote.auditing import Findings
from tandemvote.certificate import GroupCertificates, SelectiveCertificate
from tandemvote.monitoring.comparison import Comparison

X, y = np.zeros((100, 2)), np.arange(100) % 2

model = CertifiedClassifier(DecisionTreeClassifier(), random_state=0).fit(X, y)
assert_type(model, CertifiedClassifier)
assert_type(model.refit_referee(X, y), CertifiedClassifier)
assert_type(model.certificate_, Certificate)
assert_type(model.certificate_.value, float)
print(model.certificate_.valeu)  # type: ignore

forest = CertifiedForestClassifier(10).fit(X, y)
assert_type(forest, CertifiedForestClassifier)
assert_type(forest.certificate_, Certificate)

assert_type(certify(model, X, y), Certificate)
assert_type(certify(model, X, y).by_group("class"), GroupCertificates)
assert_type(certify(Votes.from_predictions([y], y), metric="recall", sides="both"), Certificate)
certify(model, X, y, metric="recal")  # type: ignore
certify(model, X, y, sides="two")  # type: ignore
certify(model, X, y).for_metric("recal")  # type: ignore
assert_type(certify_oob(forest, X, y), Certificate)
assert_type(certify_selective(model, X, y, max_error=0.1), SelectiveCertificate)

assert_type(compare(model, forest, X, y), Comparison)
assert_type(compare(model, forest, X, y).verdict, str)
assert_type(compare(model, [forest, model], X, y), list[Comparison])
assert_type(compare([0, 1, 1], [0, 1, 0], y=[0, 1, 1]), Comparison)
assert_type(compare(["a", "b"], ["a", "a"], y=["a", "a"]), Comparison)
assert_type(compare(y, [y, y], y=y), list[Comparison])
assert_type(compare(y, y, y=y).lower, float)

# Without stubs of pandas and scikit-learn, mypy takes these for Any and reports nothing.
print(compare(y, pd.Series(y), y=y).lower)
print(compare(model, DecisionTreeClassifier(), X, y).verdict)

assert_type(audit(X, y), Findings)
assert_type(labels_needed(0.03, 0.05), int)
Monitor(model.certificate_).update([0, 1], [0, 1])
