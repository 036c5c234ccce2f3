"""Certified classifiers are loaded as they were saved; forged files are rejected."""

import io
import json
import pickle
import zipfile
from copy import deepcopy
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import BaggingClassifier, GradientBoostingClassifier, RandomForestClassifier
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC, NuSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.tree._tree import Tree

from tandemvote import CertifiedClassifier, CertifiedForestClassifier
from tandemvote.cli.app import as_one_line
from tandemvote.model_files.model_file import (
    ModelFileError,
    _written,
    check_trees,
    load_model,
    save_model,
)
from tandemvote.tables import TableColumns, with_encoder

skops = pytest.importorskip("skops.io")

X, codes = make_classification(300, n_features=6, n_informative=4, n_classes=3, random_state=0)
y = np.array(["ant", "bee", "cat"])[codes]


@cache
def fitted_forest():
    return CertifiedForestClassifier(8, random_state=0, max_samples=0.5).fit(X, y)


def forest():
    """Return a fitted forest that a test may change."""
    return deepcopy(fitted_forest())


def committee(base, **options):
    return CertifiedClassifier(base, random_state=0, **options).fit(X, y)


VOTES = {
    "forest": lambda: CertifiedForestClassifier(
        8, weights="tandem", bound="best", random_state=0, max_samples=0.5
    ).fit(X, y),
    "forest with unlabeled samples": lambda: CertifiedForestClassifier(
        8, weights="tandem", random_state=0
    ).fit(X, y, X_unlabeled=X + 0.01),
    "shallow forest": lambda: CertifiedForestClassifier(
        8, max_leaf_nodes=5, class_weight="balanced_subsample", random_state=0, max_samples=0.5
    ).fit(X, y),
    "committee": lambda: committee(RandomForestClassifier(5)),
    "committee of neighbors": lambda: committee(KNeighborsClassifier(algorithm="brute")),
    "committee of pipelines": lambda: committee(
        make_pipeline(StandardScaler(), LogisticRegression())
    ),
    "committee of linear models": lambda: committee(SGDClassifier()),
    "committee of bags": lambda: committee(BaggingClassifier(n_estimators=3, max_features=0.5)),
    "committee with another referee": lambda: committee(GaussianNB(), referee=LogisticRegression()),
    "hold-out": lambda: committee(RandomForestClassifier(5), n_tested=1, referee=False),
    "average of three": lambda: committee(RandomForestClassifier(5), n_tested=3, referee=False),
}

SLOW = {"forest with unlabeled samples", "shallow forest", "committee", "committee of bags"}
SLOW |= {"committee of neighbors", "average of three"}


def assert_same_vote(found, expected):
    assert type(found) is type(expected)
    np.testing.assert_array_equal(found.predict(X), expected.predict(X))
    if hasattr(expected, "predict_proba"):
        np.testing.assert_array_equal(found.predict_proba(X), expected.predict_proba(X))
    assert repr(found.certificate_) == repr(expected.certificate_)
    assert found.certificate_.bounds == expected.certificate_.bounds
    assert found.certificate_.votes is None
    assert found.certificate_.versions == expected.certificate_.versions
    for name in ("errors", "overlaps", "tandem_errors", "disagreements", "lone_errors"):
        counts, same = found.certificate_.counts, expected.certificate_.counts
        np.testing.assert_array_equal(getattr(counts, name), getattr(same, name))


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in VOTES]
)
def test_a_vote_comes_back_as_it_was(name, tmp_path):
    vote = VOTES[name]()
    for ending in (".skops", ".joblib"):
        path = save_model(vote, tmp_path / f"vote{ending}")
        assert_same_vote(load_model(path, trusted=ending == ".joblib"), vote)


def test_a_vote_fitted_on_a_frame_keeps_its_column_names(tmp_path):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=list("abcdef"))
    vote = CertifiedForestClassifier(5, random_state=np.random.RandomState(1)).fit(
        table, y == "ant"
    )
    loaded = load_model(save_model(vote, tmp_path / "vote.skops"))
    np.testing.assert_array_equal(loaded.predict(table), vote.predict(table))
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(table[list("fedcba")])


def test_a_joblib_file_is_opened_only_by_those_who_trust_its_maker(tmp_path):
    path = save_model(forest(), tmp_path / "vote.joblib")
    with pytest.raises(ModelFileError, match=r"can run their code.*trusted=True"):
        load_model(path)


@pytest.mark.parametrize(
    ("base", "reason"),
    [
        (make_pipeline(FunctionTransformer(lambda table: table), GaussianNB()), "<lambda>"),
        (KNeighborsClassifier(algorithm="kd_tree"), "EuclideanDistance"),
        (GradientBoostingClassifier(n_estimators=2), "GradientBoosting|Loss"),
        (SVC(), "SVC"),
        (make_pipeline(StandardScaler(), NuSVC(nu=0.1)), "NuSVC"),
    ],
)
def test_what_skops_cannot_keep_safely_is_not_written(base, reason, tmp_path):
    path = tmp_path / "vote.skops"
    with pytest.raises(ModelFileError, match=reason) as caught:
        save_model(committee(base), path)
    assert ".joblib" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not path.exists()


def test_types_that_both_sides_trust_are_kept(tmp_path):
    vote = committee(KNeighborsClassifier(algorithm="kd_tree"))
    types = skops.get_untrusted_types(data=_written(vote, ".skops"))
    assert any("EuclideanDistance" in name for name in types)
    path = save_model(vote, tmp_path / "vote.skops", trusted=types)
    np.testing.assert_array_equal(load_model(path, trusted=types).predict(X), vote.predict(X))
    for trusted in (False, True, types[:1]):
        with pytest.raises(ModelFileError, match="which is not trusted"):
            load_model(path, trusted=trusted)
    joblib_path = save_model(vote, tmp_path / "vote.joblib")
    with pytest.raises(ModelFileError, match="trusted=True"):
        load_model(joblib_path, trusted=types)


@pytest.mark.parametrize(
    "vote", [CertifiedClassifier(GaussianNB()), CertifiedForestClassifier(5, max_samples=0.5)]
)
def test_models_fitted_on_a_frame_are_kept_by_skops_and_pickle_without_its_index(vote):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=list("abcdef"), index=[f"patient {i}" for i in range(300)])
    vote = clone(vote).set_params(random_state=0).fit(table, y)
    data = skops.dumps(vote)
    loaded = skops.loads(data, trusted=skops.get_untrusted_types(data=data))
    assert loaded.certificate_.value == vote.certificate_.value
    np.testing.assert_array_equal(loaded.predict(table), vote.predict(table))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = [archive.read(part) for part in archive.namelist()]
    for stored in (pickle.dumps(vote), *parts):
        assert b"patient 299" not in stored


def test_what_joblib_cannot_keep_is_not_written(tmp_path):
    vote = committee(make_pipeline(FunctionTransformer(lambda table: table), GaussianNB()))
    with pytest.raises(ModelFileError, match="defined in modules"):
        save_model(vote, tmp_path / "vote.joblib")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("path", ["vote.pickle", "vote", "vote.SKOPS.zip"])
def test_endings_without_a_format_are_rejected(path):
    with pytest.raises(ModelFileError, match=r"\.skops.*\.joblib"):
        save_model(forest(), path)
    with pytest.raises(ModelFileError, match=r"\.skops.*\.joblib"):
        load_model(path)


def test_only_fitted_certified_votes_are_kept(tmp_path):
    for other in (RandomForestClassifier(), CertifiedForestClassifier(), CertifiedClassifier()):
        with pytest.raises(ModelFileError, match="Pass a fitted CertifiedClassifier"):
            save_model(other, tmp_path / "vote.skops")


@pytest.mark.parametrize("ending", [".skops", ".joblib"])
def test_a_pipeline_for_a_table_is_loaded_as_it_was(ending, tmp_path):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=list("abcdef")).assign(color=["red", "blue", None] * 100)
    table["shop"] = [f"s{i % 40}" for i in range(300)]
    kinds = dict.fromkeys("abcdef", "number") | {"color": "category", "shop": "category"}
    base = with_encoder(RandomForestClassifier(5), kinds)
    pipeline = make_pipeline(TableColumns(kinds), CertifiedClassifier(base, random_state=0))
    pipeline.fit(table, y)
    path = save_model(pipeline, tmp_path / f"vote{ending}")
    found = load_model(path, trusted=ending == ".joblib")
    new = table[table.columns[::-1]].assign(color="violet", more=1)
    np.testing.assert_array_equal(found.predict(new), pipeline.predict(new))
    assert repr(found[-1].certificate_) == repr(pipeline[-1].certificate_)
    tested = pipeline[-1].estimators_[0]
    tested["encoder"].named_transformers_["one_hot"].categories_[0][0] = "red"
    with pytest.raises(ModelFileError, match="tested models are not those"):
        save_model(pipeline, path)


def test_without_skops_the_extra_is_named(tmp_path, monkeypatch):
    path = save_model(forest(), tmp_path / "vote.skops")
    monkeypatch.setitem(__import__("sys").modules, "skops.io", None)
    for use in (load_model, lambda path: save_model(forest(), path)):
        with pytest.raises(ImportError, match=r"tandemvote\[skops\]") as caught:
            use(path)
        assert as_one_line(caught.value)


# What strangers may send. Each is written with skops itself, as an attacker would.


class Stranger:
    """A type of no library; constructing it would run its code."""

    def __setstate__(self, state):
        raise AssertionError("code of the file was run")

    def __getstate__(self):
        return {"payload": "rm -rf"}


def rejection(path):
    with pytest.raises(ModelFileError) as caught:
        load_model(path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600
    return str(caught.value)


def filed(vote, tmp_path):
    path = tmp_path / "vote.skops"
    path.write_bytes(
        _written(vote, ".skops") if hasattr(vote, "_certificate") else skops.dumps(vote)
    )
    return path


def test_a_type_of_the_maker_is_rejected_before_it_is_constructed(tmp_path):
    vote = forest()
    vote.notes_ = Stranger()
    assert "Stranger, which is not trusted" in rejection(filed(vote, tmp_path))


@pytest.mark.parametrize("target", ["os.system", "builtins.eval", "subprocess.Popen"])
def test_a_function_that_could_do_harm_is_rejected(target, tmp_path):
    vote = forest()
    vote.notes_ = np.mean  # a function in the file, renamed below
    path = filed(vote, tmp_path)
    module, name = target.split(".")

    def rename(state):
        if isinstance(state, dict):
            if state.get("__loader__") == "FunctionNode":
                state.update(__module__=module, __class__=name)
                state["content"] = {"module_path": module, "function": name}
            for part in state.values():
                rename(part)
        elif isinstance(state, list):
            for part in state:
                rename(part)

    with zipfile.ZipFile(path) as archive:
        parts = {part: archive.read(part) for part in archive.namelist()}
    schema = json.loads(parts["schema.json"])
    rename(schema)
    assert target.split(".")[1] in json.dumps(schema)
    parts["schema.json"] = json.dumps(schema).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for part, data in parts.items():
            archive.writestr(part, data)
    assert f"{target}, which is not trusted" in rejection(path)


def test_anything_but_a_certified_vote_is_rejected(tmp_path):
    assert "cannot be loaded" in rejection(filed({"a": 1}, tmp_path))
    certificate = json.dumps(forest().certificate_.to_dict())
    parts = {"model": GaussianNB(), "certificate": certificate}
    assert "a GaussianNB, not a certified classifier" in rejection(filed(parts, tmp_path))


def test_a_file_that_swells_is_rejected(tmp_path):
    path = tmp_path / "vote.skops"
    with zipfile.ZipFile(filed(forest(), tmp_path)) as archive:
        parts = {part: archive.read(part) for part in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, data in parts.items():
            archive.writestr(part, data)
    assert "compressed" in rejection(path)


@pytest.mark.parametrize("cut", [0, 10, 1000, -1000, -10])
def test_a_damaged_file_is_rejected_in_one_line(cut, tmp_path):
    path = filed(forest(), tmp_path)
    path.write_bytes(path.read_bytes()[:cut])
    assert "cannot be loaded" in rejection(path)


def test_a_file_with_a_few_bytes_changed_is_rejected_or_whole(tmp_path):
    vote = forest()
    path = filed(vote, tmp_path)
    honest = path.read_bytes()
    rng = np.random.default_rng(0)
    for place in rng.integers(len(honest), size=40):
        changed = bytearray(honest)
        changed[place] ^= 1 << rng.integers(8)
        path.write_bytes(bytes(changed))
        try:
            loaded = load_model(path)
        except ModelFileError as error:
            assert "\n" not in str(error)
        else:
            loaded.predict(X)


def with_first_tree(change):
    """Return a forest whose first tree has another state."""
    vote = forest()
    owner = vote.estimators_[0]
    state = owner.tree_.__getstate__()
    state = {**state, "nodes": state["nodes"].copy()}
    change(state)
    tree = Tree(owner.n_features_in_, owner.tree_.n_classes, owner.tree_.n_outputs)
    tree.__setstate__(state)
    owner.tree_ = tree
    return vote


def set_node(field, value):
    def change(state):
        state["nodes"][field][0] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        set_node("left_child", 10**6),
        set_node("right_child", -7),
        set_node("left_child", 0),
        set_node("feature", 6),
        set_node("feature", -1),
        lambda state: state.update(node_count=0),
        lambda state: state.update(max_depth=1),
    ],
)
def test_trees_that_lead_out_of_memory_are_rejected(change, tmp_path):
    assert "invalid branches" in rejection(filed(with_first_tree(change), tmp_path))


def test_trees_compare_the_width_of_samples_with_their_own(tmp_path):
    vote = forest()
    vote.n_features_in_ = vote.forest_.n_features_in_ = 3
    vote._certificate = replace(vote._certificate, members=vote._members_digest())
    loaded = load_model(filed(vote, tmp_path))
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 6 features"):
        loaded.predict(X[:, :3])


def of_unknown_width(vote):
    del vote.estimators_[0].n_features_in_


def of_lying_width(vote):
    vote.estimators_[0].n_features_in_ = 3


def with_a_hidden_tree(vote):
    vote.notes_ = {"deep": [np.array([vote.estimators_[0].tree_, None], dtype=object)]}
    vote.estimators_[0].tree_ = vote.estimators_[1].tree_


def with_a_tree_behind_a_mask(vote):
    hidden = np.array([vote.estimators_[0].tree_, None], dtype=object)
    vote.notes_ = np.ma.masked_array(hidden, mask=[True, False])
    vote.estimators_[0].tree_ = vote.estimators_[1].tree_


def with_another_method(vote):
    vote.estimators_[0]._validate_X_predict = np.add


def with_gradient_boosting(vote):
    vote.notes_ = GradientBoostingClassifier(n_estimators=2).fit(X, y)


def without_a_forest(vote):
    vote.forest_ = BaggingClassifier(DecisionTreeClassifier(), 8).fit(X, y)


def with_fewer_trees(vote):
    vote.forest_.estimators_ = vote.forest_.estimators_[:3]


@pytest.mark.parametrize(
    "change",
    [
        of_unknown_width,
        of_lying_width,
        with_a_hidden_tree,
        with_a_tree_behind_a_mask,
        with_another_method,
        with_gradient_boosting,
        without_a_forest,
        with_fewer_trees,
    ],
)
def test_ways_around_the_check_of_the_table_are_rejected(change, tmp_path):
    vote = forest()
    change(vote)
    assert "cannot be loaded" in rejection(filed(vote, tmp_path))


def test_a_tree_in_an_attribute_that_pickles_leave_out_is_found():
    part = IsotonicRegression()
    part.f_ = forest().estimators_[0].tree_
    assert "f_" not in part.__getstate__()
    with pytest.raises(ModelFileError, match="invalid branches"):
        check_trees([part])


def with_another_value(vote):
    names = vote.certificate_.candidates
    return replace(vote.certificate_, candidates=dict.fromkeys(names, 0.01))


def with_another_delta(vote):
    return replace(vote.certificate_, delta=1e-9)


def without_an_assumption(vote):
    return replace(vote.certificate_, assumptions=vote.certificate_.assumptions[1:])


@pytest.mark.parametrize("change", [with_another_value, with_another_delta, without_an_assumption])
def test_a_certificate_that_does_not_follow_from_its_counts_is_rejected(change, tmp_path):
    vote = forest()
    vote._certificate = change(vote)
    assert "not a valid certificate" in rejection(filed(vote, tmp_path))


def test_a_certificate_with_a_changed_digest_is_rejected(tmp_path):
    parts = {"model": forest()}
    document = parts["model"].certificate_.to_dict()
    del parts["model"]._certificate
    parts["certificate"] = json.dumps({**document, "digest": "sha256:0"})
    assert "not a valid certificate" in rejection(filed(parts, tmp_path))


@pytest.mark.parametrize("name", ["weights_", "estimators_features_", "notes"])
def test_attributes_that_fit_does_not_set_are_rejected(name, tmp_path):
    vote = forest()
    vars(vote)[name] = np.eye(8)[0]
    assert f"the attribute '{name}', which fit does not set" in rejection(filed(vote, tmp_path))


def test_a_forest_whose_trees_would_be_read_otherwise_is_rejected(tmp_path):
    vote = forest()
    vote.forest_.estimators_features_ = [np.arange(6)[::-1]] * 8
    assert "its tested models are not those" in rejection(filed(vote, tmp_path))
    assert np.array_equal(vote.predict(X), forest().predict(X))


def without_a_referee(model):
    model.referee_ = None


def with_a_referee_that_counts_as_tested(model):
    model._certificate = (
        CertifiedClassifier(GaussianNB(), n_tested=5, referee=False, random_state=0)
        .fit(X, y)
        .certificate_
    )


def with_more_models(model):
    model.estimators_ = [*model.estimators_, model.referee_]


def of_a_forest(model):
    model._certificate = forest().certificate_


@pytest.mark.parametrize(
    "change",
    [without_a_referee, with_a_referee_that_counts_as_tested, with_more_models, of_a_forest],
)
def test_a_committee_cannot_show_the_certificate_of_another_vote(change, tmp_path):
    model = committee(GaussianNB())
    change(model)
    assert "its tested models are not those" in rejection(filed(model, tmp_path))


def test_the_referee_of_a_loaded_committee_may_be_refitted(tmp_path):
    model = load_model(save_model(committee(GaussianNB()), tmp_path / "vote.skops"))
    value = model.certificate_.value
    model.refit_referee(X[:100], y[:100])
    assert load_model(save_model(model, tmp_path / "again.skops")).certificate_.value == value


def test_an_empty_archive_is_rejected(tmp_path):
    path = tmp_path / "vote.skops"
    data = io.BytesIO()
    zipfile.ZipFile(data, "w").close()
    path.write_bytes(data.getvalue())
    rejection(path)
