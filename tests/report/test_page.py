import re
from html.parser import HTMLParser

import numpy as np
import pytest

from tandemvote import Certificate, VoteCounts, Votes, certify_per_class
from tandemvote.certificate.decimals import rounded_up
from tandemvote.report import render_report, write_report


class Page(HTMLParser):
    """Text by section, all tags with their attributes, and whether tags are balanced."""

    VOID = frozenset({"meta", "link", "br", "img", "hr"})

    def __init__(self, source):
        super().__init__()
        self.text, self.tags, self.open, self.sections = "", [], [], {}
        self.section = None
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "section":
            self.section = dict(attrs)["id"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.text += data
            self.sections[self.section] = self.sections.get(self.section, "") + data


@pytest.fixture(scope="module")
def page(certificate, votes, solution):
    return Page(
        render_report(
            certificate,
            votes=votes,
            solution=solution,
            data_description="Two hundred coins.",
            command="tandemvote certify coins.csv --target side",
        )
    )


def test_the_report_opens_with_the_guarantee(certificate, page):
    before = page.text[: page.text.index(certificate.guarantee)]
    assert before.split() == ["Certificate", "of", "a", "majority", "vote"] * 2  # title and heading


def test_every_bound_stands_there_rounded_up_with_the_labels_it_consumed(certificate, page):
    table = page.sections["bounds-table"]
    for name, value in certificate.bounds.items():
        assert f"{name} ({value.label})" in table
        assert rounded_up(value.value) in table
    assert "labels of an extra test set" in table
    assert "held-out labels" in table


def test_what_the_guarantee_rests_on_is_said_in_words(certificate, page):
    for text in (*certificate.assumptions, *certificate.notes, "Two hundred coins."):
        assert text in page.sections["basis"]
    assert str(certificate.counts.n_min) in page.sections["basis"]
    assert str(certificate.counts.n_min_pairs) in page.sections["basis"]


def test_all_five_pictures_are_inside_and_described(page):
    pictures = [attributes for tag, attributes in page.tags if tag == "svg"]
    assert len(pictures) == 5
    words = {attributes.get("id") for _, attributes in page.tags}
    assert {picture["aria-labelledby"] for picture in pictures} <= words


def test_every_voter_is_in_the_weights_table_and_most_are_folded(certificate, page):
    table = page.sections["weights-table"]
    order = np.argsort(-certificate.weights, kind="stable")
    rows = re.findall(r"^(\d+?)(?=0\.\d{4})", table, flags=re.MULTILINE)
    assert [int(voter) for voter in rows] == order.tolist()
    assert "the other 15 voters" in table


def test_how_to_cite_and_how_to_get_it_again(page):
    assert "Second Order PAC-Bayesian Bounds" in page.sections["cite"]
    assert "The tandemvote developers" in page.sections["cite"]
    assert "tandemvote certify coins.csv --target side" in page.sections["again"]
    assert "scikit-learn" in page.sections["again"]


def test_identifiers_are_unique_and_every_reference_has_its_target(page):
    names = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(names) == len(set(names))
    for tag, attributes in page.tags:
        for key in ("href", "xlink:href"):
            reference = attributes.get(key, "")
            if reference.startswith("#"):
                assert reference[1:] in names, (tag, reference)
        for reference in re.findall(r"url\(#([^)]+)\)", " ".join(map(str, attributes.values()))):
            assert reference in names


def test_nothing_in_the_page_asks_the_network(page):
    for tag, attributes in page.tags:
        for key in ("src", "href", "xlink:href", "srcset", "data", "action", "poster"):
            assert attributes.get(key, "#").startswith(("#", "data:")), (tag, attributes)
    assert "script" not in {tag for tag, _ in page.tags}
    assert "iframe" not in {tag for tag, _ in page.tags}


def test_style_sheet_loads_nothing(certificate):
    source = render_report(certificate)
    style = source[source.index("<style>") : source.index("</style>")]
    assert "@import" not in style
    assert "url(" not in style
    assert "&#" not in style
    assert "&quot;" not in style


HOSTILE = "<script>alert('1')</script>\"><img src=x onerror=alert(2)>{{ 7 * 7 }} $\\frac{$"


def test_hostile_texts_are_shown_as_text(votes):
    labels = np.array([HOSTILE, "b"])[votes.labels]
    named = Votes.from_predictions(
        np.array([HOSTILE, "b"])[votes.predictions], labels, votes.held_out
    )
    certificate = Certificate.from_counts(VoteCounts.from_votes(named), notes=[HOSTILE])

    class Vote:
        def __repr__(self):
            return HOSTILE

    page = Page(
        render_report(
            certificate,
            votes=named,
            estimator=Vote(),
            title=HOSTILE,
            data_description=HOSTILE,
            command=HOSTILE,
        )
    )
    assert not {"script", "img"} & {tag for tag, _ in page.tags}
    assert page.text.count(HOSTILE) == 6  # title twice, description, note, command, estimator


def test_every_class_has_a_row_if_classes_were_certified(certificate, votes):
    named = Votes.from_predictions(
        np.array(["bad", "<good>"])[votes.predictions],
        np.array(["bad", "<good>"])[votes.labels],
        votes.held_out,
    )
    classes = certify_per_class(named, weights=certificate.weights)
    source = render_report(certificate, classes=classes)
    table = Page(source).sections["classes-table"]
    for each in classes:
        assert f"{each.label}{each.n_points}{rounded_up(each.value)}" in table
    assert "How frequent the classes are may change" in table
    assert "<good>" not in source
    assert "classes-table" not in render_report(certificate)


def test_without_a_test_set_the_report_says_what_it_would_bring(votes):
    certificate = Certificate.from_counts(VoteCounts.from_votes(votes))
    assert "No labels were set aside for a test set" in render_report(certificate)


def test_a_hopeless_vote_opens_with_no_guarantee():
    rng = np.random.default_rng(0)
    votes = Votes.from_predictions(rng.integers(2, size=(5, 60)), rng.integers(2, size=60))
    certificate = Certificate.from_counts(VoteCounts.from_votes(votes))
    page = Page(render_report(certificate, votes=votes))
    assert page.text.index("No guarantee") < page.text.index("What it rests on")


def test_a_single_voter_gets_a_report():
    votes = Votes.from_predictions([[0, 1, 1, 0] * 50], [0, 1, 1, 1] * 50)
    page = render_report(Certificate.from_counts(VoteCounts.from_votes(votes)), votes=votes)
    assert page.count("<svg") == 3


def test_the_same_certificate_gives_the_same_file(certificate, votes, tmp_path):
    first = write_report(tmp_path / "first.html", certificate, votes=votes)
    second = write_report(str(tmp_path / "second.html"), certificate, votes=votes)
    assert first.read_bytes() == second.read_bytes()
    assert first.read_text(encoding="utf-8") == render_report(certificate, votes=votes)
