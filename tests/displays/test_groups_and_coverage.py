"""Pictures of error bounds by group and of classifiers that abstain."""

import numpy as np
import pytest
from matplotlib import pyplot

from tandemvote import Votes, certify
from tandemvote.certificate import SelectiveCertificate
from tandemvote.displays import GroupsDisplay, SelectiveDisplay
from tandemvote.report.pictures import WIDTH


@pytest.fixture(scope="module")
def certificates():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], [2000, 800, 4])
    wrong = rng.random((9, labels.size)) < 0.05 + 0.1 * labels
    votes = Votes.from_predictions(np.where(wrong, 1 - labels % 2, labels), labels)
    return certify(votes, bound="tandem").by_group("class")


def selective(max_error):
    rng = np.random.default_rng(0)
    share = rng.random(1500)
    labels = (rng.random(1500) < share).astype(int)
    shares = np.column_stack([1 - share, share])
    return SelectiveCertificate.from_shares(shares, labels, max_error=max_error)


def test_every_group_has_its_row_its_bound_its_size_and_its_observed_error(certificates):
    display = GroupsDisplay(certificates).plot()
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == [
        "0 (n = 2000)",
        "1 (n = 800)",
        "2 (n = 4)",
    ]
    assert float(display.ax_.texts[1].get_text().rstrip("%")) >= 100 * certificates[1].value
    assert display.ax_.texts[2].get_text() == "no guarantee"
    marks = [line for line in display.ax_.lines if line.get_marker() == "s"]
    observed = [float(line.get_xdata()[0]) for line in marks]
    assert observed == [each.observed for each in certificates]
    assert marks[0].get_markersize() > marks[1].get_markersize()
    assert "2 no guarantee (4 samples)" in display.description
    display.figure_.canvas.draw()


def test_groups_by_several_columns_are_distinguished():
    labels = np.arange(400) % 2
    certificate = certify(Votes.from_predictions([labels * 0], labels))
    display = GroupsDisplay(
        certificate.by_group({"class": "class", "half": np.arange(400) // 200})
    ).plot()
    assert "class: 1 no guarantee" in display.description
    assert display.ax_.get_yticklabels()[2].get_text() == "half: 0 (n = 200)"
    display.figure_.canvas.draw()


def test_the_label_of_the_axis_stays_on_the_page_next_to_long_names():
    labels = np.arange(400) % 2
    long = np.where(labels, "the northern hemisphere of Mars", "the southern hemisphere of Mars")
    groups = certify(Votes.from_predictions([labels], labels)).by_group({"where": long})
    figure, ax = pyplot.subplots(figsize=(WIDTH, 2), layout="constrained")
    GroupsDisplay(groups).plot(ax)
    figure.canvas.draw()
    label = ax.xaxis.label.get_window_extent()
    assert 0 <= label.x0 < label.x1 <= figure.bbox.width


def test_the_curve_shows_guaranteed_and_observed_numbers():
    certificate = selective(0.2)
    display = SelectiveDisplay(certificate).plot()
    passed = [each for each in certificate.thresholds if each.passed]
    assert 0 < len(passed) < len(certificate.thresholds)
    guaranteed = [line for line in display.ax_.lines if "guaranteed" in line.get_label()]
    assert guaranteed[0].get_xdata().tolist() == [each.coverage for each in passed]
    assert set(guaranteed[0].get_ydata()) == {0.2}
    assert f"Chosen: margin {certificate.chosen.margin:g}." in display.description
    display.figure_.canvas.draw()


def test_without_a_threshold_that_passed_the_picture_says_so():
    display = SelectiveDisplay(selective(1e-4)).plot()
    assert "with no threshold. Chosen: none." in display.description
    display.figure_.canvas.draw()


def test_pictures_are_drawn_into_the_axes_given(certificates):
    figure, (left, right) = pyplot.subplots(1, 2)
    assert GroupsDisplay(certificates).plot(left).ax_ is left
    assert SelectiveDisplay(selective(0.2)).plot(right).ax_ is right
    assert left.has_data()
    assert right.has_data()
    figure.canvas.draw()
