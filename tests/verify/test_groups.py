"""Files with groups: each is verified as a certificate, at its share of delta, and recounted."""

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from tandemvote.certificate import Certificate, certify_votes
from tandemvote.certificate.evidence_fields import fields_of, with_values
from tandemvote.record.assumptions import GROUPS
from tandemvote.record.document import Document, Group, digest_of
from tandemvote.record.encodings import pack, unpack
from tandemvote.verify import CertificateFileError, verify_file
from tandemvote.votes.decimals import rounded_up
from tandemvote.votes.evidence import Evidence
from tandemvote.votes.votes import Votes

pytestmark = pytest.mark.filterwarnings("ignore::tandemvote.bounds.VacuousBoundWarning")

KINDS = {
    "out of bag": {"bound": ["first_order", "tandem"]},
    "two classes": {"bound": "c2", "published": True},
    "test set": {},
    "both": {"bound": ["test_set", "tandem"]},
}


def drawn(kind, n_voters=3, n_samples=300):
    rng = np.random.default_rng(1)
    n_classes = 2 if kind == "two classes" else 3
    labels = rng.integers(n_classes, size=n_samples)
    wrong = rng.random((n_voters, n_samples)) < 0.15
    predictions = (labels + wrong * rng.integers(1, n_classes, size=wrong.shape)) % n_classes
    held_out = rng.random(wrong.shape) < (0.6 if kind in ("out of bag", "two classes") else 2)
    site = rng.choice(["north", "south", None], p=[0.5, 0.49, 0.01], size=n_samples)
    return Votes.from_predictions(predictions, labels, held_out), site


@cache
def grouped(kind):
    votes, site = drawn(kind)
    by = {"class": "class", "site": site}
    if kind in ("test set", "both"):
        by["predicted"] = "predicted"
    return votes, site, certify_votes(votes, **KINDS[kind]).by_group(by)


@cache
def file_of(found):
    return replace(found.certificate, groups=found).document.to_json()


@pytest.fixture(scope="module", params=list(KINDS))
def issued(request):
    """Votes, the sites of their samples, the certificates of groups, and their file."""
    votes, site, groups = grouped(request.param)
    return votes, site, groups, file_of(groups)


@pytest.fixture(scope="module")
def oob():
    return file_of(grouped("out of bag")[-1])


@pytest.fixture(scope="module")
def tested():
    return file_of(grouped("test set")[-1])


def read(document):
    return Document.from_json({**document, "digest": digest_of(document)})


def with_group(document, place, **changes):
    """Change fields of one group; 1 is the first."""
    forged = json.loads(json.dumps(document))
    forged["certificates"][place].update(changes)
    return forged


@pytest.mark.parametrize("rigorous", [False, True])
def test_honest_groups_are_valid_and_survive(issued, rigorous):
    votes, site, actual, document = issued
    columns = {"site": [each or "" for each in site]}
    verdict = verify_file(read(document), rigorous=rigorous, votes=votes, columns=columns)
    assert verdict.problem is None
    assert verdict.unchecked == ()
    for record, each in zip(verdict.document.certificates[1:], actual, strict=True):
        assert (record.group, record.value, record.delta) == (each.group, each.value, each.delta)
        assert record.n_samples == each.counts.n_samples


def test_delta_is_divided_by_groupings_and_then_by_groups(issued):
    _, _, actual, document = issued
    for grouping in actual.groupings:
        share = 0.05 / len(actual.groupings) / len(grouping.labels)
        members = [each for each in actual if each.group.by == grouping.by]
        assert [each.group.label for each in members] == list(grouping.labels)
        assert all(each.delta == pytest.approx(share, rel=1e-14) for each in members)
    assert [each["by"] for each in document["groupings"]] == [each.by for each in actual.groupings]


@pytest.mark.parametrize(
    "seed",
    [pytest.param(seed, marks=[pytest.mark.slow] * (seed in (0, 3, 5))) for seed in range(6)],
)
def test_honest_groups_of_any_size_are_valid_by_any_bound(seed):
    """Groups of one sample, voters tested on none of them, classes that nobody predicts."""
    rng = np.random.default_rng(seed)
    n_classes, n_voters, n_samples = rng.integers(2, 4), rng.integers(2, 6), rng.choice([20, 100])
    labels = rng.integers(n_classes, size=n_samples)
    wrong = rng.random((n_voters, n_samples)) < 0.1
    held_out = rng.random(wrong.shape) < [0.4, 2][seed % 2]
    votes = Votes.from_predictions(np.where(wrong, 0, labels), labels, held_out)
    number = rng.integers(4, size=n_samples)
    bounds = ["first_order", "coalition", "c_tandem", "split_kl_cantelli", "tandem", "best"]
    whole = certify_votes(votes, bound=bounds[seed % 6], weights=rng.dirichlet(np.ones(n_voters)))
    groups = whole.by_group({"class": "class", "number": number})
    verdict = verify_file(
        read(file_of(groups)), rigorous=seed < 2, votes=votes, columns={"number": number.tolist()}
    )
    assert verdict.problem is None


def test_hits_by_class_are_those_by_predicted_class(problem_of):
    """Once valid: all errors of a class moved to the other one, its recall at least 0.975."""
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=400)
    votes = Votes.from_predictions([labels ^ (rng.random(400) < 0.15)], labels)
    both = ("class", "predicted")
    honest = certify_votes(votes).by_group({by: by for by in both})
    assert problem_of(file_of(honest)) is None
    groups = dict(zip([(by, label) for by in both for label in (0, 1)], honest, strict=True))
    n_errors = groups["class", 0].evidence.vote.n_errors
    for label, by in ((0, -n_errors), (1, n_errors)):
        counts, vote = groups["class", label].counts, groups["class", label].evidence.vote
        errors = counts.errors + by
        vote = replace(vote, n_errors=vote.n_errors + by, n_test_errors=vote.n_test_errors + by)
        counts = replace(counts, errors=errors, tandem_errors=errors[:, None])
        evidence = fields_of(Evidence(counts, vote), ["test_set"])
        groups["class", label] = with_values(replace(groups["class", label], **evidence))
    forged = file_of(replace(honest, members=tuple(groups.values())))
    assert "differ in the hits of 0" in problem_of(forged)


def test_exchanged_groups_of_predicted_classes_are_found(problem_of):
    votes, _ = drawn("test set")
    document = file_of(certify_votes(votes).by_group("predicted"))
    assert problem_of(document) is None
    first, second = (each["group"] for each in document["certificates"][1:3])
    exchanged = with_group(with_group(document, 1, group=second), 2, group=first)
    assert "not its samples of the predicted class" in problem_of(exchanged)


@pytest.mark.parametrize("kind", ["test set", "both"])
def test_a_class_that_is_never_predicted_is_a_group_without_samples(kind, problem_of):
    labels = np.repeat([0, 1], [300, 3])
    votes = Votes.from_predictions([labels * 0] * 3, labels)
    groups = certify_votes(votes, **KINDS[kind]).by_group("predicted")
    document = file_of(groups)
    assert problem_of(document, rigorous=True, votes=votes) is None
    assert (groups[1].value, groups[1].counts.n_samples) == (1.0, 0)
    for changes, problem in (
        ({"printed": "0.001"}, "the printed is stated as '0.001'"),
        ({"value": (0.5).hex(), "printed": "0.500"}, "the value is stated as 0.5"),
        ({"assumptions": []}, "its assumptions lack one"),
    ):
        found_out = problem_of(with_group(document, 2, **changes))
        assert "predicted = 1: " in found_out and problem in found_out
    one = dict.fromkeys(document["certificates"][2]["candidates"], (0.1).hex())
    assert "predicted = 1: the" in problem_of(with_group(document, 2, candidates=one))


def test_each_group_names_its_samples(oob):
    shown = [record.group.samples for record in read(oob).certificates[1:]]
    assert shown == [
        *(f"the samples where class = {label}" for label in range(3)),
        "the samples where site = 'north'",
        "the samples where site = 'south'",
        "the samples where site is missing",
    ]
    odd = Group(by="\x1b[2J" * 40, label="\n" * 100)
    assert odd.samples.isascii() and odd.samples.isprintable() and len(odd.samples) < 120


def test_a_group_is_not_a_certificate_on_all_samples(oob):
    whole, *groups = oob["certificates"]
    for group in groups:
        with pytest.raises(CertificateFileError, match=r"certificates\[0\].group does not fit"):
            read({**oob, "certificates": [group], "groupings": []})
    with pytest.raises(CertificateFileError, match=r"certificates\[1\].group does not fit"):
        read({**oob, "certificates": [whole, whole]})


def test_every_group_that_is_listed_is_certified(oob, problem_of):
    whole, *groups = oob["certificates"]
    problem = problem_of({**oob, "certificates": [whole, *groups[:3], groups[3]]})
    assert "the grouping by 'site' lists" in problem and "1 are certified" in problem


def test_a_larger_share_of_delta_is_found(oob, problem_of):
    by_class, by_site = oob["groupings"]
    whole, *groups = oob["certificates"]
    fewer = {**by_site, "labels": by_site["labels"][:2]}
    both = {**oob, "groupings": [by_class, fewer], "certificates": [whole, *groups[:5]]}
    assert "the groups by 'site' have fewer samples by class than all samples" in problem_of(both)
    alone = {**oob, "groupings": [by_site], "certificates": [whole, *groups[3:]]}
    assert "site = 'north': its delta is" in problem_of(alone)
    unlisted = {**oob, "groupings": [], "certificates": [whole, groups[3]]}
    assert "not listed among the groups that share delta" in problem_of(unlisted)
    assert "is stated twice" in problem_of({**oob, "groupings": [*oob["groupings"], by_site]})
    twice = {**by_site, "labels": by_site["labels"] * 2}
    assert "lists no label, or one twice" in problem_of({**oob, "groupings": [by_class, twice]})
    none = {**by_site, "labels": []}
    assert "lists no label, or one twice" in problem_of({**oob, "groupings": [by_class, none]})


@pytest.mark.parametrize("factor", [0.5, 1 + 1e-9, 2])
def test_another_delta_is_found(oob, problem_of, factor):
    delta = (float.fromhex(oob["certificates"][4]["delta"]) * factor).hex()
    problem = problem_of(with_group(oob, 4, delta=delta))
    assert "site = 'north': its delta is" in problem


def test_a_group_that_is_stated_twice_is_found(oob, problem_of):
    north = {"by": "site", "label": "north"}
    problem = problem_of(with_group(oob, 6, group=north))
    assert "stated twice" in problem


def test_a_changed_name_is_found(oob, problem_of):
    east = {"by": "site", "label": "east"}
    assert "not listed" in problem_of(with_group(oob, 4, group=east))
    forged = with_group(oob, 4, group=east)
    labels = forged["groupings"][1]["labels"]
    labels[0] = "east"
    assert "digest does not match" in verify_file(Document.from_json(forged)).problem
    assert problem_of(forged) is None, "no number has changed"
    votes, site = drawn("out of bag")
    columns = {"site": [each or "" for each in site]}
    problem = problem_of(forged, votes=votes, columns=columns)
    assert problem == (
        "'site' has the value 'north', which the file does not list among the groups that share"
        " delta"
    )
    no_class = with_group(oob, 1, group={"by": "class", "label": 7})
    no_class["groupings"][0]["labels"][0] = 7
    assert "does not list the classes" in problem_of(no_class)


def test_swapped_names_are_found_by_the_votes(oob, problem_of):
    north, south = (oob["certificates"][place]["group"] for place in (4, 5))
    swapped = with_group(with_group(oob, 4, group=south), 5, group=north)
    assert problem_of(swapped) is None, "no number has changed"
    votes, site = drawn("out of bag")
    columns = {"site": [each or "" for each in site]}
    problem = problem_of(swapped, votes=votes, columns=columns)
    assert (
        problem
        == "on the samples where site = 'south': the file counts 156 samples, the column 142"
    )
    zero, one = (oob["certificates"][place]["group"] for place in (1, 2))
    classes = with_group(with_group(oob, 1, group=one), 2, group=zero)
    assert "class = 1: some of its samples are of another class" in problem_of(classes)


@cache
def with_luckiest():
    """Certify the group with the smallest bound of 50 next to the 49 others taken together."""
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=1000)
    votes = Votes.from_predictions([np.where(rng.random(1000) < 0.2, 1 - labels, labels)], labels)
    shop = np.array([f"shop{number}" for number in rng.integers(50, size=1000)])
    whole = certify_votes(votes)
    lucky = min(whole.by_group({"shop": shop}), key=lambda each: each.value).group.label
    merged = whole.by_group({"shop": np.where(shop == lucky, lucky, "other")})
    return votes, shop, lucky, file_of(merged)


def test_the_luckiest_group_is_found_when_the_column_is_given(problem_of):
    votes, shop, _, document = with_luckiest()
    for columns in ({}, {"price": shop}):
        verdict = verify_file(read(document), votes=votes, columns=columns)
        assert verdict.unchecked == ("whether 'shop' has other values than the 2 in the file",)
    for given in (votes, None):
        problem = problem_of(document, votes=given, columns={"shop": shop})
        assert "'shop' has the value 'shop" in problem and "does not list" in problem
    verdict = verify_file(read(document), votes=votes, columns={"shop": shop})
    assert verdict.unchecked == ()


def test_the_luckiest_group_alone_does_not_have_all_samples(problem_of):
    """The only label of a grouping is that of all samples."""
    _, _, lucky, document = with_luckiest()
    document = json.loads(json.dumps(document))
    whole, *groups = document["certificates"]
    document["certificates"] = [
        whole,
        *(g for g in groups if g["group"]["label"] == lucky),
    ]
    assert "lists 2 groups; 1 are certified" in problem_of(document)
    document["groupings"][0]["labels"] = [lucky]
    assert "have fewer samples by class than all samples" in problem_of(document)


@pytest.mark.parametrize("name", ["tandem_errors", "overlaps", "lone_errors", "disagreements"])
def test_a_changed_count_of_a_group_is_found(oob, problem_of, name):
    counts = oob["certificates"][2]["counts"]
    triangle = unpack(counts[name], 6, name, "3 voters", "i8")
    for place in range(0, triangle.size, 4):
        for step in (-1, 1):
            changed = triangle.copy()
            changed[place] += step
            forged = with_group(oob, 2, counts={**counts, name: pack(changed)})
            assert "the groups by 'class' have" in problem_of(forged)


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_smaller_value_is_found(kind, problem_of):
    document = file_of(grouped(kind)[-1])
    record = document["certificates"][1]
    value = float.fromhex(record["value"]) * (1 - 1e-6)
    stated = {"value": value.hex(), "printed": rounded_up(value)}
    candidates = record["candidates"] | {record["bound"]: stated["value"]}
    problem = problem_of(with_group(document, 1, candidates=candidates, **stated))
    assert "class = 0: the" in problem and "by its own counts" in problem


def test_sizes_that_cannot_be_are_found(oob, tested, problem_of):
    numbers = oob["certificates"][1]["class_counts"]
    options = with_group(oob, 1, class_counts=[numbers[0] + 500, 0, 0])
    assert "have more samples by class than all samples" in problem_of(options)
    fewer = with_group(oob, 1, class_counts=[20, 0, 0])
    assert "have fewer samples" in problem_of(fewer)
    test = tested["certificates"][1]["test"]
    for n_errors, problem in ((300, "have more test errors"), (0, "have fewer test errors")):
        forged = with_group(tested, 1, test={**test, "n_errors": n_errors})
        assert problem in problem_of(forged)
    seen = {**test, "n_errors": test["n_errors"] - 1}
    assert "have fewer errors and samples of the vote" in problem_of(
        with_group(tested, 1, observed=seen)
    )


def test_groups_are_parts_of_the_certificate_on_all_samples(oob, tested, problem_of):
    third = [(0.3).hex(), (0.3).hex(), (0.4).hex()]
    for changes, problem in (
        ({"weights": third}, "its weights differ"),
        ({"prior": third}, "its prior differ"),
        ({"published": True}, "its published differ"),
        ({"fitted": "tandem"}, "its fitted differ"),
        ({"members": "0" * 32}, "its members differ"),
        ({"one_row_per_group": True}, "its one_row_per_group differ"),
        ({"deployed": "Oracle"}, "its deployed differ"),
        ({"candidates": {"tandem": (1.0).hex()}}, "its candidates are not those"),
        ({"assumptions": oob["certificates"][0]["assumptions"]}, "its assumptions lack one"),
        ({"assumptions": [GROUPS]}, "its assumptions lack one"),
    ):
        message = problem_of(with_group(oob, 1, **changes))
        assert "class = 0: " in message and problem in message
    classes = [0, 1, 3]
    assert "its classes differ" in problem_of(with_group(oob, 1, classes=classes))
    with pytest.raises(CertificateFileError, match=r"A certificate of a group has a profile"):
        problem_of(with_group(oob, 1, profile={}))
    by_predicted = json.loads(json.dumps(oob).replace('"by": "class"', '"by": "predicted"'))
    assert "require a test of the vote itself" in problem_of(by_predicted)


def test_groups_of_other_samples_than_those_of_the_file_are_found(problem_of):
    votes, site = drawn("out of bag")
    options = file_of(certify_votes(votes, bound="tandem").by_group({"site": site}))
    few, here = drawn("out of bag", n_samples=200)
    fewer = file_of(certify_votes(few, bound="tandem").by_group({"site": here}))
    assert problem_of(options) is None
    mixed = {**options, "certificates": [fewer["certificates"][0], *options["certificates"][1:]]}
    assert "the groups by 'site' have more" in problem_of(mixed)


def test_groups_are_recounted_as_far_as_the_votes_allow(issued, problem_of):
    votes, _, _, document = issued
    verdict = verify_file(read(document), votes=votes)
    assert verdict.unchecked == ("whether 'site' has other values than the 3 in the file",)
    shifted = Votes.from_predictions(
        np.roll(votes.predictions, 1, axis=1), votes.labels, votes.held_out
    )
    assert "in the votes" in problem_of(document, votes=shifted)


def test_weights_that_cannot_vote_are_found_before_they_vote(tested, problem_of):
    votes, _ = drawn("test set")
    forged = with_group(tested, 0, weights=[(1.7e308).hex()] * 3)
    assert "the weights sum to 5.10e+308" in problem_of(forged, votes=votes)


def test_a_column_of_another_length_is_found(oob, problem_of):
    votes, site = drawn("out of bag")
    columns = {"site": [each or "" for each in site][:-1]}
    assert "samples, the column " in problem_of(oob, votes=votes, columns=columns)


def test_random_forgeries_of_groups_are_found(oob, tested, problem_of):
    """Any number of any group, changed by any step, with a new digest."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        document = [oob, tested][rng.integers(2)]
        place = int(rng.integers(1, len(document["certificates"])))
        record = document["certificates"][place]
        bound = str(rng.choice(list(record["candidates"])))
        better = float.fromhex(record["candidates"][bound]) - 10.0 ** -rng.integers(2, 8)
        changes = {"candidates": record["candidates"] | {bound: better.hex()}}
        if rng.random() < 0.5:
            changes["printed"] = rounded_up(better)
        forged = with_group(document, place, **changes)
        assert problem_of(forged) is not None


def test_too_many_groups_are_neither_read_nor_written(oob, monkeypatch, tmp_path):
    monkeypatch.setattr("tandemvote.record.document.MAX_PAIRS", 6 * 6 - 1)
    with pytest.raises(
        CertificateFileError, match="more than 1001 certificates, or more than 35 pairs"
    ):
        read(oob)
    with pytest.raises(ValueError, match="Certify fewer groups"):
        grouped("out of bag")[-1].save(tmp_path / "c.json")
    assert not list(tmp_path.iterdir())


def test_groups_that_claim_many_voters_are_rejected_before_they_are_unpacked(oob, monkeypatch):
    """A thousand groups of thousands of voters are a small file of zeros and would fill memory."""
    groups = [with_group(oob, 1)["certificates"][1] for _ in range(9)]
    for group in groups:
        group["counts"]["n_voters"] = 5000
    monkeypatch.setattr("tandemvote.record.encodings.unpack", lambda *_: pytest.fail("unpacked"))
    with pytest.raises(CertificateFileError, match="or more than 33554432 pairs of voters"):
        read({**oob, "certificates": [oob["certificates"][0], *groups]})


def test_labels_that_a_file_cannot_hold_are_rejected(tmp_path):
    votes, _ = drawn("out of bag")
    days = np.datetime64("2024-01-01") + np.arange(votes.n_samples) % 2
    groups = certify_votes(votes, bound="tandem").by_group({"day": days})
    with pytest.raises(ValueError, match="Convert them to text"):
        groups.save(tmp_path / "c.json")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "values", [[True, False], [0.5, 1.5], [1.0, 2.0], ["a,b", "é"], [3, -(2**40)]]
)
def test_labels_of_every_kind_survive(values, tmp_path):
    votes, _ = drawn("test set")
    column = np.resize(values, votes.n_samples)
    groups = certify_votes(votes).by_group({"value": column})
    path = groups.save(tmp_path / "c.json")
    assert verify_file(path, votes=votes, columns={"value": column.tolist()}).problem is None
    again = Certificate.load(path)
    assert [each.group for each in again.groups] == [each.group for each in groups]
    assert [type(each.group.label) for each in again.groups] == [type(v) for v in sorted(values)]
