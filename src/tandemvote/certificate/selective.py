"""What is promised about the points that a vote accepts: those where its margin is large."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.assumptions import ONE_ROW_PER_GROUP, SELECTIVE
from tandemvote.certificate.decimals import percent, rounded_down, rounded_up
from tandemvote.certificate.statement import GROUPED, Statement, Table
from tandemvote.counting.counts import FloatArray
from tandemvote.inequalities import clopper_pearson
from tandemvote.inequalities.pac_bayes import refuse_confidence
from tandemvote.votes import Votes

DECIMALS = 12
"""Margins and thresholds are rounded to so many decimals: 6 votes against 4 lead by 0.2 exactly."""


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """A margin from which points are accepted, and what the hold-out shows about them.

    Of the hold-out `n_accepted` points are accepted, and the vote gets `n_errors` of them wrong. So
    at least a share `coverage` of all points is accepted, 0 says nothing, and the error among them
    is at most `error`, 1 says nothing.
    """

    margin: float
    n_accepted: int
    n_errors: int
    error: float
    coverage: float


NOTHING = Threshold(margin=math.inf, n_accepted=0, n_errors=0, error=1.0, coverage=0.0)
"""The threshold that accepts no point."""


class Selection(NamedTuple):
    """Labels of the accepted points, shape (n_accepted,), and which of all points those are."""

    labels: NDArray[Any]
    accepted: NDArray[np.bool_]


ShareFunction = Callable[[Any], tuple[FloatArray, NDArray[Any]]]
"""From points to the shares behind each label there, and the labels."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SelectiveCertificate(Statement):
    """A guarantee for a vote that abstains where its margin is below a threshold.

    Build it with `certify_selective` or, from shares of any origin, with `from_shares`.

    Attributes
    ----------
    margin, error, coverage, n_accepted, n_errors
        As in `Threshold`, for the threshold that was chosen. `margin` is inf, which accepts no
        point, if no threshold could be shown to keep the error asked for.
    n_points : int
        All points of the hold-out.
    delta : float
        With probability at least 1 - delta, `error` and `coverage` hold together, for every row of
        `thresholds`.
    max_error, thresholds : float or None, tuple of Threshold
        The largest error allowed, if the threshold was searched for, and all thresholds that were
        fixed in advance, from the smallest margin to the largest.
    shares_of : callable or None
        From points to shares of the vote, if the classifiers are at hand.
    assumptions, notes
        As in `Certificate`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> sure = rng.random(1000)
    >>> labels = (rng.random(1000) < sure).astype(int)
    >>> SelectiveCertificate.from_shares(np.column_stack([1 - sure, sure]), labels, margin=0.8)
    error <= 0.062 on accepted points, at least 16.1 % of all, with probability 95 %
      accepted where the margin is at least 0.8: 185 of 1000 hold-out points, 5 of them wrong
    """

    margin: float
    error: float
    coverage: float
    n_accepted: int
    n_errors: int
    n_points: int
    max_error: float | None
    thresholds: tuple[Threshold, ...]
    assumptions: tuple[str, ...] = SELECTIVE
    shares_of: ShareFunction | None = None

    @classmethod
    def from_shares(
        cls,
        shares: ArrayLike,
        labels: ArrayLike,
        *,
        classes: ArrayLike | None = None,
        margin: float | Sequence[float],
        max_error: float | None = None,
        delta: float = 0.05,
        shares_of: ShareFunction | None = None,
        one_row_per_group: bool = False,
    ) -> SelectiveCertificate:
        """Certify from the shares of the vote on a labelled hold-out.

        Parameters
        ----------
        shares, labels : array_like, shape (n_samples, n_classes) and (n_samples,)
            Shares of the vote, or probabilities, and the true labels. The label with the largest
            share counts, of equal ones the first.
        classes : array_like, shape (n_classes,), optional
            The labels behind the columns; 0, 1, ... by default.
        margin, max_error, delta, shares_of
            As in `certify_selective`, and a function for `predict`, from new points to their shares
            and the labels of the columns.
        one_row_per_group : bool
            Whether the samples are one random row of each of many groups.
        """
        refuse_confidence(delta)
        grid = check_grid(margin)
        table = check_shares(shares)
        names = np.arange(table.shape[1]) if classes is None else np.asarray(classes)
        if names.shape != table.shape[1:]:
            raise ValueError(
                f"classes has shape {names.shape} for {table.shape[1]} columns of shares; pass one"
                " label per column."
            )
        wrong = Votes.from_predictions([names[table.argmax(axis=1)]], labels).errors[0]
        if max_error is not None:
            if not 0.0 < max_error < 1.0:
                raise ValueError(
                    f"max_error is {max_error!r}; expected a number between 0 and 1, such as 0.05"
                    " for an error of at most 5 % among accepted points."
                )
            max_error = float(max_error)
        rows = certified_thresholds(
            vote_margins(table), wrong, grid, max_error=max_error, delta=delta
        )
        if max_error is None:
            chosen = min(rows, key=lambda row: (row.error, -row.coverage))
        else:
            chosen = next((row for row in rows if row.error <= max_error), NOTHING)
        return cls(
            **asdict(chosen),
            n_points=wrong.size,
            delta=delta,
            max_error=max_error,
            thresholds=tuple(rows),
            shares_of=shares_of,
            assumptions=(ONE_ROW_PER_GROUP, *SELECTIVE[1:]) if one_row_per_group else SELECTIVE,
        )

    def predict(self, X: Any) -> Selection:
        """Return the labels of the accepted points, and a mask that says which these are."""
        if self.shares_of is None:
            raise ValueError(
                "Shares alone cannot vote on new points. Certify the classifiers themselves, or"
                " pass shares_of to SelectiveCertificate.from_shares."
            )
        shares, classes = self.shares_of(X)
        accepted = accepts(vote_margins(shares), self.margin)
        return Selection(np.asarray(classes)[shares[accepted].argmax(axis=1)], accepted)

    def at(self, margin: float) -> SelectiveCertificate:
        """Return the guarantee for another of the thresholds; they all hold at once."""
        for row in self.thresholds:
            if row.margin == np.round(margin, DECIMALS):
                return replace(self, **asdict(row))
        listed = ", ".join(_shown(row.margin) for row in self.thresholds)
        raise ValueError(
            f"{margin} is not among the thresholds fixed in advance ({listed}). Choose one of them."
        )

    @property
    def guarantee(self) -> str:
        """The promise in one sentence."""
        if self.error >= 1.0:
            limit = "below 100 %" if self.max_error is None else f"of at most {self.max_error}"
            return (
                f"No guarantee: no error {limit} among accepted points could be shown with"
                f" probability {percent(self.delta)}."
            )
        return (
            f"With probability at least {percent(self.delta)} over the draw of the hold-out, this"
            f" vote accepts at least {_percent_down(self.coverage)} of new points, those"
            f" where its margin is at least {_shown(self.margin)}, and errs on at most"
            f" {rounded_up(100 * self.error, 1)} % of the points it accepts."
        )

    def _headline(self) -> str:
        if self.error >= 1.0:
            return "no guarantee (error <= 1 on accepted points)"
        return (
            f"error <= {self._limit(self.error)} on accepted points, at least"
            f" {_percent_down(self.coverage)} of all, with probability {percent(self.delta)}"
        )

    def _basis(self) -> list[str]:
        accepted = "no point is accepted"
        if not math.isinf(self.margin):
            accepted = (
                f"accepted where the margin is at least {_shown(self.margin)}: {self.n_accepted}"
                f" of {self.n_points} hold-out points, {self.n_errors} of them wrong"
            )
        of_all = f"of {len(self.thresholds)} thresholds"
        lines = [accepted, f"one {of_all}, which all hold at once"][: len(self.thresholds)]
        if self.max_error is not None:
            passed = sum(row.error <= self.max_error for row in self.thresholds)
            lines = [accepted, f"an error <= {self.max_error} was shown for {passed} {of_all}"]
        return [*lines, *[GROUPED] * (ONE_ROW_PER_GROUP in self.assumptions)]

    def _table(self) -> Table:
        if len(self.thresholds) == 1:  # the lines above it say all that it would
            return Table()
        rows = [
            [
                _shown(row.margin),
                str(row.n_accepted),
                str(row.n_errors),
                "none" if row.error >= 1.0 else self._limit(row.error),
                rounded_down(row.coverage),
            ]
            for row in self.thresholds
        ]
        margins = [row.margin for row in self.thresholds]
        chosen = margins.index(self.margin) if self.margin in margins else None
        columns = ("margin", "accepted", "wrong", "error <=", "share >=")
        return Table(columns, ">>>>>", rows, chosen)

    def _records(self) -> list[dict[str, Any]]:
        return [{**asdict(row), "chosen": row.margin == self.margin} for row in self.thresholds]

    def _limit(self, error: float) -> str:
        """Print a limit: the one asked for as it was asked, a computed one rounded up."""
        return str(error) if error == self.max_error else rounded_up(error)


def _percent_down(share: float) -> str:
    return f"{rounded_down(100 * Decimal(share), 1)} %"


def _shown(margin: float) -> str:
    return f"{margin:.{DECIMALS}g}"


def certified_thresholds(
    margins: FloatArray,
    wrong: NDArray[np.bool_],
    grid: Sequence[float],
    *,
    max_error: float | None = None,
    delta: float,
) -> list[Threshold]:
    r"""Certify every threshold of a grid fixed in advance, so that any of them may be chosen.

    Given that a of n points are accepted, their errors are binomial; a is binomial itself. With k
    thresholds these are 2 k exact limits at :math:`\delta / (2k)` each.

    With `max_error` the thresholds are found that keep the error at or below it. From the largest
    down, each is tested at its own share :math:`\delta / (2k)` plus the level it inherits: all of
    the level at which the one before it passed, nothing if that failed. (This is the fallback
    procedure of multiple testing; :doc:`/finer` proves it.) All that pass keep the promise at once,
    with probability :math:`1 - \delta/2`; the other half pays for the accepted shares.

    Examples
    --------
    >>> margins = np.arange(100) / 100
    >>> found = certified_thresholds(
    ...     margins, margins < 0.25, [0.0, 0.3, 0.5], max_error=0.1, delta=0.05
    ... )
    >>> [(threshold.margin, threshold.error) for threshold in found]
    [(0.0, 1.0), (0.3, 0.1), (0.5, 0.1)]
    """
    share = delta / (2 * len(grid))
    level = 0.0
    found = []
    for threshold in sorted(grid, reverse=True):
        accepted = accepts(margins, threshold)
        n, n_errors = int(accepted.sum()), int((accepted & wrong).sum())
        level += share
        error = upper_limit(n_errors, n, level)
        if max_error is not None:
            # The limit itself would be false: which threshold is looked at depends on it.
            error = max_error if error <= max_error else 1.0
        level = level if error == max_error else 0.0
        # No margin is below 0, so a threshold of 0 accepts every point there is.
        coverage = lower_limit(n, margins.size, share) if threshold > 0 else 1.0
        found.append(
            Threshold(
                margin=threshold, n_accepted=n, n_errors=n_errors, error=error, coverage=coverage
            )
        )
    return found[::-1]


def upper_limit(k: int, n: int, delta: float) -> float:
    """Upper limit of a rate; 1 without points."""
    return float(clopper_pearson(k, n, delta=delta)) if n else 1.0


def lower_limit(k: int, n: int, delta: float) -> float:
    """Lower limit of a rate, rounded down: the rest has an upper limit."""
    return max(0.0, float(np.nextafter(1.0 - float(clopper_pearson(n - k, n, delta=delta)), 0.0)))


def check_grid(margins: float | Sequence[float] | FloatArray) -> list[float]:
    """Return thresholds as sorted numbers without repetition."""
    values = np.atleast_1d(np.asarray(margins, float))
    if values.ndim != 1 or values.size == 0 or not ((values >= 0) & (values <= 1)).all():
        raise ValueError(
            f"margin is {margins!r}; expected a threshold in [0, 1], or several. A margin of 0"
            " accepts every point, a margin of 1 only those on which all voters agree."
        )
    return [float(value) for value in np.unique(np.round(values, DECIMALS))]


def vote_margins(shares: ArrayLike) -> FloatArray:
    """Return the difference of the two largest shares at each point, shape (n_samples,).

    `shares` are numbers in [0, 1], one row per point. Rounded to 12 decimals, so that equal margins
    are equal whichever shares they come from.

    Examples
    --------
    >>> vote_margins([[0.6, 0.4], [0.5, 0.5], [0.7, 0.1]]).tolist()
    [0.2, 0.0, 0.6]
    """
    table = check_shares(shares)
    if table.shape[1] == 1:
        return np.ones(len(table))
    two_largest = np.partition(table, -2, axis=1)[:, -2:]
    return np.round(two_largest[:, 1] - two_largest[:, 0], DECIMALS)


def accepts(margins: FloatArray, threshold: float) -> NDArray[np.bool_]:
    """Tell where the margin reaches the threshold; on the threshold a point is accepted."""
    return np.asarray(margins >= np.round(threshold, DECIMALS))


def check_shares(shares: Any) -> FloatArray:
    """Return shares as an array, or say what they should be."""
    table = np.asarray(shares, float)
    if table.ndim != 2 or table.shape[1] == 0:
        raise ValueError(
            f"shares has shape {table.shape}; expected (n_samples, n_classes): one row per point,"
            " one column per class."
        )
    # Written so that a missing share is refused as well.
    strange = np.argwhere(~((table >= 0.0) & (table <= 1.0)))
    if strange.size:
        point, column = (int(i) for i in strange[0])
        raise ValueError(
            f"The share of class {column} at point {point} is {table[point, column]}; expected a"
            " number in [0, 1]. Pass shares of the vote or probabilities, not scores."
        )
    return table
