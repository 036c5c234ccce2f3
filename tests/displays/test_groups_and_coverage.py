"""Pictures of guarantees by group and of abstaining votes."""

import numpy as np
import pytest
from matplotlib import pyplot

from tandemvote import Votes, certify_by_group
from tandemvote.certificate import SelectiveCertificate
from tandemvote.displays import GroupsDisplay, SelectiveDisplay
from tandemvote.report.pictures import WIDTH


@pytest.fixture(scope="module")
def certificates():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], [2000, 800, 4])
    wrong = rng.random((9, labels.size)) < 0.05 + 0.1 * labels
    votes = Votes.from_predictions(np.where(wrong, 1 - labels % 2, labels), labels)
    return certify_by_group(votes, groups="class", bound="tandem")


def selective(**terms):
    rng = np.random.default_rng(0)
    sure = rng.random(1500)
    labels = (rng.random(1500) < sure).astype(int)
    return SelectiveCertificate.from_shares(np.column_stack([1 - sure, sure]), labels, **terms)


def test_every_group_has_its_row_its_number_its_size_and_what_was_observed(certificates):
    display = GroupsDisplay.from_certificates(certificates).plot()
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == [
        "0 (n = 2000)",
        "1 (n = 800)",
        "2 (n = 4)",
    ]
    assert float(display.ax_.texts[1].get_text()) >= certificates[1].value
    assert display.ax_.texts[2].get_text() == "no guarantee"
    marks = [line for line in display.ax_.lines if line.get_marker() == "s"]
    observed = [float(line.get_xdata()[0]) for line in marks]
    assert observed == [each.observed for each in certificates]
    assert marks[0].get_markersize() > marks[1].get_markersize()
    assert display.frame()["value"].to_dict() == {
        each.name: each.value for each in certificates
    }  # fmt: skip
    assert "2 no guarantee (4 points)" in display.description
    display.figure_.canvas.draw()


def test_groups_by_several_columns_are_told_apart():
    labels = np.arange(400) % 2
    found = certify_by_group(
        Votes.from_predictions([labels * 0], labels), groups=["class", "predicted"]
    )
    display = GroupsDisplay.from_certificates(found).plot()
    assert "true class: 1 no guarantee" in display.description
    assert display.ax_.get_yticklabels()[2].get_text() == "predicted class: 0 (n = 400)"
    display.figure_.canvas.draw()


def test_the_label_of_the_axis_stays_on_the_page_beside_long_names():
    labels = np.arange(400) % 2
    long = np.where(labels, "the northern hemisphere of Mars", "the southern hemisphere of Mars")
    found = certify_by_group(Votes.from_predictions([labels], labels), groups={"where": long})
    figure, ax = pyplot.subplots(figsize=(WIDTH, 2), layout="constrained")
    GroupsDisplay.from_certificates(found).plot(ax)
    figure.canvas.draw()
    label = ax.xaxis.label.get_window_extent()
    assert 0 <= label.x0 < label.x1 <= figure.bbox.width


def test_the_curve_shows_certified_and_observed_numbers():
    certificate = selective(margin=[0.0, 0.4, 0.8, 1.0])
    display = SelectiveDisplay.from_certificate(certificate).plot()
    frame = display.frame()
    assert (frame["error"] >= frame["observed_error"].fillna(0)).all()
    assert (frame["coverage"] <= frame["observed_coverage"]).all()
    assert np.isnan(frame.loc[1.0, "observed_error"]), "nobody is sure to the last"
    assert frame.index[frame["chosen"]].tolist() == [certificate.margin]
    shown = [text.get_text() for text in display.ax_.texts]
    assert shown == [f"{row.margin:g}" for row in certificate.thresholds if row.error < 1]
    assert f"Chosen: margin {certificate.margin:g}." in display.description
    display.figure_.canvas.draw()


def test_a_search_shows_the_error_it_was_to_keep():
    display = SelectiveDisplay.from_certificate(selective(margin=[0.2, 0.6, 0.8], max_error=0.2))
    heights = [line.get_ydata()[0] for line in display.plot().ax_.lines]
    assert 0.2 in heights
    nothing = SelectiveDisplay.from_certificate(selective(margin=[0.2], max_error=1e-4)).plot()
    assert "Nothing is shown for any" in nothing.description
    assert "Chosen: none." in nothing.description
    nothing.figure_.canvas.draw()


def test_pictures_are_drawn_where_told(certificates):
    figure, (left, right) = pyplot.subplots(1, 2)
    assert GroupsDisplay.from_certificates(certificates).plot(left).ax_ is left
    assert SelectiveDisplay.from_certificate(selective(margin=0.5)).plot(right).ax_ is right
    assert left.has_data()
    assert right.has_data()
    figure.canvas.draw()
