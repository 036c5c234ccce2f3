"""The audit is silent on independent rows, reports every case, and gives all findings at once."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array
from sklearn import datasets
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from tandemvote import (
    CertifiedClassifier,
    CertifiedForestClassifier,
    audit,
    certify,
    certify_oob,
    certify_selective,
    compare,
)
from tandemvote.auditing import Finding, FindingsError, check_findings
from tandemvote.auditing.audit import audit_columns
from tandemvote.auditing.finding import CODES

sys.path.insert(0, str(Path(__file__).parent))

from tables import CASES, INDEPENDENT, N_ROWS, is_reported, numbers

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "findings.rst"
LINE = 100


@pytest.mark.parametrize("name", INDEPENDENT)
def test_independent_rows_have_no_errors(name):
    for seed in range(8):
        findings = audit(*INDEPENDENT[name](np.random.default_rng(1000 + seed), N_ROWS))
        assert not findings.errors, findings


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "digits"])
def test_data_sets_of_scikit_learn_have_no_errors_or_warnings(name):
    findings = audit(*getattr(datasets, f"load_{name}")(return_X_y=True))
    assert {each.severity for each in findings} <= {"note"}


@pytest.mark.parametrize("name", CASES)
def test_every_case_is_reported_in_two_lines(name):
    code, draw = CASES[name]
    for seed in range(2):
        findings = audit(*draw(np.random.default_rng(2000 + seed), N_ROWS))
        assert is_reported(findings, code), findings
        assert all(len(str(each)) <= 2.5 * LINE for each in findings)


@pytest.mark.parametrize("name", [name for name in CASES if "index" not in name])
def test_pandas_polars_and_pyarrow_get_the_same_findings(name):
    X, y = CASES[name][1](np.random.default_rng(7), N_ROWS)
    if not isinstance(X, pd.DataFrame):
        X = pd.DataFrame(X).rename(columns=str)
    actual = audit(X, y)
    assert audit(pl.from_pandas(X), y) == actual
    assert audit(pa.Table.from_pandas(X), y) == actual


def test_lazy_frames_must_be_collected():
    lazy, y = pl.LazyFrame({"a": [1, 2]}), [0, 1]
    for way in (
        audit,
        CertifiedClassifier().fit,
        CertifiedForestClassifier().fit,
        lambda X, y: certify(GaussianNB().fit([[1], [2]], y), X, y),
    ):
        with pytest.raises(ValueError, match=r"X is a lazy LazyFrame; .* Pass X\.collect\(\)"):
            way(lazy, y)


@pytest.mark.parametrize(
    "X",
    [
        csr_array(np.eye(40)),
        ["some text"] * 20 + ["another text"] * 20,
        [["a", 1.0], ["b", None]] * 20,
        [[1, 2], [3]] * 20,
        np.zeros((40, 3, 3)),
        np.array([{"a": 1}, None] * 20, object)[:, None],
        pd.DataFrame(
            {"a": pd.array([1, None] * 20, "Int64"), "b": pd.Categorical(["x", "y"] * 20)}
        ),
        pd.DataFrame({"t": pd.to_timedelta(np.arange(40), "s"), "d": [pd.NaT] * 40}),
        pl.DataFrame({"a": [[1, 2], [3]] * 20, "b": [None] * 40}),
        np.zeros((40, 0)),
    ],
    ids=range(10),
)
def test_any_kind_of_samples_can_be_audited(X):
    audit(X, [0, 1] * 20, X_unlabeled=X)


@pytest.mark.parametrize("index", [pd.date_range, pd.period_range], ids=["dates", "periods"])
def test_an_index_of_times_is_reported_in_any_order(index):
    X, y = numbers(np.random.default_rng(0), 200)
    X = X.drop(columns="clock").set_index(index("2020", periods=200, freq="D"))
    assert [each.severity for each in audit(X, y)] == ["warning"]
    shuffled = X.sample(frac=1, random_state=0)
    assert [(each.code, each.severity) for each in audit(shuffled, y)] == [("time_order", "note")]
    levels = X.set_index(np.arange(200), append=True)
    assert [each.columns for each in audit(levels, y)] == [("index",)]
    assert not audit(X.reset_index(drop=True), y)


def test_columns_of_one_name_are_audited():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(50, 2)), columns=["a", "a"])
    assert not audit(X, [0, 1] * 25).errors
    assert audit(X.assign(b=np.arange(50)), [0, 1] * 25).errors


def test_copies_are_counted_exactly():
    rng = np.random.default_rng(0)
    times = 1_600_000_000 + rng.permutation(4000)[:2000]  # equal to 128 others as float32
    assert "copied_rows" not in audit(np.column_stack([times, times % 7])).codes
    large = 2**60 + rng.permutation(500)
    assert "copied_rows" not in audit(large[:, None]).codes
    X, y = rng.normal(size=(100, 3)), rng.integers(2, size=100)
    X[:5], y[:5] = X[5:10], y[5:10]
    (finding,) = audit(X, y)
    assert finding.message == "5 of 100 rows repeat an earlier one, label included."
    assert finding.severity == "warning"
    (finding,) = audit(["a", "b", "a"])
    assert finding.message == "1 of 3 rows repeats an earlier one."
    y[:5] = 1 - y[5:10]
    assert not audit(X, y)


def test_copies_with_new_numbers_are_found_among_unlabeled_samples():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"nr": np.arange(300), "a": rng.normal(size=300)})
    options = X[:60].assign(nr=1000 + rng.permutation(60))
    assert "shared_rows" in audit(X, X_unlabeled=options).codes


def test_rows_shared_with_unlabeled_samples_are_an_error_unless_chance_explains_them():
    rng = np.random.default_rng(0)
    X, options = rng.normal(size=(2, 300, 3))
    assert not audit(X, X_unlabeled=options)
    options[:40] = X[:40]
    (finding,) = audit(X, X_unlabeled=options)
    assert (finding.code, finding.severity) == ("shared_rows", "error")
    assert finding.message.startswith("40 distinct rows of the 300 unlabeled samples are labeled")
    dice, again = rng.integers(3, size=(2, 300, 3))
    assert not audit(dice, X_unlabeled=again).errors


@pytest.mark.parametrize("gap", [None, np.nan])
def test_names_with_gaps_are_identifiers(gap):
    names = [gap, *(f"name {code}" for code in range(59))]
    X = pd.DataFrame({"name": names, "size": np.random.default_rng(0).normal(size=60)})
    assert audit(X).codes == audit(pl.from_pandas(X)).codes == ("identifier",)


def test_groups_and_copies_of_rows_are_distinguished():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.integers(2, size=200)
    assert audit(np.tile(X, (2, 1)), np.tile(y, 2)).codes == ("copied_rows",)
    group = np.repeat(np.arange(100), 3)
    X, y = rng.normal(size=(300, 3)), rng.integers(2, size=100)[group]
    assert audit(X, y).codes == ("row_order",)
    assert audit(X, y, groups=group).codes == ()


def test_copies_are_rows_of_different_groups():
    rng = np.random.default_rng(0)
    X, y = np.tile(rng.normal(size=(200, 3)), (2, 1)), np.tile(rng.integers(2, size=200), 2)
    assert not audit(X, y, groups=np.tile(np.arange(200), 2))
    (finding,) = audit(X, y, groups=np.arange(400)).errors
    assert finding.message == "200 of 400 rows repeat an earlier one, label included."


def test_labels_and_groups_have_one_value_per_sample():
    for given in ({"y": [0, 1]}, {"groups": [0, 1]}):
        with pytest.raises(ValueError, match=r"(y|groups) has shape \(2,\) and X has 3 samples"):
            audit(np.eye(3), **given)


def test_numbers_written_as_text_are_numbers():
    numbers = np.random.default_rng(0).normal(size=(200, 2))
    assert not audit(numbers.astype(str))
    assert "identifier" in audit(np.column_stack([numbers, np.arange(200)]).astype(str)).codes


def test_a_shop_whose_rows_have_labels_of_their_own_is_not_an_error():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        shop = rng.integers(50, size=1000)
        X = pd.DataFrame({"shop_id": shop, "size": rng.normal(size=1000)})
        for rates in (0.5, 0.02, rng.random(50)[shop]):
            assert not audit(X, (rng.random(1000) < rates).astype(int)).errors


def test_a_category_that_determines_the_label_is_not_an_error():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        model = rng.integers(60, size=1000)
        X = pd.DataFrame({"model": [f"m{code}" for code in model], "size": rng.normal(size=1000)})
        y = rng.integers(2, size=60)[model]
        assert {*audit(X, y).codes} == {"grouped_rows", "leak"}
        assert not audit(X, y).errors
        assert audit(X.assign(size=X["size"] + 5 * rng.normal(size=60)[model]), y).errors


def test_drawing_rows_again_shows_in_the_index():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.integers(3, size=(400, 6))).rename(columns=str)
    y = pd.Series((rng.random(400) < 0.3).astype(int))
    rows = [*y.index, *y[y == 1].sample(160, replace=True, random_state=0).index]
    assert audit(X.loc[rows], y.loc[rows]).errors


def test_only_known_codes_override_and_every_finding_stays():
    actual = [
        Finding(code="identifier", severity="error", message="First."),
        Finding(code="leak", severity="warning", message="Second."),
        Finding(code="stray_text", severity="error", message="Third."),
    ]
    with pytest.raises(
        FindingsError, match=r"2 errors:\n(- .*\n){3}.*\['identifier', 'stray_text'\]"
    ):
        check_findings(actual)
    with pytest.raises(FindingsError, match=r"1 error:\n(- .*\n){3}.*\['stray_text'\]"):
        check_findings(actual, ["identifier"])
    checked = check_findings(actual, ["identifier", "stray_text", "copied_rows"])
    assert [each.overridden for each in checked] == [True, True, False]
    with pytest.raises(ValueError, match="Invalid allow='everything'"):
        check_findings(actual, "everything")


@pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not installed")
def test_every_code_is_in_the_table_of_findings():
    text = PAGE.read_text(encoding="utf-8")
    assert [code for code in CODES if f"``{code}``" not in text] == []
    elsewhere = {"shared_rows", "fitted_parameter", "rows_in_parameter"}
    assert {code for code, _ in CASES.values()} | elsewhere == {*CODES}


def test_texts_that_go_into_a_pipeline_are_not_reported():
    rng = np.random.default_rng(0)
    X, y = CASES["free text"][1](rng, 200)
    assert audit(X["note"].tolist(), y).codes == audit(X[["note"]], y).codes == ()
    assert "free_text" in audit(X[["note", "normal"]], y).codes
    encoder = ColumnTransformer([("words", TfidfVectorizer(), "note")], remainder="passthrough")
    model = CertifiedClassifier(make_pipeline(encoder, DecisionTreeClassifier()), random_state=0)
    assert not model.fit(X[["note", "normal"]], y).certificate_.findings


BY_LABELS = {"leak", "grouped_rows", "row_order"}


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name][0] in BY_LABELS])
def test_checks_that_use_labels_see_training_rows_only(name):
    rng = np.random.default_rng(3)
    X, y = CASES[name][1](rng, N_ROWS)
    training = np.sort(rng.permutation(N_ROWS)[: N_ROWS * 4 // 5])
    test = np.setdiff1d(np.arange(N_ROWS), training)

    def found(labels, rows):
        audited = audit_columns(X, labels, training=rows)
        return [str(each) for each in audited if each.code in BY_LABELS]

    shuffled = y.copy()
    shuffled[test] = rng.permutation(y[test])
    assert found(y, training) == found(shuffled, training) != []
    assert found(y, None) != found(shuffled, None)


def test_the_committee_shows_the_audit_no_row_of_its_test_set(monkeypatch):
    seen = {}

    def spy(X, y, **options):
        seen.update(options)
        return audit_columns(X, y, **options)

    monkeypatch.setattr("tandemvote.models.committee.audit_columns", spy)
    X, y = numbers(np.random.default_rng(0), 200)
    X = X[["normal", "score"]]
    for options in ({}, {"order": np.arange(200)}, {"groups": np.arange(200) // 2}):
        model = CertifiedClassifier(GaussianNB(), random_state=0, allow=("copied_rows",))
        tested = model.fit(X, y, **options).test_indices_
        assert not np.intersect1d(seen["training"], tested).size
        assert seen["training"].size >= 140


def ways_in():
    forest = RandomForestClassifier(5, random_state=0)
    both = forest, GaussianNB()

    def fitted(X, y):
        return [model.fit(X[:300], y[:300]) for model in both]

    return {
        "CertifiedClassifier": lambda X, y, **kw: (
            CertifiedClassifier(forest, **kw).fit(X, y).certificate_
        ),
        "CertifiedForestClassifier": lambda X, y, **kw: (
            CertifiedForestClassifier(5, **kw).fit(X, y).certificate_
        ),
        "certify": lambda X, y, **kw: certify(fitted(X, y), X[300:], y[300:], **kw),
        "certify_oob": lambda X, y, **kw: certify_oob(forest.fit(X, y), X, y, **kw),
        "certify_selective": lambda X, y, **kw: certify_selective(
            fitted(X, y)[0], X[300:], y[300:], max_error=0.9, **kw),
        "compare": lambda X, y, **kw: compare(*fitted(X, y), X[300:], y[300:], **kw),
    }  # fmt: skip


@pytest.mark.parametrize("name", ways_in())
def test_every_way_in_raises_all_errors_at_once_and_records_overrides(name):
    rng = np.random.default_rng(0)
    X, y = numbers(rng, 600)
    X = X[["normal", "score"]].assign(nr=rng.permutation(600), patient=rng.permutation(600) // 5)
    X["normal"] += 10 * rng.normal(size=120)[X["patient"]]
    y = rng.integers(2, size=120)[X["patient"]]
    with pytest.raises(FindingsError, match=r"2 errors:(.|\n)*'nr'(.|\n)*'patient'"):
        ways_in()[name](X, y)
    made = ways_in()[name](X, y, allow=("identifier", "grouped_rows"))
    overridden = {each.code: each.columns for each in made.findings if each.overridden}
    assert overridden == {"identifier": ("nr",), "grouped_rows": ("patient",)}


def test_declared_categories_may_hold_numbers_and_text():
    texts = [*map(str, range(60)), "3+"] * 2
    X = pd.DataFrame({"grade": texts, "size": np.random.default_rng(0).normal(size=122)})
    y = np.random.default_rng(1).integers(2, size=122)
    assert "stray_text" in audit(X, y).codes
    assert "stray_text" not in audit(X.astype({"grade": "category"}), y).codes


def test_labels_in_several_spellings_are_named():
    rng = np.random.default_rng(0)
    (finding,) = audit(rng.normal(size=(80, 2)), rng.permutation(["No", "Yes", " no", "a"] * 20))
    assert finding.message == "Labels that differ only in case or spaces: ' no', 'No'."
