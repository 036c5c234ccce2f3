"""How certificates of groups are computed, printed and looked up."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tandemvote.certificate import Certificate, certify_votes
from tandemvote.votes.votes import Votes


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    labels = np.repeat(["<a>", "b", "rare"], [3000, 1000, 5])
    others = np.where(labels == "b", "<a>", "b")
    wrong = rng.random((9, labels.size)) < np.where(labels == "b", 0.2, 0.03)
    votes = Votes.from_predictions(np.where(wrong, others, labels), labels)
    return certify_votes(votes, weights="tandem", bound="tandem").by_group("class")


def test_no_sentence_claims_more_than_its_group(found):
    assert [each.group.label for each in found] == ["<a>", "b", "rare"]
    assert "on new data, among the samples where class = 'b', is at most" in found["b"].guarantee
    assert found["rare"].guarantee == (
        "No error rate below 100% is guaranteed on the samples where class = 'rare' with 98.33%"
        " confidence."
    )
    percent = float(found["b"].guarantee.split("at most ")[1].split("%")[0])
    assert 100 * found["b"].value <= percent <= 100 * found["b"].value + 0.1


def test_the_table_rounds_up(found):
    headline, header, *rows = repr(found).splitlines()
    assert headline == "error rates by class, all valid at once (95% confidence)"
    assert header.split() == ["class", "samples", "observed", "error", "<="]
    cells = [row.split() for row in rows]
    assert [(row[0], int(row[1])) for row in cells] == [("<a>", 3000), ("b", 1000), ("rare", 5)]
    for row in cells[:2]:
        value = found[row[0]].value
        assert 100 * value <= float(row[3].rstrip("%")) <= 100 * value + 0.1
        assert row[4:6] == ["recall", ">="]
        assert 1 - value - 0.001 <= float(row[6]) <= 1 - value
    assert cells[2][3:] == ["none"]


def test_names_from_a_file_cannot_move_the_cursor():
    labels = np.arange(40) % 2
    votes = Votes.from_predictions([labels], labels)
    groups = certify_votes(votes).by_group({"\x1b[2J": np.where(labels, "\x1b[31m", "b")})
    for text in (repr(groups), repr(groups["\x1b[31m"]), groups["b"].guarantee):
        assert "\x1b" not in text


def test_a_group_is_found_by_its_label(found):
    assert found["b"] is found.members[1]
    assert len(found) == 3
    with pytest.raises(KeyError, match="'c' is the label of 0 of the groups"):
        found["c"]


def test_a_label_of_two_groupings_needs_both_names():
    labels = np.arange(400) % 2
    whole = certify_votes(Votes.from_predictions([labels], labels))
    groups = whole.by_group({"class": "class", "predicted": "predicted"})
    assert groups.headline.startswith("error rates by class and predicted, all valid at once")
    with pytest.raises(KeyError, match="is the label of 2 of the groups"):
        groups[0]
    assert groups["class", 0].group.by == "class"
    assert "one classifier on the samples where class = 0; a test set" in repr(groups["class", 0])
    assert repr(groups).splitlines()[1].split()[:2] == ["by", "group"]
    assert "precision >=" in repr(groups)


def test_a_group_is_the_certificate_of_its_samples():
    rng = np.random.default_rng(1)
    labels = rng.integers(3, size=500)
    predictions = np.where(rng.random((20, 500)) < 0.2, rng.integers(3, size=(20, 500)), labels)
    held_out, site = rng.random((20, 500)) < 0.5, rng.integers(4, size=500)
    whole = certify_votes(
        Votes.from_predictions(predictions, labels, held_out), weights="tandem", bound="tandem"
    )
    for each in whole.by_group(site):
        here = site == each.group.label
        part = Votes.from_predictions(predictions[:, here], labels[here], held_out[:, here])
        alone = certify_votes(part, weights=whole.weights, bound="tandem", delta=0.05 / 4)
        assert each.value == alone.value
        assert (each.observed, each.baseline) == (alone.observed, alone.baseline)
        assert each.weights.tolist() == whole.weights.tolist()


def test_the_votes_of_a_group_declared_as_a_whole_have_groups_of_their_own():
    labels = np.arange(300) % 2
    given = Votes.from_predictions([labels], labels)
    votes = replace(given, rows=np.arange(300), n_given=900, index=pd.RangeIndex(900))
    inside = replace(certify_votes(votes).by_group("class")[0].votes, group=None)
    site = np.arange(150) % 3
    assert [each.group.label for each in certify_votes(inside).by_group(site)] == [0, 1, 2]


def test_groups_of_numpy_numbers_among_objects_are_saved(tmp_path):
    by = np.array([np.int64(i % 2) for i in range(40)], object)
    simple().by_group(by).save(tmp_path / "groups.json")
    assert [each.group.label for each in Certificate.load(tmp_path / "groups.json").groups] == [
        0,
        1,
    ]


def simple(n=40):
    labels = np.arange(n) % 2
    return certify_votes(Votes.from_predictions([labels], labels))


@pytest.mark.parametrize(
    ("by", "labels"),
    [
        (pd.Series(["b", "a"] * 20, name="site"), ["a", "b"]),
        (pd.Series(["b", None] * 20, name="site"), ["b", None]),
        (pd.Series([1.5, np.nan] * 20), [1.5, None]),
        (pd.Categorical(["low", "high"] * 20, ["low", "high"]), ["low", "high"]),
        (pd.Series(pd.Categorical(["low", "high"] * 20, ["low", "high"])), ["low", "high"]),
        (np.array([True, False] * 20), [False, True]),
        ([3] * 40, [3]),
        (pd.DataFrame({"x": [1, 2] * 20}), [1, 2]),
    ],
    ids=lambda each: type(each).__name__,
)
def test_columns_of_many_kinds_are_groups(by, labels):
    assert [each.group.label for each in simple().by_group(by)] == labels


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("site", "Invalid by='site'. Use 'class', 'predicted', or pass one value per sample"),
        ({}, "by is empty"),
        (np.arange(41), r"by='group' has shape \(41,\); expected \(40,\)"),
        ({"class": np.arange(40)}, "by='class' is the name of another grouping"),
    ],
)
def test_what_is_not_a_grouping_is_rejected(by, message):
    with pytest.raises(ValueError, match=message):
        simple().by_group(by)


def test_a_number_is_not_a_group():
    with pytest.raises(ValueError, match="has 101 distinct values; at most 100 are supported"):
        simple(101).by_group({"income": np.arange(101)})


def test_what_has_no_groups_is_rejected():
    labels = np.arange(40) % 2
    votes = Votes.from_predictions([labels], labels, unlabeled=[labels])
    with pytest.raises(ValueError, match="rests on unlabeled samples, whose groups are unknown"):
        certify_votes(votes, bound="vote_profile").by_group("class")
    counts = certify_votes(votes, bound="tandem").counts
    with pytest.raises(ValueError, match="about error on all samples, from counts or a file"):
        certify_votes(counts, bound="tandem").by_group("class")
    with pytest.raises(ValueError, match="is about error on the samples where class = 0"):
        simple().by_group("class")[0].by_group("class")
    held_out = [np.arange(40) % 3 > 0]
    partial = certify_votes(Votes.from_predictions([labels], labels, held_out), bound="tandem")
    with pytest.raises(ValueError, match="by='predicted' requires samples that test the whole"):
        partial.by_group("predicted")


@pytest.mark.parametrize("labels", [["10", "9", "1"], ["b", "a", "10"]])
def test_text_of_numbers_is_sorted_as_numbers(labels):
    truth = [0, 1] * 90
    whole = certify_votes(Votes.from_predictions([truth], truth))
    found = [each.group.label for each in whole.by_group(np.repeat(labels, 60))]
    assert found == {"1": ["1", "9", "10"], "10": ["10", "a", "b"]}[labels[-1]]
