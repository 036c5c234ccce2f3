"""A classifier that abstains: the error rate among the samples on which it is confident."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.auditing import Finding
from tandemvote.certificate.rendering import as_text
from tandemvote.inequalities import clopper_pearson
from tandemvote.inequalities.outward import FloatArray
from tandemvote.metrics.limits import rate_lower
from tandemvote.record.assumptions import selective_assumptions
from tandemvote.votes.decimals import in_percent, percent, rounded_down, rounded_up
from tandemvote.votes.votes import Votes

MARGINS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Thresholds that are searched: fixed in advance, as they must be."""

DECIMALS = 12
"""Margins and thresholds are rounded to this many decimals: 6 votes against 4 lead by 0.2."""


@dataclass(frozen=True)
class Threshold:
    """A margin from which samples are confident, and what the test set shows about them.

    `n_confident` test samples are confident, and `n_errors` of them are misclassified. At least a
    share `coverage` of all samples is confident. Among them the error rate is at most the largest
    one allowed if `passed`.

    Examples
    --------
    >>> Threshold(margin=0.5, n_confident=100, n_errors=0, coverage=0.4, passed=True).margin
    0.5
    """

    margin: float
    n_confident: int
    n_errors: int
    coverage: float
    passed: bool


NO_THRESHOLD = Threshold(math.inf, n_confident=0, n_errors=0, coverage=0.0, passed=False)
"""The threshold that abstains everywhere."""

ShareFunction = Callable[[Any], tuple[FloatArray, NDArray[Any]]]
"""Function from samples to the shares behind each class, and the classes."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SelectiveCertificate:
    """An error bound for a classifier that abstains where its margin is below a threshold.

    `tandemvote.certify_selective` returns it.

    Attributes
    ----------
    max_error : float
        The error rate among confident samples is at most this, if some threshold passed.
    chosen : Threshold
        The smallest margin for which that could be shown. Its margin is inf if all of them failed.
    thresholds : tuple of Threshold
        All thresholds, fixed in advance, from the smallest margin to the largest.
    n_samples : int
        Number of test samples.
    delta : float
        With probability at least 1 - delta, the bound and all coverages hold together.
    shares_of : callable or None
        From samples to shares of the vote, if the classifiers are in memory.
    findings, assumptions
        As in `Certificate`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> labels = (rng.random(2000) < p).astype(int)
    >>> shares = np.column_stack([1 - p, p])
    >>> SelectiveCertificate.from_shares(shares, labels, max_error=0.1)  # doctest: +ELLIPSIS
    With 95% confidence, the error rate on confident samples is at most 10.0%, and at least 27.5%...
      confident where the margin is at least 0.7: 608 of 2000 test samples, 40 misclassified
    """

    max_error: float
    chosen: Threshold
    thresholds: tuple[Threshold, ...]
    n_samples: int
    delta: float
    assumptions: tuple[str, ...] = selective_assumptions()
    findings: tuple[Finding, ...] = ()
    shares_of: ShareFunction | None = None

    @classmethod
    def from_shares(
        cls,
        shares: ArrayLike,
        labels: ArrayLike,
        *,
        max_error: float,
        classes: ArrayLike | None = None,
        delta: float = 0.05,
        shares_of: ShareFunction | None = None,
        findings: Sequence[Finding] = (),
        assumptions: tuple[str, ...] = selective_assumptions(),
    ) -> SelectiveCertificate:
        """Certify from shares of the vote, or probabilities, on a labeled test set.

        Parameters
        ----------
        shares, labels : array_like of shape (n_samples, n_classes) and (n_samples,)
            Shares and true classes. The class with the largest share is predicted, the first if
            several are equal.
        max_error : float in (0, 1)
            Largest error rate allowed among confident samples.
        classes : array_like of shape (n_classes,), default=None
            Classes of the columns; 0, 1, ... by default.
        delta : float, default=0.05
            Failure probability.
        shares_of, findings, assumptions
            As the attributes.

        Returns
        -------
        SelectiveCertificate
            The certificate.

        Examples
        --------
        >>> shares = [[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]] * 100
        >>> chosen = SelectiveCertificate.from_shares(shares, [0, 1, 1] * 100, max_error=0.1).chosen
        >>> chosen.margin, chosen.n_confident, chosen.n_errors
        (0.1, 200, 0)
        """
        table = np.asarray(shares, float)
        # Written so that a missing share is rejected as well.
        if table.ndim != 2 or not ((table >= 0.0) & (table <= 1.0)).all():
            raise ValueError(
                f"shares has shape {table.shape}; expected numbers in [0, 1], a row per sample and"
                " a column per class. Pass shares of the vote or probabilities, not scores."
            )
        names = np.arange(table.shape[1]) if classes is None else np.asarray(classes)
        if not isinstance(max_error, Real) or not 0.0 < max_error < 1.0:
            raise ValueError(
                f"max_error={max_error!r} is not valid; expected a number between 0 and 1, such as"
                " 0.05."
            )
        wrong = Votes.from_predictions([names[table.argmax(axis=1)]], labels).errors[0]
        found = certified_thresholds(vote_margins(table), wrong, max_error=max_error, delta=delta)
        return cls(
            max_error=float(max_error),
            chosen=next((each for each in found if each.passed), NO_THRESHOLD),
            thresholds=tuple(found),
            n_samples=wrong.size,
            delta=delta,
            assumptions=assumptions,
            findings=tuple(findings),
            shares_of=shares_of,
        )

    @property
    def coverage(self) -> float:
        """Share of all samples that is confident, at least."""
        return self.chosen.coverage

    def predict(self, X: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return the classes of the confident samples, and a mask of all samples that marks them.

        Parameters
        ----------
        X : array_like
            Samples as the models take them.

        Returns
        -------
        labels : ndarray of shape (n_confident,)
            Predicted classes of the confident samples.
        confident : ndarray of bool, shape (n_samples,)
            Which samples these are.

        Examples
        --------
        >>> from tandemvote import certify_selective
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> model = GaussianNB().fit(X[::2], y[::2])
        >>> certificate = certify_selective(model, X[1::2], y[1::2], max_error=0.2)
        >>> labels, confident = certificate.predict(X[:3])
        >>> labels.tolist(), confident.tolist()
        ([0, 0, 0], [True, True, True])
        """
        if self.shares_of is None:
            raise ValueError(
                "The certificate holds shares of test samples, not the classifiers. Call"
                " certify_selective with the fitted classifiers to predict new samples."
            )
        shares, classes = self.shares_of(X)
        confident = is_confident(vote_margins(shares), self.chosen.margin)
        return np.asarray(classes)[shares[confident].argmax(axis=1)], confident

    @property
    def guarantee(self) -> str:
        """The bound in one sentence."""
        confidence, limit = percent(self.delta), in_percent(repr(self.max_error), rounded_up)
        if not self.chosen.passed:
            return (
                f"No error rate of at most {limit} among confident samples is guaranteed with"
                f" {confidence} confidence."
            )
        coverage = in_percent(self.coverage, rounded_down)
        return (
            f"With {confidence} confidence, the error rate on confident samples is at most {limit},"
            f" and at least {coverage} of new samples are confident."
        )

    def __repr__(self) -> str:
        best = self.chosen
        basis = f"none of {len(self.thresholds)} thresholds could be shown to keep this error rate"
        if best.passed:
            basis = (
                f"confident where the margin is at least {best.margin:.{DECIMALS}g}:"
                f" {best.n_confident} of {self.n_samples} test samples, {best.n_errors}"
                " misclassified"
            )
        return as_text(self.guarantee, [basis, *map(str, self.findings)])


def certified_thresholds(
    margins: FloatArray,
    wrong: NDArray[np.bool_],
    grid: Sequence[float] = MARGINS,
    *,
    max_error: float,
    delta: float,
) -> list[Threshold]:
    r"""Find the thresholds of a grid, fixed in advance, that keep the error rate.

    Given that a of n samples are confident, their errors are binomial; a is binomial itself. From
    the largest threshold down, each is tested at its own share :math:`\delta / (2k)` plus the level
    it inherits: all of the level at which the one before it passed, nothing if that failed. (This
    is the fallback procedure of multiple testing; :doc:`/theory/groups-and-abstention` proves it.)
    All that pass keep the error rate at once, with probability :math:`1 - \delta/2`; the other half
    of delta is for the coverages.

    Examples
    --------
    >>> margins = np.arange(100) / 100
    >>> found = certified_thresholds(
    ...     margins, margins < 0.25, [0.0, 0.3, 0.5], max_error=0.1, delta=0.05
    ... )
    >>> [(each.margin, each.passed) for each in found]
    [(0.0, False), (0.3, True), (0.5, True)]
    """
    share = delta / (2 * len(grid))
    level = 0.0
    found = []
    for threshold in sorted(grid, reverse=True):
        confident = is_confident(margins, threshold)
        n, n_errors = int(confident.sum()), int((confident & wrong).sum())
        level += share
        # The limit itself would be false: which threshold is looked at depends on it.
        passed = float(clopper_pearson(n_errors, n, delta=level)) <= max_error
        level = level if passed else 0.0
        # No margin is below 0, so a threshold of 0 covers all samples.
        coverage = rate_lower(n, margins.size, share) if threshold > 0 else 1.0
        found.append(Threshold(threshold, n, n_errors, coverage, passed))
    return found[::-1]


def vote_margins(shares: ArrayLike) -> FloatArray:
    """Return the difference of the two largest shares at each sample, shape (n_samples,).

    Margins are rounded to 12 decimals, so that equal margins are equal whichever shares they come
    from.

    Examples
    --------
    >>> vote_margins([[0.6, 0.4], [0.5, 0.5], [0.7, 0.1]]).tolist()
    [0.2, 0.0, 0.6]
    """
    table = np.asarray(shares, float)
    if table.shape[1] == 1:
        return np.ones(len(table))
    two_largest = np.partition(table, -2, axis=1)[:, -2:]
    return np.round(two_largest[:, 1] - two_largest[:, 0], DECIMALS)


def is_confident(margins: FloatArray, threshold: float) -> NDArray[np.bool_]:
    """Return True where the margin is at least the threshold."""
    return np.asarray(margins >= np.round(threshold, DECIMALS))
