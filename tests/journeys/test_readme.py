"""What the README shows is what a reader gets."""

import re
from pathlib import Path

import pytest

from tandemvote.bounds import tandem_bound

README = Path(__file__).parents[2] / "README.md"


@pytest.mark.skipif(not README.exists(), reason="the README is not part of an installed package")
def test_the_snippet_prints_what_the_readme_says():
    text = README.read_text(encoding="utf-8")
    snippet, shown = re.search(r"```python\n(.*?)```\n```text\n(.*?)```", text, re.DOTALL).groups()
    *statements, expression = snippet.strip().splitlines()
    names = {}
    exec("\n".join(statements), names)
    assert repr(eval(expression, names)).strip() == shown.strip()


def test_the_calculator_line_gives_the_number_it_names():
    assert str(tandem_bound(tandem_loss=0.12138, n_min_pairs=3359)).startswith("0.5788")
