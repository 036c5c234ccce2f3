import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from tandemvote import (
    Certificate,
    CertifiedClassifier,
    VoteCounts,
    Votes,
    certify,
    certify_by_group,
)
from tandemvote.certificate.decimals import rounded_up
from tandemvote.hard_vote import observed_error
from tandemvote.report import render_report, write_report
from tandemvote.report.page import Confusion
from tandemvote.tables import Dataset, TableEncoder, from_frame


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


def test_the_report_opens_with_three_numbers_and_what_they_mean(votes, certificate):
    shown = replace(certificate, observed=0.0249, value=0.0611, guessing=0.4999)
    text = " ".join(Page(render_report(shown, votes=votes)).text.split())
    opening = text[: text.index(certificate.guarantee.split("errs")[0])]
    for words in (
        "observed 2.5 %", "it got 25 wrong",
        "guaranteed at most 6.2 %", "at most 62 wrong on average", "with probability 95 %",
        "guessing 50.0 %", "500 of every 1,000",
    ):  # fmt: skip
        assert words in opening


def test_rates_below_one_in_a_thousand_are_not_shown_as_none(certificate):
    shown = replace(certificate, observed=0.0001, value=0.0002, guessing=0.3)
    text = " ".join(Page(render_report(shown)).text.split())
    assert "observed 0.01 %" in text
    assert "got < 1 wrong" in text
    assert "at most 1 wrong on average" in text


def test_the_matrix_of_mistakes_adds_up_to_the_observed_error(votes, certificate, page):
    found = Confusion.from_votes(votes, certificate.weights)
    wrong = found.counts.sum() - np.trace(found.counts)
    assert wrong / found.counts.sum() == observed_error(votes, certificate.weights)
    assert sum(count for _, _, count, _ in found.mistakes) == wrong
    table = page.sections["confusion"]
    for count in found.counts.ravel():
        assert str(count) in table
    assert "estimates, not guarantees" in table


def test_a_deployed_classifier_is_not_shown_with_the_mistakes_of_the_vote(votes):
    said = np.arange(90) % 2
    asked = replace(votes, unlabelled=np.tile(said.astype(votes.predictions.dtype), (25, 1)))
    found = certify(asked, deployed=said)
    page = Page(render_report(found, votes=asked))
    assert found.deployed is not None
    assert found.guarantee in page.text
    assert "confusion" not in page.sections
    assert "ore points without labels" in page.sections["tighter"]


def test_many_labels_are_shown_as_a_list_of_the_most_frequent_mistakes():
    labels = np.arange(600) % 20
    said = np.where(np.arange(600) < 45, (labels + 1) % 20, labels)
    votes = Votes.from_predictions([said], labels)
    page = Page(render_report(Certificate.from_counts(VoteCounts.from_votes(votes)), votes=votes))
    lines = [line for line in page.sections["confusion"].splitlines() if "%" in line]
    assert lines[0] == "01310.0 %"  # 0 taken for 1, 3 rows of 30
    assert len(lines) == 12


def test_labels_and_their_shares_are_listed(votes, page):
    table = page.sections["data"]
    for code, count in enumerate(np.bincount(votes.labels)):
        assert f"{code}{count}{100 * count / votes.n_samples:.1f} %" in table


def test_a_data_set_adds_its_columns_and_notes(certificate):
    data = Dataset("coins", X=np.array([[1.0, 2.0], [np.nan, 1.0]]), y=np.array(["a", "b"]))
    table = Page(render_report(certificate, data=data)).sections["data"]
    assert "columns used2" in table
    assert "1 row with missing entries kept" in table
    assert "a150.0 %" in table


def test_a_table_adds_how_every_column_was_read(certificate):
    frame = pandas.DataFrame(
        {"size": np.arange(60) / 7, "<colour>": ["red", "blue"] * 30, "kind": ["a", "b", "b"] * 20}
    )
    data = from_frame(pandas.concat([frame, frame[:1]]), target="kind", name="things")
    table = Page(render_report(certificate, data=data)).sections["data"]
    assert "rows that repeat another1" in table
    for column, kind, detail in data.columns:
        assert f"{column}{kind}{detail}" in table


def test_pictures_that_would_show_nothing_are_left_out():
    folds = np.repeat(np.eye(3, dtype=bool), 50, axis=1)
    votes = Votes.from_predictions(np.zeros((3, 150), int), np.arange(150) % 9 < 1, folds)
    page = Page(render_report(Certificate.from_counts(VoteCounts.from_votes(votes)), votes=votes))
    figures = [attributes["id"] for tag, attributes in page.tags if tag == "figure"]
    assert figures == ["bounds"]  # equal weights, and no two voters share a point


def test_what_would_make_it_tighter_names_what_was_not_done_in_the_words_given(votes, page):
    without = Certificate.from_counts(VoteCounts.from_votes(votes))
    ways = Page(render_report(without, words=lambda text: text.replace("X_un", "--un")))
    assert "A test set" in ways.sections["tighter"]
    assert "(--unlabelled)" in ways.sections["tighter"]
    assert "More test points" in page.sections["tighter"]


def test_every_bound_stands_there_rounded_up_with_the_labels_it_consumed(certificate, page):
    table = page.sections["bounds-table"]
    for name, value in certificate.bounds.items():
        assert (f"{name} ({value.label})" if value.value < 1 else name) in table
        assert rounded_up(value.value) in table
    assert "test-set labels" in table
    assert "held-out labels" in table


def test_what_the_guarantee_rests_on_is_said_in_words(certificate, page):
    for text in (*certificate.assumptions, *certificate.notes):
        assert text in page.sections["basis"]
    assert "Two hundred coins." in page.sections[None]
    assert str(certificate.counts.n_min) in page.sections["bounds-table"]
    assert str(certificate.counts.n_min_pairs) in page.sections["bounds-table"]


def test_all_four_pictures_are_inside_and_described(page):
    pictures = [attributes for tag, attributes in page.tags if tag == "svg"]
    assert len(pictures) == 4
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
    # title twice, description, note, command, estimator, and the label: share, row, column
    assert page.text.count(HOSTILE) == 9


def test_every_class_has_a_row_if_classes_were_certified(certificate, votes):
    named = Votes.from_predictions(
        np.array(["bad", "<good>"])[votes.predictions],
        np.array(["bad", "<good>"])[votes.labels],
        votes.held_out,
    )
    classes = certify_by_group(named, groups="class", weights=certificate.weights)
    source = render_report(certificate, classes=classes)
    table = Page(source).sections["classes-table"]
    for each in classes:
        assert f"{each.label}{each.n_points}" in table
        assert rounded_up(each.value) in table
    assert "How frequent the groups are may change" in table
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
    assert page.text.index("No guarantee") < page.text.index("It holds if")


def test_a_single_voter_gets_a_report():
    votes = Votes.from_predictions([[0, 1, 1, 0] * 50], [0, 1, 1, 1] * 50)
    page = render_report(Certificate.from_counts(VoteCounts.from_votes(votes)), votes=votes)
    assert page.count("<svg") == 1  # bounds


def test_the_same_certificate_gives_the_same_file(certificate, votes, tmp_path):
    first = write_report(tmp_path / "first.html", certificate, votes=votes)
    second = write_report(str(tmp_path / "second.html"), certificate, votes=votes)
    assert first.read_bytes() == second.read_bytes()
    assert first.read_text(encoding="utf-8") == render_report(certificate, votes=votes)


def test_a_certified_classifier_brings_its_votes_and_names_itself():
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    y = np.arange(240) % 3
    X = rng.normal(size=(240, 2)) + y[:, None]
    model = CertifiedClassifier(LogisticRegression(), random_state=0).fit(X, y)
    page = Page(render_report(model))
    assert "LogisticRegression()" in page.sections["again"]
    assert {"confusion", "data"} <= set(page.sections)
    found = model.certification_
    same = render_report(found.certificate, votes=found.votes, estimator=model)
    assert render_report(model) == same == render_report(found, estimator=model)


def test_the_report_of_a_pipeline_is_that_of_its_last_step():
    frame = pandas.DataFrame({"size": np.arange(90) % 7 / 2, "colour": ["red", "blue", None] * 30})
    labels = np.where(frame["size"] > 1, "big", "small")
    vote = CertifiedClassifier(DecisionTreeClassifier(random_state=0), random_state=0)
    pipeline = make_pipeline(TableEncoder(), vote).fit(frame, labels)
    alone = render_report(pipeline[-1], estimator=pipeline)
    assert render_report(pipeline) == alone and "TableEncoder" in alone


@pytest.fixture(scope="module")
def committee():
    rng = np.random.default_rng(0)
    y = np.arange(600) % 3
    X = rng.normal(size=(600, 2)) + y[:, None]
    return CertifiedClassifier(DecisionTreeClassifier(), random_state=0).fit(
        X, y, groups=np.arange(600) // 2
    )


def test_a_committee_is_shown_with_the_error_of_its_tested_models(committee):
    certificate, votes = committee.certificate_, committee.certification_.votes
    page = Page(render_report(committee))
    wrong = f"{1000 * certificate.observed:.0f} wrong"
    assert f"the vote of the 4 tested models, without the referee, got {wrong}" in page.text
    tested = votes.predictions[:4]
    shares = (tested[:, :, None] == np.arange(3)).sum(axis=0)
    clear = (shares == shares.max(axis=1, keepdims=True)).sum(axis=1) == 1
    found = Confusion.from_votes(votes, certificate.weights)
    counts = np.zeros((3, 3), int)
    np.add.at(counts, (votes.labels[clear], shares[clear].argmax(axis=1)), 1)
    assert (found.counts >= counts).all()
    assert found.counts.sum() == votes.n_samples
    wrong = found.counts.sum() - np.trace(found.counts)
    assert wrong / votes.n_samples == certificate.observed
    assert f"{votes.n_samples} test samples, each predicted by the vote of the 4" in page.text


def test_a_committee_is_shown_with_what_must_stay_and_what_may_change(committee):
    page = Page(render_report(committee))
    assert "The 4 tested models must stay as they are. The referee may be" in page.text
    assert "At a random row of each of 1,000 new groups it gets at most" in page.text
    assert "not tested (referee)" in page.sections["weights-table"]
    assert "1.000" not in page.sections["weights-table"]
    for false in ("used for nothing else", "set aside", "used a second time"):
        assert false not in page.text
    assert "pictures" not in page.sections
