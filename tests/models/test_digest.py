"""The digest of tested models: stable under saving, different for other models."""

import io
import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    BaggingClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from tandemvote import CertifiedClassifier, load_model
from tandemvote.model_file import ModelFileError, save_model
from tandemvote.models.digest import models_digest

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


@pytest.mark.parametrize("suffix", [".skops", ".joblib"])
def test_a_file_with_swapped_models_is_rejected_and_a_new_referee_is_not(tmp_path, data, suffix):
    if suffix == ".skops":
        pytest.importorskip("skops")
    X, y = data
    model = CertifiedClassifier(RandomForestClassifier(5), random_state=0).fit(X, y)
    path = tmp_path / f"model{suffix}"
    model.refit_referee(X[:60], y[:60])
    save_model(model, path)
    assert np.array_equal(load_model(path, trusted=True).predict(X), model.predict(X))
    swapped = CertifiedClassifier(RandomForestClassifier(5), random_state=1).fit(X, 1 - y)
    model.estimators_ = swapped.estimators_
    with pytest.raises(ModelFileError, match="tested models are not those"):
        save_model(model, path)


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
