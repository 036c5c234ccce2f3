"""groups= of certify and certify_selective: one random row of each group is tested."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from tandemvote import CertifiedClassifier, Votes, certify, certify_selective
from tandemvote.auditing.rows import row_digests
from tandemvote.models.groups_and_times import group_codes
from tandemvote.models.splitting import one_row_per_group
from tandemvote.record.assumptions import DRAW
from tandemvote.verify import verify_file

X, y = make_classification(900, 8, n_informative=4, flip_y=0.15, random_state=1)
GROUPS = np.repeat([f"patient {i}" for i in range(225)], 4)
HELD_OUT = (X[300:], y[300:])
CONTENTS = [row_digests(X[300:]), y[300:], GROUPS[300:]]
ROWS = one_row_per_group(group_codes(GROUPS[300:], y[300:]), CONTENTS)


@cache
def fitted_tree():
    return DecisionTreeClassifier(max_depth=3, random_state=0).fit(X[:300], y[:300])


def test_one_row_of_each_group_is_tested(tmp_path):
    certificate = certify(fitted_tree(), *HELD_OUT, groups=GROUPS[300:])
    n_errors = (fitted_tree().predict(X[300:][ROWS]) != y[300:][ROWS]).sum()
    assert np.unique(GROUPS[300:][ROWS]).size == ROWS.size == 150
    expected = beta.ppf(0.95, n_errors + 1, 150 - n_errors)
    assert certificate.value == pytest.approx(expected, rel=1e-9)
    assert "one random row per group" in repr(certificate)
    assert "random row of a random new group" in certificate.assumptions[0]
    verdict = verify_file(certificate.save(tmp_path / "c.json"))
    assert verdict.valid, verdict.problem


def test_frames_and_lists_give_the_same_certificate():
    value = certify(fitted_tree(), *HELD_OUT, groups=GROUPS[300:]).value
    assert certify([fitted_tree()], *HELD_OUT, groups=GROUPS[300:]).value == value
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(8)])
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(frame[:300], y[:300])
    series = pd.Series(GROUPS)[300:]
    assert certify(tree, frame[300:], pd.Series(y)[300:], groups=series).value == value


def test_a_classifier_that_abstains_uses_one_row_of_each_group():
    certificate = certify_selective(fitted_tree(), *HELD_OUT, groups=GROUPS[300:], max_error=0.3)
    alone = certify_selective(fitted_tree(), X[300:][ROWS], y[300:][ROWS], max_error=0.3)
    assert certificate.thresholds == alone.thresholds and certificate.n_samples == 150
    assert "random row of a random new group" in certificate.assumptions[0]
    assert "random new group" not in " ".join(alone.assumptions)
    assert DRAW in certificate.assumptions and DRAW not in alone.assumptions
    as_list = certify_selective([fitted_tree()], *HELD_OUT, groups=GROUPS[300:], max_error=0.3)
    assert as_list.n_samples == 150
    assert "random row of a random new group" in as_list.assumptions[0]


def test_bounds_by_group_align_with_all_samples_that_were_given():
    site = np.random.default_rng(0).choice(["north", "south"], size=600)
    for by in (site, pd.Series(site, name="site")):
        groups = certify(fitted_tree(), *HELD_OUT, groups=GROUPS[300:]).by_group(by)
        for each in groups:
            here = ROWS[site[ROWS] == each.group.label]
            n_errors = (fitted_tree().predict(X[300:][here]) != y[300:][here]).sum()
            expected = beta.ppf(1 - 0.05 / 2, n_errors + 1, here.size - n_errors)
            assert each.value == pytest.approx(expected, rel=1e-9)
            assert each.one_row_per_group
    with pytest.raises(ValueError, match=r"has shape \(150,\); expected \(600,\)"):
        certify(fitted_tree(), *HELD_OUT, groups=GROUPS[300:]).by_group(site[ROWS])


def test_bounds_by_group_of_a_committee_align_with_all_samples_of_fit():
    model = CertifiedClassifier(DecisionTreeClassifier(max_depth=3), random_state=0)
    model.fit(X, y, groups=GROUPS)
    side = np.where(X[:, 0] > 0, "right", "left")
    groups = model.certificate_.by_group({"side": side})
    expected = pd.Series(side[model.test_indices_]).value_counts().to_dict()
    assert {each.group.label: each.counts.n_samples for each in groups} == expected


def test_votes_hold_their_groups():
    votes = Votes.from_predictions([y] * 3, y)
    with pytest.raises(ValueError, match="X_unlabeled and allow cannot be combined with votes"):
        certify(votes, groups=GROUPS)
    with pytest.raises(ValueError, match="X_unlabeled and allow cannot be combined with votes"):
        certify_selective(votes, groups=GROUPS, max_error=0.1)
    drawn = certify(fitted_tree(), *HELD_OUT, groups=GROUPS[300:]).votes
    assert "new group" in certify_selective(drawn, max_error=0.3).assumptions[0]


def test_bad_groups_are_rejected():
    with pytest.raises(ValueError, match=r"groups has shape \(900,\) and"):
        certify(fitted_tree(), *HELD_OUT, groups=GROUPS)
    labels = pd.Series(y)[300:]
    shuffled = pd.Series(GROUPS)[300:].sample(frac=1, random_state=0)
    with pytest.raises(ValueError, match="groups has the index of the samples in another order"):
        certify(fitted_tree(), X[300:], labels, groups=shuffled)
    with pytest.raises(ValueError, match="not drawn from the same distribution"):
        certify(fitted_tree(), *HELD_OUT, groups=GROUPS[300:], X_unlabeled=X[:10])
    with pytest.raises(ValueError, match="X and y are required"):
        certify(fitted_tree(), groups=GROUPS)
