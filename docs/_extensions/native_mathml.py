"""Write formulas as MathML, which browsers draw by themselves: no script, no fonts, no network."""

import re
from html import escape

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

logger = logging.getLogger(__name__)

OPENING = re.compile(r"\\[bB]igg?(?=[(\[])")
CLOSING = re.compile(r"\\[bB]igg?(?=[)\]])")
"""Brackets of a given size; MathML knows only brackets that grow with what they hold."""

SUBSCRIPT_OF_HAT = re.compile(
    r'<munderover>(\s*<mi>\w</mi>)(.*?)(<mo stretchy="false">ˆ</mo>\s*)</munderover>', re.DOTALL
)
"""A letter with a hat and a subscript, which docutils takes for limits, below and above."""


def mathml(node, *, as_block=False):
    """Translate a formula; one that cannot be is shown as it was typed, with a warning."""
    code = OPENING.sub(r"\\left", CLOSING.sub(r"\\right", node.astext().strip()))
    code = code.replace("‖", r"\|")
    try:
        markup = tex2mathml(code, as_block=as_block)
    except MathError as error:
        logger.warning("formula %r: %s", node.astext(), error, location=node)
        return f"<code>{escape(node.astext())}</code>"
    return SUBSCRIPT_OF_HAT.sub(r'<msub><mover accent="true">\1\3</mover>\2</msub>', markup)


def visit_inline(translator, node):
    """Write a formula inside a line."""
    translator.body.append(mathml(node))
    raise nodes.SkipNode


def visit_block(translator, node):
    """Write a displayed formula, with its number if it has one."""
    markup = mathml(node, as_block=True)
    translator.body.append(translator.starttag(node, "div", CLASS="math"))
    if node["number"]:
        translator.body.append(f'<span class="eqno">({get_node_equation_number(translator, node)})')
        translator.add_permalink_ref(node, "Link to this equation")
        translator.body.append("</span>")
    translator.body.append(markup)
    translator.body.append("</div>")
    raise nodes.SkipNode


def setup(app: Sphinx):
    """Register the renderer under the name ``mathml``."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
