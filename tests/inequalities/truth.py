"""The same mathematics in 50 digits, written independently of the library."""

import mpmath as mp

mp.mp.dps = 50


def binary_kl(p, q):
    p, q = mp.mpf(p), mp.mpf(q)
    total = mp.mpf(0)
    if p > 0:
        total += p * mp.log(p / q) if q > 0 else mp.inf
    if p < 1:
        total += (1 - p) * mp.log((1 - p) / (1 - q)) if q < 1 else mp.inf
    return total


def kl_upper(p, divergence):
    """Bisection for the largest q with kl(p‖q) <= divergence."""
    return _bisect(mp.mpf(p), mp.mpf(1), lambda q: binary_kl(p, q) <= divergence)


def kl_lower(p, divergence):
    return _bisect(mp.mpf(p), mp.mpf(0), lambda q: binary_kl(p, q) <= divergence)


def _bisect(inside, outside, allowed):
    for _ in range(150):
        middle = (inside + outside) / 2
        if allowed(middle):
            inside = middle
        else:
            outside = middle
    return inside


def xi(n):
    """Sum of the definition for an integer, e^n n^-n Gamma(n + 1, n) otherwise."""
    if n == int(n) and n <= 400:
        n = int(n)
        share = [mp.mpf(k) / n for k in range(n + 1)]
        return mp.fsum(mp.binomial(n, k) * s**k * (1 - s) ** (n - k) for k, s in enumerate(share))
    n = mp.mpf(n)
    return mp.exp(n - n * mp.log(n)) * mp.gammainc(n + 1, n)
