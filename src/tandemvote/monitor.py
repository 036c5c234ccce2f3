r"""Is the certificate still true? An alarm that may be checked after every label.

Under the hypothesis :math:`P(\text{error} \mid \text{past}) \le u` at every step, each factor
:math:`(q/u)^e ((1-q)/(1-u))^{1-e}` with q > u has a conditional mean of at most 1. Products of such
factors, started at every step s with weight 1/(s (s + 1)) and averaged over q, add up to a
nonnegative supermartingale that starts at 1. By Ville's inequality it ever reaches 1/alpha with
probability at most alpha (Ville 1939; Shafer, Ramdas and coauthors).
"""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.codes import as_array, check_not_missing, comparable, encode
from tandemvote.decimals import failure_probability, rounded_down
from tandemvote.inequalities.outward import FloatArray
from tandemvote.votes import Votes, check_predicts_labels

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
        Certificate of an error rate, or an error bound between 0 and 1.
    confidence : float, default=0.95
        1 minus the probability of a false alarm over all time, at least 0.5 and below 1.
    goal : bool, default=False
        If True, monitor the opposite direction: collect labels until an error rate of at most the
        bound is shown (`goal_reached`). The number of labels need not be fixed in advance.

    Attributes
    ----------
    bound : float
        The error bound or goal.
    n_samples, n_errors : int
        Number of labels and of errors so far.
    alarm_at : int or None
        Number of labels at which the threshold was reached.
    alarm, goal_reached : bool
        Whether the bound is shown to be exceeded, or the goal is shown. Both stay True.
    groups : set
        Groups of the samples so far, of which further samples do not count.
    evidence, threshold : float
        Evidence so far (1 at the start) and the value that it must reach.

    See Also
    --------
    labels_needed : Number of labels to show a goal, fixed in advance.

    Notes
    -----
    Labels must arrive one after the other from the data that the model is used on. Where rows
    belong together (several rows per patient), pass `groups`: rows that are wrong together raise
    false alarms. Labels that were requested where the model is unsure are not valid.

    Examples
    --------
    >>> monitor = Monitor(0.05)
    >>> monitor.update([0, 1] * 500, [0, 1] * 500).alarm
    False
    >>> monitor.update([0, 1] * 100, [0, 0] * 100)
    Monitor(alarm after 1022 labels: error rate above 5%; 100 errors in 1200 labels)
    """

    def __init__(
        self, certificate_or_bound: Any, *, confidence: float = 0.95, goal: bool = False
    ) -> None:
        bound = getattr(certificate_or_bound, "value", certificate_or_bound)
        self.classes: list[Any] | None = None
        if bound is not certificate_or_bound:
            self.classes = certificate_or_bound.counts.classes.tolist()
            if certificate_or_bound.metric != "error":
                raise ValueError(
                    f"The certificate is about {certificate_or_bound.metric}; a monitor requires"
                    " that of the error rate, or an error bound."
                )
        if not 0 < bound < 1:
            raise ValueError(f"The bound {bound!r} is not valid; expected 0 < bound < 1.")
        self.bound, self.goal = float(bound), goal
        self.confidence = confidence
        self._log_threshold = -math.log(failure_probability(confidence))
        self.n_samples, self.n_errors = 0, 0
        self.alarm_at: int | None = None
        # A goal is a statement about all labels, so its products start with the first one.
        self._log_sums = np.full(5, 0.0 if goal else NO_EVIDENCE)
        self._log_evidence = 0.0
        self.groups: set[Any] = set()

    def update(
        self, y_true: ArrayLike, y_pred: ArrayLike, *, groups: ArrayLike | None = None
    ) -> Self:
        """Add labels and predictions, in the order in which they arrived.

        Parameters
        ----------
        y_true, y_pred : array_like of shape (n_samples,)
            True labels and what the certified classifier predicted. Batches may have any size; the
            result does not depend on how the samples are divided into batches.
        groups : array_like of shape (n_samples,), default=None
            Group of each sample, such as the patient. The first sample of each group counts, over
            all batches.

        Returns
        -------
        self : Monitor
            This monitor.

        Examples
        --------
        >>> Monitor(0.05).update([0, 0, 0], [0, 1, 1], groups=["Ann", "Bob", "Bob"]).n_errors
        1
        """
        self.update_evidence(y_true, y_pred, groups=groups)
        return self

    def update_evidence(
        self, y_true: ArrayLike, y_pred: ArrayLike, *, groups: ArrayLike | None = None
    ) -> FloatArray:
        """Update, and return the logarithm of the evidence after each sample that counts.

        Parameters
        ----------
        y_true, y_pred, groups
            As in `update`.

        Returns
        -------
        log_evidence : ndarray of shape (n_counted,)
            The evidence, from which `displays.MonitorDisplay` draws its picture.

        Examples
        --------
        >>> Monitor(0.05).update_evidence([0, 0], [0, 1]).round(2).tolist()
        [-0.08, 0.9]
        """
        errors = self._errors(y_true, y_pred)
        if groups is not None:
            errors = errors[self._first_of_groups(groups, errors.size)]
        if not errors.size:
            return np.zeros(0)
        parts = np.split(errors, range(PART, errors.size, PART))
        return np.concatenate([self._evidence_of(part) for part in parts])

    def _evidence_of(self, errors: NDArray[np.bool_]) -> FloatArray:
        """Update the state, and return the logarithm of the evidence after each sample.

        The sums S_t = (S_{t-1} + w_t) factor_t with w_t = 1 / (t (t + 1)), divided by the product
        of all factors so far, grow by one term per sample.
        """
        error, success = self._log_factors()
        log_factors = np.where(errors, error[:, None], success[:, None])
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
        self.n_errors += int(errors.sum())
        self._log_sums, self._log_evidence = log_sums[:, -1], float(path[-1])
        return np.asarray(path)

    def _log_factors(self) -> tuple[FloatArray, FloatArray]:
        """Return the logarithms of the factors of an error and of a right prediction."""
        u = self.bound
        rates = u * (1.0 - BELOW) if self.goal else u + (1.0 - u) * ABOVE
        # 1 - rate, without cancellation where the bound is close to 1.
        others = 1.0 - u + u * BELOW if self.goal else (1.0 - u) * (1.0 - ABOVE)
        return np.log(rates) - math.log(u), np.log(others) - math.log(1.0 - u)

    def _first_of_groups(self, groups: ArrayLike, n_samples: int) -> NDArray[np.bool_]:
        """Return which samples are the first of their groups, and remember the groups."""
        labels = as_array(groups)
        if labels.shape != (n_samples,):
            raise ValueError(
                f"groups has shape {labels.shape}; expected ({n_samples},): one group per sample."
            )
        check_not_missing(labels, "groups", "Pass the group of every sample.")
        first = np.zeros(n_samples, bool)
        for place, label in enumerate(labels.tolist()):
            first[place] = label not in self.groups
            self.groups.add(label)
        return first

    def _errors(self, y_true: ArrayLike, y_pred: ArrayLike) -> NDArray[np.bool_]:
        """Check the labels and return which predictions are wrong."""
        shapes = np.shape(y_true), np.shape(y_pred)
        if len(shapes[0]) != 1 or shapes[0] != shapes[1]:
            raise ValueError(
                f"y_true has shape {shapes[0]} and y_pred {shapes[1]}; expected one label and one"
                " predicted class per sample. Pass the output of predict, not of predict_proba."
            )
        if shapes[0] == (0,):
            return np.zeros(0, bool)
        votes = Votes.from_predictions([y_pred], y_true)  # type: ignore[arg-type]
        check_predicts_labels(votes)
        if self.classes is not None:
            encode(*comparable(votes.classes, np.array(self.classes)))  # which rejects others
        return np.asarray(votes.errors[0])

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
        """Whether the error rate is shown to be above the bound."""
        return self.alarm_at is not None and not self.goal

    @property
    def goal_reached(self) -> bool:
        """Whether the error rate is shown to be at most the goal."""
        return self.alarm_at is not None and self.goal

    def to_dict(self) -> dict[str, Any]:
        """Return the state as JSON values, from which `from_dict` continues.

        Returns
        -------
        dict
            The state.

        Examples
        --------
        >>> state = Monitor(0.05).update([0, 0], [0, 1]).to_dict()
        >>> Monitor.from_dict(state).update([0], [1])
        Monitor(no alarm for error rate 5%: evidence 11.86 of 20; 2 errors in 3 labels)
        """
        return vars(self) | {"groups": list(self.groups), "_log_sums": self._log_sums.tolist()}

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
        sets = {"groups": set(state["groups"]), "_log_sums": np.array(state["_log_sums"])}
        vars(monitor).update({**state, **sets})
        return monitor

    @property
    def summary(self) -> str:
        """The state in one line."""
        seen = f"{self.n_errors} errors in {self.n_samples} labels"
        bound = f"{100 * self.bound:.4g}%"
        if self.alarm_at is None:
            what = "goal not shown yet" if self.goal else "no alarm"
            evidence = f"evidence {rounded_down(self.evidence, 2)} of {self.threshold:.4g}"
            return f"{what} for error rate {bound}: {evidence}; {seen}"
        what = "goal shown" if self.goal else "alarm"
        side = "at most" if self.goal else "above"
        return f"{what} after {self.alarm_at} labels: error rate {side} {bound}; {seen}"

    def __repr__(self) -> str:
        return f"Monitor({self.summary})"
