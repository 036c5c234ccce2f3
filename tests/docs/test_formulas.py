"""Formulas of the documentation as MathML."""

from pathlib import Path

import pytest

nodes = pytest.importorskip("docutils.nodes")
pytest.importorskip("sphinx")

EXTENSIONS = Path(__file__).parents[2] / "docs" / "_extensions"


@pytest.mark.parametrize(
    "formula", [r"\hat L_n", r"{\hat L}_{n}", r"f(\hat G_2)", r"\sum_p w_p \hat L_{h, p}^2"]
)
def test_the_subscript_of_a_letter_with_a_hat_is_not_written_below_it(formula, monkeypatch):
    monkeypatch.syspath_prepend(EXTENSIONS)
    mathml = pytest.importorskip("native_mathml").mathml
    markup = "".join(mathml(nodes.math("", formula)).split())
    assert '<msub><moveraccent="true"><mi>' in markup
    assert '</mi><mostretchy="false">ˆ</mo></mover>' in markup
    assert "ˆ</mo></munderover>" not in markup
