import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas
import pytest
from scipy.stats import binom
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from tandemvote import CertifiedClassifier, Votes, certify, write_report
from tandemvote.auditing import Finding
from tandemvote.certificate import certify_votes
from tandemvote.certificate.rendering import rate
from tandemvote.inequalities import clopper_pearson
from tandemvote.report.class_tables import Confusion
from tandemvote.tables import TableColumns
from tandemvote.votes.decimals import rounded_up


class Page(HTMLParser):
    """Text by section, all tags with their attributes, and whether tags are balanced."""

    VOID = frozenset({"meta", "link", "br", "img", "hr"})

    def __init__(self, source):
        super().__init__()
        self.text, self.tags, self.open, self.sections = "", [], [], {}
        self.section, self.tables = None, {}
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "section":
            self.section = dict(attrs)["id"]
        if tag == "tr":
            self.rows(self.section).append([])
        if tag in ("td", "th"):
            self.rows(self.section)[-1].append("")
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
        if {"td", "th"} & {*self.open}:
            self.rows(self.section)[-1][-1] += data.strip()

    def rows(self, section):
        return self.tables.setdefault(section, [])


@pytest.fixture
def render(tmp_path):
    def render(certified, **options):
        return write_report(tmp_path / "report.html", certified, **options).read_text("utf-8")

    return render


@pytest.fixture
def page_of(render):
    return lambda certified, **options: Page(render(certified, **options))


@pytest.fixture(scope="module")
def source(certificate, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    options = {"title": "Coins", "description": "Two hundred coins."}
    return write_report(path, certificate, **options).read_text("utf-8")


@pytest.fixture(scope="module")
def page(source):
    return Page(source)


def words(text):
    return " ".join(text.split())


def test_the_report_opens_with_three_numbers_and_one_sentence_each(certificate, page):
    vote = certificate.evidence.vote
    opening = words(page.sections[None])
    for text in (
        "Coins",
        "Two hundred coins.",
        f"observed error {rate(certificate.observed)}",
        f"{vote.n_errors} of {vote.n_voted} samples are misclassified by the models that were not"
        " trained on them.",
        f"guaranteed error ≤ {rounded_up(100 * certificate.value, 1)}%",
        certificate.guarantee,
        f"majority-class baseline {rate(certificate.baseline)}",
    ):
        assert text in opening


def test_what_the_bound_rests_on_is_the_certificates_own_sentence(certificate, page):
    section = words(page.sections["basis"])
    assert certificate.basis[1:].replace("voter", "model") in section
    assert f"labeled samples{certificate.counts.n_samples}" in section
    assert f"at least{certificate.counts.n_min_pairs}" in section


def test_findings_are_shown_with_severity_advice_and_code(page, page_of, votes):
    section = words(page.sections["findings"])
    assert "warning: 3 rows repeat. Look at them. copied_rows" in section
    assert "records no findings" in page_of(certify(votes)).sections["findings"]


def test_assumptions_and_ways_to_tighten_are_listed(certificate, page):
    for text in certificate.assumptions:
        assert text in page.sections["assumptions"]
    for way in certificate.ways_to_tighten:
        assert way[1:] in page.sections["tighter"]


def test_the_confusion_matrix_adds_up_to_the_observed_error(certificate, page):
    actual = Confusion.from_certificate(certificate)
    wrong = actual.counts.sum() - np.trace(actual.counts)
    assert wrong / actual.counts.sum() == certificate.observed
    assert sum(count for _, _, count, _ in actual.errors) == wrong
    table = page.sections["confusion"]
    for count in actual.counts.ravel():
        assert str(count) in table
    assert "estimates, not bounds" in table


def test_without_votes_in_memory_there_is_no_confusion_matrix(certificate, page_of, tmp_path):
    loaded = type(certificate).load(certificate.save(tmp_path / "certificate.json"))
    page = page_of(loaded)
    assert loaded.guarantee in page.text
    assert "confusion" not in page.sections
    assert "profile" not in [attributes.get("id") for _, attributes in page.tags]


def test_a_deployed_classifier_is_not_shown_with_the_errors_of_the_vote(votes, page_of):
    predictions = np.arange(90) % 2
    unlabeled = np.tile(predictions.astype(votes.predictions.dtype), (25, 1))
    certificate = certify(replace(votes, unlabeled=unlabeled), deployed=predictions)
    page = page_of(certificate)
    assert certificate.deployed is not None
    assert certificate.guarantee in page.text
    assert "observed error" not in page.sections[None]
    assert "confusion" not in page.sections
    assert "More unlabeled samples" in page.sections["tighter"]


def test_the_number_of_samples_for_a_tighter_bound_suffices_four_times_in_five(page_of):
    labels = np.arange(100) % 2
    predictions = np.where(np.arange(100) < 4, 1 - labels, labels)
    certificate = certify(Votes.from_predictions([predictions], labels))
    text = words(page_of(certificate).sections["tighter"])
    n, goal = re.search(r"test set of ([\d,]+) samples .* at most ([\d.]+)%", text).groups()
    n, goal = int(n.replace(",", "")), float(goal) / 100
    assert 0.04 < goal < certificate.value
    enough = clopper_pearson(np.arange(n + 1), n) <= goal
    assert binom.pmf(np.arange(n + 1), n, 0.04)[enough].sum() >= 0.8


def test_many_classes_are_shown_as_a_list_of_the_most_frequent_errors(page_of):
    labels = np.arange(600) % 20
    predictions = np.where(np.arange(600) < 45, (labels + 1) % 20, labels)
    page = page_of(certify(Votes.from_predictions([predictions], labels)))
    assert page.rows("confusion")[1] == ["0", "1", "3", "10.0%"]  # 3 of 30 samples
    assert len(page.rows("confusion")) == 1 + 12


def test_every_bound_is_in_the_folded_table_rounded_up(certificate, page):
    table = page.sections["bounds-table"]
    for name, value in certificate.bounds.items():
        assert name in table
        shown = "no guarantee" if value >= 1 else f"{rounded_up(100 * value, 1)}%"
        assert shown in table
    assert page.tags[[tag for tag, _ in page.tags].index("details")] == ("details", {})


def test_the_three_pictures_are_inside_and_described(page):
    pictures = [attributes for tag, attributes in page.tags if tag == "svg"]
    assert len(pictures) == 3
    names = {attributes.get("id") for _, attributes in page.tags}
    assert {picture["aria-labelledby"] for picture in pictures} <= names


def test_pictures_that_would_show_nothing_are_left_out(page_of):
    folds = np.repeat(np.eye(3, dtype=bool), 50, axis=1)
    votes = Votes.from_predictions(np.zeros((3, 150), int), np.arange(150) % 9 < 1, folds)
    page = page_of(certify(votes))
    figures = [attributes["id"] for tag, attributes in page.tags if tag == "figure"]
    assert figures == ["bounds"]  # equal weights, and no two voters share a sample


def test_the_voters_with_the_largest_weights_are_listed(certificate, page):
    rows = re.findall(r"^(\d+?)(?=0\.\d{4})", page.sections["bounds-table"], flags=re.MULTILINE)
    assert [int(voter) for voter in rows] == np.argsort(-certificate.weights)[:10].tolist()
    assert "The weights minimize the bound tandem" in page.sections["bounds-table"]


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


def test_style_sheet_loads_nothing(source):
    style = source[source.index("<style>") : source.index("</style>")]
    assert "@import" not in style
    assert "url(" not in style
    assert "&#" not in style
    assert "&quot;" not in style


HOSTILE = "<script>alert('1')</script>\"><img src=x onerror=alert(2)>{{ 7 * 7 }} $\\frac{$"


def test_hostile_texts_are_shown_as_text(votes, page_of):
    names = np.array([HOSTILE, "b"])
    named = Votes.from_predictions(names[votes.predictions], names[votes.labels], votes.held_out)
    finding = Finding(code="a", severity="note", message=HOSTILE, advice=HOSTILE)
    certificate = certify_votes(named, findings=[finding])
    page = page_of(certificate.by_group("class"), title=HOSTILE, description=HOSTILE)
    assert not {"script", "img"} & {tag for tag, _ in page.tags}
    # title twice, description, finding twice, label: group table, row, column, picture's words
    assert page.text.count(HOSTILE) == 9

    class Named(CertifiedClassifier):
        certificate_ = certificate

        def __repr__(self):
            return HOSTILE

    assert HOSTILE in page_of(Named()).sections["classifier"]


def test_groups_are_shown_with_the_numbers_of_their_certificates(
    certificate, page, page_of, tmp_path
):
    assert "groups-table" not in page.sections
    groups = certificate.by_group("class")
    page = page_of(groups)
    table = page.sections["groups-table"]
    for each in groups:
        n_samples = each.counts.n_samples
        value = rounded_up(100 * each.value, 1)
        assert f"{each.group.label}{n_samples}{rate(each.observed)}{value}%" in table
    assert "valid by itself, not together with this table" in table
    assert "This table also assumes" in table
    assert certificate.guarantee in page.text
    loaded = type(certificate).load(groups.save(tmp_path / "groups.json"))
    assert page_of(loaded).sections["groups-table"] == table


def test_a_vote_without_a_guarantee_says_so_first(page_of):
    rng = np.random.default_rng(0)
    votes = Votes.from_predictions(rng.integers(2, size=(25, 60)), rng.integers(2, size=60))
    certificate = certify(votes, bound="tandem")
    assert certificate.value == 1.0
    opening = page_of(certificate).sections[None]
    assert "no guarantee" in opening
    assert certificate.advice in opening


def test_a_single_model_has_a_short_report(page_of):
    page = page_of(certify(Votes.from_predictions([[0, 1, 1, 0] * 50], [0, 1, 1, 1] * 50)))
    assert "50 of 200 samples are misclassified. The true error" in page.text
    assert "models" not in page.sections["basis"]
    assert 'id="voters"' not in str(page.tags)


def test_the_same_certificate_gives_the_same_file(certificate, tmp_path):
    first = write_report(tmp_path / "first.html", certificate)
    second = write_report(str(tmp_path / "second.html"), certificate)
    assert first.read_bytes() == second.read_bytes()


def test_a_classifier_is_reported_with_its_parameters(committee, page_of):
    page = page_of(committee)
    assert "DecisionTreeClassifier()" in page.sections["classifier"]
    sections = dict(page.sections)
    del sections["classifier"]
    assert page_of(committee.certificate_).sections.keys() == sections.keys()


def test_the_report_of_a_pipeline_is_that_of_its_last_step(page_of):
    frame = pandas.DataFrame({"size": np.arange(90) % 7 / 2, "age": [1, 2, None] * 30})
    labels = np.where(frame["size"] > 1, "big", "small")
    vote = CertifiedClassifier(DecisionTreeClassifier(random_state=0), random_state=0)
    pipeline = make_pipeline(TableColumns({"size": "number", "age": "number"}), vote).fit(
        frame, labels
    )
    page = page_of(pipeline)
    assert pipeline[-1].certificate_.guarantee in page.text
    assert "TableColumns" in page.sections["classifier"]


def test_something_without_a_certificate_is_rejected(tmp_path):
    for other in (RandomForestClassifier(), CertifiedClassifier(), "certificate.json"):
        with pytest.raises(TypeError, match="Pass a fitted certified classifier"):
            write_report(tmp_path / "report.html", other)
    assert not list(tmp_path.iterdir())


def test_a_committee_is_shown_with_the_errors_of_its_tested_models(committee, page_of):
    certificate, votes = committee.certificate_, committee.certificate_.votes
    page, vote = page_of(committee), certificate.evidence.vote
    by = "by the vote of the tested models, without the referee"
    assert f"{vote.n_errors} of {votes.n_samples} samples are misclassified {by}" in page.text
    assert f"{vote.n_test_errors} of {votes.n_samples} samples" in page.sections["basis"]
    actual = Confusion.from_certificate(certificate)
    assert actual.counts.sum() == votes.n_samples
    shares = (votes.predictions[:4, :, None] == np.arange(3)).sum(axis=0)
    clear = (shares == shares.max(axis=1, keepdims=True)).sum(axis=1) == 1
    counts = np.zeros((3, 3), int)
    np.add.at(counts, (votes.labels[clear], shares[clear].argmax(axis=1)), 1)
    assert (actual.counts >= counts).all()
    assert np.trace(actual.counts) == votes.n_samples - vote.n_errors


def test_a_committee_is_shown_with_what_may_change(committee, page_of):
    page = page_of(committee)
    assert "The tested models must not change." in page.sections["basis"]
    assert "groups, one row each" in page.sections["basis"]
    assert "broken by a referee" in page.sections["basis"]
    assert "svg" not in {tag for tag, _ in page.tags}
    for false in ("used for nothing else", "for comparison"):
        assert false not in page.text


def absolute(X):
    return np.abs(X)


def test_functions_are_shown_without_their_addresses(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), rng.integers(2, size=200)
    tree = make_pipeline(FunctionTransformer(absolute), DecisionTreeClassifier())
    model = CertifiedClassifier(tree, n_tested=2, random_state=0).fit(X, y)
    assert " at 0x" in repr(model)
    text = Page(write_report(tmp_path / "report.html", model).read_text("utf-8")).text
    assert "func=<function absolute>" in text
