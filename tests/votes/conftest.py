"""Votes on disk, and the truth about them by one loop over rows and pairs."""

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="votes on disk need the data extra")


@pytest.fixture
def rows():
    """900 samples of three classes, five voters, cells missing at random."""
    return random_rows(np.random.default_rng(3), 900)


def random_rows(rng, n_samples, n_voters=5, words=(0, 1, 2)):
    labels = rng.choice(len(words), n_samples)
    predictions = np.where(
        rng.random((n_voters, n_samples)) < 0.7,
        labels,
        rng.choice(len(words), (n_voters, n_samples)),
    )
    held_out = rng.random((n_voters, n_samples)) < 0.6
    return {"label": [words[code] for code in labels]} | {
        f"voter {i}": [
            words[code] if loaded else None
            for code, loaded in zip(predictions[i], held_out[i], strict=True)
        ]
        for i in range(n_voters)
    }


@pytest.fixture
def assert_counts():
    """Compare with a loop over rows and pairs; None stands where a voter was trained."""

    def check(counts, columns):
        voters = [cells for name, cells in columns.items() if name != "label"]
        shape = len(voters), len(voters)
        names = ("tandem_errors", "overlaps", "disagreements", "lone_errors")
        truth = {name: np.zeros(shape, int) for name in names}
        for g, first in enumerate(voters):
            for h, second in enumerate(voters):
                common = [
                    (label, a, b)
                    for label, a, b in zip(columns["label"], first, second, strict=True)
                    if a is not None and b is not None
                ]
                truth["overlaps"][g, h] = len(common)
                truth["tandem_errors"][g, h] = sum(label not in (a, b) for label, a, b in common)
                truth["disagreements"][g, h] = sum(a != b for _, a, b in common)
                truth["lone_errors"][g, h] = sum(
                    (a != label) != (b != label) for label, a, b in common
                )
        for name, expected in truth.items():
            assert np.array_equal(getattr(counts, name), expected), name

    return check


@pytest.fixture
def write(tmp_path):
    """Write columns to a Parquet file in a temporary folder and return its path."""
    import pyarrow as arrow
    from pyarrow import parquet

    def write_columns(columns, name="votes.parquet", types=None, **options):
        arrays = {key: arrow.array(cells, (types or {}).get(key)) for key, cells in columns.items()}
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        parquet.write_table(arrow.table(arrays), path, **options)
        return path

    return write_columns
