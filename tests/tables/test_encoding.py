"""Encoders of text columns are trained with each model, on its rows alone."""

import numpy as np
import pandas
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline

from tandemvote import CertifiedClassifier
from tandemvote.tables import TableColumns, with_encoder
from tandemvote.tables.encoding import FEW_CATEGORIES, describe_unknown

N_ROWS = 600
KINDS = {"color": "category", "size": "number", "shop": "category"}
LEARNERS = {
    "forest": RandomForestClassifier(20),
    "boosting": HistGradientBoostingClassifier(max_iter=20),
}


def rows_of(seed):
    rng = np.random.default_rng(seed)
    shop, color = rng.integers(20, size=N_ROWS), rng.choice(["red", "blue", None], N_ROWS)
    X = pandas.DataFrame({"color": color, "size": rng.normal(size=N_ROWS)})
    X["shop"] = [f"shop {number}" for number in shop]
    good = np.random.default_rng(0).random(20) < 0.5  # which shops are good has no order
    return TableColumns(KINDS).transform(X), np.where(good[shop] | (color == "red"), "yes", "no")


@pytest.mark.parametrize("name", LEARNERS)
def test_effects_of_few_and_of_many_categories_are_learned(name):
    model = CertifiedClassifier(with_encoder(LEARNERS[name], KINDS), random_state=0)
    model.fit(*rows_of(0))
    X, y = rows_of(1)
    assert (model.predict(X) != y).mean() < 0.1
    assert model.certificate_.baseline > 0.25
    assert model.certificate_.value < 0.3


@pytest.mark.parametrize("name", LEARNERS)
def test_a_tested_model_is_not_told_of_categories_in_the_test_rows(name):
    X, y = rows_of(0)
    X["shop"] = [f"row {i}" if i % 2 else "one" for i in range(N_ROWS)]
    model = CertifiedClassifier(with_encoder(LEARNERS[name], KINDS), random_state=0).fit(X, y)
    everything = {*X["shop"]}
    tested = {*X["shop"].iloc[model.test_indices_]} - {"one"}
    for each, expected in (
        *((tested_model, everything - tested) for tested_model in model.estimators_),
        (model.referee_, everything),
    ):
        encoders = each["encoder"].transformers_
        known = {c for _, e, _ in encoders for cs in getattr(e, "categories_", ()) for c in cs}
        shops = {c for c in known if isinstance(c, str) and c.startswith(("row", "one"))}
        assert shops <= expected and ("one" in shops)


@pytest.mark.parametrize("name", LEARNERS)
def test_more_categories_than_bins_gaps_and_new_categories_are_accepted(name):
    X, y = rows_of(0)
    X["shop"] = [f"shop {i % 400}" for i in range(N_ROWS)]
    model = with_encoder(LEARNERS[name], KINDS).fit(X, y)
    new = X.assign(shop="unheard of", color=pandas.Series([np.nan] * N_ROWS, dtype=object))
    assert {*model.predict(new)} <= {"yes", "no"}


def test_tables_of_numbers_need_no_encoder():
    forest = RandomForestClassifier()
    assert with_encoder(forest, {"size": "number", "day": "date ISO8601"}) is forest


def test_columns_with_few_categories_get_a_feature_for_each():
    X, y = rows_of(0)
    model = with_encoder(RandomForestClassifier(3), KINDS).fit(X, y)
    assert X["shop"].nunique() > FEW_CATEGORIES >= X["color"].nunique()
    assert model["encoder"].transform(X).shape == (N_ROWS, 3 + 1 + 1), "a missing color is one"


@pytest.mark.parametrize("name", LEARNERS)
def test_unknown_categories_are_described_once_per_column(name):
    X, y = rows_of(0)
    classifier = CertifiedClassifier(with_encoder(LEARNERS[name], KINDS), random_state=0)
    model = make_pipeline(TableColumns(KINDS), classifier).fit(X, y)
    assert [*describe_unknown(model, X)] == []
    new = X.assign(color=["violet", "pink"] * (N_ROWS // 2))
    [line] = describe_unknown(model, new)
    assert "Column 'color' holds 'violet', 'pink' in 600 of 600 rows" in line
