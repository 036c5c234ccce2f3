"""Files about groups of points: recomputed, recounted, and never taken for all points."""

import json
from dataclasses import replace
from importlib.resources import files

import jsonschema
import numpy as np
import pytest

from tandemvote import Votes, certify_by_group
from tandemvote.api.groups import certify_groups
from tandemvote.certificate.file import document_of
from tandemvote.certificate.file_fields import pack, unpack
from tandemvote.certificate.file_record import CertificateRecord, digest_of
from tandemvote.certification import CertificateRequest, certify_votes
from tandemvote.verify import CertificateFileError, verify_file
from tandemvote.verify.arithmetic import FLOATS
from tandemvote.verify.checks import wrong_groups

KINDS = {
    "folds": {"bound": ["first_order", "tandem"]},
    "two classes": {"bound": "c2", "sharpening": "paper"},
    "hold-out": {},
    "both": {"bound": ["test_set", "tandem"]},
}


def drawn(kind, n_voters=5, n_samples=600):
    rng = np.random.default_rng(1)
    n_classes = 2 if kind == "two classes" else 3
    labels = rng.integers(n_classes, size=n_samples)
    wrong = rng.random((n_voters, n_samples)) < 0.15
    said = (labels + wrong * rng.integers(1, n_classes, size=wrong.shape)) % n_classes
    held_out = rng.random(wrong.shape) < (0.6 if kind in ("folds", "two classes") else 2)
    site = rng.choice(["north", "south", None], p=[0.5, 0.49, 0.01], size=n_samples)
    return Votes.from_predictions(said, labels, held_out), site


def issue(kind):
    votes, site = drawn(kind)
    groups = {"true": "class", "site": site}
    if kind in ("hold-out", "both"):
        groups["said"] = "predicted"
    found = certify_by_group(votes, groups=groups, **KINDS[kind])
    return votes, site, found, document_of(found.certificate, found)


@pytest.fixture(scope="module", params=list(KINDS))
def issued(request):
    """Votes, sites of their points, what holds on groups, and the document about it."""
    return issue(request.param)


@pytest.fixture(scope="module")
def folds():
    return issue("folds")[-1]


@pytest.fixture(scope="module")
def tested():
    return issue("hold-out")[-1]


def read(document):
    return CertificateRecord.from_document({**document, "digest": digest_of(document)})


def problem_of(document, **changes):
    """The first problem of a document some of whose groups' fields were changed, digest and all."""
    groups = {**document["groups"], **changes}
    return verify_file(read({**document, "groups": groups})).problem


def with_member(document, place=0, **changes):
    members = list(document["groups"]["members"])
    members[place] = {**members[place], **changes}
    return members


@pytest.mark.parametrize("rigorous", [False, True])
def test_honest_groups_are_valid_and_their_numbers_survive(issued, rigorous):
    votes, site, found, document = issued
    record = read(json.loads(json.dumps(document)))
    tables = {"votes": votes, "columns": {"site": [each or "" for each in site]}}
    if record.test is not None:
        tables["test"] = votes
    verdict = verify_file(record, rigorous=rigorous, **tables)
    assert verdict.problem is None
    assert set(verdict.recounted_groups) == set(found.by)
    for group, each in zip(record.groups.members, found, strict=True):
        assert (group.by, group.label, group.n_points) == (each.by, each.label, each.n_points)
        assert min((b.value for b in group.bounds.values()), default=1.0) == each.value


@pytest.mark.parametrize("seed", range(12))
def test_honest_groups_of_any_size_are_valid_by_any_bound(seed):
    """Groups of one point, voters that hold out none of them, classes that nobody names."""
    rng = np.random.default_rng(seed)
    n_classes, n_voters, n_samples = rng.integers(2, 5), rng.integers(2, 7), rng.choice([20, 300])
    labels = rng.integers(n_classes, size=n_samples)
    wrong = rng.random((n_voters, n_samples)) < 0.1
    held_out = rng.random(wrong.shape) < [0.4, 2][seed % 2]
    votes = Votes.from_predictions(np.where(wrong, 0, labels), labels, held_out)
    number = rng.integers(6, size=n_samples)
    bounds = ["first_order", "coalition", "c_tandem", "split_kl_cantelli", "tandem", "auto"]
    found = certify_by_group(
        votes,
        groups={"true": "class", "number": number},
        bound=bounds[seed % 6],
        weights=rng.dirichlet(np.ones(n_voters)),
    )
    columns = {"number": [str(each) for each in number]}
    record = read(document_of(found.certificate, found))
    assert verify_file(record, rigorous=seed < 6, votes=votes, columns=columns).problem is None


@pytest.mark.parametrize("bound", ["test_set", ["test_set", "tandem"]])
def test_groups_of_a_test_set_of_its_own_are_recounted_on_its_points(bound):
    votes, _ = drawn("folds")
    test, _ = drawn("hold-out", n_samples=200)
    request = CertificateRequest(weights="tandem", bound=bound)
    whole = certify_votes(votes, request, test_votes=test)
    site = ["left", "right"] * (100 if bound == "test_set" else 300)
    found = certify_groups(whole, {"site": site, "true": "class"})
    record = read(document_of(whole.certificate, found))
    tables = {"votes": votes, "test": test, "columns": {"site": site}}
    verdict = verify_file(record, **tables)
    assert verdict.problem is None
    assert verdict.recounted_groups == ("site", "true class")
    swapped = {**tables, "columns": {"site": [*site[:-1], "left"]}}
    assert "site = 'left' are" in verify_file(record, **swapped).problem


def test_a_class_that_the_vote_never_names_is_a_group_without_points():
    labels = np.repeat([0, 1], [300, 3])
    found = certify_by_group(Votes.from_predictions([labels * 0], labels), groups="predicted")
    record = read(document_of(found.certificate, found))
    assert verify_file(record, rigorous=True).valid
    assert [group.printed is None for group in record.groups.members] == [False, True]
    assert record.groups.members[1].n_points == 0


def test_files_with_groups_follow_the_published_schema(issued):
    schema = files("tandemvote.certificate").joinpath("certificate.schema.json").read_text()
    jsonschema.Draft202012Validator(json.loads(schema)).validate(issued[-1])


def test_each_group_names_its_points(folds):
    shown = [group.points for group in read(folds).groups.members]
    assert shown == [
        *(f"the points where true class = {label}" for label in range(3)),
        "the points where site = 'north'",
        "the points where site = 'south'",
        "the points where site is missing",
    ]


def test_a_group_cut_out_is_no_certificate(folds):
    """Neither alone nor in place of the counts and bounds of all points."""
    for member in folds["groups"]["members"]:
        with pytest.raises(CertificateFileError, match="missing"):
            CertificateRecord.from_document(member)
        with pytest.raises(CertificateFileError, match="n_voters is missing"):
            read({**folds, "counts": member["counts"]})
        moved = {**folds, "bounds": member["bounds"], "groups": None}
        assert not verify_file(read(moved)).valid
    with pytest.raises(CertificateFileError, match="missing"):
        CertificateRecord.from_document(folds["groups"])


def test_one_group_alone_still_says_which_points_it_is_about(folds):
    """Each of several statements that hold at once may stand alone, at the same share of delta."""
    one = folds["groups"]["members"][3:4]
    assert problem_of(folds, members=one) is None
    assert "was given delta" in problem_of(folds, members=one, n_groups=1)


def test_more_groups_than_delta_was_divided_among_are_found(folds):
    assert "add up to more than delta" in problem_of(folds, n_groups=5)
    assert "stated twice" in problem_of(folds, members=with_member(folds, 4, label={
        "kind": "text", "labels": ["north"]
    }))  # fmt: skip


@pytest.mark.parametrize("factor", [0.5, 1 + 1e-9, 2])
def test_another_share_of_delta_is_found(folds, factor):
    bound, *rest = folds["groups"]["members"][3]["bounds"]
    delta = (float.fromhex(bound["delta"]) * factor).hex()
    forged = with_member(folds, 3, bounds=[{**bound, "delta": delta}, *rest])
    assert "site = 'north': the first_order bound was given delta" in problem_of(
        folds, members=forged
    )


def test_a_changed_name_is_found_by_the_digest_and_by_the_votes(folds):
    east = {"kind": "text", "labels": ["east"]}
    groups = {**folds["groups"], "members": with_member(folds, 3, label=east)}
    careless = CertificateRecord.from_document({**folds, "groups": groups})
    assert "digest does not match" in verify_file(careless).problem
    votes, site = drawn("folds")
    columns = {"site": [each or "" for each in site]}
    careful = verify_file(read({**folds, "groups": groups}), votes=votes, columns=columns)
    assert "site = 'east' are" in careful.problem
    no_class = with_member(folds, 0, label={"kind": "integer", "labels": [7]})
    assert "true class = 7: there is no such class" in problem_of(folds, members=no_class)


def test_swapped_names_are_found_by_the_votes(folds):
    north, south = (folds["groups"]["members"][place]["label"] for place in (3, 4))
    members = with_member(folds, 3, label=south)
    members[4] = {**members[4], "label": north}
    record = read({**folds, "groups": {**folds["groups"], "members": members}})
    assert verify_file(record).valid, "no number has changed"
    votes, site = drawn("folds")
    columns = {"site": [each or "" for each in site]}
    assert "in the votes" in verify_file(record, votes=votes, columns=columns).problem


@pytest.mark.parametrize("name", ["tandem_errors", "overlaps", "lone_errors"])
def test_a_changed_count_of_a_group_is_found_by_numbers_or_votes(folds, name):
    votes, _ = drawn("folds")
    member = folds["groups"]["members"][1]
    triangle = unpack(member["counts"][name], 15, name, "5 voters", "i8")
    for place in range(0, triangle.size, 4):
        for step in (-1, 1):
            changed = triangle.copy()
            changed[place] += step
            counts = {**member["counts"], name: pack(changed)}
            groups = {**folds["groups"], "members": with_member(folds, 1, counts=counts)}
            verdict = verify_file(read({**folds, "groups": groups}), votes=votes)
            assert "true class = 1" in verdict.problem or "have more" in verdict.problem


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_smaller_error_is_found(kind):
    document = issue(kind)[-1]
    bound, *rest = document["groups"]["members"][0]["bounds"]
    smaller = {**bound, "value": (float.fromhex(bound["value"]) * (1 - 1e-6)).hex()}
    forged = with_member(document, 0, bounds=[smaller, *rest])
    assert "true class = 0: the" in problem_of(document, members=forged)


def test_sizes_that_cannot_be_are_found(folds, tested):
    n_points = folds["groups"]["members"][0]["n_points"]
    assert "more points than there are" in problem_of(
        folds, members=with_member(folds, 0, n_points=n_points + 500)
    )
    assert "points are held out" in problem_of(folds, members=with_member(folds, 0, n_points=20))
    assert "are held out" in problem_of(folds, n_samples=100, members=[])
    assert "the test set has" in problem_of(tested, n_samples=601)
    more = with_member(tested, 0, test={"n_errors": 300, "n_samples": 300})
    assert "than the test set" in problem_of(tested, members=more)
    fewer = with_member(tested, 0, test={"n_errors": 1, "n_samples": 10})
    assert "points were tested" in problem_of(tested, members=fewer)


def test_counts_that_cannot_be_are_found_though_the_bound_does_not_use_them(folds):
    member = folds["groups"]["members"][0]
    lone = unpack(member["counts"]["lone_errors"], 15, "lone_errors", "5 voters", "i8")
    lone[1] = -1
    counts = {**member["counts"], "lone_errors": pack(lone)}
    problem = problem_of(folds, members=with_member(folds, counts=counts))
    assert "true class = 0: voters 0 and 1 have -1 " in problem


def test_groups_of_other_points_than_those_of_the_file_are_found():
    votes, site = drawn("folds")
    asked = {"bound": "tandem", "groups": {"site": site}}
    more = certify_by_group(votes, **asked)
    few, here = drawn("folds", n_samples=200)
    fewer = certify_by_group(few, **{**asked, "groups": {"site": here}})
    assert verify_file(read(document_of(more.certificate, more))).valid
    problem = verify_file(read(document_of(fewer.certificate, more))).problem
    assert "the groups by 'site' have more" in problem


def test_groups_are_about_the_vote_and_as_many_classes_as_there_are(folds):
    deployed = replace(read(folds), deployed="Oracle")
    assert "about another classifier" in next(wrong_groups(deployed, FLOATS))
    three = replace(read(issue("two classes")[-1]), classes=(0, 1, 2))
    assert "holds for two classes only" in next(wrong_groups(three, FLOATS))


def test_groups_rest_on_the_bounds_and_counts_they_name(folds, tested):
    first, *rest = folds["groups"]["members"][0]["bounds"]
    assert "not those of all groups" in problem_of(folds, members=with_member(folds, bounds=rest))
    assert "not those that the bounds rest on" in problem_of(
        folds, members=with_member(folds, counts=None)
    )
    assert "or one twice" in problem_of(folds, candidates=[])
    assert "test set that the file does not have" in problem_of(folds, candidates=["test_set"])
    assert "only a test of all voters shows" in problem_of(
        folds, members=with_member(folds, by="predicted class")
    )
    with pytest.raises(CertificateFileError, match="'luck' is unknown"):
        problem_of(folds, candidates=["luck"])
    assert first["name"] == "first_order"
    assert tested["groups"]["candidates"] == ["test_set"]


def test_the_assumption_about_groups_must_stand_in_the_file(folds):
    fewer = [text for text in folds["attestations"] if "form a group" not in text]
    assert len(fewer) == len(folds["attestations"]) - 1
    assert "attestations lack" in verify_file(read({**folds, "attestations": fewer})).problem


def test_groups_are_recounted_as_far_as_the_tables_tell(issued):
    votes, _, found, document = issued
    record = read(document)
    own = {"test": votes} if record.test is not None else {"votes": votes}
    told = set(verify_file(record, **own).recounted_groups)
    assert told == set(found.by) - {"site"}
    assert verify_file(record).recounted_groups == ()
    flipped = np.where(votes.predictions == votes.labels, (votes.labels + 1) % 2, votes.labels)
    kind = next(iter(own))
    other = Votes(flipped, votes.labels, votes.held_out, votes.classes, votes.unlabelled)
    assert "in the votes" in verify_file(record, **{kind: other}).problem


def test_random_forgeries_of_groups_are_found(folds, tested):
    """Any number of any group, moved by any step, with the digest made anew."""
    rng = np.random.default_rng(0)
    for _ in range(15):
        document = [folds, tested][rng.integers(2)]
        place = int(rng.integers(len(document["groups"]["members"])))
        member = document["groups"]["members"][place]
        if not member["bounds"]:
            continue
        bound = int(rng.integers(len(member["bounds"])))
        better = float.fromhex(member["bounds"][bound]["value"]) - 10.0 ** -rng.integers(2, 8)
        bounds = [dict(each) for each in member["bounds"]]
        bounds[bound]["value"] = better.hex()
        if rng.random() < 0.5:
            bounds[bound]["printed"] = f"{np.ceil(better * 1000) / 1000:.3f}"
        assert problem_of(document, members=with_member(document, place, bounds=bounds))


def test_too_many_groups_are_neither_read_nor_written(folds, monkeypatch):
    monkeypatch.setattr("tandemvote.certificate.file_record.MAX_PAIRS", 6 * 15 - 1)
    with pytest.raises(CertificateFileError, match="89 pairs of voters in all groups together"):
        read(folds)
    with pytest.raises(ValueError, match="Certify fewer groups"):
        issue("folds")


def test_labels_that_a_file_cannot_hold_are_refused(tmp_path):
    votes, _ = drawn("folds")
    days = np.datetime64("2024-01-01") + np.arange(votes.n_samples) % 2
    found = certify_by_group(votes, groups={"day": days}, bound="tandem")
    with pytest.raises(ValueError, match="Convert them to text"):
        found.save(tmp_path / "c.json")
