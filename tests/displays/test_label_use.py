import numpy as np
import pytest

from tandemvote import Votes
from tandemvote.displays import LabelUseDisplay

FOLDS = np.eye(3, dtype=bool)[np.random.default_rng(0).integers(3, size=300)].T


def drawn(display):
    """Share of each row that is drawn in the colour of evaluation."""
    bars = display.plot().ax_.collections
    colours = [tuple(bar.get_facecolor()[0]) for bar in bars]
    rows, widths = {}, [path.get_extents() for bar in bars for path in bar.get_paths()]
    for colour, box in zip(colours, widths, strict=True):
        rows.setdefault(round((box.y0 + box.y1) / 2), {}).setdefault(colour, []).append(box.width)
    return [{colour: sum(each) for colour, each in row.items()} for row in rows.values()]


def test_folds_are_drawn_as_one_block_per_voter_of_its_true_size():
    display = LabelUseDisplay(held_out=FOLDS)
    assert len(display.plot().ax_.collections) <= 8  # two or three blocks per voter
    for row, held_out in zip(drawn(display), FOLDS, strict=True):
        assert sorted(row.values()) == pytest.approx(
            sorted([held_out.mean(), 1 - held_out.mean()]), abs=1e-9
        )


def test_words_say_how_labels_are_used():
    masks = np.random.default_rng(1).random((40, 500)) < 0.37
    assert "trained 2 of the 3 voters" in LabelUseDisplay(held_out=FOLDS).description
    pairs = np.repeat([[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 0]], [5, 5, 5, 15], axis=1) == 1
    by_twos = LabelUseDisplay(held_out=pairs).description
    assert by_twos.startswith("15 labels trained one of the 3 voters and evaluated the two others")
    assert by_twos.endswith("No label was set aside.")
    trees = LabelUseDisplay(held_out=masks).description
    assert f"trained {100 * (1 - masks.mean()):.0f} % of the voters" in trees
    assert "No label was set aside" in trees
    common = LabelUseDisplay(held_out=np.ones((2, 9), bool)).description
    assert "No voter was trained on these points" in common
    assert "No label was set aside" not in common
    assert (
        "90 other labels trained"
        in LabelUseDisplay(held_out=np.ones((2, 9), bool), n_training=90).description
    )
    more = LabelUseDisplay(held_out=masks, n_test=1200, n_unlabelled=7).description
    assert "1,200 more labels were set aside" in more
    assert "7 more points needed no label" in more


def test_frame_counts_the_points_that_train_and_evaluate_each_voter():
    votes = Votes.from_predictions(np.zeros((3, 300), int), np.zeros(300, int), FOLDS)
    frame = LabelUseDisplay.from_votes(votes).frame()
    assert frame["evaluated_on"].tolist() == FOLDS.sum(axis=1).tolist()
    assert (frame.sum(axis=1) == 300).all()


def test_of_many_voters_the_first_ones_are_drawn_and_the_rest_is_counted():
    masks = np.random.default_rng(1).random((40, 500)) < 0.37
    display = LabelUseDisplay(held_out=masks, n_test=50, n_unlabelled=60).plot()
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert len(names) == 12
    assert "28 more" in names[-1]
    ticks = [text.get_text() for text in display.ax_.get_xticklabels()]
    assert ticks == ["48 of 500 labelled points", "50\ntest set", "60\nno labels"]
    display.figure_.canvas.draw()
