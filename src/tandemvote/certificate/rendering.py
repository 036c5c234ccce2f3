"""A certificate in words: in one sentence, in one line, in a few lines, in a notebook."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from tandemvote.bounds import get_bound
from tandemvote.bounds.majorities import MOST_ENUMERATED
from tandemvote.metrics.limits import metric_limits
from tandemvote.metrics.metric import AT_LEAST, AT_MOST, METRICS
from tandemvote.metrics.planning import labels_needed
from tandemvote.record.document import Record
from tandemvote.votes.decimals import in_percent, percent, rounded_down, rounded_up
from tandemvote.votes.names import GIVEN, TEST_SET
from tandemvote.votes.printable import printable


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RecordInWords(Record):
    """A certificate as its file holds it, in words."""

    @property
    def confidence(self) -> float:
        """Probability with which the bound holds, at least."""
        return 1.0 - self.delta

    @property
    def interval(self) -> tuple[float, float] | None:
        """Lower and upper limit of a metric, if both sides were certified."""
        if self.measure is None or self.measure.other is None:
            return None
        lower, upper = sorted((self.value, self.measure.other))
        return lower, upper

    @property
    def by_class(self) -> dict[Any, float]:
        """Limits of a metric of classes, for each of them; all of them hold together."""
        metric, both = METRICS[self.metric], self.interval is not None
        if self.measure is None or metric.about not in ("class", "classes"):
            return {}
        positive = self.measure.positive
        labels = self.classes if positive is None else [positive]
        tests, share = self.measure.tests, self.delta / len(labels)
        limits = [metric_limits(metric, [each], share, both=both)[0] for each in tests]
        return dict(zip(labels, limits, strict=True))

    @property
    def observed(self) -> float | None:
        """The metric of the vote on samples that its voters were not trained on."""
        if self.measure is not None:
            return METRICS[self.metric].value(self.measure.observed, self.measure.costs)
        if self.voted is None or not self.voted.n_samples or self.deployed is not None:
            return None
        return self.voted.n_errors / self.voted.n_samples

    @property
    def baseline(self) -> float | None:
        """Error rate of always predicting the most frequent class."""
        if self.metric != "error":
            return None
        return 1.0 - max(self.class_counts) / self.n_samples if self.n_samples else 0.0

    @property
    def guarantee(self) -> str:
        """The bound in one sentence."""
        confidence, group = percent(self.delta), self.group
        if self._is_vacuous:
            where = "" if group is None else f" on {group.samples}"
            return f"No error rate below 100% is guaranteed{where} with {confidence} confidence."
        new = "a random row of a random new group" if self.one_row_per_group else "new data"
        new += " like the latest" * (self.latest is not None)
        if group is not None:
            new += f", among {group.samples},"
        metric, of_class = self._metric_words
        limits = self.limits.replace(">=", "at least").replace("<=", "at most")
        if self.interval is not None:
            limits = f"between {limits.replace(' to ', ' and ')}"
        subject = f"{self._subject[0]}{of_class}"
        return f"With {confidence} confidence, the {metric} of {subject} on {new} is {limits}."

    @property
    def limits(self) -> str:
        """The limit, or both limits, such as ">= 87.1%"."""
        lower, upper = self.interval or (self.value, self.value)
        least, most = self._number(lower, rounded_down), self._number(upper, rounded_up)
        if self.interval is not None:
            return f"{least} to {most}"
        return f">= {least}" if self.direction == AT_LEAST else f"<= {most}"

    @property
    def headline(self) -> str:
        """Observed metric, guaranteed metric with its confidence, majority-class baseline."""
        metric = self._metric_words[0].removesuffix(" rate")
        limited = "no guarantee" if self._is_vacuous else f"guaranteed {metric} {self.limits}"
        parts = [f"{limited} ({percent(self.delta)} confidence)"]
        if self.observed is not None:
            seen = f"{self.observed:.4g}" if self._is_cost else rate(self.observed)
            parts.insert(0, f"observed {metric} {seen}")
        if self.baseline is not None:
            parts.append(f"majority-class baseline {rate(self.baseline)}")
        return ", ".join(parts)

    @property
    def basis(self) -> str:
        """The subject of the bound, its samples and its name, in one sentence."""
        _, subject = self._subject
        if self.group is not None:
            subject += f" on {self.group.samples}"
        sizes = np.diag(self.counts.overlaps)
        samples = f"at least {sizes.min()} held-out samples per voter"
        if self.bound == TEST_SET:
            samples = f"a test set of {sizes.max()} samples"
        metric, of_class = self._metric_words
        if self.measure is not None and of_class:
            samples += f", {self.measure.tests[0].n_samples} for {metric}{of_class}"
        if self.profile is not None:
            samples += f", {self.profile.n_samples} unlabeled samples"
        if self.one_row_per_group:
            samples += ", one random row per group"
        if self.latest is not None:
            samples += f", the latest, from {printable(self.latest)} on"
        if self.fitted is not None:
            may = "that may be " * (self.fitted == GIVEN)
            samples += f", weights {may}fitted on the same samples"
        bound = f"bound {self.bound} ({get_bound(self.bound).label})"
        if len(self.candidates) > 1:
            bound += f", the smallest of {len(self.candidates)} bounds"
        return f"{subject}; {samples}; {bound}"

    @property
    def ways_to_tighten(self) -> list[str]:
        """Ways to make the bound smaller that were not used."""
        if self.bound == TEST_SET:
            return ["more test samples"]
        ways = ["more labeled samples", "more unlabeled samples"]
        if self.n_voters > MOST_ENUMERATED:
            ways.append("a committee of whole models")
        return [*ways, "a test set"]

    @property
    def advice(self) -> str:
        """Advice in one sentence if the bound is not below the baseline, else an empty text."""
        observed, baseline = self.observed, self.baseline
        if baseline is None or self.value < baseline:
            return ""
        if observed is not None and observed >= baseline:
            return (
                "The observed error is not below that of the majority-class baseline: the model is"
                " not better than always predicting the most frequent class."
            )
        words = "The bound is not below the majority-class baseline. "
        if self.bound != TEST_SET:  # else the size of a sufficient test set follows, if any
            words += f"What would help: {', or '.join(self.ways_to_tighten)}. "
        return (words + self.labels_for(baseline)).rstrip()

    def labels_for(self, max_error: float) -> str:
        """Return how many test samples would show an error rate of at most `max_error`.

        The sentence is empty if the bound shows it already, or if the error rate to expect is
        unknown: no vote was observed, or its weights may have been fitted on the same samples.
        Without a test set, the observed error rate is the expected one.

        Parameters
        ----------
        max_error : float
            The goal.

        Returns
        -------
        str
            The sentence.

        Examples
        --------
        >>> from tandemvote import Votes, certify
        >>> certify(Votes.from_predictions([[0, 1] * 50], [0, 1] * 50)).labels_for(0.02)
        'If 0.0% of new test samples count as errors, as here, a test set of 149 samples shows at \
most 2% with a probability of 80%.'
        """
        counted = self.test if self.bound == TEST_SET else self.voted
        unplanned = self.metric != "error" or self.deployed is not None or self.fitted is not None
        if unplanned or counted is None or not counted.n_samples:
            return ""
        if not 0 < max_error < min(self.value, 1):
            return ""
        unit, error = "groups" if self.one_row_per_group else "samples", counted[0] / counted[1]
        expected, goal = f"{100 * error:.1f}%", f"{100 * max_error:.3g}%"
        try:
            needed = labels_needed(error, max_error, confidence=self.confidence)
        except ValueError:
            return (
                f"No number of test {unit} will show at most {goal}: {expected} of them count as"
                " errors here. Improve the model."
            )
        return (
            f"If {expected} of new test {unit} count as errors, as here, a test set of {needed:,}"
            f" {unit} shows at most {goal} with a probability of 80%."
        )

    def __repr__(self) -> str:
        """Show the headline, the basis, what stays fixed, findings, advice, limits by class."""
        lines = [self.basis]
        if self.has_referee:
            fixed = "refit it at any time, keep the tested models"
            lines.append(f"the bound holds for every referee: {fixed}")
        lines += [*map(str, self.findings), *filter(None, [self.advice])]
        by_class = self.by_class.items() if len(self.by_class) > 1 else ()
        rounded = rounded_up if self.direction == AT_MOST else rounded_down
        rows = [[str(label), in_percent(limit, rounded)] for label, limit in by_class]
        return as_text(self.headline, lines, TextTable(["class", self.direction], "<>", rows))

    def _repr_html_(self) -> str:
        """Return the text as HTML for a notebook, with the assumptions folded."""
        first, *lines = map(escape, repr(self).splitlines())
        listed = "".join(f"<li>{escape(printable(each))}</li>" for each in self.assumptions)
        return (
            f"<b>{first}</b><pre>{'<br>'.join(lines)}</pre>"
            f"<details><summary>Assumptions</summary><ul>{listed}</ul></details>"
        )

    def _number(self, value: float, rounded: Callable[..., str]) -> str:
        return rounded(value) if self._is_cost else in_percent(value, rounded)

    @property
    def _is_cost(self) -> bool:
        return METRICS[self.metric].about == "costs"

    @property
    def _is_vacuous(self) -> bool:
        return self.value >= 1.0 and self.metric == "error"

    @property
    def _metric_words(self) -> tuple[str, str]:
        """The metric in words, and its class if it is about one."""
        metric = METRICS[self.metric]
        if self.measure is not None and self.measure.positive is not None:
            return metric.words, f" for class {printable(repr(self.measure.positive)[:40])}"
        return "average " * (metric.about == "class") + metric.words, ""

    @property
    def _subject(self) -> tuple[str, str]:
        """The certified classifier by its name and by its parts."""
        plural = "s" * (self.n_voters > 1)
        if self.deployed is not None:
            name = printable(self.deployed)
            return name, f"{name} through {self.n_voters} voter{plural}"
        if self.has_referee:
            trees = "" if self.n_trees is None else f" of {self.n_trees} trees"
            return "this committee", f"{self.n_voters} tested model{plural}{trees} and a referee"
        if self.n_voters == 1:
            return "this classifier", "one classifier"
        return "this weighted majority vote", f"the vote of {self.n_voters} voters"


@dataclass(frozen=True)
class TextTable:
    r"""Rows of text under named columns, each aligned by "<" or ">".

    Examples
    --------
    >>> table = TextTable(["bound", "value"], "<>", [["FO", "0.2"], ["TND", "0.1"]])
    >>> print("\n".join(table.lines()))
      bound  value
      FO       0.2
      TND      0.1
    """

    columns: Sequence[str] = ()
    alignment: str = ""
    rows: Sequence[Sequence[str]] = ()

    def lines(self) -> list[str]:
        """Return the table as text, one line per row."""
        table = [[printable(cell) for cell in row] for row in (self.columns, *self.rows)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = []
        for row in table:
            aligned = zip(row, self.alignment, widths, strict=True)
            cells = (f"{cell:{side}{width}}" for cell, side, width in aligned)
            lines.append(f"  {'  '.join(cells)}".rstrip())
        return lines


def as_text(headline: str, lines: Sequence[str], table: TextTable | None = None) -> str:
    """Return a headline, indented lines below it, and a table."""
    below = [*(f"  {printable(line)}" for line in lines)]
    below += table.lines() if table is not None and table.rows else []
    return "\n".join([headline, *below])


def rate(share: float) -> str:
    """Return an observed rate in percent, to one decimal or to two digits if that shows more.

    Examples
    --------
    >>> rate(0.02826), rate(0.00012)
    ('2.8%', '0.012%')
    """
    shown = 100 * share
    return f"{shown:.1f}%" if shown >= 0.1 or not shown else f"{shown:.2g}%"
