"""Check certificates without trusting the library that wrote them.

Everything is computed again from the integers in the file, by other formulas and methods: exact
integer sums for the averages, bisection for the inverses, defining sums for moments and
binomial tails, duality for the supremum in C2. Nothing is imported from `tandemvote.inequalities`
or `tandemvote.bounds`.

Votes that are given are counted again with what the library counts them with: the rule of the vote
(`tandemvote.votes.weighted_vote`), the pairs (`tandemvote.votes.pair_counts`) and the metrics
(`tandemvote.metrics.metric`). A recount finds a file that was changed, not a fault in these
modules.
"""

from tandemvote.record.json_text import CertificateFileError
from tandemvote.verify.verdict import Verdict, verify_file

__all__ = ["CertificateFileError", "Verdict", "verify_file"]
