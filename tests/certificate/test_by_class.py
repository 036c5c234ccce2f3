"""How guarantees by class are printed, looked up and mixed."""

import numpy as np
import pytest

from tandemvote import Votes, certify_per_class


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    labels = np.repeat(["<a>", "b", "rare"], [3000, 1000, 5])
    others = np.where(labels == "b", "<a>", "b")
    wrong = rng.random((9, labels.size)) < np.where(labels == "b", 0.2, 0.03)
    votes = Votes.from_predictions(np.where(wrong, others, labels), labels)
    return certify_per_class(votes, weights="tandem", bound="tandem")


def test_no_sentence_claims_more_than_its_class(found):
    text = found.guarantee
    assert text.startswith("With probability at least 95 % over the draw of the data, all of this")
    assert text.count("whose true class is") == 3
    assert "Nothing is shown for new points whose true class is 'rare'." in text
    assert "of new points." not in text
    percent = float(found["b"].sentence.split("at most ")[1].split(" %")[0])
    assert 100 * found["b"].value <= percent <= 100 * found["b"].value + 0.1


def test_the_table_rounds_up_and_says_why_nothing_is_known(found):
    header, *rows = repr(found).splitlines()[3:]
    assert header.split() == ["class", "points", "error", "<=", "bound"]
    cells = [row.split(maxsplit=4) for row in rows]
    assert [row[0] for row in cells] == ["<a>", "b", "rare"]
    assert [int(row[1]) for row in cells] == [3000, 1000, 5]
    for row in cells[:2]:
        assert found[row[0]].value <= float(row[2]) <= found[row[0]].value + 0.001
    assert cells[2][2:] == ["none", "TND", "too few points, or too many errors"]
    assert len({len(row.split("TND")[0]) for row in rows}) == 1, "columns must line up"


def test_frame_and_html_say_the_same(found):
    frame = found.to_frame()
    assert frame.index.tolist() == ["<a>", "b", "rare"]
    assert frame["value"].to_dict() == dict(found.values)
    assert frame["delta"].sum() == pytest.approx(0.05)
    page = found._repr_html_()
    assert "&lt;a&gt;" in page
    assert "<a>" not in page
    assert "How frequent the classes are may change" in page


def test_nothing_at_all_is_said_in_one_sentence():
    votes = Votes.from_predictions([[1, 0, 1, 0]], [0, 1, 0, 1])
    found = certify_per_class(votes, bound="tandem")
    assert found.guarantee.startswith("No guarantee")
    assert all(each.value == 1.0 for each in found)


def test_a_class_is_found_by_its_label(found):
    assert found["b"] is found.guarantees[1]
    assert len(found) == 3
    with pytest.raises(KeyError, match="'c' is not among the classes"):
        found["c"]


def test_classes_may_be_mixed_in_any_proportion(found):
    values = found.values
    mean = 0.25 * values["<a>"] + 0.75 * values["b"]
    assert mean <= found.mixed({"<a>": 0.25, "b": 0.75}) <= mean + 1e-8
    assert found.mixed({"rare": 1.0}) == 1.0
    for wrong in ({"b": 0.5}, {"<a>": 1.5, "b": -0.5}, {"b": float("nan")}):
        with pytest.raises(ValueError, match="sum to 1"):
            found.mixed(wrong)
