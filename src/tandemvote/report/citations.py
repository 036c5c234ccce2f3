"""What to cite: the paper and this library."""

from __future__ import annotations

from importlib.metadata import version
from typing import NamedTuple


class Citation(NamedTuple):
    """A reference, in words and as BibTeX."""

    words: str
    bibtex: str


CITATIONS = (
    Citation(
        words=(
            "The bounds: A. R. Masegosa, S. S. Lorenzen, C. Igel, Y. Seldin. Second Order"
            " PAC-Bayesian Bounds for the Weighted Majority Vote. Advances in Neural Information"
            " Processing Systems 33 (NeurIPS 2020)."
        ),
        bibtex="""\
@inproceedings{masegosa2020second,
  author    = {Masegosa, Andr{\\'e}s R. and Lorenzen, Stephan S. and Igel, Christian
               and Seldin, Yevgeny},
  title     = {Second Order {PAC}-{B}ayesian Bounds for the Weighted Majority Vote},
  booktitle = {Advances in Neural Information Processing Systems 33},
  year      = {2020}
}""",
    ),
    Citation(
        words=(
            "The software: The tandemvote developers. tandemvote: certified error rates for"
            f" majority votes, version {version('tandemvote')}."
        ),
        bibtex=f"""\
@software{{tandemvote,
  author  = {{{{The tandemvote developers}}}},
  title   = {{tandemvote: certified error rates for majority votes}},
  version = {{{version("tandemvote")}}}
}}""",
    ),
)
