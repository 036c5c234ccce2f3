"""Voters that abstain on hard samples are rejected; held-out sets by design are not."""

import numpy as np
import pytest

from tandemvote import certify
from tandemvote.certificate import certify_votes
from tandemvote.cli.app import run
from tandemvote.votes.counting import count_votes
from tandemvote.votes.counts import INTEGER_FIELDS, VoteCounts
from tandemvote.votes.dependent_sets import check_empty_rows, check_independent_sets
from tandemvote.votes.evidence import Evidence
from tandemvote.votes.reading import VoteFiles, read_votes
from tandemvote.votes.votes import Votes


def world(n_voters, n_samples, seed, *, noise=0.2):
    """Return labels, predictions and how hard each sample seems to each voter."""
    rng = np.random.default_rng(seed)
    common = rng.random(n_samples)
    labels = rng.integers(2, size=n_samples)
    wrong = rng.random((n_voters, n_samples)) < 0.5 * common**2
    return labels, labels ^ wrong, common + noise * rng.standard_normal(wrong.shape)


def designs(n_voters, n_samples, rng):
    """Yield held-out sets that do not depend on the data."""
    drawn = rng.integers(n_samples, size=(n_voters, n_samples))
    yield np.array([~np.isin(np.arange(n_samples), row) for row in drawn])
    yield rng.integers(n_voters, size=n_samples) == np.arange(n_voters)[:, None]
    yield rng.random((n_voters, n_samples)) < rng.random((n_voters, 1))
    yield np.arange(n_voters)[:, None].repeat(n_samples, 1) != 0
    bags = rng.random((-(-n_voters // 3), n_samples)) < 0.37  # three learners on each bag
    yield bags.repeat(3, axis=0)[:n_voters]


def write(path, labels, predictions, held_out):
    names = ["label", *(f"voter{i}" for i in range(len(predictions)))]
    cells = np.where(held_out, predictions.astype(str), "")
    rows = [",".join(row) for row in np.vstack([labels.astype(str), cells]).T]
    path.write_text("\n".join([",".join(names), *rows]) + "\n")
    return path


@pytest.mark.parametrize("n_voters", [2, 3, 10, 40])
def test_designs_pass(n_voters):
    rng = np.random.default_rng(n_voters)
    for seed in range(15):
        labels, predictions, _ = world(n_voters, 500, seed)
        for held_out in designs(n_voters, 500, rng):
            votes = Votes.from_predictions(predictions, labels, held_out)
            check_independent_sets(VoteCounts.from_votes(votes))
            if len({*map(bytes, held_out)}) > 1:  # else rows can be removed
                check_empty_rows(votes)
                check_empty_rows(VoteCounts.from_votes(votes))


@pytest.mark.parametrize("n_voters", [2, 5, 20])
def test_abstention_is_rejected_in_memory_and_from_counts(n_voters):
    for seed in range(10):
        labels, predictions, hard = world(n_voters, 4000, seed)
        votes = Votes.from_predictions(predictions, labels, hard < 0.5)
        with pytest.raises(ValueError, match=r"held out where samples are easy.*empty_as_error"):
            certify_votes(votes)
        parts = [Votes(*(part[..., i::4] for part in (votes.predictions, votes.labels,
                 votes.held_out)), votes.classes, votes.unlabeled) for i in range(4)]  # fmt: skip
        with pytest.raises(ValueError, match="held out where samples are easy"):
            certify_votes(count_votes(parts))


def test_voters_that_abstain_together_leave_empty_rows(tmp_path, capsys):
    labels, predictions, hard = world(4, 1000, 0, noise=0)
    held_out = hard < 0.6  # the same rows for all voters
    path = write(tmp_path / "votes.csv", labels, predictions, held_out)
    n_empty = (~held_out[0]).sum()
    votes = Votes.from_predictions(predictions, labels, held_out)
    for evidence in (
        votes,
        VoteCounts.from_votes(votes),
        read_votes(path, target="label"),
        VoteFiles(path, target="label"),
    ):
        with pytest.raises(ValueError, match=f"{n_empty} of 1000 rows have no prediction"):
            certify(evidence)
    assert run(["certify-votes", str(path)]) == 2
    assert "with --empty-as-error for files" in capsys.readouterr().err
    tested = held_out[0]  # rows that trained all voters can be removed
    assert certify(Votes.from_predictions(predictions[:, tested], labels[tested])).value < 1
    everything = read_votes(path, target="label", empty_as_error=True)
    assert everything.held_out.all()
    certificate = certify_votes(everything)
    assert certificate.value > certificate.observed > n_empty / 1000


def test_an_empty_column_is_rejected(tmp_path):
    labels, predictions, _ = world(4, 300, 1)
    held_out = np.ones(predictions.shape, bool)
    held_out[3] = False
    path = write(tmp_path / "votes.csv", labels, predictions, held_out)
    with pytest.raises(ValueError, match="Column 'voter3' has no held-out predictions"):
        read_votes(path, target="label")


def test_empty_as_error_is_the_same_everywhere(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    labels, predictions, hard = world(3, 400, 2)
    held_out = hard < 0.6
    votes = Votes.from_predictions(np.where(held_out, predictions, 1 - labels), labels)
    assert (votes.errors == (~held_out | (predictions != labels))).all()
    path = write(tmp_path / "votes.csv", labels, predictions, held_out)
    columns = {"label": labels} | {
        f"voter{i}": pyarrow.array(row, mask=~mask)
        for i, (row, mask) in enumerate(zip(predictions, held_out, strict=True))
    }
    table = pyarrow.table(columns)
    for part in range(4):
        shard = table[part * 100 : part * 100 + 100]
        parquet.write_table(shard, tmp_path / f"{part}.parquet")
    in_csv = read_votes(path, target="label", empty_as_error=True)
    in_shards = count_votes(VoteFiles(tmp_path, target="label", empty_as_error=True))
    expected = Evidence.of(votes)
    for evidence in (Evidence.of(in_csv), in_shards):
        for name in INTEGER_FIELDS:
            assert np.array_equal(getattr(evidence.counts, name), getattr(expected.counts, name))
        assert evidence.vote.n_test_errors == expected.vote.n_test_errors


def test_empty_as_error_adds_a_wrong_class_where_there_is_none(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("label,a,b\nx,x,\nx,,x\n")
    votes = read_votes(path, target="label", empty_as_error=True)
    assert votes.errors.tolist() == [[False, True], [True, False]]


def test_missing_predictions_name_both_ways_out():
    with pytest.raises(ValueError, match=r"Set held_out to False .* not a label"):
        Votes.from_predictions([[1, None], [1, 0]], [1, 0])


def test_an_observed_error_above_the_bound_is_reported():
    rng = np.random.default_rng(0)
    labels = np.zeros(4000, int)
    wrong = rng.random((60, 4000)) < 0.2
    held_out = rng.integers(20, size=4000) == np.arange(60)[:, None] % 20
    votes = Votes.from_predictions(wrong.astype(int), labels, held_out)
    lonely = certify_votes(votes, bound="first_order")
    assert lonely.observed < lonely.value
    assert "observed_above_bound" not in [each.code for each in lonely.findings]
    few = rng.random((60, 4000)) < 0.1  # six voters at a sample, sixty in the vote
    votes = Votes.from_predictions(wrong.astype(int), labels, few)
    certificate = certify_votes(votes, bound="tandem")
    codes = [each.code for each in certificate.findings]
    assert ("observed_above_bound" in codes) == (certificate.observed > certificate.value)
