from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from reproduction.command_line import RESULTS
from reproduction.experiments import protocol
from reproduction.experiments.sources import DataSource, own_files


@pytest.fixture(scope="session")
def committed_rows() -> None:
    """Skip tests of the committed rows where there are none."""
    if not (RESULTS / "forests.csv").exists():
        pytest.skip("the rows are in the repository, not in the sdist")


@pytest.fixture
def few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Grow small forests in this process, where their number of trees does not matter."""
    monkeypatch.setattr(protocol, "N_TREES", 20)


@pytest.fixture(scope="module")
def few_trees_of_a_module():
    """The same for all tests of a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(protocol, "N_TREES", 20)
        yield


@pytest.fixture(scope="session")
def small_source(tmp_path_factory: pytest.TempPathFactory) -> DataSource:
    """One multiclass and one binary set, small enough to grow a forest in a blink."""
    folder = tmp_path_factory.mktemp("data")
    paths = []
    for name, load in (("flowers", load_iris), ("cells", load_breast_cancer)):
        X, y = load(return_X_y=True)
        paths.append(Path(folder, f"{name}.npz"))
        np.savez(paths[-1], X=X, y=y)
    return DataSource(files=own_files(paths))
