"""Guarantees by true class, for votes and models of every kind."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta
from sklearn.datasets import make_classification
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from tandemvote import (
    Certificate,
    CertifiedBaggingClassifier,
    CertifiedForestClassifier,
    CertifiedVotingClassifier,
    VoteCounts,
    Votes,
    certify_per_class,
)
from tandemvote.api.classes import class_counts
from tandemvote.bounds import RequirementError, VacuousBoundWarning
from tandemvote.ensembles import AuditError, out_of_bag_votes

NAMES = np.array(["calm", "mild", "wild"])


def random_votes(*, n_classes=3, n_samples=900, n_voters=7, held_out=0.6, seed=0, **more):
    rng = np.random.default_rng(seed)
    labels = rng.choice(n_classes, p={2: [0.6, 0.4], 3: [0.6, 0.3, 0.1]}[n_classes], size=n_samples)
    wrong = rng.random((n_voters, n_samples)) < 0.05 + 0.1 * labels
    shift = rng.integers(1, n_classes, size=wrong.shape)
    predictions = np.where(wrong, (labels + shift) % n_classes, labels)
    mask = rng.random(wrong.shape) < held_out
    return Votes.from_predictions(NAMES[predictions], NAMES[labels], mask, **more)


def points_of(votes, label):
    """Votes on the points of one class, cut out by hand."""
    own = votes.classes[votes.labels] == label
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
def test_a_class_is_certified_by_its_own_points_at_its_share_of_delta(bound):
    votes = random_votes()
    weights = np.array([1, 2, 3, 4, 2, 2, 2]) / 16
    found = certify_per_class(votes, weights=weights, bound=bound, delta=0.06)
    assert [each.label for each in found] == NAMES.tolist()
    for each in found:
        own = Certificate.from_counts(
            points_of(votes, each.label), weights=weights, bound=bound, delta=0.02
        )
        assert each.value == own.value == found.values[each.label]
        assert (each.bound, each.delta) == (own.bound, 0.02)
        assert each.n_points == (votes.classes[votes.labels] == each.label).sum()


@pytest.mark.parametrize("bound", ["disagreement", "c1", "c2", "best"])
def test_bounds_for_two_classes_hold_on_points_of_one(bound):
    votes = random_votes(n_classes=2)
    for each in certify_per_class(votes, bound=bound, delta=0.1):
        own = Certificate.from_counts(points_of(votes, each.label), bound=bound, delta=0.05)
        assert each.value == own.value
    common = random_votes(n_classes=2, held_out=1.1)
    for found in class_counts(common, common.classes):
        # Lemma 4, on the points of one class: T = G - D / 2 for every pair.
        counts, errors = found.counts, found.counts.errors
        means = (errors[:, None] + errors) / 2
        assert np.array_equal(counts.tandem_errors, means - counts.disagreements / 2)


def test_bounds_for_two_classes_stay_refused_if_there_are_three():
    with pytest.raises(RequirementError, match="two classes only"):
        certify_per_class(random_votes(), bound="disagreement")


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_counts_of_all_classes_add_up_to_those_of_all_points(n_classes):
    votes = random_votes(n_classes=n_classes)
    whole = VoteCounts.from_votes(votes)
    parts = [found.counts for found in class_counts(votes, votes.classes)]
    for name in ("errors", "sizes", "tandem_errors", "overlaps", "lone_errors"):
        assert np.array_equal(sum(getattr(part, name) for part in parts), getattr(whole, name))
    for part, label in zip(parts, votes.classes, strict=True):
        cut_out = points_of(votes, label)
        assert np.array_equal(part.tandem_errors, cut_out.tandem_errors)
        assert np.array_equal(part.lone_errors, cut_out.lone_errors)
        assert part.n_classes == n_classes


def test_unlabelled_points_say_nothing_about_one_class():
    plain = random_votes(n_classes=2)
    quarrel = NAMES[np.tile(np.arange(7)[:, None] % 2, 5000)]
    more = random_votes(n_classes=2, unlabelled=quarrel)
    asked = {"bound": "disagreement", "weights": "uniform"}
    assert certify_per_class(more, **asked).values == certify_per_class(plain, **asked).values


def test_weights_may_minimise_a_bound_over_all_points():
    votes = random_votes()
    counts = VoteCounts.from_votes(votes)
    asked = {"bound": "tandem", "sharpening": "paper"}
    found = certify_per_class(votes, weights="tandem", **asked)
    best = Certificate.from_counts(counts, weights=found.weights, **asked)
    assert best.value < Certificate.from_counts(counts, **asked).value
    again = certify_per_class(votes, weights=found.weights, **asked)
    assert found.values == again.values


def test_a_class_with_too_few_points_says_why_without_a_warning():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2, 3], [2000, 1, 2, 4])
    flips = rng.random((3, labels.size)) < 0.05
    held_out = np.ones(flips.shape, bool)
    held_out[0, labels == 1] = False
    held_out[:2, labels == 2] = np.eye(2, dtype=bool)
    votes = Votes.from_predictions(np.where(flips, 4, labels), labels, held_out)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = certify_per_class(votes, bound="tandem")
    assert found[0].value < 0.2
    assert found[0].remark == ""
    assert {label: found[label].remark for label in (1, 2, 3, 4)} == {
        1: "a voter was trained on all points of this class",
        2: "two voters share no held-out point of this class",
        3: "too few points, or too many errors",
        4: "no point of this class",
    }
    assert all(found[label].value == 1.0 for label in (1, 2, 3, 4))
    with pytest.warns(VacuousBoundWarning):
        Certificate.from_counts(points_of(votes, 1), bound="tandem")


def test_a_test_set_gives_the_exact_limit_of_each_class(data):
    X, y = data
    forest = RandomForestClassifier(15, max_depth=3, random_state=0).fit(X[:300], y[:300])
    found = certify_per_class(
        forest, X[:300], y[:300], X_test=X[300:], y_test=y[300:], bound="test_set", delta=0.06
    )
    codes = np.array([tree.predict(X[300:]) for tree in forest.estimators_]).astype(int)
    vote = NAMES[[np.bincount(column, minlength=3).argmax() for column in codes.T]]
    for each in found:
        own = y[300:] == each.label
        errors = int((vote != y[300:])[own].sum())
        assert each.n_points == own.sum()
        limit = beta.ppf(0.98, errors + 1, own.sum() - errors)
        assert each.value == pytest.approx(limit)
        assert each.bound == "test_set"
    assert "Test-set labels: 300" in repr(found)
    several = certify_per_class(
        forest, X[:300], y[:300], X_test=X[300:], y_test=y[300:], bound=["tandem", "test_set"]
    )
    assert all(set(each.bounds) == {"tandem", "test_set"} for each in several)
    assert several["calm"].bounds["tandem"].delta == pytest.approx(0.05 / 6)


def test_predictions_on_a_test_set_are_enough_for_any_classifier(data):
    X, y = data
    model = GaussianNB().fit(X[:300], y[:300])
    votes = Votes.from_predictions([model.predict(X[300:])], y[300:])
    found = certify_per_class(votes, bound="test_set")
    own = y[300:] == "mild"
    errors = int((model.predict(X[300:]) != y[300:])[own].sum())
    limit = beta.ppf(1 - 0.05 / 3, errors + 1, own.sum() - errors)
    assert found["mild"].value == pytest.approx(limit)
    with pytest.raises(ValueError, match="needs labelled points used for nothing else"):
        certify_per_class(random_votes(), bound="test_set")


def test_a_class_that_no_test_point_has_gets_no_limit(data):
    X, y = data
    models = [DecisionTreeClassifier(max_depth=d).fit(X[:200], y[:200]) for d in (2, 3)]
    rest = np.flatnonzero(y != "wild")[-150:]
    asked = {"X_test": X[rest], "y_test": y[rest]}
    found = certify_per_class(models, X[200:400], y[200:400], **asked, bound="test_set")
    assert found["wild"].remark == "no test point of this class"
    assert found["wild"].value == 1.0
    both = certify_per_class(models, X[200:400], y[200:400], **asked, bound=["tandem", "test_set"])
    assert list(both["wild"].bounds) == ["tandem"]
    assert "test_set" in certify_per_class(models, X[200:400], y[200:400], **asked, bound="best")[
        "calm"
    ].bounds  # fmt: skip


def test_a_class_that_only_the_test_set_knows_is_always_missed(data):
    X, y = data
    models = [GaussianNB().fit(X[:200], y[:200])]
    y_test = np.where(np.arange(200) < 20, "new", y[400:])
    found = certify_per_class(
        models, X[200:400], y[200:400], X_test=X[400:], y_test=y_test, bound=["tandem", "test_set"]
    )
    assert len(found) == 4
    assert found["new"].value == 1.0
    assert found["calm"].delta == 0.05 / 4


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
    found = certify_per_class(model.fit(X, y), X, y, bound="first_order")
    votes = out_of_bag_votes(model, X, y)
    assert found.values == certify_per_class(votes, bound="first_order").values
    assert found.values["calm"] < 1
    assert "leaves of all 20 trees" in " ".join(found.notes)
    assert "another label on" in " ".join(found.notes)
    with pytest.raises(AuditError):
        certify_per_class(model, X[::-1], y[::-1])


def certified(data, **more):
    X, y = data
    parameters = {"weights": "first_order", "bound": "first_order", "random_state": 0, **more}
    models = [("bayes", GaussianNB()), ("near", KNeighborsClassifier())]
    fitted = [(name, model.fit(X[:200], y[:200])) for name, model in models]
    halves = ShuffleSplit(3, test_size=0.5, random_state=1)
    return {
        "forest": CertifiedForestClassifier(12, max_samples=0.5, **parameters),
        "bagging": CertifiedBaggingClassifier(GaussianNB(), 8, max_samples=0.5, **parameters),
        "halves": CertifiedVotingClassifier(models, splits=3, **parameters),
        "splitter": CertifiedVotingClassifier(models, splits=halves, **parameters),
        "prefit": CertifiedVotingClassifier(fitted, prefit=True, **parameters),
    }


@pytest.mark.parametrize("kind", ["forest", "bagging", "halves", "splitter", "prefit"])
def test_certified_classifiers_have_kept_their_votes_and_weights(kind, data):
    X, y = data
    model = certified(data)[kind].fit(X[200:], y[200:])
    found = certify_per_class(model, X[200:], y[200:], bound="first_order", delta=0.06)
    assert np.array_equal(found.weights, model.weights_)
    means = {each.label: each.bounds["first_order"].terms["gibbs_loss"] for each in found}
    assert 0 < means["calm"] < means["wild"] < 1
    assert found["calm"].n_points == (y[200:] == "calm").sum()
    assert certify_per_class(model, bound="first_order", delta=0.06).values == found.values
    with pytest.raises(ValueError, match=r"not those that .* was fitted on, in the same order"):
        certify_per_class(model, X[200:][::-1], y[200:][::-1])
    changed = y[200:].copy()
    changed[0] = "calm" if changed[0] != "calm" else "mild"
    with pytest.raises(ValueError, match="hold_out_votes"):
        certify_per_class(model, X[200:], changed)


def test_a_certified_forest_gives_what_its_out_of_bag_votes_give(data):
    X, y = data
    model = CertifiedForestClassifier(20, weights="tandem", max_samples=0.5, random_state=0)
    frame = pd.DataFrame(X, columns=[f"column {i}" for i in range(6)])
    new, y_new = frame[400:], y[400:]
    frame, y = frame[:400], y[:400]
    model.fit(frame, y)
    votes = out_of_bag_votes(model.forest_, X[:400], y)
    found = certify_per_class(model, frame, y)
    assert found.values == certify_per_class(votes, weights=model.weights_).values
    tested = certify_per_class(model, frame, y, X_test=new, y_test=y_new, bound="test_set")
    errors = (model.predict(new) != y_new)[y_new == "mild"].sum()
    assert tested["mild"].bounds["test_set"].terms["n_errors"] == errors


@pytest.mark.parametrize("kind", ["bagging", "halves"])
def test_no_seed_is_needed_to_certify_classes(kind, data):
    X, y = data
    model = certified(data, random_state=None)[kind].fit(X, y)
    found = certify_per_class(model, bound="first_order")
    counted = sum(class_count.counts.errors for class_count in class_counts(
        model.certification_.votes, model.classes_
    ))  # fmt: skip
    assert np.array_equal(counted, model.counts_.errors)
    assert [each.label for each in found] == NAMES.tolist()


@pytest.mark.parametrize("kind", [list, pd.Series, lambda y: pd.Series(y, dtype="category")])
def test_labels_of_any_container_name_the_classes(kind, data):
    X, y = data
    labels = kind([str(label) for label in y])
    model = CertifiedForestClassifier(10, max_samples=0.5, random_state=0).fit(X, labels)
    assert list(certify_per_class(model).values) == NAMES.tolist()
    forest = RandomForestClassifier(10, random_state=0).fit(X, np.array(y, dtype=object))
    found = certify_per_class(forest, X, np.array(y, dtype=object), bound="first_order")
    assert list(found.values) == NAMES.tolist()


def test_a_pruned_vote_pays_for_the_choice_among_all_voters(data):
    X, y, X_new, y_new = data[0][:400], data[1][:400], data[0][400:], data[1][400:]
    whole = CertifiedForestClassifier(20, max_samples=0.5, random_state=0).fit(X, y)
    pruned = whole.prune(5)
    with pytest.raises(ValueError, match=r"pruned to \d of 20 voters.*certificate_\.weights"):
        certify_per_class(pruned, X, y)
    found = certify_per_class(whole, X, y, weights=pruned.certificate_.weights)
    assert np.count_nonzero(found.weights) == len(pruned.estimators_)
    tested = certify_per_class(
        whole, X, y, weights=found.weights, X_test=X_new, y_test=y_new, bound="test_set"
    )
    errors = (pruned.predict(X_new) != y_new)[y_new == "calm"].sum()
    assert tested["calm"].bounds["test_set"].terms["n_errors"] == errors


def test_points_a_single_voter_was_trained_on_are_no_test_points():
    labels = np.repeat([0, 1], [40, 5])
    held_out = np.where(labels == 0, np.arange(45) < 30, False)
    found = certify_per_class(Votes.from_predictions([labels], labels, held_out), bound="test_set")
    assert found[0].value == pytest.approx(1 - 0.025 ** (1 / 30))
    assert found[1].value == 1.0
    assert found[1].remark == "a voter was trained on all points of this class"


def test_an_unfitted_classifier_is_told_so(data):
    with pytest.raises(NotFittedError):
        certify_per_class(CertifiedForestClassifier(), *data)


def test_what_goes_together_must_come_together(data):
    X, y = data
    models = [GaussianNB().fit(X[:200], y[:200])]
    with pytest.raises(ValueError, match="belong together"):
        certify_per_class(models, X, y, X_test=X, bound="test_set")
    with pytest.raises(ValueError, match="bound=tandem does not look at it"):
        certify_per_class(models, X, y, X_test=X, y_test=y, bound="tandem")
    with pytest.raises(ValueError, match="needs labelled points used for nothing else"):
        certify_per_class(models, X, y, bound="test_set", weights="tandem")
    with pytest.raises(ValueError, match="Votes cannot predict"):
        certify_per_class(random_votes(), X_test=X, y_test=y, bound="test_set")
    with pytest.raises(ValueError, match="bound is empty"):
        certify_per_class(random_votes(), bound=[])
    with pytest.raises(ValueError, match="whose class is unknown"):
        certify_per_class(random_votes(), bound=["tandem", "vote_profile"])
    with pytest.raises(ValueError, match="X or y is missing"):
        certify_per_class(models, X)
