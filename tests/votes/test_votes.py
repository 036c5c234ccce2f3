"""Votes accept labels of any type and reject, with a way out, what cannot be votes."""

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tandemvote import VoteCounts, Votes


@pytest.mark.parametrize(
    ("labels", "predictions"),
    [
        (["cat", "dog", "cat"], [["cat", "cat", "dog"]]),
        ([True, False, True], [[True, True, False]]),
        ([-1, 1, -1], [[-1, -1, 1]]),
        ([10, 99, 10], [[10, 10, 99]]),
        ([0.5, 1.5, 0.5], [[0.5, 0.5, 1.5]]),
        (np.array(["cat", "dog", "cat"], object), np.array([["cat", "cat", "dog"]], object)),
        (pd.Series(["cat", "dog", "cat"], dtype="category"), pd.DataFrame([["cat", "cat", "dog"]])),
        (pd.Series(["cat", "dog", "cat"], dtype="string"), pd.DataFrame([["cat", "cat", "dog"]])),
        (pd.Series([7, 8, 7], dtype="Int64"), pd.DataFrame([[7, 7, 8]], dtype="Int64")),
        (pd.Series(["cat", "dog", "cat"]), [pd.Series(["cat", "cat", "dog"], dtype="category")]),
        (pl.Series(["cat", "dog", "cat"]), [pl.Series(["cat", "cat", "dog"])]),
        (pl.Series([7, 8, 7]), pl.DataFrame([[7], [7], [8]])),
        (np.array(["cat", "caterpillar", "cat"]), np.array([["cat", "cat", "dog"]])),
        ([7, 8, 7], np.array([[7, 7.0, 8]], object)),
        ([2**53, 2**53 + 1, 2**53], np.array([[2**53, 2**53, 2**53 + 1]])),
        ([2**70, 2**70 + 1, 2**70], [[2**70, 2**70, 2**70 + 1]]),
        (np.array([2**63, 2**63 + 1, 2**63], np.uint64), [[2**63, 2**63, 2**63 + 1]]),
        (np.array([7, 8, 7], np.uint64), np.array([[7, 7, 8]])),
        (["None", "NA", "None"], [["None", "None", "nan"]]),
        (["1.1", "1.10", "1.1"], [["1.1", "1.1", "1.10"]]),
        (["cat", " cat", "cat"], [["cat", "cat", " cat"]]),
    ],
)
def test_labels_may_be_of_any_type(labels, predictions):
    votes = Votes.from_predictions(predictions, labels)
    assert votes.errors.tolist() == [[False, True, True]]
    assert votes.classes[votes.labels].tolist() == list(labels)


def test_numbers_compare_across_integer_and_float():
    assert not Votes.from_predictions([[1.0, 2.0]], [1, 2]).errors.any()


BIG = 2**53


@pytest.mark.parametrize(
    ("predictions", "labels"),
    [
        (np.array([[float(BIG)]]), np.array([BIG + 1])),
        (np.array([[BIG + 1]]), np.array([float(BIG)])),
        (np.array([[float(BIG), BIG + 1]], object), [BIG + 1, BIG + 1]),
        ([[float(BIG)], [1]], [BIG + 1]),
        (np.array([[2**63 + 1]], np.uint64), np.array([2**63 - 1])),
        (np.array([[-(2**63)]]), np.array([2.0**63])),
        (np.array([[2048]], np.float16), np.array([2049])),
        (np.array([[2**24]], np.float32), np.array([2**24 + 1])),
        (np.array([[np.inf]]), np.array([np.inf])),
        (pl.DataFrame({"a": [BIG + 1], "b": [None]}), np.array([BIG, BIG])),
    ],
)
def test_integers_that_a_conversion_would_merge_are_rejected(predictions, labels):
    held_out = [[True, False]] if np.shape(predictions) == (1, 2) else None
    with pytest.raises(ValueError, match=r"reach .* Give both as integers of one type, or as text"):
        Votes.from_predictions(predictions, labels, held_out)


def test_signed_and_unsigned_rows_are_distinguished():
    rows = [np.array([BIG + 1, 5], np.uint64), np.array([BIG, -5], np.int64)]
    votes = Votes.from_predictions(rows, [BIG, 5])
    assert votes.errors.tolist() == [[True, False], [False, True]]


@pytest.mark.parametrize(
    ("predictions", "labels"),
    [
        ([["a", 1]], ["a", "1"]),
        ([["True", "False"]], [True, False]),
        ([[b"cat", b"dog"]], ["cat", "dog"]),
        (np.array([[0, 1]]), ["bad", "good"]),
        (pd.DataFrame({"first": ["x"], "second": [1]}), ["x", "1"]),
    ],
)
def test_labels_of_different_kinds_are_rejected_with_advice_that_helps(predictions, labels):
    with pytest.raises(ValueError, match=r"Labels and predictions mix .* same labels") as caught:
        Votes.from_predictions(predictions, labels)
    assert "astype(str)" not in str(caught.value)


def test_codes_made_text_are_no_names():
    names, codes = np.array(["bad", "good"]), np.arange(40) % 2
    with pytest.raises(ValueError, match="labels are 'bad', 'good', the predictions '0', '1'"):
        Votes.from_predictions([codes.astype(str)], names[codes])
    assert not Votes.from_predictions([names[codes]], names[codes]).errors.any()


@pytest.mark.parametrize("nothing", [np.nan, None, pd.NA, pd.NaT])
def test_what_is_missing_is_never_right(nothing):
    for values in (["a", nothing], pd.Series(["a", nothing], dtype=object)):
        with pytest.raises(ValueError, match="labels are missing"):
            Votes.from_predictions([["a", "a"]], values)
        with pytest.raises(ValueError, match="held-out predictions are missing"):
            Votes.from_predictions([values], ["a", "a"])


def test_a_null_at_the_end_of_a_label_is_rejected():
    with pytest.raises(ValueError, match="null character"):
        Votes.from_predictions(np.array([["a\0"]], object), ["a"])


def test_unlabeled_predictions_that_look_alike_are_two():
    votes = Votes.from_predictions([["1", "1.0"]] * 2, ["1", "1.0"])
    options = votes.with_unlabeled([["1", "1"], ["1", "1.0"]])
    assert VoteCounts.from_votes(options).unlabeled_disagreements[0, 1] == 1


def test_unlabeled_text_is_no_number_even_if_it_is_written_like_one():
    votes = Votes.from_predictions([[0, 1]], [0, 1])
    with pytest.raises(ValueError, match=r"mix text \(0\) with numbers \(0\)"):
        votes.with_unlabeled([["0", "1"]])


def test_a_class_that_no_voter_predicts_counts_as_errors():
    votes = Votes.from_predictions([["a", "a"]], ["a", "never"])
    assert votes.errors.tolist() == [[False, True]]
    assert votes.classes.tolist() == ["a", "never"]


def test_a_prediction_outside_the_labels_is_an_error_and_a_class():
    votes = Votes.from_predictions([[0, 7]], [0, 1])
    assert votes.errors.tolist() == [[False, True]]
    assert votes.classes.tolist() == [0, 1, 7]


def test_predictions_where_a_voter_was_trained_may_be_missing():
    predictions = np.array([[1.0, np.nan], [0.0, 1.0]])
    votes = Votes.from_predictions(predictions, [1, 1], [[True, False], [True, True]])
    assert votes.errors.tolist() == [[False, False], [True, False]]
    assert votes.classes.tolist() == [0, 1]


def test_votes_keep_their_own_mask():
    mask = np.ones((1, 2), bool)
    votes = Votes.from_predictions([[0, 1]], [0, 1], mask)
    mask[:] = False
    assert votes.held_out.all()


def test_chunks_cover_every_sample_once():
    votes = Votes.from_predictions(np.arange(10)[None] % 3, np.arange(10) % 2)
    parts = list(votes.chunks(4))
    assert [part.n_samples for part in parts] == [4, 4, 2]
    assert np.concatenate([part.labels for part in parts]).tolist() == votes.labels.tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0, 1]], [0, 1, 1]), r"shape \(1, 2\) and labels \(3,\)"),
        (([[0, 1], [1, 0], [1, 1]], [0, 1, 1]), "Transpose predictions"),
        (([0, 1], [0, 1]), r"shape \(2,\)"),
        ((np.empty((0, 3)), [0, 1, 1]), r"shape \(0, 3\) .* at least one of each"),
        ((np.empty((3, 0)), []), r"shape \(3, 0\) .* at least one of each"),
        (([[0, 1]], [0, np.nan]), "1 of 2 labels are missing, the first at 1"),
        (([["a", "b"]], ["a", None]), "labels are missing"),
        (([[0, np.nan]], [0, 1]), "1 of 2 held-out predictions are missing"),
        (([["0", "1"]], [0, 1]), "mix text .* with numbers"),
        ((np.array([["a", 1]], object), ["a", "b"]), "mix text .* with numbers"),
        (([[0, 1]], [0, 1], [[1, 1]]), "expected booleans"),
        (([[0, 1]], [0, 1], [[True]]), r"held_out has shape \(1, 1\)"),
        (([[0, 1]], [0, 1], [True, True]), r"held_out has shape \(2,\)"),
    ],
)
def test_what_cannot_be_votes_is_rejected(arguments, message):
    with pytest.raises(ValueError, match=message):
        Votes.from_predictions(*arguments)


def test_unlabeled_predictions_need_every_voter_and_no_gap():
    with pytest.raises(ValueError, match="2 voters predict the unlabeled samples, and 1 the"):
        Votes.from_predictions([[0, 1]], [0, 1], unlabeled=[[0], [1]])
    with pytest.raises(ValueError, match="every unlabeled sample"):
        Votes.from_predictions([[0, 1]], [0, 1], unlabeled=[[0, np.nan]])


def test_columns_of_pandas_in_another_order_than_the_labels_are_rejected():
    labels = pd.Series([0, 1, 1], index=[5, 6, 7])
    predictions, mask = labels.copy(), pd.Series([True, True, False], index=[5, 6, 7])
    loaded = Votes.from_predictions([predictions], labels, held_out=[mask])
    assert loaded.held_out.tolist() == [[True, True, False]]
    for turned in ({"held_out": [mask[::-1]]}, {"predictions": [predictions[::-1]]}):
        given = {"predictions": [predictions], "held_out": [mask]} | turned
        with pytest.raises(ValueError, match="index of the samples in another order"):
            Votes.from_predictions(labels=labels, **given)
    for turned in (
        {"held_out": pd.DataFrame([mask[::-1]])},
        {"predictions": pd.DataFrame([predictions[::-1]])},
    ):
        given = {"predictions": [predictions], "held_out": [mask]} | turned
        with pytest.raises(ValueError, match="index of the samples in another order"):
            Votes.from_predictions(labels=labels, **given)
    other = mask.set_axis([0, 1, 2])[::-1]  # an index of its own says nothing of order
    assert Votes.from_predictions([predictions], labels, held_out=[other]).held_out.tolist() == [
        [False, True, True]
    ]
    assert Votes.from_predictions([predictions.to_numpy()[::-1]], labels).n_samples == 3


def test_wrong_shapes_of_unlabeled_predictions_are_named():
    votes = Votes.from_predictions([[0, 1]], [0, 1], unlabeled=[[0, 1, 1]])
    with pytest.raises(ValueError, match=r"predictions has shape \(3,\); expected"):
        Votes.without_labels([0, 1, 1])
    with pytest.raises(
        ValueError, match="predicts 2 samples; expected one label for each of the 3"
    ):
        votes.with_deployed([0, 1])


def test_only_votes_of_one_kind_are_joined():
    # Two voters that always disagree: a referee may be wrong everywhere, the smallest class never.
    plain = Votes.from_predictions([[0] * 9, [1] * 9], [0] * 9)
    parts = [plain, replace(plain, ties="referee")]
    for each in (parts, parts[::-1]):
        with pytest.raises(ValueError, match="Cannot join votes with ties 'referee' and 'small"):
            Votes.joined(each)


def test_unlabeled_samples_leave_the_labeled_ones_as_they_are():
    kind = {"ties": "referee", "one_row_per_group": True, "latest": "7", "group": "some samples"}
    drawn = {"rows": np.array([1, 3]), "n_given": 5}
    votes = replace(Votes.from_predictions([[0, 1]], [0, 1]), **kind, **drawn)
    more = votes.with_unlabeled([[2, 1, 0]])
    assert {name: getattr(more, name) for name in kind} == kind
    assert (more.rows.tolist(), more.n_given, more.n_unlabeled) == ([1, 3], 5, 3)
