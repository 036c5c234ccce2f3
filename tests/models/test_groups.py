"""Bounds by group, for votes and models of every kind."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB

from tandemvote import (
    CertifiedClassifier,
    CertifiedForestClassifier,
    Votes,
    certify,
    certify_oob,
)
from tandemvote.bounds import RequirementError, VacuousBoundWarning
from tandemvote.certificate import certify_votes
from tandemvote.models.trees import out_of_bag_votes

NAMES = np.array(["calm", "mild", "wild"])


def random_votes(*, n_classes=3, n_samples=900, n_voters=7, held_out=0.6, seed=0, **options):
    rng = np.random.default_rng(seed)
    labels = rng.choice(n_classes, p={2: [0.6, 0.4], 3: [0.6, 0.3, 0.1]}[n_classes], size=n_samples)
    wrong = rng.random((n_voters, n_samples)) < 0.05 + 0.1 * labels
    shift = rng.integers(1, n_classes, size=wrong.shape)
    predictions = np.where(wrong, (labels + shift) % n_classes, labels)
    mask = rng.random(wrong.shape) < held_out
    return Votes.from_predictions(NAMES[predictions], NAMES[labels], mask, **options)


def part_of(votes, mask):
    """Votes on some of the samples, cut out by hand."""
    return Votes(
        votes.predictions[:, mask],
        votes.labels[mask],
        votes.held_out[:, mask],
        votes.classes,
        votes.unlabeled[:, :0],
    )


def values_of(found):
    return {each.group.label: each.value for each in found}


def sizes_of(found):
    return [each.counts.n_samples for each in found]


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(
        600, 6, n_informative=4, n_classes=3, n_clusters_per_class=1, weights=[0.5, 0.4, 0.1],
        flip_y=0.05, random_state=2,
    )  # fmt: skip
    return X, NAMES[y]


@pytest.mark.parametrize("bound", ["first_order", "tandem", "c_tandem", ["first_order", "tandem"]])
@pytest.mark.parametrize("kind", ["class", "column"])
def test_a_group_is_certified_by_its_own_samples_at_its_share_of_delta(bound, kind):
    votes = random_votes()
    weights = np.array([1, 2, 3, 4, 2, 2, 2]) / 16
    column = np.random.default_rng(5).choice(NAMES, size=votes.n_samples)
    values, by = {
        "class": (votes.classes[votes.labels], "class"),
        "column": (column, pd.Series(column, name="weather")),
    }[kind]
    groups = certify(votes, weights=weights, bound=bound, confidence=0.94).by_group(by)
    assert [each.group.label for each in groups] == NAMES.tolist()
    assert {each.group.by for each in groups} == {"class" if kind == "class" else "weather"}
    for each in groups:
        mask = values == each.group.label
        alone = certify_votes(part_of(votes, mask), weights=weights, bound=bound, delta=0.06 / 3)
        assert each.value == alone.value
        assert (each.bound, each.delta) == (alone.bound, 0.06 / 3)
        assert each.counts.n_samples == mask.sum()


@pytest.mark.parametrize("bound", ["disagreement", "c1", "c2", "best"])
def test_bounds_for_two_classes_hold_on_samples_of_one(bound):
    votes = random_votes(n_classes=2)
    for each in certify(votes, bound=bound, confidence=0.9).by_group("class"):
        mask = votes.classes[votes.labels] == each.group.label
        assert each.value == certify_votes(part_of(votes, mask), bound=bound, delta=0.05).value


def test_bounds_for_two_classes_stay_rejected_if_there_are_three():
    with pytest.raises(RequirementError, match="two classes only"):
        certify(random_votes(), bound="disagreement").by_group("class")


def test_unlabeled_samples_do_not_enter_the_bound_of_a_group():
    rng = np.random.default_rng(1)
    plain = random_votes(n_classes=2)
    same = NAMES[rng.integers(2, size=500) ^ (rng.random((7, 500)) < 0.1)]
    options = random_votes(n_classes=2, unlabeled=same)
    groups, expected = (
        certify(votes, bound="disagreement").by_group("class") for votes in (options, plain)
    )
    assert values_of(groups) == values_of(expected)


def test_weights_are_those_of_all_samples():
    votes = random_votes()
    whole = certify_votes(votes, weights="tandem", bound="tandem", published=True)
    again = certify_votes(votes, weights=whole.weights, bound="tandem", published=True)
    groups = whole.by_group("class")
    assert values_of(groups) == values_of(again.by_group("class"))
    assert all(np.array_equal(each.weights, whole.weights) for each in groups)
    assert all(each.published for each in groups)


def binomial_limit(k, n, delta):
    """The upper limit of Clopper and Pearson by scipy."""
    return beta.ppf(1 - delta, k + 1, n - k)


def test_delta_is_divided_by_groupings_and_then_by_groups(data):
    X, y = data
    forest = RandomForestClassifier(15, max_depth=3, random_state=0).fit(X[:300], y[:300])
    side = np.where(X[300:, 0] > 0, "right", "left")
    by = {"class": "class", "predicted": "predicted", "side": side}
    groups = certify(forest, X[300:], y[300:], confidence=0.92).by_group(by)
    predicted = forest.predict(X[300:])
    columns = {"class": y[300:], "predicted": predicted, "side": side}
    assert len(groups) == 8
    for each in groups:
        here = columns[each.group.by] == each.group.label
        errors, n = int((predicted != y[300:])[here].sum()), int(here.sum())
        share = 0.08 / 3 / (2 if each.group.by == "side" else 3)
        assert each.delta == pytest.approx(share)
        assert each.value == pytest.approx(binomial_limit(errors, n, share), rel=1e-9)
        assert (each.counts.n_samples, each.bound) == (n, "test_set")
        assert each.observed == pytest.approx(errors / n)
    assert "precision >= " in repr(groups) and "recall >= " in repr(groups)


@pytest.mark.parametrize("asked", [{}, {"weights": "tandem"}, {"bound": "tandem"}])
def test_precision_requires_a_test_of_the_vote_itself(asked):
    votes = random_votes(held_out=2 if asked else 0.6)
    with pytest.raises(ValueError, match="by='predicted' requires samples that test the whole"):
        certify(votes, **asked).by_group({"class": "class", "predicted": "predicted"})


def test_a_deployed_classifier_has_no_groups():
    rng = np.random.default_rng(1)
    same = NAMES[rng.integers(2, size=50) ^ (rng.random((7, 50)) < 0.1)]
    certificate = certify(random_votes(unlabeled=same), deployed=same[0])
    with pytest.raises(ValueError, match="rests on unlabeled samples, whose groups are unknown"):
        certificate.by_group("class")


def test_missing_values_are_a_group_and_categories_keep_their_order():
    whole = certify(random_votes(n_samples=900), bound="first_order")
    size = pd.Series(
        pd.Categorical.from_codes(np.arange(900) % 4 - 1, ["small", "medium", "large", "unused"])
    )
    groups = whole.by_group(size)
    assert [each.group.label for each in groups] == ["small", "medium", "large", None]
    assert sizes_of(groups) == [225] * 4
    assert "missing" in repr(groups)
    plain = np.array(["b", None, "a", float("nan")], object)[np.arange(900) % 4]
    assert list(values_of(whole.by_group(plain))) == ["a", "b", None]


def test_polars_frames_and_columns_group_as_those_of_pandas_do():
    polars = pytest.importorskip("polars")
    whole = certify(random_votes(n_samples=900), bound="first_order")
    columns = {"site": (["n", "s", None] * 300), "size": [1, 2] * 450}
    expected = values_of(whole.by_group(pd.DataFrame(columns)))
    frame = polars.DataFrame(columns)
    assert values_of(whole.by_group(frame)) == expected
    for kind in (polars.String, polars.Categorical, polars.Enum(["s", "n"])):
        groups = whole.by_group(frame["site"].cast(kind))
        assert {(each.group.by, each.group.label) for each in groups} == {
            ("site", label) for label in ("n", "s", None)
        }
        assert sizes_of(groups) == [300] * 3


def test_a_group_with_too_few_samples_has_no_bound_and_gives_no_warning():
    labels = np.repeat([0, 1, 2, 3], [2000, 1, 2, 4])
    flips = np.random.default_rng(0).random((3, labels.size)) < 0.05
    flips[:, labels == 3] = False
    held_out = np.ones(flips.shape, bool)
    held_out[0, labels == 1] = False
    held_out[:2, labels == 2] = np.eye(2, dtype=bool)
    votes = Votes.from_predictions(np.where(flips, 4, labels), labels, held_out)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        groups = certify(votes, bound="tandem").by_group("class")
    assert groups[0].value < 0.2
    assert all(groups[label].value == 1.0 for label in (1, 2, 3, 4))
    with pytest.warns(VacuousBoundWarning):
        certify(part_of(votes, labels == 2), bound="tandem")


def test_certified_forests_keep_their_votes_and_weights(data):
    X, y = data
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(site=np.arange(600) % 2)
    model = CertifiedForestClassifier(20, weights="tandem", max_samples=0.5, random_state=0)
    model.fit(frame[:400], y[:400])
    votes = out_of_bag_votes(model.forest_, frame[:400], y[:400])
    expected = certify(votes, weights=model.weights_, bound=list(model.certificate_.candidates))
    assert values_of(model.certificate_.by_group("class")) == values_of(expected.by_group("class"))
    assert sizes_of(model.certificate_.by_group(frame["site"][:400])) == [200, 200]
    tested = certify(model, frame[400:], y[400:]).by_group("class")
    errors = (model.predict(frame[400:]) != y[400:])[y[400:] == "mild"].sum()
    assert tested["mild"].evidence.vote.n_test_errors == errors


@pytest.mark.parametrize("kind", [list, pd.Series, lambda y: pd.Series(y, dtype="category")])
def test_labels_of_any_container_name_the_classes(kind, data):
    X, y = data
    labels = kind([str(label) for label in y])
    model = CertifiedForestClassifier(10, max_samples=0.5, random_state=0).fit(X, labels)
    assert list(values_of(model.certificate_.by_group("class"))) == NAMES.tolist()


def test_columns_in_another_order_than_the_samples_are_rejected():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=900), "sex": rng.choice(["f", "m"], size=900)})
    labels = (frame["x"] + rng.normal(size=900) > 0).astype(int)
    order = frame[300:].sample(frac=1, random_state=0).index
    X, y = frame.loc[order, ["x"]], labels[order]
    model = GaussianNB().fit(frame[["x"]][:300], labels[:300])
    forest = RandomForestClassifier(10, random_state=0).fit(X, y)
    certificates = [
        certify(model, X, y),
        certify_oob(forest, X, y, bound="first_order"),
        certify(Votes.from_predictions([model.predict(X)], y)),
        CertifiedForestClassifier(10, bound="first_order", random_state=0).fit(X, y).certificate_,
        CertifiedClassifier(GaussianNB(), random_state=0).fit(X, y).certificate_,
    ]
    for certificate in certificates:
        aligned = certificate.by_group(frame["sex"][order])
        bare = certificate.by_group(frame["sex"][order].to_numpy())
        assert values_of(bare) == values_of(aligned)
        for by in (frame["sex"][300:], frame[["sex"]][300:], {"sex": frame["sex"][300:]}):
            with pytest.raises(ValueError, match=r"by='sex' has the index .* in another order"):
                certificate.by_group(by)
