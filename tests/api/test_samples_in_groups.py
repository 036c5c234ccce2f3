"""groups= of certify and certify_selective: one random row of each group is used."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from tandemvote import Votes, certify, certify_selective, hold_out_votes
from tandemvote.ensembles.splitting import group_codes, one_row_per_group
from tandemvote.verify import verify_file

X, y = make_classification(900, 8, n_informative=4, flip_y=0.15, random_state=1)
GROUPS = np.repeat([f"patient {i}" for i in range(225)], 4)
MODELS = [DecisionTreeClassifier(max_depth=3, random_state=0).fit(X[:300], y[:300])]
HELD_OUT = (X[300:], y[300:])
ROWS = one_row_per_group(group_codes(GROUPS[300:], y[300:]))


def test_one_row_of_each_group_is_tested(tmp_path):
    certificate = certify(MODELS, *HELD_OUT, groups=GROUPS[300:])
    n_errors = (MODELS[0].predict(X[300:][ROWS]) != y[300:][ROWS]).sum()
    assert np.unique(GROUPS[300:][ROWS]).size == ROWS.size == 150
    expected = beta.ppf(0.95, n_errors + 1, 150 - n_errors)
    assert certificate.value == pytest.approx(expected, rel=1e-9)
    assert "a random row of a random new group" in repr(certificate)
    assert "random row of a random new group" in certificate.assumptions[0]
    verdict = verify_file(certificate.save(tmp_path / "c.json"))
    assert verdict.valid, verdict.problem


def test_votes_and_frames_give_the_same_certificate():
    value = certify(MODELS, *HELD_OUT, groups=GROUPS[300:]).value
    votes = hold_out_votes(MODELS, *HELD_OUT)
    assert certify(votes, groups=GROUPS[300:]).value == value
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(8)])
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(frame[:300], y[:300])
    series = pd.Series(GROUPS)[300:]
    assert certify([tree], frame[300:], pd.Series(y)[300:], groups=series).value == value


def test_a_vote_that_abstains_uses_one_row_of_each_group():
    found = certify_selective(MODELS, *HELD_OUT, groups=GROUPS[300:], margin=0.2)
    alone = certify_selective(MODELS, X[300:][ROWS], y[300:][ROWS], margin=0.2)
    assert (found.error, found.coverage, found.n_points) == (alone.error, alone.coverage, 150)
    assert "a random row of a random new group" in repr(found)
    assert "random row of a random new group" in found.assumptions[0]
    assert "random new group" not in repr(alone)


@pytest.mark.parametrize("way", [certify, certify_selective])
def test_out_of_bag_samples_are_rejected_with_the_reason(way):
    options = {"margin": 0.2} if way is certify_selective else {}
    forest = RandomForestClassifier(10, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="other rows of the same group trained the voters"):
        way(forest, X, y, groups=GROUPS, **options)
    held_out = np.random.default_rng(0).random((3, 900)) < 0.5
    votes = Votes.from_predictions([y] * 3, y, held_out)
    with pytest.raises(ValueError, match="not supported for out-of-bag samples"):
        way(votes, groups=GROUPS, **options)


def test_bad_groups_are_rejected():
    with pytest.raises(ValueError, match="groups has 5 distinct values; at least 10"):
        certify(MODELS, *HELD_OUT, groups=np.arange(600) % 5)
    with pytest.raises(ValueError, match=r"groups has shape \(900,\) and y has 600 samples"):
        certify(MODELS, *HELD_OUT, groups=GROUPS)
    labels = pd.Series(y)[300:]
    shuffled = pd.Series(GROUPS)[300:].sample(frac=1, random_state=0)
    with pytest.raises(ValueError, match="groups has the index of the points in another order"):
        certify(MODELS, X[300:], labels, groups=shuffled)
    with pytest.raises(ValueError, match="groups cannot be combined with X_unlabelled"):
        certify(MODELS, *HELD_OUT, groups=GROUPS[300:], X_unlabelled=X[:10])
    with pytest.raises(ValueError, match="X or y is missing"):
        certify(MODELS, groups=GROUPS)
