"""The encoder is a scikit-learn transformer that learns nothing from the rows."""

import joblib
import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline

from tandemvote import CertifiedClassifier
from tandemvote.tables import DatasetError, TableEncoder
from tandemvote.tables.encoder import category_number

FRAME = pandas.DataFrame(
    {
        "size": [1.5, None, 3.0],
        "color": ["red", None, "blue"],
        "since": ["2020-02-29", "always", None],  # of one row alone it could be a date
    }
)


def test_a_row_is_encoded_alone_as_among_others():
    whole = TableEncoder().fit_transform(FRAME)
    encoder = TableEncoder().fit(FRAME)
    for row in range(len(FRAME)):
        np.testing.assert_array_equal(encoder.transform(FRAME.iloc[[row]]), whole[[row]])
    assert whole[:, 1].tolist() == [category_number(text) for text in ("red", None, "blue")]


def test_columns_are_found_by_name_and_others_ignored():
    encoder = TableEncoder().fit(FRAME)
    moved = FRAME[["since", "color", "size"]].assign(label=[0, 1, 0])
    np.testing.assert_array_equal(encoder.transform(moved), encoder.transform(FRAME))


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        (FRAME.drop(columns="color"), "'color' is missing"),
        (FRAME.assign(size=["small", "large", "small"]), "'size' holds text here and numbers"),
        (FRAME.assign(color=[1, 2, 3]), "'color' holds numbers here and text"),
        (FRAME.assign(size=[1.0, np.inf, 2.0]), "column size holds a value that is infinite"),
    ],
)
def test_a_table_of_another_kind_is_rejected(frame, complaint):
    with pytest.raises(DatasetError, match=complaint):
        TableEncoder().fit(FRAME).transform(frame)


def test_a_polars_frame_is_encoded_like_a_pandas_frame():
    polars = pytest.importorskip("polars")
    encoder = TableEncoder().fit(FRAME)
    np.testing.assert_array_equal(
        encoder.transform(polars.from_pandas(FRAME)), encoder.transform(FRAME)
    )


def test_an_array_without_names_is_rejected():
    with pytest.raises(DatasetError, match="got ndarray"):
        TableEncoder().fit(np.zeros((2, 2)))


def test_a_pipeline_takes_data_frames():
    model = make_pipeline(TableEncoder(), RandomForestClassifier(n_estimators=5, random_state=0))
    kinds = ["a", "b", "a"]
    again = clone(model).fit(FRAME, kinds)
    assert set(again.predict(FRAME)) <= {"a", "b"}
    assert again[0].get_feature_names_out().tolist() == ["size", "color", "since"]


def test_a_data_frame_comes_out_if_scikit_learn_is_configured_so():
    encoded = TableEncoder().set_output(transform="pandas").fit_transform(FRAME)
    assert list(encoded.columns) == ["size", "color", "since"]


@pytest.mark.parametrize("form", ["skops", "joblib"])
def test_a_model_from_raw_columns_to_labels_survives_a_file(form, tmp_path):
    rng = np.random.default_rng(0)
    size, color = rng.normal(size=90).round(2), rng.choice(["red", "blue", None], 90)
    day = pandas.date_range("2018-01-01", periods=90).strftime("%d.%m.%Y")
    table = pandas.DataFrame({"size": size, "color": color, "day": day, "row": range(90)})
    voters = CertifiedClassifier(RandomForestClassifier(5), random_state=0)
    model = make_pipeline(TableEncoder(drop=["row"]), voters).fit(table, size > 0)
    path = tmp_path / f"model.{form}"
    if form == "joblib":
        joblib.dump(model, path)
        again = joblib.load(path)
    else:
        skops = pytest.importorskip("skops.io")
        skops.dump(model[0], path)
        trusted = ["tandemvote.tables.encoder.TableEncoder"]
        assert skops.get_untrusted_types(file=path) == trusted
        again = make_pipeline(skops.load(path, trusted=trusted), model[-1])
    new = pandas.DataFrame(
        {"day": ["31.12.2030", None], "color": ["never seen", None], "size": [0.7, None]}
    )
    np.testing.assert_array_equal(again.predict(new), model.predict(new))
    np.testing.assert_array_equal(again[0].transform(table), model[0].transform(table))
    with pytest.raises(DatasetError, match="'day' is missing"):
        again.predict(new.drop(columns="day"))
