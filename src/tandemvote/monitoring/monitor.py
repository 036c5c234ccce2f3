r"""An alarm that a certificate is no longer true, which may be checked after every label.

Under the hypothesis :math:`E[X \mid \text{past}] \le u` at every step, where X is the error of a
sample (0 or 1) or the mean error of a group, each factor :math:`X q/u + (1-X) (1-q)/(1-u)` with
q > u has a conditional mean of at most 1: it is 1 + c (X - u) with c > 0. Products of such factors,
started at every step s with weight 1/(s (s + 1)) and averaged over q, add up to a nonnegative
supermartingale that starts at 1. By Ville's inequality it ever reaches 1/alpha with probability at
most alpha (Ville 1939; Shafer, Ramdas and coauthors).

Ville's inequality is about one path. Every factor increases with X (decreases for a goal). So the
path on which missing labels count as right (as errors for a goal) never exceeds the path of all
labels, whenever and in whatever order labels arrive.
"""

from __future__ import annotations

import math
from decimal import Decimal
from hashlib import blake2b
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.inequalities.outward import FloatArray
from tandemvote.votes.cell_text import written
from tandemvote.votes.codes import as_array, check_not_missing, is_missing
from tandemvote.votes.confidence import failure_probability
from tandemvote.votes.decimals import rounded_down, rounded_up
from tandemvote.votes.index_order import check_same_order
from tandemvote.votes.printable import shown
from tandemvote.votes.votes import Votes, check_predicts_labels

ABOVE = np.array([0.02, 0.05, 0.1, 0.2, 0.4])
"""Alternatives to a bound u: error rates u + (1 - u) r."""

BELOW = np.array([0.1, 0.2, 0.4, 0.6, 0.8])
"""Alternatives to a goal t: error rates t (1 - r)."""

PART = 4096
"""Samples that are evaluated together, so that memory and sums of logarithms stay small."""

LOG_ROUNDING = 1e-6  # far above the rounding errors of the logarithm of the evidence

NO_EVIDENCE = -1e300  # logarithm of no evidence: finite, as JSON requires


class Monitor:
    """Raise an alarm when new labels show that a certified error bound is no longer true.

    The evidence may be looked at after every label: if the bound holds, an alarm is ever raised
    with probability at most 1 - `confidence`. A certificate is itself wrong with probability
    `delta`, so an alarm is false with probability at most ``1 - confidence + delta`` in total.

    Parameters
    ----------
    certificate_or_bound : Certificate or float
        Certificate of the error rate on all samples, or an error bound between 0 and 1.
    confidence : float, default=0.95
        1 minus the probability of a false alarm over all time, at least 0.5 and below 1.
    goal : bool, default=False
        If True, monitor the opposite direction: collect labels until an error rate of at most the
        bound is shown (`goal_reached`). The number of labels need not be fixed in advance.

    Attributes
    ----------
    bound : float
        The error bound or goal.
    by_group : bool or None
        Whether groups are counted, not samples. A certificate determines it, otherwise the first
        update; None before.
    n_samples : int
        Number of samples so far, or of groups.
    n_errors : float
        Number of errors so far, or the sum of the mean errors of groups.
    n_unlabeled : int
        Number of samples so far that have no label.
    alarm_at : int or None
        Value of `n_samples` at which the threshold was reached.
    alarm, goal_reached : bool
        Whether the bound is shown to be exceeded, or the goal is shown. Both stay True.
    evidence, threshold : float
        Evidence so far (1 at the start) and the value that it must reach.

    See Also
    --------
    labels_needed : Number of labels to show a goal, fixed in advance.

    Notes
    -----
    Code cannot check these assumptions:

    - The samples come from the data that the model is used on. Samples whose labels were requested
      because the model is unsure are not valid.
    - The order of the samples does not depend on how long their labels take. Pass samples in the
      order in which they arrived, those without a label too: a missing label (None or NaN) counts
      as right, or as wrong for a goal. When it arrives, pass all samples to a new monitor.
    - Samples that belong together (several rows per patient) are passed with `groups`. The order of
      the groups does not depend on their sizes or errors. Groups that are passed when they end
      violate this: small ones end first.

    Examples
    --------
    >>> monitor = Monitor(0.05)
    >>> monitor.update([0, 1] * 500, [0, 1] * 500).alarm
    False
    >>> monitor.update([0, 1] * 100, [0, 0] * 100)
    Monitor(alarm after 1022 samples: error rate above 5%; 100 errors in 1200 samples)
    """

    def __init__(
        self, certificate_or_bound: Any, *, confidence: float = 0.95, goal: bool = False
    ) -> None:
        bound = certificate_or_bound
        self.classes: list[str] | None = None
        self.by_group: bool | None = None
        if not isinstance(bound, Real):
            certificate = certificate_or_bound
            metric = getattr(certificate, "metric", None)
            if metric != "error" or certificate.group is not None:
                raise ValueError(
                    f"A {type(certificate).__name__}{f' of {metric}' * bool(metric)} cannot be"
                    " monitored; expected a Certificate of the error rate on all samples, or an"
                    " error bound. Pass the bound as a number, such as 0.05, and update with the"
                    " samples that it is about."
                )
            bound, self.by_group = certificate.value, certificate.one_row_per_group
            self.classes = [written(label) for label in certificate.counts.classes.tolist()]
        if not 0 < bound < 1:
            raise ValueError(
                f"The bound {bound!r} is not valid; expected 0 < bound < 1. No labels contradict a"
                " bound of 1."
            )
        self.bound, self.goal = float(bound), bool(goal)
        self._log_threshold = -math.log(failure_probability(confidence))
        self.confidence = float(confidence)
        self.n_samples, self.n_errors, self.n_unlabeled = 0, 0.0, 0
        self.alarm_at: int | None = None
        # A goal is a statement about all labels, so its products start with the first one.
        self._log_sums = np.full(5, 0.0 if goal else NO_EVIDENCE)
        self._log_evidence = 0.0
        self._groups: set[str] = set()

    def update(
        self, y_true: ArrayLike, y_pred: ArrayLike, *, groups: ArrayLike | None = None
    ) -> Self:
        """Add samples, in the order in which they arrived.

        Parameters
        ----------
        y_true, y_pred : array_like of shape (n_samples,)
            True labels, None or NaN if unknown, and what the certified classifier predicted.
            Without `groups`, the result does not depend on how samples are divided into batches.
        groups : array_like of shape (n_samples,), default=None
            Group of each sample, such as the patient. All samples of a group are passed in one
            call, in any order, and count once, by their mean error. The order of the groups of one
            call depends on their names only, so pass each period in a call of its own.

        Returns
        -------
        self : Monitor
            This monitor.

        Raises
        ------
        ValueError
            If a group was passed before, or if some updates have groups and others do not.

        Examples
        --------
        >>> Monitor(0.05).update([0, 0, 0], [0, 1, 0], groups=["Ann", "Bob", "Bob"])
        Monitor(no alarm for error rate 5%: evidence 1.65 of 20; 0.5 errors in 2 groups)
        """
        self.update_evidence(y_true, y_pred, groups=groups)
        return self

    def update_evidence(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        grows: bool = False,
    ) -> FloatArray:
        """Update, and return the logarithm of the evidence after each sample or group.

        Parameters
        ----------
        y_true, y_pred, groups
            As in `update`.
        grows : bool, default=False
            If True, the samples are rows of a file that grows: the rows of each group must be
            adjacent, groups enter in the order of their rows, and the last group is left to a later
            call, as it may not be complete.

        Returns
        -------
        log_evidence : ndarray of shape (n_counted,)
            The evidence, from which `displays.MonitorDisplay` draws its picture.

        Examples
        --------
        >>> Monitor(0.05).update_evidence([0, 0], [0, 1]).round(2).tolist()
        [-0.08, 0.9]
        """
        errors, labeled = self._errors(y_true, y_pred)
        if not errors.size:
            return np.zeros(0)
        if self.by_group is not None and self.by_group != (groups is not None):
            counted, fix = "samples", "Certify with groups to monitor groups."
            if self.by_group:
                counted, fix = "groups", "Pass the group of every sample in every update."
            raise ValueError(
                f"This monitor counts {counted}, like its certificate or its first update; samples"
                f" and groups cannot be mixed. {fix}"
            )
        if groups is not None:
            check_same_order(y_true, {"groups": groups})
            errors = self._mean_errors(errors, groups, grows=grows)
        self.by_group = groups is not None
        self.n_unlabeled += int((~labeled).sum())
        parts = np.split(errors, range(PART, errors.size, PART))
        return np.concatenate([self._evidence_of(part) for part in parts if part.size] or [errors])

    def _evidence_of(self, errors: FloatArray) -> FloatArray:
        """Update the state, and return the logarithm of the evidence after each error in [0, 1].

        The sums S_t = (S_{t-1} + w_t) factor_t with w_t = 1 / (t (t + 1)), divided by the product
        of all factors so far, grow by one term per sample.
        """
        error, success = self._log_factors()
        with np.errstate(divide="ignore"):  # of log(0), whose term vanishes exactly
            log_factors = np.logaddexp(
                np.log(errors) + error[:, None], np.log1p(-errors) + success[:, None]
            )
        log_products = np.cumsum(log_factors, axis=1)
        t = self.n_samples + np.arange(1.0, errors.size + 1)
        terms = log_factors - log_products - np.log(t * (t + 1.0))
        if self.goal:
            terms = np.full_like(terms, -np.inf)
        terms = np.hstack([self._log_sums[:, None], terms])
        log_sums = np.logaddexp.accumulate(terms, axis=1)[:, 1:] + log_products
        path = np.logaddexp.reduce(log_sums, axis=0) - math.log(len(log_sums))
        if not self.goal:  # the weight of the starting times to come
            path = np.logaddexp(path, -np.log(t + 1.0))
        reached = np.flatnonzero(path >= self._log_threshold + LOG_ROUNDING)
        if self.alarm_at is None and reached.size:
            self.alarm_at = self.n_samples + int(reached[0]) + 1
        self.n_samples += errors.size
        self.n_errors += float(errors.sum())
        self._log_sums, self._log_evidence = log_sums[:, -1], float(path[-1])
        return np.asarray(path)

    def _log_factors(self) -> tuple[FloatArray, FloatArray]:
        """Return the logarithms of the factors of an error and of a right prediction."""
        u = self.bound
        rates = u * (1.0 - BELOW) if self.goal else u + (1.0 - u) * ABOVE
        # 1 - rate, without cancellation where the bound is close to 1.
        others = 1.0 - u + u * BELOW if self.goal else (1.0 - u) * (1.0 - ABOVE)
        return np.log(rates) - math.log(u), np.log(others) - math.log(1.0 - u)

    def _mean_errors(self, errors: FloatArray, groups: ArrayLike, *, grows: bool) -> FloatArray:
        """Return the mean error of each group, and remember the groups.

        Neither the order of rows nor sizes may determine the order of groups: where rows arrive one
        by one, large groups come first. So it is the order of digests of their names.
        """
        names = as_array(groups)
        if names.shape != errors.shape:
            raise ValueError(
                f"groups has shape {names.shape}; expected {errors.shape}: one group per sample."
            )
        check_not_missing(names, "groups", "Pass the group of every sample.")
        texts = [written(name) for name in names.tolist()]
        rows = [
            blake2b(t.encode(errors="surrogatepass"), digest_size=16).hexdigest() for t in texts
        ]
        _, starts, codes = np.unique(rows, return_index=True, return_inverse=True)
        if grows:
            starts = np.flatnonzero(np.diff(codes, prepend=-1))
        entered: set[str] = set()
        for row in starts:
            if rows[row] in self._groups:
                raise ValueError(
                    f"Group {texts[row]!r:.40} was passed before, and a group counts once. Pass all"
                    " samples of a group in one update, when the group is complete."
                )
            if rows[row] in entered:
                raise ValueError(
                    f"Group {texts[row]!r:.40} comes back in row {row + 1}. The rows of a group"
                    " must be adjacent. Write whole groups, in an order that does not depend on"
                    " their sizes or errors."
                )
            entered.add(rows[row])
        if grows:
            entered.remove(rows[-1])
        self._groups |= entered
        means = np.bincount(codes, errors) / np.bincount(codes)
        return np.asarray(means[codes[starts]][: len(entered)])

    def _errors(self, y_true: ArrayLike, y_pred: ArrayLike) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Check the labels and return the error of each sample, and which samples are labeled."""
        labels, predictions = as_array(y_true), as_array(y_pred)
        if labels.ndim != 1 or labels.shape != predictions.shape:
            raise ValueError(
                f"y_true has shape {labels.shape} and y_pred {predictions.shape}; expected one"
                " label and one predicted class per sample. Pass the output of predict, not of"
                " predict_proba."
            )
        errors, labeled = np.full(labels.size, float(self.goal)), ~is_missing(labels)
        check_same_order(y_true, {"y_pred": y_pred})
        check_not_missing(predictions, "predictions", "Pass the predicted class of every sample.")
        if self.classes is not None:
            truth, predicted = (
                np.array([written(label) for label in column.tolist()], object)
                for column in (labels, predictions)
            )
            if unknown := {*truth[labeled], *predicted}.difference(self.classes):
                raise ValueError(
                    f"{min(unknown)!r:.40} is not a class of the certificate:"
                    f" {shown(self.classes)}. Certify again if there is a new class."
                )
            errors[labeled] = (truth != predicted)[labeled]
        elif labeled.any():
            votes = Votes.from_predictions(
                [predictions[labeled]], labels[labeled], unlabeled=[predictions[~labeled]]
            )
            check_predicts_labels(votes)
            errors[labeled] = votes.errors[0]
        elif labels.size:
            check_predicts_labels(Votes.without_labels([predictions]))
        return errors, labeled

    @property
    def evidence(self) -> float:
        """Evidence against the bound, or for the goal, so far."""
        return float(np.exp(min(self._log_evidence, 709.0)))

    @property
    def threshold(self) -> float:
        """Evidence at which the alarm is raised or the goal is shown."""
        return math.exp(self._log_threshold)

    @property
    def alarm(self) -> bool:
        """True if the error rate is shown to be above the bound."""
        return self.alarm_at is not None and not self.goal

    @property
    def goal_reached(self) -> bool:
        """True if the error rate is shown to be at most the goal."""
        return self.alarm_at is not None and self.goal

    def to_dict(self) -> dict[str, Any]:
        """Return the state as JSON values, from which `from_dict` continues.

        Groups are stored as digests of their names.

        Returns
        -------
        dict
            The state.

        Examples
        --------
        >>> state = Monitor(0.05).update([0, 0], [0, 1]).to_dict()
        >>> Monitor.from_dict(state).update([0], [1])
        Monitor(no alarm for error rate 5%: evidence 11.86 of 20; 2 errors in 3 samples)
        """
        return vars(self) | {"_groups": sorted(self._groups), "_log_sums": self._log_sums.tolist()}

    @classmethod
    def from_dict(cls, state: dict[str, Any]) -> Self:
        """Continue from a state that `to_dict` returned.

        Parameters
        ----------
        state : dict
            The state.

        Returns
        -------
        Monitor
            A monitor in this state.

        Examples
        --------
        See `to_dict`.
        """
        monitor = cls(state["bound"], confidence=state["confidence"], goal=state["goal"])
        sets = {"_groups": set(state["_groups"]), "_log_sums": np.array(state["_log_sums"])}
        vars(monitor).update({**state, **sets})
        return monitor

    @property
    def summary(self) -> str:
        """The state in one line."""
        unit = "groups" if self.by_group else "samples"
        seen = f"{round(self.n_errors, 2):.15g} errors in {self.n_samples} {unit}"
        if self.n_unlabeled:
            counted = "as errors" if self.goal else "as right"
            seen += f"; labels missing: {self.n_unlabeled}, counted {counted}"
        rounded = rounded_up if self.goal else rounded_down
        bound = f"{Decimal(rounded(100 * Decimal(repr(self.bound)))).normalize():f}%"
        if self.alarm_at is None:
            what = "goal not shown yet" if self.goal else "no alarm"
            evidence = f"evidence {rounded_down(self.evidence, 2)} of {self.threshold:.4g}"
            return f"{what} for error rate {bound}: {evidence}; {seen}"
        what = "goal shown" if self.goal else "alarm"
        side = "at most" if self.goal else "above"
        return f"{what} after {self.alarm_at} {unit}: error rate {side} {bound}; {seen}"

    def __repr__(self) -> str:
        return f"Monitor({self.summary})"
