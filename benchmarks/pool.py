"""From the counts of 2,000 voters to weights and certificate, against the procedure of the paper.

Both ways start from the same counts and end with a certificate of the tandem bound at weights that
minimize it; they differ in the solver alone. The goal is a tenth of the time. The two take turns,
and of each the fastest run counts: it is the one that others on the machine disturbed least.

Run: PYTHONPATH=. OMP_NUM_THREADS=1 python benchmarks/pool.py
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from time import process_time

import numpy as np
from threadpoolctl import threadpool_limits

from tandemvote import VoteCounts, Votes
from tandemvote.certificate import certify_votes
from tandemvote.votes.counting import count_votes
from tandemvote.weights.irprop import irprop
from tandemvote.weights.objective import Descent, Objective
from tandemvote.weights.solvers import solve

LIMIT = 0.1
ROUNDS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--voters", type=int, default=2_000)
    parser.add_argument("--samples", type=int, default=20_000)
    options = parser.parse_args()
    counts = pool_counts(options.voters, options.samples)
    print(f"{counts}; limit {LIMIT}")
    rounds = [(certify(counts, solve), certify(counts, irprop)) for _ in range(ROUNDS)]
    default, papers = map(min, zip(*rounds, strict=True))
    print(f"share {default / papers:.3f}")


def certify(counts: VoteCounts, solver: Callable[[Objective], Descent]) -> float:
    """Return and show the processor time from counts to certificate."""
    counts = replace(counts)  # without what an earlier run has computed from them
    start = process_time()
    prior = np.full(counts.n_voters, 1.0 / counts.n_voters)
    descent = solver(Objective.of("tandem", counts, prior, 0.05, published=False))
    weighed = process_time()
    certificate = certify_votes(counts, weights=descent.iterate.weights)
    end = process_time()
    print(
        f"{solver.__name__:14} {end - start:.2f} s: {weighed - start:.2f} for weights in"
        f" {len(descent.path) - 1} steps, {end - weighed:.2f} for the certificate;"
        f" bound {certificate.value:.6f}"
    )
    return end - start


def pool_counts(n_voters: int, n_samples: int) -> VoteCounts:
    """Count voters of different quality whose errors have causes in common."""
    rng = np.random.default_rng(0)
    difficulty = rng.normal(size=n_samples)
    causes, shares = rng.normal(size=(10, n_samples)), rng.normal(size=(n_voters, 10))
    skill = rng.uniform(1.0, 2.0, size=n_voters)
    labels = np.zeros(n_samples, np.int8)

    def shards():
        for start in range(0, n_samples, 2_000):
            part = slice(start, start + 2_000)
            trouble = difficulty[part] + 0.3 * shares @ causes[:, part]
            wrong = trouble + rng.normal(size=trouble.shape) > skill[:, None]
            held_out = rng.random(trouble.shape) < 0.63
            yield Votes.from_predictions(wrong.astype(np.int8), labels[part], held_out)

    return count_votes(shards()).counts


if __name__ == "__main__":
    with threadpool_limits(limits=1):
        main()
