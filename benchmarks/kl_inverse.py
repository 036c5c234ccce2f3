"""How much faster the vectorized inverse of kl is than a loop over a scalar root finder.

Run: python benchmarks/kl_inverse.py
"""

from math import log
from time import process_time

import numpy as np
from scipy.optimize import brentq

from tandemvote.inequalities import kl_upper_inverse

ELEMENTS = 200_000
SCALAR_ELEMENTS = 5_000


def scalar_inverse(p: float, divergence: float) -> float:
    def excess(q: float) -> float:
        return p * log(p / q) + (1 - p) * log((1 - p) / (1 - q)) - divergence

    return float(brentq(excess, p, 1 - 1e-15, xtol=1e-15))


def main() -> None:
    rng = np.random.default_rng(0)
    p = rng.uniform(0.01, 0.5, ELEMENTS)
    divergence = 10 ** rng.uniform(-5, -0.5, ELEMENTS)
    kl_upper_inverse(p[:10], divergence[:10])

    start = process_time()
    vectorized = kl_upper_inverse(p, divergence)
    per_element = (process_time() - start) / ELEMENTS

    start = process_time()
    pairs = zip(p[:SCALAR_ELEMENTS], divergence[:SCALAR_ELEMENTS], strict=True)
    scalar = [scalar_inverse(float(a), float(b)) for a, b in pairs]
    per_scalar = (process_time() - start) / SCALAR_ELEMENTS

    print(
        f"largest difference:           {np.abs(vectorized[:SCALAR_ELEMENTS] - scalar).max():.1e}"
    )
    print(f"vectorized, per element:      {per_element * 1e6:.3f} us")
    print(f"brentq loop, per element:     {per_scalar * 1e6:.3f} us")
    print(f"brentq loop over vectorized:  {per_scalar / per_element:.0f} times")


if __name__ == "__main__":
    main()
