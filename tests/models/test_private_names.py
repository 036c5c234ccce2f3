import re
from pathlib import Path

import tandemvote

PRIVATE = re.compile(
    r"sklearn(\.\w+)*\._(?!_)|sklearn[\w.]* import [^(\n]*\b_|model\._(n_samples|max_samples)"
)


def test_one_module_alone_uses_private_names_of_scikit_learn():
    root = Path(tandemvote.__file__).parent
    using = [path.name for path in root.rglob("*.py") if PRIVATE.search(path.read_text())]
    assert using == ["private_names.py"]
