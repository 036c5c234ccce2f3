"""Every number that a public object returns is honest where nothing can be predicted.

The labels are coin flips, or the classifier that is certified is always wrong. Whatever is asked of
what a call returns, and of what that returns, is a rejection or a number near the truth. Weights
that a person fits to the labels and declares as fixed, by naming the bound "test_set", are left
out: the assumptions of the certificate exclude them in words.
"""

import re
import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from tandemvote import (
    Certificate,
    CertifiedClassifier,
    CertifiedForestClassifier,
    Monitor,
    VoteCounts,
    Votes,
    certify,
    certify_oob,
    certify_selective,
    compare,
    write_report,
)
from tandemvote.bounds import BOUNDS, Estimates, VacuousBoundWarning, all_bounds, get_bound
from tandemvote.certificate import GroupCertificates, SelectiveCertificate
from tandemvote.metrics.metric import AT_MOST, METRICS
from tandemvote.monitoring.comparison import Comparison
from tandemvote.record.assumptions import DRAW, LATEST, ONE_ROW_PER_GROUP, ORDER_OF_ROWS, VOTES
from tandemvote.votes.evidence import Evidence

HONEST = 0.4
"""The least limit of an error rate of one half that passes."""

REQUESTS = ("auto", "best", "coalition", "vote_profile")
UPPER, LOWER = (re.compile(rf"(?:{sign}) ([\d.]+)%") for sign in ("at most|<=", "at least|>="))


def tried(call):
    """Return what a call returns; None for a rejection."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VacuousBoundWarning)
        try:
            return call()
        except (ValueError, TypeError):
            return None


def in_text(text):
    """Yield the limits that a text states, as upper limits of errors."""
    yield from (float(number) / 100 for number in UPPER.findall(text))
    yield from (1 - float(number) / 100 for number in LOWER.findall(text))


def of_certificate(found):
    """Yield each limit that a certificate returns, as an upper limit of an error."""

    def error(limit):
        return limit if found.direction == AT_MOST else 1 - limit

    yield "value", error(found.value)
    yield "printed", error(float(found.printed))
    for name, limit in [*found.candidates.items(), *found.bounds.items()]:
        yield f"bounds[{name}]", error(limit)
    for name in BOUNDS:
        for delta in (None, found.delta / 2):
            limit = tried(lambda name=name, delta=delta: found.evaluate(name, delta))
            if limit is not None:
                yield f"evaluate({name}, {delta})", limit
    if found.interval is not None:
        yield "interval", error(found.interval[found.direction == AT_MOST])
    for label, limit in found.by_class.items():
        yield f"by_class[{label}]", error(limit)
    for name, limit in found.to_frame()["value"].items():
        yield f"to_frame[{name}]", error(limit)
    for text in (found.guarantee, found.headline, found.limits):
        for limit in in_text(text):
            yield "text", limit
    for record in found.to_dict()["certificates"]:
        for limit in map(float.fromhex, [record["value"], *record["candidates"].values()]):
            yield "to_dict", error(limit)


def of_counts(found, fitted):
    """Yield each bound of counts or evidence at the weights that were fitted to the labels."""
    estimates = tried(lambda: Estimates(found, fitted))
    for name in BOUNDS if estimates is not None else ():
        limit = tried(lambda name=name: get_bound(name)(estimates))
        if limit is not None:
            yield f"{name}(Estimates)", limit
    if estimates is not None:
        yield from (
            (f"all_bounds[{k}]", v) for k, v in (tried(lambda: all_bounds(estimates)) or {}).items()
        )


def own_limits(found, fitted):
    """Yield the limits that an object states itself."""
    if isinstance(found, Certificate):
        yield from of_certificate(found)
    elif isinstance(found, VoteCounts | Evidence):
        yield from of_counts(found, fitted)
    elif isinstance(found, SelectiveCertificate) and found.chosen.passed:
        yield "max_error", found.max_error
    elif isinstance(found, Comparison):
        yield "difference", 0.5 - max(found.lower, -found.upper, 0)
    elif isinstance(found, Monitor):
        yield "bound", found.bound


def behind(found, folder, fitted):
    """Yield what can be had from an object, by name; a call may be rejected."""
    if isinstance(found, Certificate):
        n_samples, positive = found.counts.n_samples, found.counts.classes[-1]
        yield "file", lambda: Certificate.load(found.save(folder / "certificate.json"))
        for by in ("class", "predicted", np.arange(n_samples) % 2):
            yield f"by_group({by!r:.9})", lambda by=by: found.by_group(by)
        for metric in METRICS:
            for options in ({}, {"positive": positive}, {"positive": positive, "sides": "both"}):
                yield metric, lambda metric=metric, o=options: found.for_metric(metric, **o)
        yield "cost", lambda: found.for_metric("cost", cost=1 - np.eye(found.counts.n_classes))
        yield "Monitor", lambda: Monitor(found)
        for name in ("counts", "evidence", "votes"):
            yield name, lambda name=name: getattr(found, name)
    elif isinstance(found, GroupCertificates):
        yield from ((f"[{place}]", lambda each=each: each) for place, each in enumerate(found))
        yield "file", lambda: Certificate.load(found.save(folder / "groups.json")).groups
    elif isinstance(found, Votes | VoteCounts | Evidence):
        for weights in ("uniform", "first_order", "tandem", "disagreement", fitted):
            for bound in REQUESTS:
                yield (
                    f"certify({weights!r:.13}, {bound})",
                    lambda w=weights, b=bound: certify(found, weights=w, bound=b),
                )
        yield "selective", lambda: certify_selective(found, max_error=HONEST - 0.01)


def limits(found, folder, fitted, depth, place):
    """Yield the place and the value of every limit that can be had from an object."""
    yield from ((f"{place}.{name}", limit) for name, limit in own_limits(found, fitted))
    for name, call in behind(found, folder, fitted) if depth else ():
        yield from limits(tried(call), folder, fitted, depth - 1, f"{place}.{name}")


def too_low(made, folder, depth=2):
    """Return the limits behind an object that are far below one half, by their places."""
    every = dict(limits(made, folder, made.weights, depth, "certificate"))
    assert len(every) > 20
    return {place: limit for place, limit in every.items() if limit < HONEST}


@cache
def coin_flips(n_voters=80, n_samples=20):
    """Votes of coins on coins; 80 of them can be weighted to be right on nearly all samples."""
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=n_samples)
    return rng.integers(2, size=(n_voters, n_samples)), labels, rng.integers(2, size=(n_voters, 99))


def tandem_weights():
    predictions, labels, _ = coin_flips()
    return certify(Votes.from_predictions(predictions, labels), weights="tandem", bound="tandem")


def first_order_weights():
    predictions, labels, _ = coin_flips()
    votes = Votes.from_predictions(predictions, labels)
    return certify(votes, weights="first_order", bound="first_order")


def partly_held_out():
    predictions, labels, unlabeled = coin_flips(20, 60)
    held_out = np.random.default_rng(1).random(predictions.shape) < 0.6
    votes = Votes.from_predictions(predictions, labels, held_out, unlabeled=unlabeled)
    return certify(votes, weights="disagreement")


def shards_read_once():
    predictions, labels, _ = coin_flips(9, 60)
    shards = (Votes.from_predictions(predictions[:, i::3], labels[i::3]) for i in range(3))
    return certify(shards, weights="tandem")


def shards_read_twice():
    predictions, labels, _ = coin_flips(9, 60)
    shards = [Votes.from_predictions(predictions[:, i::3], labels[i::3]) for i in range(3)]
    return certify(shards, weights="tandem")


def plurality_with_ties():
    """Four coins whose ties a referee breaks."""
    predictions, labels, _ = coin_flips(4, 60)
    return certify(replace(Votes.from_predictions(predictions, labels), ties="referee"))


def recall():
    predictions, labels, _ = coin_flips(1, 400)
    return certify(Votes.from_predictions(predictions, labels), metric="recall", positive=1)


X, Y = (
    np.random.default_rng(2).normal(size=(160, 3)),
    np.random.default_rng(3).integers(2, size=160),
)


def committee():
    return CertifiedClassifier(random_state=0).fit(X, Y).certificate_


def committee_of_groups():
    return CertifiedClassifier(random_state=0).fit(X, Y, groups=np.arange(160) // 2).certificate_


def committee_in_time():
    return CertifiedClassifier(random_state=0).fit(X, Y, order=np.arange(160)).certificate_


def hold_out():
    model = CertifiedClassifier(random_state=0, n_tested=1, referee=False)
    return model.fit(X, Y).certificate_


def forest():
    return CertifiedForestClassifier(9, random_state=0).fit(X, Y).certificate_


def forest_out_of_bag():
    model = CertifiedForestClassifier(9, random_state=0).fit(X, Y)
    return certify_oob(model.forest_, X, Y, weights="first_order", bound="best")


MADE = (
    *(tandem_weights, first_order_weights, partly_held_out, shards_read_once, shards_read_twice),
    *(plurality_with_ties, recall, committee, committee_of_groups, committee_in_time, hold_out),
    *(forest, forest_out_of_bag),
)


@pytest.mark.parametrize("made", MADE, ids=lambda made: made.__name__)
def test_every_number_behind_a_certificate_is_honest(made, tmp_path):
    assert not too_low(made(), tmp_path)


def deployed():
    """Three voters that are right, and a deployed classifier that is always wrong."""
    labels = np.random.default_rng(0).integers(2, size=400)
    votes = Votes.from_predictions([labels[:200]] * 3, labels[:200], unlabeled=[labels[200:]] * 3)
    return certify(votes, deployed=1 - labels[200:])


def test_no_number_about_the_voters_is_told_of_a_deployed_classifier(tmp_path):
    certificate = deployed()
    found = [
        ("certificate", certificate),
        ("file", Certificate.load(certificate.save(tmp_path / "c"))),
    ]
    for place, each in found:
        assert all(limit > 0.9 for _, limit in of_certificate(each)), place
        again = tried(lambda each=each: certify(each.evidence))
        assert again is None or again.value > 0.9, place


def test_what_a_group_was_computed_from_makes_no_certificate_of_all_samples(tmp_path):
    labels = np.random.default_rng(0).integers(2, size=400)
    whole = certify(Votes.from_predictions(np.zeros((3, 400), int), labels))
    by_class = whole.by_group("class")
    loaded = Certificate.load(by_class.save(tmp_path / "groups.json")).groups
    for group in (by_class[0], loaded[0]):
        assert group.value < 0.05  # every sample of class 0 is right
        for part in filter(None, (group.counts, group.evidence, group.votes)):
            with pytest.raises(ValueError, match="class = 0, and a certificate is about all"):
                certify(part)
    with pytest.raises(ValueError, match="class = 0, and a certificate is about all"):
        certify_selective(by_class[0].votes, max_error=0.1)
    with pytest.raises(ValueError, match=r"Cannot add counts of the samples where class = 0 and"):
        by_class[0].counts + whole.counts


@pytest.mark.parametrize("made", [committee, hold_out, committee_of_groups, committee_in_time])
def test_what_it_rests_on_follows_the_evidence(made, tmp_path):
    certificate = made()
    loaded = Certificate.load(certificate.save(tmp_path / "certificate.json"))
    for part in (certificate.votes, certificate.evidence, loaded.evidence, [certificate.votes]):
        assert certify(part).assumptions == certificate.assumptions
    of_samples = {*certificate.assumptions} & {DRAW, LATEST, ONE_ROW_PER_GROUP, VOTES[0]}
    selective = certify_selective(certificate.votes, max_error=0.5).assumptions
    assert {*selective} & {DRAW, LATEST, ONE_ROW_PER_GROUP, VOTES[0]} == of_samples
    for counts in (certificate.counts, loaded.counts, loaded.counts + certificate.counts):
        assert {*certificate.assumptions} & {DRAW, LATEST} <= {*certify(counts).assumptions}


def test_one_tree_is_tested_on_rows_that_were_drawn_by_positions():
    tree = RandomForestClassifier(1, random_state=0).fit(X, Y)
    assert ORDER_OF_ROWS in certify_oob(tree, X, Y).assumptions


def test_a_report_states_no_other_limits(tmp_path):
    for made in (tandem_weights, committee, hold_out):
        page = write_report(tmp_path / "report.html", made())
        text = re.sub(r"<[^>]*>", " ", page.read_text("utf-8"))
        guaranteed = re.findall(r"guaranteed[^.]*?(?:at most|<=|&lt;=) ([\d.]+)%", text)
        assert all(float(number) >= 100 * HONEST for number in guaranteed)


def test_no_coin_is_shown_to_be_better():
    flips, labels, _ = coin_flips(2, 400)
    comparison = compare(*flips, y=labels)
    assert comparison.lower <= 0 <= comparison.upper


# Two broken twins --------------------------------------------------------------------------------


def test_a_result_that_forgets_its_weights_is_caught(tmp_path, monkeypatch):
    monkeypatch.setattr(Evidence, "at", lambda self, weights: self)
    assert too_low(tandem_weights(), tmp_path)


def test_a_bound_evaluated_where_it_does_not_apply_is_caught(tmp_path, monkeypatch):
    kind = type(get_bound("test_set"))
    applies = kind.applies

    def forgotten(bound, evidence):
        return None if bound.name == "test_set" else applies(bound, evidence)

    monkeypatch.setattr(kind, "applies", forgotten)
    monkeypatch.setattr(Estimates, "n_errors", property(lambda e: e.evidence.vote.n_test_errors))
    assert too_low(tandem_weights(), tmp_path, depth=0)


# No attribute is forgotten -----------------------------------------------------------------------

ASKED = {
    Certificate: """value candidates bounds evaluate interval by_class to_frame guarantee headline
        limits printed to_dict document save load by_group for_metric counts evidence votes
        groups""",
    VoteCounts: "from_votes",
    Evidence: "of at counts vote profile",
    GroupCertificates: "members save certificate",
    SelectiveCertificate: "max_error chosen from_shares guarantee",
    Comparison: "lower upper",
    Monitor: "bound",
}
"""What the walk above asks for, or what leads to it."""

NO_LIMITS = {
    Certificate: """metric direction confidence delta observed baseline bound weights prior fitted
        published profile findings assumptions group measure one_row_per_group members versions
        deployed ties n_trees latest predict basis ways_to_tighten advice labels_for class_counts
        classes has_referee n_samples n_unlabeled n_voters shared standard_assumptions stated test
        totals unlabeled_agreements voted""",
    VoteCounts: """errors sizes tandem_errors overlaps disagreements disagreement_overlaps
        lone_errors classes unlabeled_disagreements class_counts partner_errors n_covered
        one_row_per_group n_samples n_voters n_classes n_min n_min_pairs n_min_disagreement
        n_unlabeled voter_sets pair_sets disagreement_sets gibbs_losses tandem_losses
        disagreement_rates labeled_disagreement_rates lone_error_rates latest group drawn""",
    Evidence: "fitted deployed ties",
    GroupCertificates: "groupings headline table",
    SelectiveCertificate: """thresholds n_samples delta assumptions findings shares_of coverage
        predict""",
    Comparison: """names n_samples n_errors n_gains n_losses delta one_row_per_group findings
        assumptions difference samples_needed verdict lines to_dict""",
    Monitor: """classes by_group goal confidence n_samples n_errors n_unlabeled alarm_at update
        update_evidence evidence threshold alarm goal_reached to_dict from_dict summary""",
}
"""Attributes that state no limit of an error rate or metric."""


@pytest.mark.parametrize("kind", ASKED, ids=lambda kind: kind.__name__)
def test_each_public_attribute_is_asked_for_or_states_no_limit(kind):
    public = {name for name in dir(kind) if not name.startswith("_")}
    public |= set(getattr(kind, "__dataclass_fields__", ()))
    assert public <= set(f"{ASKED[kind]} {NO_LIMITS[kind]}".split())
