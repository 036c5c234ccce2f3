"""Recognise copies among rows: cases recorded twice, or a class that was oversampled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.ensembles.private_names import pick
from tandemvote.ensembles.training_rows import GOLDEN_RATIO, Digests, row_digests

SHARE, TIMES = 0.1, 5
"""Share of rows that must repeat another, and how many times as often rows must agree in all
columns as in one half of them alone. Of 718 tables, draws of 100 rows or more from the data sets of
the paper, none is refused; of 520 with their rarest class oversampled 412 are, and the others,
tables of categories, have a note."""

FEWEST_DIFFERENT, FEW_DIFFERENT = 50, 1 / 3
"""Fewer different rows than these are a small space, in which chance repeats them. Below this share
of all rows they may be one: there both halves of the columns must tell, not only one of them."""


def note_copies(
    X: Any, labels: ArrayLike | None = None, *, what: str, digests: Digests | None = None
) -> tuple[str, ...]:
    """Refuse points, called `what` in the error, of which many are copies; count those that may be.

    Independent rows that agree in all columns by chance agree more often in half of them alone.
    Where hardly any do, rows that agree in all are copies, and most voters know the points that
    they are tested on. The `digests` of the rows are computed if they are not told.

    Examples
    --------
    >>> note_copies([[1, 2], [3, 4], [1, 2]], [0, 1, 0], what="training")  # doctest: +ELLIPSIS
    ('1 of 3 training rows repeats an earlier one, label included; if ...',)
    """
    of_label: Any = np.uint64(0)
    if labels is not None:
        _, codes = np.unique(np.asarray(labels), return_inverse=True)
        of_label = codes.astype(np.uint64) * GOLDEN_RATIO
    digests = (row_digests(X) if digests is None else digests) + of_label
    n_rows, n_different = digests.size, np.unique(digests).size
    n_copies, n_columns = n_rows - n_different, np.shape(X)[1] if np.ndim(X) == 2 else 1
    if not n_copies:
        return ()
    said = (
        f"{n_copies} of {n_rows} {what} rows {'repeat' if n_copies > 1 else 'repeats'} an earlier"
        f" one{'' if labels is None else ', label included'}"
    )
    if n_copies >= SHARE * n_rows and n_different >= FEWEST_DIFFERENT and n_columns > 1:
        halves = np.array_split(np.random.default_rng(0).permutation(n_columns), 2)
        parts = [row_digests(pick(X, np.sort(half), axis=1)) + of_label for half in halves]
        in_all = _equal_pairs(digests)
        in_half = sorted(_equal_pairs(part) - in_all for part in parts)
        if in_all > TIMES * in_half[n_different < FEW_DIFFERENT * n_rows]:
            raise ValueError(
                f"{said}, and hardly any two agree in half of the columns alone: these are copies,"
                " from oversampling or of cases recorded twice. Voters know the copies of points"
                " they are tested on, so the guarantee would be false. Drop them, X.drop_duplicates"
                "(); oversample inside the model, in a pipeline of imbalanced-learn. If these are"
                " different cases, certify predictions of them, by Votes.from_predictions."
            )
    return (f"{said}; if these are copies of one case, the guarantee is too good.",)


def _equal_pairs(digests: Digests) -> int:
    """Count the pairs of equal rows."""
    _, times = np.unique(digests, return_counts=True)
    return int(times @ (times - 1)) // 2
