"""Check certificates without trusting the library that wrote them.

Everything is computed again from the integers in the file, by other formulas and methods: exact
integer sums for the averages, bisection for the inverses, defining sums for moments and
binomial tails, duality for the supremum in C2. Nothing is imported from `tandemvote.inequalities`
or `tandemvote.bounds`.

Votes that are given are counted again with what the library counts them with: the rule of the vote
(`tandemvote.voting`), the pairs (`tandemvote.pair_counts`) and the metrics
(`tandemvote.confusion`). A recount finds a file that was changed, not a fault in these modules.
"""

from tandemvote.verify.checks import Verdict, verify_file
from tandemvote.verify.json_text import CertificateFileError

__all__ = ["CertificateFileError", "Verdict", "verify_file"]
