"""Whether a quadratic form is convex on the simplex."""

from __future__ import annotations

import numpy as np

from tandemvote.inequalities.outward import FloatArray


def convexity_slack(matrix: FloatArray) -> float | None:
    r"""Return a tiny s with v'Qv >= -s v'v for every v that sums to 0, or None if there is none.

    Differences of weights sum to 0, so rho'Q rho + s rho'rho is then convex over the simplex: the
    condition that Q be positive semi-definite, asked only where it matters. Rates known to double
    precision cannot tell an eigenvalue of 0 from one of size s, a multiple of the rounding unit.
    One Cholesky factorisation decides; it is many times cheaper than the eigenvalues.

    Parameters
    ----------
    matrix : ndarray, shape (n_voters, n_voters)
        Symmetric Q.

    Examples
    --------
    >>> convexity_slack(np.array([[0.2, 0.1], [0.1, 0.2]])) < 1e-14
    True
    >>> convexity_slack(np.array([[0.5, 0.0, 0.0], [0.0, 0.5, 1.0], [0.0, 1.0, 0.5]]))
    """
    n_voters = len(matrix)
    size = float(np.abs(matrix).max())
    if n_voters == 1 or size == 0.0:
        return 0.0
    slack = 8.0 * n_voters * float(np.finfo(float).eps) * size
    means = matrix.mean(axis=0)
    # The projection onto vectors of sum 0, lifted along (1, ..., 1), where anything is allowed.
    centred = matrix - means[:, None] - means[None, :] + (means.mean() + size)
    centred[np.diag_indices(n_voters)] += slack
    try:
        np.linalg.cholesky(centred)
    except np.linalg.LinAlgError:
        return None
    return slack
