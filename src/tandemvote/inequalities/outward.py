"""Rounding that errs on the safe side.

A bound may only be off outward, so every theorem in this package widens what it is given by a
relative margin far above accumulated rounding and far below anything a reader would notice.
"""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

# Relative precision (3.6e-12) to which an averaged loss is taken as known: averaging over pairs of
# M voters errs by at most (2 M + 8) 2^-53, so this covers M = 16,000.
INPUT_MARGIN = 2.0**-38

ARITHMETIC_MARGIN = 2.0**-42  # 2.3e-13, for the handful of operations inside one formula


def outward(value: float, scale: float = 1.0) -> float:
    """Add a margin that covers the rounding of a short formula and clip to [0, 1].

    `scale` is the largest magnitude that went through the formula, which may have cancelled.

    Examples
    --------
    >>> outward(1.7), outward(-0.2)
    (1.0, 0.0)
    >>> 0.3 < outward(0.3) < 0.3 + 1e-11
    True
    """
    return float(np.clip(value + INPUT_MARGIN * max(abs(value), abs(scale)), 0.0, 1.0))
