"""How guarantees by group are printed and looked up."""

import numpy as np
import pytest

from tandemvote import Votes, certify_by_group


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    labels = np.repeat(["<a>", "b", "rare"], [3000, 1000, 5])
    others = np.where(labels == "b", "<a>", "b")
    wrong = rng.random((9, labels.size)) < np.where(labels == "b", 0.2, 0.03)
    votes = Votes.from_predictions(np.where(wrong, others, labels), labels)
    return certify_by_group(votes, groups="class", weights="tandem", bound="tandem")


def test_no_sentence_claims_more_than_its_class(found):
    text = found.guarantee
    assert text.startswith("With probability at least 95 % over the draw of the data, all of this")
    assert text.count("whose true class is") == 3
    assert (
        "Nothing is shown for new points whose true class is 'rare': too few points: about " in text
    )
    assert "of new points." not in text
    percent = float(found["b"].sentence.split("at most ")[1].split(" %")[0])
    assert 100 * found["b"].value <= percent <= 100 * found["b"].value + 0.1


def test_the_table_rounds_up_and_says_why_nothing_is_known(found):
    header, *rows = repr(found).splitlines()[3:]
    assert header.split("  ")[-2:] == ["error <=", "bound"]
    cells = [row.split(maxsplit=5) for row in rows]
    assert [row[0] for row in cells] == ["<a>", "b", "rare"]
    assert [int(row[1]) for row in cells] == [3000, 1000, 5]
    for row in cells[:2]:
        value = found[row[0]].value
        assert value <= float(row[3]) <= value + 0.001
        assert 1 - value - 0.001 <= float(row[5].split()[-1]) <= 1 - value
    assert cells[2][3:5] == ["none", "TND"]
    assert cells[2][5].startswith("too few points: about ")
    assert len({len(row.split("TND")[0]) for row in rows}) == 1, "columns must line up"


def test_frame_and_html_say_the_same(found):
    frame = found.to_frame()
    assert frame.index.tolist() == ["<a>", "b", "rare"]
    assert frame["value"].to_dict() == dict(found.values)
    assert frame["delta"].sum() == pytest.approx(0.05)
    page = found._repr_html_()
    assert "&lt;a&gt;" in page
    assert "<a>" not in page
    assert "How frequent the groups are may change" in page


def test_nothing_at_all_is_said_in_one_sentence():
    votes = Votes.from_predictions([[1, 0, 1, 0]], [0, 1, 0, 1])
    found = certify_by_group(votes, groups="class", bound="tandem")
    assert found.guarantee.startswith("No guarantee")
    assert all(each.value == 1.0 for each in found)


def test_a_group_is_found_by_its_label(found):
    assert found["b"] is found.guarantees[1]
    assert len(found) == 3
    with pytest.raises(KeyError, match="'c' is not among the groups"):
        found["c"]


def test_a_label_of_two_groupings_needs_both_names():
    labels = np.arange(400) % 2
    found = certify_by_group(
        Votes.from_predictions([labels], labels), groups=["class", "predicted"]
    )
    with pytest.raises(KeyError, match="names several groups"):
        found[0]
    assert found["true class", 0].by == "true class"
