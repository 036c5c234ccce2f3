"""Every bound in 50 digits, from its printed formula, by other means than the library's."""

import mpmath as mp
from truth import kl_lower, kl_upper, xi

TOLERANCE = mp.mpf(10) ** -14


def allowed(n, kl_divergence, inside, delta):
    return (mp.mpf(kl_divergence) + mp.log(inside / mp.mpf(delta))) / mp.mpf(n)


def printed(n, kl_divergence, delta):
    return allowed(n, kl_divergence, 2 * mp.sqrt(n), delta)


def clip(value):
    return min(max(value, mp.mpf(0)), mp.mpf(1))


def first_order_bound(*, gibbs_loss, n_min, kl_divergence, delta):
    return clip(2 * kl_upper(gibbs_loss, printed(n_min, kl_divergence, delta)))


def tandem_bound(*, tandem_loss, n_min_pairs, kl_divergence, delta):
    return clip(4 * kl_upper(tandem_loss, printed(n_min_pairs, 2 * kl_divergence, delta)))


def disagreement_bound(
    *, gibbs_loss, disagreement, n_min, n_min_disagreement, kl_divergence, delta
):
    half = mp.mpf(delta) / 2
    gibbs = kl_upper(gibbs_loss, printed(n_min, kl_divergence, half))
    differ = kl_lower(disagreement, printed(n_min_disagreement, 2 * kl_divergence, half))
    if no_vote(gibbs_loss, printed(n_min, kl_divergence, half), differ):
        return mp.mpf(1)
    return clip(4 * gibbs - 2 * differ)


def no_vote(gibbs_loss, radius, differ):
    """Whether two classes cannot disagree that often: D <= 2 G (1 - G)."""
    g = min(max(mp.mpf(1) / 2, kl_lower(gibbs_loss, radius)), kl_upper(gibbs_loss, radius))
    return differ > 2 * g * (1 - g)


def c1_bound(*, gibbs_loss, disagreement, n_min, n_min_disagreement, kl_divergence, delta):
    half = mp.mpf(delta) / 2
    radius, m = allowed(n_min, kl_divergence, xi(n_min), half), n_min_disagreement
    r = kl_upper(gibbs_loss, radius)
    d = kl_lower(disagreement, allowed(m, 2 * kl_divergence, xi(m), half))
    if r >= 0.5 or d >= 0.5 or no_vote(gibbs_loss, radius, d):
        return mp.mpf(1)
    return clip(1 - (1 - 2 * r) ** 2 / (1 - 2 * d))


def c_tandem_bound(*, gibbs_loss, tandem_loss, n_min, n_min_pairs, kl_divergence, delta):
    half = mp.mpf(delta) / 2
    first = printed(n_min, kl_divergence, half)
    second = printed(n_min_pairs, 2 * kl_divergence, half)
    denominator = kl_lower(tandem_loss, second) - kl_upper(gibbs_loss, first) + mp.mpf(1) / 4
    if kl_upper(gibbs_loss, first) >= 0.5 or denominator <= 0:
        return mp.mpf(1)
    if kl_lower(tandem_loss, second) > kl_upper(gibbs_loss, first):
        return mp.mpf(1)  # T <= G
    if kl_lower(gibbs_loss, first) ** 2 > kl_upper(tandem_loss, second):
        return mp.mpf(1)  # G^2 <= T
    return clip((kl_upper(tandem_loss, second) - kl_lower(gibbs_loss, first) ** 2) / denominator)


def c2_bound(*, tandem_loss, disagreement, n_min_pairs, kl_divergence, delta):
    """Golden section over d, and for each d bisection over e on the trinomial divergence itself."""
    inside = xi(n_min_pairs) + n_min_pairs
    radius = allowed(n_min_pairs, 2 * mp.mpf(kl_divergence), inside, delta)
    observed = [mp.mpf(tandem_loss), mp.mpf(disagreement)]
    observed.append(max(1 - sum(observed), mp.mpf(0)))

    def divergence(e, d):
        candidate = (e, d, 1 - e - d)
        total = mp.mpf(0)
        for p, q in zip(observed, candidate, strict=True):
            if p > 0:
                if q <= 0:
                    return mp.inf
                total += p * mp.log(p / q)
        return total

    def largest_e(d):
        # For fixed d the divergence in e is smallest where e and the rest share as observed.
        rest = observed[0] + observed[2]
        inside = (1 - d) * (observed[0] / rest if rest > 0 else 1)
        if divergence(inside, d) > radius:
            return None
        low, high = inside, 1 - d
        for _ in range(48):
            middle = (low + high) / 2
            low, high = (middle, high) if divergence(middle, d) <= radius else (low, middle)
        return low

    def value(d):
        e = largest_e(d)
        if e is None:
            return -mp.inf
        if 2 * e + d >= 1:
            return mp.mpf(1)
        return 1 - (1 - 2 * e - d) ** 2 / (1 - 2 * d)

    low = kl_lower(disagreement, radius)
    high = min(kl_upper(disagreement, radius), mp.mpf("0.5") * (1 - mp.mpf(10) ** -15))
    if low >= high:
        return mp.mpf(1)
    golden = (mp.sqrt(5) - 1) / 2
    left, right = high - golden * (high - low), low + golden * (high - low)
    at_left, at_right = value(left), value(right)
    best = max(at_left, at_right)
    for _ in range(65):
        if at_left >= at_right:
            high, right, at_right = right, left, at_left
            left = high - golden * (high - low)
            at_left = value(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + golden * (high - low)
            at_right = value(right)
        best = max(best, at_left, at_right)
    return mp.mpf(1) if best < 0 else clip(best)
