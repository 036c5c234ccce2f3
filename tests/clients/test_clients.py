"""Other libraries: fit, certify, save and load, with names as labels.

Run by ``nox -s clients``, which installs the libraries. Elsewhere the missing ones are skipped.
"""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from tandemvote import CertifiedClassifier, certify, load_model
from tandemvote.model_files.model_file import ModelFileError, save_model

NAMES = np.array(["setosa", "versicolor", "virginica"])
BOOSTING = {
    "lightgbm": ("LGBMClassifier", {"n_estimators": 5, "verbose": -1}),
    "xgboost": ("XGBClassifier", {"n_estimators": 5}),
    "catboost": (
        "CatBoostClassifier",
        {"iterations": 5, "allow_writing_files": False, "verbose": 0},
    ),
    "imblearn.ensemble": ("BalancedRandomForestClassifier", {"n_estimators": 5}),
}


@pytest.fixture(scope="module")
def flowers():
    X, y = load_iris(return_X_y=True, as_frame=True)
    order = np.random.default_rng(0).permutation(len(X))
    return X.iloc[order].reset_index(drop=True), NAMES[y.to_numpy()[order]]


def classifier(module):
    name, parameters = BOOSTING[module]
    return getattr(pytest.importorskip(module), name)(random_state=0, **parameters)


def check_same(loaded, model, X):
    predictions = model.predict(X)
    assert set(predictions) <= set(NAMES)
    np.testing.assert_array_equal(loaded.predict(X), predictions)
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert loaded.certificate_.value == model.certificate_.value


# CatBoost changes its own state in the first round trip through pickle, and with it the digest.
CHANGES = pytest.mark.xfail(raises=ModelFileError, strict=True)


@pytest.mark.parametrize(
    "module", [pytest.param(name, marks=[CHANGES] * (name == "catboost")) for name in BOOSTING]
)
def test_a_committee_is_saved_and_loaded(module, flowers, tmp_path):
    X, y = flowers
    model = CertifiedClassifier(classifier(module), random_state=0).fit(X, y)
    assert model.certificate_.value < 0.5
    path = save_model(model, tmp_path / "model.joblib")
    check_same(load_model(path, trusted=True), model, X)


@pytest.mark.parametrize("module", BOOSTING)
def test_a_fitted_model_is_certified(module, flowers):
    X, y = flowers
    labels = y if module != "xgboost" else np.searchsorted(NAMES, y)  # takes only 0, 1, 2
    model = classifier(module).fit(X[:75], labels[:75])
    errors = int((np.ravel(model.predict(X[75:])) != labels[75:]).sum())
    assert certify(model, X[75:], labels[75:]).observed == pytest.approx(errors / 75)


def test_a_pipeline_with_a_sampler_is_saved_and_loaded(flowers, tmp_path):
    pipeline = pytest.importorskip("imblearn.pipeline")
    sampler = pytest.importorskip("imblearn.over_sampling").RandomOverSampler(random_state=0)
    X, y = flowers
    steps = pipeline.make_pipeline(sampler, DecisionTreeClassifier(random_state=0))
    model = CertifiedClassifier(steps, random_state=0).fit(X, y)
    check_same(load_model(save_model(model, tmp_path / "m.joblib"), trusted=True), model, X)


def test_mlflow_stores_the_numbers_and_the_file(flowers, tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    from tandemvote import Certificate

    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'runs.db'}")
    model = CertifiedClassifier(LogisticRegression(max_iter=1000), random_state=0).fit(*flowers)
    with mlflow.start_run() as run:
        mlflow.log_metric("error_bound", model.certificate_.value)
        model.certificate_.save("certificate.json")
        mlflow.log_artifact("certificate.json")
    kept = mlflow.get_run(run.info.run_id)
    assert kept.data.metrics["error_bound"] == model.certificate_.value
    path = mlflow.artifacts.download_artifacts(
        run_id=run.info.run_id, artifact_path="certificate.json"
    )
    assert Certificate.load(path).value == model.certificate_.value


def test_polars_tables_give_the_committee_of_pandas_tables(flowers, tmp_path):
    polars = pytest.importorskip("polars")
    X, y = flowers
    table = polars.from_pandas(X)
    tree = CertifiedClassifier(DecisionTreeClassifier(random_state=0), random_state=0)
    model = tree.fit(table, polars.Series(y))
    assert model.certificate_.value == tree.fit(X, y).certificate_.value
    model = tree.fit(table, polars.Series(y))
    loaded = load_model(save_model(model, tmp_path / "m.joblib"), trusted=True)
    check_same(loaded, model, table)


def test_a_dask_cluster_trains_the_same_committee(flowers, tmp_path):
    distributed = pytest.importorskip("dask.distributed")
    from joblib import parallel_config

    model = CertifiedClassifier(DecisionTreeClassifier(random_state=0), random_state=0, n_jobs=2)
    here = model.fit(*flowers).certificate_.value
    with distributed.Client(processes=False, dashboard_address=None), parallel_config("dask"):
        assert model.fit(*flowers).certificate_.value == here
    loaded = load_model(save_model(model, tmp_path / "model.joblib"), trusted=True)
    check_same(loaded, model, flowers[0])
