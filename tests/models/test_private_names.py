import re
from pathlib import Path

import pytest

import tandemvote

PRIVATE = re.compile(
    r"sklearn(\.\w+)*\._(?!_)|sklearn[\w.]* import [^(\n]*\b_|model\._(n_samples|max_samples)"
)


def test_one_module_alone_uses_private_names_of_scikit_learn():
    root = Path(tandemvote.__file__).parent
    using = [path.name for path in root.rglob("*.py") if PRIVATE.search(path.read_text())]
    assert using == ["private_names.py"]


@pytest.mark.parametrize("name", ["CertifiedClassifier", "CertifiedForestClassifier"])
def test_the_diagram_of_a_model_links_to_its_page(name):
    page = f"/api/generated/tandemvote.{name}.html"
    assert page in getattr(tandemvote, name)()._repr_html_()
