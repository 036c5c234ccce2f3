"""Room 4: one bound a file, each callable on counts and as a plain function of numbers.

The names `first_order`, `tandem`, ... in this package are the bounds themselves, not the modules.
"""

from tandemvote.bounds.averages import Averages
from tandemvote.bounds.bound import Bound, BoundValue
from tandemvote.bounds.c_bound import c1, c1_bound, c1_oracle, c2, c2_bound, c2_oracle
from tandemvote.bounds.c_tandem import c_tandem, c_tandem_bound, c_tandem_oracle
from tandemvote.bounds.disagreement import disagreement, disagreement_bound, disagreement_oracle
from tandemvote.bounds.first_order import first_order, first_order_bound, first_order_oracle
from tandemvote.bounds.registry import BOUNDS, VOTE_BOUNDS, all_bounds, get_bound
from tandemvote.bounds.requirements import Requirement, RequirementError, VacuousBoundWarning
from tandemvote.bounds.tandem import tandem, tandem_bound, tandem_oracle
from tandemvote.bounds.test_set import test_set, test_set_bound

__all__ = [
    "BOUNDS",
    "VOTE_BOUNDS",
    "Averages",
    "Bound",
    "BoundValue",
    "Requirement",
    "RequirementError",
    "VacuousBoundWarning",
    "all_bounds",
    "c1",
    "c1_bound",
    "c1_oracle",
    "c2",
    "c2_bound",
    "c2_oracle",
    "c_tandem",
    "c_tandem_bound",
    "c_tandem_oracle",
    "disagreement",
    "disagreement_bound",
    "disagreement_oracle",
    "first_order",
    "first_order_bound",
    "first_order_oracle",
    "get_bound",
    "tandem",
    "tandem_bound",
    "tandem_oracle",
    "test_set",
    "test_set_bound",
]
