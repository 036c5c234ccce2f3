"""Seeds that depend on what is drawn, never on when or where.

A cell run alone, in another order or on another machine draws the same split and the same forest.
"""

from __future__ import annotations

import hashlib

import numpy as np

ROOT = 20200713
"""Fixed for all committed rows; another value gives an independent reproduction."""


def seed_for(*identity: str | int | float, root: int = ROOT) -> int:
    """Return a 32-bit seed: the child of the root whose spawn key is the hash of the identity.

    Parameters
    ----------
    *identity
        What the seed is for, such as ``("forest", "Letter", "full", 0)``.
    root : int
        Where all seeds of a run come from.

    Examples
    --------
    >>> seed_for("forest", "Letter", "full", 0) == seed_for("forest", "Letter", "full", 0)
    True
    >>> seed_for("forest", "Letter", "full", 0) == seed_for("forest", "Letter", "full", 1)
    False
    """
    digest = hashlib.sha256("\x1f".join(map(str, identity)).encode()).digest()
    spawn_key = tuple(int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4))
    sequence = np.random.SeedSequence(root, spawn_key=spawn_key)
    return int(sequence.generate_state(1)[0])
