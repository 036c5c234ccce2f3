"""What metrics, comparisons, plans and monitors cost for 100,000 samples.

Run: python benchmarks/questions.py
"""

from collections.abc import Callable
from time import process_time

import numpy as np

from tandemvote import Monitor, Votes, certify, compare, labels_needed

SAMPLES = 100_000


def milliseconds(function: Callable[[], object], repeats: int = 7) -> float:
    times = []
    for _ in range(repeats):
        start = process_time()
        function()
        times.append(process_time() - start)
    return 1000 * min(times)


def main() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=SAMPLES)
    first, second = (np.where(rng.random(SAMPLES) < 0.05, 1 - labels, labels) for _ in range(2))
    certificate = certify(Votes.from_predictions([first], labels))
    for metric in ("recall", "precision", "f1", "balanced_accuracy"):
        print(f"{metric:20} {milliseconds(lambda m=metric: certificate.for_metric(m)):6.1f} ms")
    costs = [[0, 1], [5, 0]]
    found = milliseconds(lambda: certificate.for_metric("cost", cost=costs))
    print(f"{'cost':20} {found:6.1f} ms")
    print(f"{'compare':20} {milliseconds(lambda: compare(first, second, y=labels).lower):6.1f} ms")
    print(f"{'labels_needed':20} {milliseconds(lambda: labels_needed(0.03, 0.05)):6.1f} ms")
    print(f"{'Monitor':20} {milliseconds(lambda: Monitor(0.06).update(labels, first)):6.1f} ms")


if __name__ == "__main__":
    main()
