"""A cluster counts the same integers, also when a worker is killed in the middle."""

import os
import signal
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from tandemvote import CertifiedForestClassifier
from tandemvote.votes import counts
from tandemvote.votes.counting import count_votes
from tandemvote.votes.reading import VoteFiles

pytestmark = pytest.mark.long

distributed = pytest.importorskip("distributed", reason="clusters need the dask extra")
cloudpickle = pytest.importorskip("cloudpickle")


@pytest.fixture(scope="module", autouse=True)
def definitions_travel():
    """Send what this file defines to workers, as they cannot import it."""
    module = sys.modules[__name__]
    cloudpickle.register_pickle_by_value(module)
    yield
    cloudpickle.unregister_pickle_by_value(module)


@contextmanager
def two_workers(*, processes):
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=processes, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def client():
    """Workers that are threads start in a blink, and still get and send what a cluster does."""
    with two_workers(processes=False) as client:
        yield client


@pytest.fixture
def client_of_its_own():
    """A cluster for one test, which may leave a worker behind that never comes back."""
    with two_workers(processes=True) as client:
        yield client


@pytest.fixture
def votes(rows, write):
    write(rows, "parts/0.parquet", row_group_size=50)
    backwards = {name: cells[::-1] for name, cells in rows.items()}
    folder = write(backwards, "parts/1.parquet", row_group_size=75).parent
    return VoteFiles(folder, target="label")


def assert_same(ours, theirs):
    assert ours.classes.tolist() == theirs.classes.tolist()
    for name in counts.INTEGER_FIELDS:
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name


class Fatal:
    """A shard that kills the process that counts it, once, after giving some of its votes."""

    def __init__(self, inner, flag):
        self.inner, self.flag = inner, str(flag)

    def __iter__(self):
        for votes in self.inner:
            yield from votes.chunks(50)
            if not Path(self.flag).exists():
                Path(self.flag).write_text(str(os.getpid()))
                os.kill(os.getpid(), signal.SIGKILL)


class FatalVotes:
    """Votes one piece of which is fatal."""

    def __init__(self, inner, flag):
        self.inner, self.flag = inner, flag

    def split(self, n_pieces):
        pieces = self.inner.split(n_pieces)
        middle = len(pieces) // 2
        return [*pieces[:middle], Fatal(pieces[middle], self.flag), *pieces[middle + 1 :]]


def test_a_cluster_counts_the_same(client, votes):
    progress = []
    there = count_votes(votes, client=client, progress=progress.append).counts
    assert_same(there, count_votes(votes).counts)
    assert sum(progress) == votes.n_samples
    assert 2 <= len(progress) <= 8  # a few sums came back, not one a row group


@pytest.mark.slow
def test_a_killed_worker_loses_and_doubles_nothing(client_of_its_own, votes, tmp_path):
    client, flag = client_of_its_own, tmp_path / "killed"
    before = set(client.run(os.getpid).values())
    progress = []
    there = count_votes(FatalVotes(votes, flag), client=client, progress=progress.append).counts
    assert int(flag.read_text()) in before  # a worker of ours, and it is gone
    assert_same(there, count_votes(votes).counts)
    assert sum(progress) == votes.n_samples


@pytest.mark.slow
def test_a_worker_killed_from_outside_loses_and_doubles_nothing(client_of_its_own, votes):
    client = client_of_its_own
    doomed = next(iter(client.run(os.getpid).values()))
    progress = []

    def kill_once(n_samples):
        if not progress:
            os.kill(doomed, signal.SIGKILL)
        progress.append(n_samples)

    there = count_votes(votes, client=client, progress=kill_once).counts
    assert_same(there, count_votes(votes).counts)
    assert sum(progress) == votes.n_samples


def test_what_a_worker_rejects_is_rejected_here(client, write):
    path = write({"label": [0, None], "a": [0, 1]})
    with pytest.raises(ValueError, match=r"votes\.parquet: 1 rows have no label"):
        count_votes(VoteFiles(path, target="label"), client=client)


@pytest.mark.slow
def test_forests_grown_on_a_cluster_get_the_same_certificate(client):
    """Joblib's dask backend takes the trees there; bootstraps and certificate stay the same."""
    import joblib
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    here = CertifiedForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    with joblib.parallel_config("dask"):
        there = CertifiedForestClassifier(n_estimators=20, random_state=0, n_jobs=-1).fit(X, y)
    assert there.certificate_.value == here.certificate_.value
    assert_same(there.certificate_.counts, here.certificate_.counts)
