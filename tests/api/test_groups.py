"""Guarantees by group, for votes and models of every kind."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta
from sklearn.datasets import make_classification
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB

from tandemvote import (
    Certificate,
    CertifiedForestClassifier,
    VoteCounts,
    Votes,
    certify_by_group,
    hold_out_votes,
)
from tandemvote.api.groups import certify_groups
from tandemvote.bounds import RequirementError, VacuousBoundWarning
from tandemvote.ensembles import AuditError, out_of_bag_votes
from tandemvote.votes import Deployed

NAMES = np.array(["calm", "mild", "wild"])


def random_votes(*, n_classes=3, n_samples=900, n_voters=7, held_out=0.6, seed=0, **more):
    rng = np.random.default_rng(seed)
    labels = rng.choice(n_classes, p={2: [0.6, 0.4], 3: [0.6, 0.3, 0.1]}[n_classes], size=n_samples)
    wrong = rng.random((n_voters, n_samples)) < 0.05 + 0.1 * labels
    shift = rng.integers(1, n_classes, size=wrong.shape)
    predictions = np.where(wrong, (labels + shift) % n_classes, labels)
    mask = rng.random(wrong.shape) < held_out
    return Votes.from_predictions(NAMES[predictions], NAMES[labels], mask, **more)


def points_of(votes, own):
    """Votes on some of the points, cut out by hand."""
    return VoteCounts.from_votes(
        Votes(
            votes.predictions[:, own],
            votes.labels[own],
            votes.held_out[:, own],
            votes.classes,
            votes.unlabelled[:, :0],
        )
    )


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(
        600, 6, n_informative=4, n_classes=3, n_clusters_per_class=1, weights=[0.5, 0.4, 0.1],
        flip_y=0.05, random_state=2,
    )  # fmt: skip
    return X, NAMES[y]


@pytest.mark.parametrize("bound", ["first_order", "tandem", "c_tandem", ["first_order", "tandem"]])
@pytest.mark.parametrize("kind", ["class", "column"])
def test_a_group_is_certified_by_its_own_points_at_its_share_of_delta(bound, kind):
    votes = random_votes()
    weights = np.array([1, 2, 3, 4, 2, 2, 2]) / 16
    column = np.random.default_rng(5).choice(NAMES, size=votes.n_samples)
    values, groups = {
        "class": (votes.classes[votes.labels], "class"),
        "column": (column, pd.Series(column, name="weather")),
    }[kind]
    found = certify_by_group(votes, groups=groups, weights=weights, bound=bound, delta=0.06)
    assert [each.label for each in found] == NAMES.tolist()
    assert found.by == ({"class": "true class", "column": "weather"}[kind],)
    for each in found:
        points = values == each.label
        own = Certificate.from_counts(
            points_of(votes, points), weights=weights, bound=bound, delta=0.06 / 3
        )
        assert each.value == own.value == found.values[each.label]
        assert (each.bound, each.delta) == (own.bound, 0.06 / 3)
        assert each.n_points == points.sum()


@pytest.mark.parametrize("bound", ["disagreement", "c1", "c2", "best"])
def test_bounds_for_two_classes_hold_on_points_of_one(bound):
    votes = random_votes(n_classes=2)
    for each in certify_by_group(votes, groups="class", bound=bound, delta=0.1):
        own = points_of(votes, votes.classes[votes.labels] == each.label)
        assert each.value == Certificate.from_counts(own, bound=bound, delta=0.05).value


def test_bounds_for_two_classes_stay_refused_if_there_are_three():
    with pytest.raises(RequirementError, match="two classes only"):
        certify_by_group(random_votes(), groups="class", bound="disagreement")


def test_unlabelled_points_say_nothing_about_one_group():
    plain = random_votes(n_classes=2)
    more = random_votes(n_classes=2, unlabelled=NAMES[np.zeros((7, 500), int)])
    asked = {"groups": "class", "bound": "disagreement"}
    assert certify_by_group(more, **asked).values == certify_by_group(plain, **asked).values


def test_weights_may_minimise_a_bound_over_all_points():
    votes = random_votes()
    asked = {"bound": "tandem", "sharpening": "paper"}
    found = certify_by_group(votes, groups="class", weights="tandem", **asked)
    counts = VoteCounts.from_votes(votes)
    best = Certificate.from_counts(counts, weights=found.weights, **asked)
    assert best.value < Certificate.from_counts(counts, **asked).value
    again = certify_by_group(votes, groups="class", weights=found.weights, **asked)
    assert found.values == again.values


def binomial_limit(k, n, delta):
    """The upper limit of Clopper and Pearson by scipy."""
    return beta.ppf(1 - delta, k + 1, n - k)


def test_points_that_no_voter_saw_give_exact_limits_of_every_error(data):
    X, y = data
    forest = RandomForestClassifier(15, max_depth=3, random_state=0).fit(X[:300], y[:300])
    side = np.where(X[300:, 0] > 0, "right", "left")
    found = certify_by_group(
        hold_out_votes(forest, X[300:], y[300:]),
        groups={"true": "class", "said": "predicted", "side": side},
        delta=0.08,
    )
    codes = np.array([tree.predict(X[300:]) for tree in forest.estimators_]).astype(int)
    vote = NAMES[[np.bincount(column, minlength=3).argmax() for column in codes.T]]
    columns = {"true class": y[300:], "predicted class": vote, "side": side}
    assert len(found) == 8
    for each in found:
        own = columns[each.by] == each.label
        errors, n = int((vote != y[300:])[own].sum()), int(own.sum())
        assert each.value == pytest.approx(binomial_limit(errors, n, 0.01))
        assert (each.n_points, each.bound) == (n, "test_set")
        assert each.observed == pytest.approx(errors / n)
    assert "precision >= " in found["predicted class", "calm"].sentence
    assert "recall >= " in found["true class", "calm"].sentence
    assert found["left"].measure == ""


def test_a_test_set_of_its_own_is_grouped_by_its_own_points_or_left_out(data):
    X, y = data
    model = CertifiedForestClassifier(15, max_samples=0.5, random_state=0).fit(X[:400], y[:400])
    test_votes = hold_out_votes(model, X[400:], y[400:])

    def tested_by(bound):
        request = replace(model.certification_.request, bound=bound)
        return replace(model.certification_, request=request, test_votes=test_votes)

    found = certify_groups(tested_by("test_set"), "class")
    for each in found:
        own = y[400:] == each.label
        errors = int((model.predict(X[400:]) != y[400:])[own].sum())
        assert each.value == pytest.approx(binomial_limit(errors, own.sum(), 0.05 / 3))
        assert each.n_points == own.sum()
    alone = certify_by_group(model, groups="class", bound="tandem")
    assert certify_groups(tested_by(["tandem", "test_set"]), "class").values == alone.values


def test_groups_say_nothing_about_a_classifier_that_is_deployed_instead():
    said = NAMES[np.zeros((7, 50), int)]
    votes = random_votes(unlabelled=said)
    deployed = Deployed("the refitted model", np.zeros(50, int))
    with pytest.raises(ValueError, match="not about the refitted model"):
        certify_by_group(replace(votes, deployed=deployed), groups="class")


@pytest.mark.parametrize("asked", [{}, {"weights": "tandem"}, {"bound": "tandem"}])
def test_precision_requires_a_test_of_the_vote_itself(asked):
    votes = random_votes(held_out=2 if asked else 0.6)
    with pytest.raises(ValueError, match="Pass hold_out_votes"):
        certify_by_group(votes, groups=["class", "predicted"], **asked)


def test_missing_values_are_a_group_and_categories_keep_their_order():
    votes = random_votes(n_samples=900)
    size = pd.Series(
        pd.Categorical.from_codes(np.arange(900) % 4 - 1, ["small", "medium", "large", "unused"])
    )
    found = certify_by_group(votes, groups=size, bound="first_order")
    assert [each.label for each in found] == ["small", "medium", "large", None]
    assert [each.n_points for each in found] == [225] * 4
    assert found[None].name == "missing"
    plain = np.array(["b", None, "a", float("nan")], object)[np.arange(900) % 4]
    assert [each.label for each in certify_by_group(votes, groups=plain)] == ["a", "b", None]
    numbers = pd.Series([3, None, 10], dtype="Int64")[np.arange(900) % 3].to_numpy()
    listed = certify_by_group(votes, groups={"count": numbers.tolist()}, bound="first_order")
    assert [each.label for each in listed] == [10, 3, None]
    assert "missing" in repr(listed)


def test_columns_of_a_frame_group_points_for_every_kind_of_model(data):
    X, y = data
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(site=np.arange(600) % 2)
    trees = CertifiedForestClassifier(10, random_state=0).fit(frame, y)
    forest = RandomForestClassifier(20, random_state=0).fit(frame, y)
    held = [GaussianNB().fit(frame[:300], y[:300])]
    found = [
        certify_by_group(trees, frame, groups=["site", "class"]),
        certify_by_group(forest, frame, y, groups=["site", "class"]),
        certify_by_group(held, frame[300:], y[300:], groups=["site", "class"]),
    ]
    for each, n in zip(found, (300, 300, 150), strict=True):
        assert each.by == ("site", "true class")
        assert each["site", 1].n_points == n
        assert len(each.values) == 5
    assert found[0].guarantees[0].bound == "coalition"
    assert found[2].guarantees[0].bound == "test_set"
    alone = certify_by_group(trees, groups=frame["site"]).values
    assert alone == certify_by_group(trees, frame, groups="site").values


def test_polars_frames_and_columns_group_as_those_of_pandas_do():
    polars = pytest.importorskip("polars")
    votes = random_votes(n_samples=900)
    columns = {"site": (["n", "s", None] * 300), "size": [1, 2] * 450}
    expected = certify_by_group(votes, groups=pd.DataFrame(columns), bound="first_order").values
    frame = polars.DataFrame(columns)
    assert certify_by_group(votes, groups=frame, bound="first_order").values == expected
    for kind in (polars.String, polars.Categorical, polars.Enum(["s", "n"])):
        found = certify_by_group(votes, groups=frame["site"].cast(kind), bound="first_order")
        assert [(each.by, each.label) for each in found] == [("site", g) for g in ("n", "s", None)]
        assert [each.n_points for each in found] == [300] * 3
    with pytest.raises(ValueError, match="groups is a LazyFrame, not read yet"):
        certify_by_group(votes, groups=frame.lazy())


def test_groups_that_cannot_be_are_refused_with_the_way_out(data):
    X, y = data
    votes, frame = random_votes(), pd.DataFrame(X, columns=["class", *"bcdef"])
    model = [GaussianNB().fit(frame[:300], y[:300])]
    rest = frame[300:], y[300:]
    refused = [
        (lambda: certify_by_group(votes, groups="region"), "X has no named columns"),
        (lambda: certify_by_group(model, *rest, groups="region"), "X has class, b, c"),
        (lambda: certify_by_group(model, *rest, groups="class"), "Say 'true class'"),
        (lambda: certify_by_group(model, *rest, groups="b"), "300 different values"),
        (lambda: certify_by_group(votes, groups=[1, 2, 3]), r"\(3,\) for 900 labelled points"),
        (lambda: certify_by_group(votes, groups={}), "groups is empty"),
        (lambda: certify_by_group(votes, groups={"true class": votes.labels}), "another one"),
    ]
    for call, message in refused:
        with pytest.raises(ValueError, match=message):
            call()
    named = certify_by_group(model, *rest, groups=["true class"])
    assert named.by == ("true class",)


def test_a_group_with_too_few_points_says_how_many_would_do_without_a_warning():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2, 3], [2000, 1, 2, 4])
    flips = rng.random((3, labels.size)) < 0.05
    flips[:, labels == 3] = False
    held_out = np.ones(flips.shape, bool)
    held_out[0, labels == 1] = False
    held_out[:2, labels == 2] = np.eye(2, dtype=bool)
    votes = Votes.from_predictions(np.where(flips, 4, labels), labels, held_out)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = certify_by_group(votes, groups="class", bound="tandem")
    assert found[0].value < 0.2
    assert found[0].remark == ""
    assert all(found[label].value == 1.0 for label in (1, 2, 3, 4))
    assert found[1].remark.startswith("too few points: not every voter")
    assert found[2].remark.startswith("too few points: not every voter")
    assert found[4].remark == "no point"
    needed = int(found[3].remark.split("about ")[1].split()[0])
    for times, enough in ((needed // 4, True), (needed // 4 - 1, False)):
        more = np.concatenate([np.arange(2003), np.repeat(np.arange(2003, 2007), times)])
        again = Votes.from_predictions(
            np.where(flips, 4, labels)[:, more], labels[more], held_out[:, more]
        )
        assert (certify_by_group(again, groups="class", bound="tandem")[3].value < 1) == enough
    with pytest.warns(VacuousBoundWarning):
        Certificate.from_counts(points_of(votes, labels == 1), bound="tandem")


def test_hopeless_errors_are_not_blamed_on_few_points():
    labels = np.arange(400) % 2
    said = np.where(labels == 0, 0, np.arange(400) % 4 == 1)
    found = certify_by_group(Votes.from_predictions([1 - said], 1 - labels), groups="class")
    assert found[1].remark == ""
    always = certify_by_group(Votes.from_predictions([labels * 0], labels), groups="class")
    assert always[1].remark.startswith("too many errors")


def test_a_class_that_no_voter_knows_is_always_missed(data):
    X, y = data
    models = [GaussianNB().fit(X[:200], y[:200])]
    y_new = np.where(np.arange(400) < 20, "new", y[200:])
    found = certify_by_group(models, X[200:], y_new, groups=["class", "predicted"])
    assert len(found) == 8
    assert found["true class", "new"].value == 1.0
    assert found["predicted class", "new"].remark == "no point"


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(20, random_state=0),
        ExtraTreesClassifier(20, bootstrap=True, random_state=0),
        BaggingClassifier(n_estimators=20, random_state=0),
    ],
)
def test_fitted_ensembles_are_judged_out_of_bag(model, data):
    X, y = data
    found = certify_by_group(model.fit(X, y), X, y, groups="class", bound="first_order")
    votes = out_of_bag_votes(model, X, y)
    assert found.values == certify_by_group(votes, groups="class", bound="first_order").values
    assert found.values["calm"] < 1
    assert "leaves of all 20 trees" in " ".join(found.notes)
    assert "another label on" in " ".join(found.notes)
    with pytest.raises(AuditError):
        certify_by_group(model, X[::-1], y[::-1], groups="class")


def test_certified_forests_have_kept_their_votes_and_weights(data):
    X, y = data
    model = CertifiedForestClassifier(
        12, max_samples=0.5, weights="first_order", bound="first_order", random_state=0
    ).fit(X[200:], y[200:])
    asked = {"groups": "class", "bound": "first_order", "delta": 0.06}
    found = certify_by_group(model, X[200:], y[200:], **asked)
    assert np.array_equal(found.weights, model.weights_)
    means = {each.label: each.bounds["first_order"].terms["gibbs_loss"] for each in found}
    assert 0 < means["calm"] < means["wild"] < 1
    assert found["calm"].n_points == (y[200:] == "calm").sum()
    assert certify_by_group(model, **asked).values == found.values
    with pytest.raises(ValueError, match=r"not those that .* was fitted on, in the same order"):
        certify_by_group(model, X[200:][::-1], y[200:][::-1], **asked)
    changed = y[200:].copy()
    changed[0] = "calm" if changed[0] != "calm" else "mild"
    with pytest.raises(ValueError, match="hold_out_votes"):
        certify_by_group(model, X[200:], changed, **asked)


def test_a_certified_forest_gives_what_its_out_of_bag_votes_give(data):
    X, y = data
    model = CertifiedForestClassifier(20, weights="tandem", max_samples=0.5, random_state=0)
    frame = pd.DataFrame(X, columns=[f"column {i}" for i in range(6)])
    new, y_new = frame[400:], y[400:]
    frame, y = frame[:400], y[:400]
    model.fit(frame, y)
    votes = out_of_bag_votes(model.forest_, X[:400], y)
    found = certify_by_group(model, frame, y, groups="class")
    assert found.values == certify_by_group(votes, groups="class", weights=model.weights_).values
    tested = certify_by_group([model], new, y_new, groups="class")
    errors = (model.predict(new) != y_new)[y_new == "mild"].sum()
    assert tested["mild"].bounds["test_set"].terms["n_errors"] == errors


@pytest.mark.parametrize("kind", [list, pd.Series, lambda y: pd.Series(y, dtype="category")])
def test_labels_of_any_container_name_the_classes(kind, data):
    X, y = data
    labels = kind([str(label) for label in y])
    model = CertifiedForestClassifier(10, max_samples=0.5, random_state=0).fit(X, labels)
    assert list(certify_by_group(model, groups="class").values) == NAMES.tolist()


def test_an_unfitted_classifier_is_told_so(data):
    with pytest.raises(NotFittedError):
        certify_by_group(CertifiedForestClassifier(), *data, groups="class")


def test_what_goes_together_must_come_together(data):
    X, y = data
    models, votes = [GaussianNB().fit(X[:200], y[:200])], random_votes()
    with pytest.raises(ValueError, match="needs labelled points used for nothing else"):
        certify_by_group(models, X, y, groups="class", bound="test_set", weights="tandem")
    with pytest.raises(ValueError, match="needs labelled points used for nothing else"):
        certify_by_group(votes, groups="class", bound="test_set")
    with pytest.raises(ValueError, match="bound is empty"):
        certify_by_group(votes, groups="class", bound=[])
    with pytest.raises(ValueError, match="whose group is unknown"):
        certify_by_group(votes, groups="class", bound=["tandem", "vote_profile"])
    with pytest.raises(ValueError, match="X or y is missing"):
        certify_by_group(models, X, groups="class")


def test_groups_in_another_order_than_the_points_are_refused():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=900), "sex": rng.choice(["f", "m"], size=900)})
    labels = (frame["x"] > 0).astype(int)
    model = GaussianNB().fit(frame[["x"]][:300], labels[:300])
    points = frame[300:].sample(frac=1, random_state=0)
    given = [model], points[["x"]], labels[points.index]
    aligned = certify_by_group(*given, groups=points["sex"])
    bare = certify_by_group(*given, groups=points["sex"].to_numpy())
    assert bare["f"].value == aligned["f"].value
    for groups in (frame["sex"][300:], frame[["sex"]][300:], {"sex": frame["sex"][300:]}):
        with pytest.raises(ValueError, match=r"'sex' has the index .* in another order"):
            certify_by_group(*given, groups=groups)
