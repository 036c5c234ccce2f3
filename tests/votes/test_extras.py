"""What an extra installs is named, with the extra, where it is missing."""

import sys

import numpy as np
import pytest

from tandemvote import Votes, certify
from tandemvote.votes.extras import import_extra


def test_a_frame_without_pandas_names_the_extra(monkeypatch):
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=400)
    certificate = certify(Votes.from_predictions(labels ^ (rng.random((3, 400)) < 0.1), labels))
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r'pip install "tandemvote\[report\]"') as rejection:
        certificate.to_frame()
    assert rejection.value.name == "pandas"


def test_the_package_is_named_where_a_part_of_it_is_needed(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match=r"'pyarrow'.*tandemvote\[data\]"):
        import_extra("pyarrow.parquet", "data")
