"""How much faster the default solver finds weights than the paper's procedure, and how much lower.

Both run on the same objectives, in one process and one thread; only ratios are worth comparing
between machines. The goal is 10 times faster at 100 voters and 50 times at 1,000, at an equal or
lower objective. Products are multiplications by the pair matrix; their ratio is the one to expect
once the matrix is too large for the processor's cache.

Run: PYTHONPATH=. python benchmarks/weights.py
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields

import numpy as np
from forest import timed
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.ensemble import RandomForestClassifier
from threadpoolctl import threadpool_limits

from tandemvote.bounds import get_bound
from tandemvote.models.trees import out_of_bag_votes
from tandemvote.votes.counts import VoteCounts
from tandemvote.votes.evidence import Evidence
from tandemvote.weights.irprop import irprop
from tandemvote.weights.objective import Descent, Objective
from tandemvote.weights.solvers import solve

GOALS = {100: 10, 1000: 50}
DATASETS: dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]] = {
    "breast cancer": lambda: load_breast_cancer(return_X_y=True),
    "digits": lambda: load_digits(return_X_y=True),
    "synthetic": lambda: make_classification(
        4000, 20, n_informative=8, flip_y=0.05, random_state=0
    ),
}


@dataclass(frozen=True, eq=False)
class CountingObjective(Objective):
    """An objective that counts its multiplications by the pair matrix."""

    counter: list[int] = field(default_factory=lambda: [0])

    def pair_product(self, vector: np.ndarray) -> np.ndarray:
        """Count, and multiply."""
        self.counter[0] += 1
        return super().pair_product(vector)


def forest_counts(name: str, n_voters: int) -> VoteCounts:
    X, y = DATASETS[name]()
    forest = RandomForestClassifier(n_voters, random_state=0).fit(X, y)
    return VoteCounts.from_votes(out_of_bag_votes(forest, X, y))


def measure(
    solver: Callable[[Objective], Descent], objective: Objective, repeats: int
) -> tuple[float, Descent, int]:
    """Shortest time in milliseconds, the outcome, and the number of products."""
    shortest, descent = timed(lambda: solver(objective), repeats)
    counting = CountingObjective(
        **{part.name: getattr(objective, part.name) for part in fields(objective)}
    )
    solver(counting)
    return 1e3 * shortest, descent, counting.counter[0]


def main() -> None:
    print("milliseconds".rjust(64), "products".rjust(20))
    print(
        "data".ljust(14), "voters", "bound".ljust(12), "published",
        "default  irprop  ratio  goal ",
        "default irprop  irprop higher by",
    )  # fmt: skip
    for name in DATASETS:
        for n_voters, goal in GOALS.items():
            counts = forest_counts(name, n_voters)
            for bound in ("tandem", "disagreement"):
                if get_bound(bound).applies(Evidence(counts)) is not None:
                    continue
                prior = np.full(n_voters, 1.0 / n_voters)
                for published in (True, False):
                    objective = Objective.of(bound, counts, prior, 0.05, published)
                    fast, default, few = measure(solve, objective, 15)
                    slow, papers, many = measure(irprop, objective, 3)
                    print(
                        f"{name:14} {n_voters:6} {bound:12} {published!s:9} {fast:7.2f}"
                        f" {slow:7.1f} {slow / fast:6.0f} {goal:5} {few:8} {many:6} "
                        f" {papers.iterate.value - default.iterate.value:.1e}"
                    )


if __name__ == "__main__":
    with threadpool_limits(limits=1):
        main()
