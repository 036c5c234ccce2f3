"""One bound per file: a plain function of numbers, and a `Bound` that is callable on counts.

`get_bound` gives a `Bound` by its name. The functions take some of these keyword arguments:

gibbs_loss, tandem_loss, lone_error, disagreement
    Observed rates, averaged over the posterior or over pairs: a voter errs (G^), both of two err
    (T^), exactly one of two errs (O^), two disagree (D^).
n_min, n_min_pairs, n_min_disagreement
    Smallest sets behind them: held-out points of one voter (n1), of two (n2), of two with
    unlabelled points (m).
kl_divergence
    KL(rho‖pi) of the voters; pairs count it twice. 0 by default.
delta
    Failure probability of the whole bound, 0.05 by default; a bound that combines two estimates
    splits it evenly.
"""

from tandemvote.bounds.averages import Averages
from tandemvote.bounds.bound import Bound, BoundValue
from tandemvote.bounds.c_bound import c1_bound, c1_oracle, c2_bound, c2_oracle
from tandemvote.bounds.chebyshev_cantelli import (
    bernstein_cantelli_bound,
    chebyshev_cantelli_oracle,
    split_kl_cantelli_bound,
)
from tandemvote.bounds.coalition import coalition_bound, coalition_oracle
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
from tandemvote.bounds.requirements import (
    ContradictionError,
    ContradictionWarning,
    Requirement,
    RequirementError,
    VacuousBoundWarning,
)
from tandemvote.bounds.second_order import (
    c_box_bound,
    c_tandem_bound,
    c_tandem_oracle,
    second_order_bound,
    second_order_oracle,
)
from tandemvote.bounds.test_set import single_voter_bound, test_set_bound
from tandemvote.bounds.vote_profile import vote_profile_bound, vote_profile_oracle

__all__ = [
    "BOUNDS",
    "VOTE_BOUNDS",
    "Averages",
    "Bound",
    "BoundValue",
    "ContradictionError",
    "ContradictionWarning",
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
    "disagreement_oracle",
    "first_order_bound",
    "first_order_oracle",
    "get_bound",
    "second_order_bound",
    "second_order_oracle",
    "single_voter_bound",
    "smallest_coalition",
    "split_kl_cantelli_bound",
    "tandem_bound",
    "tandem_oracle",
    "test_set_bound",
    "vote_profile_bound",
    "vote_profile_oracle",
]
