"""The digest of tested models: stable under saving, different for other models."""

import io
import pickle
from contextlib import suppress
from functools import partial

import joblib
import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from tandemvote import CertifiedClassifier, CertifiedForestClassifier, write_report
from tandemvote.model_files.model_file import _parts, save_model
from tandemvote.models.digest import IGNORED, models_digest

MODELS = {
    "forest": RandomForestClassifier(5, random_state=0),
    "histogram boosting": HistGradientBoostingClassifier(max_iter=5),
    "boosting": GradientBoostingClassifier(n_estimators=3),
    "bagging": BaggingClassifier(n_estimators=3, random_state=0),
    "pipeline": make_pipeline(
        make_column_transformer((StandardScaler(), [0, 1]), remainder="passthrough"),
        LogisticRegression(),
    ),
    "neighbors": KNeighborsClassifier(),
    "support vectors": SVC(),
}


@pytest.fixture(scope="module")
def data():
    return make_classification(120, 5, random_state=0)


@pytest.mark.parametrize("name", MODELS)
def test_saving_and_predicting_do_not_change_the_digest(name, data):
    skops = pytest.importorskip("skops.io")
    model = clone(MODELS[name]).fit(*data)
    digest = models_digest([model])
    model.predict(data[0])
    stream = io.BytesIO()
    joblib.dump(model, stream)
    stream.seek(0)
    stored = skops.dumps(model)
    again = skops.loads(stored, trusted=skops.get_untrusted_types(data=stored))
    for copy in (model, pickle.loads(pickle.dumps(model)), joblib.load(stream), again):
        assert models_digest([copy]) == digest


@pytest.mark.parametrize("name", MODELS)
def test_a_model_of_other_labels_has_another_digest(name, data):
    X, y = data
    first, second = (clone(MODELS[name]).fit(X, labels) for labels in (y, 1 - y))
    assert models_digest([first]) != models_digest([second])


def test_text_pipelines_have_a_digest():
    texts, labels = ["good", "bad", "fine", "poor"] * 5, [1, 0, 1, 0] * 5
    model = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(texts, labels)
    assert models_digest([model]) == models_digest([pickle.loads(pickle.dumps(model))])


def test_a_model_that_contains_itself_has_a_digest(data):
    model = LogisticRegression().fit(*data)
    model.whole_ = {"model": model}
    digest = models_digest([model])
    assert digest == models_digest([model])
    assert digest == models_digest([pickle.loads(pickle.dumps(model))])
    model.coef_ = -model.coef_
    assert digest != models_digest([model])


@pytest.mark.parametrize("what", ["threshold", "feature", "value of a leaf", "value of the root"])
def test_only_what_determines_predictions_changes_the_digest(what, data):
    model = RandomForestClassifier(2, random_state=0).fit(*data)
    changed = pickle.loads(pickle.dumps(model))
    tree = changed.estimators_[1].tree_
    root, leaf = 0, int(np.flatnonzero(tree.children_left < 0)[0])
    if what.startswith("value"):
        tree.value[root if what.endswith("root") else leaf] = [[0.25, 0.75]]
    else:
        getattr(tree, what)[root] += 1
    assert (models_digest([changed]) == models_digest([model])) == (what == "value of the root")


FAMILIES = MODELS | {
    "extra trees": ExtraTreesClassifier(3, random_state=0),
    "tree": DecisionTreeClassifier(),
    "adaboost": AdaBoostClassifier(n_estimators=3, random_state=0),
    "bagging of some columns": BaggingClassifier(n_estimators=3, max_features=3, random_state=0),
    "voting": VotingClassifier([("a", GaussianNB()), ("b", LogisticRegression())], voting="soft"),
    "stacking": StackingClassifier([("a", GaussianNB()), ("b", DecisionTreeClassifier())]),
    "calibrated": CalibratedClassifierCV(GaussianNB(), cv=2),
    "network": MLPClassifier(4, max_iter=20),
    "Gaussian process": GaussianProcessClassifier(),
    "one against the rest": OneVsRestClassifier(LogisticRegression()),
    "discriminant analysis": LinearDiscriminantAnalysis(),
    "search": GridSearchCV(LogisticRegression(), {"C": [1, 2]}, cv=2),
    "committee": CertifiedClassifier(DecisionTreeClassifier(), random_state=0),
    "certified forest": CertifiedForestClassifier(5, random_state=0),
}

CERTIFIED = ("committee", "certified forest")

HARMLESS = {"referee_", "training_rows_", "test_indices_", "_certificate", "n_features_in_"}
"""Attributes of certified classifiers that change no vote, or may change, as their parameters."""


def changed(value):
    if isinstance(value, np.ndarray) and value.size and value.dtype.kind in "biuf":
        other = value.copy()
        other.flat[-1] = ~other.flat[-1] if value.dtype.kind == "b" else other.flat[-1] + 1
        return other
    if isinstance(value, list | tuple) and len(value) > 1:
        return type(value)([changed(value[0]), *value[1:]])
    return value + 1 if type(value) in (int, float) else "another"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", FAMILIES)
def test_every_attribute_that_predict_reads_changes_the_digest(name, data, monkeypatch):
    """Attributes of the estimators inside a model are traced while it predicts."""
    model = clone(FAMILIES[name]).fit(*data)
    read = {}

    def traced(part, attribute):
        if attribute in object.__getattribute__(part, "__dict__"):
            read[id(part), attribute] = part
        return object.__getattribute__(part, attribute)

    with monkeypatch.context() as patch:
        patch.setattr(BaseEstimator, "__getattribute__", traced, raising=False)
        for method in ("predict", "predict_proba"):
            if hasattr(model, method):
                getattr(model, method)(data[0])
    certified = name in CERTIFIED
    digest_of = model._members_digest if certified else partial(models_digest, [model])
    digest, compared = digest_of(), set()
    inside, referee = ({*map(id, _parts(part))} for part in (model, getattr(model, "referee_", 0)))
    for (place, attribute), part in read.items():
        own = {*HARMLESS, *model.get_params(deep=False)} if certified and part is model else ()
        if attribute in {*IGNORED, *own} or place not in inside or place in referee:
            continue
        value = vars(part)[attribute]
        vars(part)[attribute] = changed(value)
        with suppress(AttributeError, TypeError):  # raised wherever the digest is compared
            assert digest_of() != digest, attribute
        vars(part)[attribute] = value
        compared.add(attribute)
    assert digest_of() == digest
    assert len(compared) > 2


@pytest.mark.parametrize("name", CERTIFIED)
def test_a_model_that_was_refitted_in_place_has_no_certificate(name, data, tmp_path):
    X, y = data
    model = clone(FAMILIES[name]).fit(X, y)
    before = model.certificate_
    model.estimators_[0].fit(X, 1 - y)
    for use in (
        lambda: model.certificate_.predict(X),
        lambda: model.certificate_.by_group("class"),
        lambda: model.certificate_.save(tmp_path / "certificate.json"),
        lambda: write_report(tmp_path / "report.html", model),
        lambda: save_model(model, tmp_path / "model.joblib"),
    ):
        with pytest.raises(ValueError, match="tested models"):
            use()
    assert not list(tmp_path.iterdir())
    assert model.fit(X, y).certificate_.value == before.value
