"""One bound per file, each a function of `Estimates` and the failure probability delta.

`Estimates` holds the empirical quantities: from `VoteCounts` and weights, or from plain numbers
(`Estimates.from_numbers`). `get_bound` returns the record of a bound by its name. A bound that
combines two estimates splits delta evenly.
"""

from tandemvote.bounds.bound import Bound
from tandemvote.bounds.c_bound import c1_bound, c1_oracle, c2_bound, c2_oracle
from tandemvote.bounds.chebyshev_cantelli import (
    bernstein_cantelli_bound,
    chebyshev_cantelli_oracle,
    split_kl_cantelli_bound,
)
from tandemvote.bounds.coalition import coalition_bound, coalition_oracle
from tandemvote.bounds.contradictions import ContradictionError, ContradictionWarning
from tandemvote.bounds.estimates import Estimates
from tandemvote.bounds.lambda_forms import disagreement_lambda, first_order_lambda, tandem_lambda
from tandemvote.bounds.majorities import smallest_coalition
from tandemvote.bounds.markov import (
    disagreement_bound,
    disagreement_oracle,
    first_order_bound,
    first_order_oracle,
    tandem_bound,
    tandem_oracle,
)
from tandemvote.bounds.registry import BOUNDS, VOTE_BOUNDS, all_bounds, get_bound
from tandemvote.bounds.requirements import Requirement, RequirementError, VacuousBoundWarning
from tandemvote.bounds.second_order import (
    c_box_bound,
    c_tandem_bound,
    c_tandem_oracle,
    second_order_bound,
    second_order_oracle,
)
from tandemvote.bounds.single_voter import single_voter_bound
from tandemvote.bounds.test_set import test_set_bound
from tandemvote.bounds.vote_profile import vote_profile_bound, vote_profile_oracle

__all__ = [
    "BOUNDS",
    "VOTE_BOUNDS",
    "Bound",
    "ContradictionError",
    "ContradictionWarning",
    "Estimates",
    "Requirement",
    "RequirementError",
    "VacuousBoundWarning",
    "all_bounds",
    "bernstein_cantelli_bound",
    "c1_bound",
    "c1_oracle",
    "c2_bound",
    "c2_oracle",
    "c_box_bound",
    "c_tandem_bound",
    "c_tandem_oracle",
    "chebyshev_cantelli_oracle",
    "coalition_bound",
    "coalition_oracle",
    "disagreement_bound",
    "disagreement_lambda",
    "disagreement_oracle",
    "first_order_bound",
    "first_order_lambda",
    "first_order_oracle",
    "get_bound",
    "second_order_bound",
    "second_order_oracle",
    "single_voter_bound",
    "smallest_coalition",
    "split_kl_cantelli_bound",
    "tandem_bound",
    "tandem_lambda",
    "tandem_oracle",
    "test_set_bound",
    "vote_profile_bound",
    "vote_profile_oracle",
]
