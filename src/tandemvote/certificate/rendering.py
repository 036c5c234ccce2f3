"""A certificate in words: in one sentence, in one line, in a few lines, in a notebook."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from tandemvote.bounds import get_bound
from tandemvote.bounds.registry import FEW_VOTERS
from tandemvote.metrics.metric import AT_LEAST, AT_MOST, METRICS
from tandemvote.metrics.planning import labels_needed
from tandemvote.record.document import TEST_SET
from tandemvote.votes.decimals import in_percent, percent, rounded_down, rounded_up
from tandemvote.votes.printable import printable
from tandemvote.votes.votes import REFEREE

if TYPE_CHECKING:
    from tandemvote.certificate.certificate import Certificate


def guarantee(certificate: Certificate) -> str:
    """The bound in one sentence."""
    confidence, group = percent(certificate.delta), certificate.group
    if _is_vacuous(certificate):
        where = "" if group is None else f" on {group.samples}"
        return f"No error rate below 100% is guaranteed{where} with {confidence} confidence."
    new = "a random row of a random new group" if certificate.one_row_per_group else "new data"
    new += " like the latest" * (certificate.latest is not None)
    if group is not None:
        new += f", among {group.samples},"
    (metric, of_class), (subject, _) = _metric(certificate), _subject(certificate)
    limited = limits(certificate).replace(">=", "at least").replace("<=", "at most")
    if certificate.interval is not None:
        limited = f"between {limited.replace(' to ', ' and ')}"
    return (
        f"With {confidence} confidence, the {metric} of {subject}{of_class} on {new} is {limited}."
    )


def limits(certificate: Certificate) -> str:
    """The limit, or both limits, such as ">= 87.1%"."""
    lower, upper = certificate.interval or (certificate.value, certificate.value)
    least = _number(certificate.metric, lower, rounded_down)
    most = _number(certificate.metric, upper, rounded_up)
    if certificate.interval is not None:
        return f"{least} to {most}"
    return f">= {least}" if certificate.direction == AT_LEAST else f"<= {most}"


def headline(certificate: Certificate) -> str:
    """Observed metric, guaranteed metric with its confidence, majority-class baseline."""
    metric = _metric(certificate)[0].removesuffix(" rate")
    limited = f"guaranteed {metric} {limits(certificate)}"
    if _is_vacuous(certificate):
        limited = "no guarantee"
    parts = [f"{limited} ({percent(certificate.delta)} confidence)"]
    observed, baseline = certificate.observed, certificate.baseline
    if observed is not None:
        seen = f"{observed:.4g}" if METRICS[certificate.metric].about == "costs" else rate(observed)
        parts.insert(0, f"observed {metric} {seen}")
    if baseline is not None:
        parts.append(f"majority-class baseline {rate(baseline)}")
    return ", ".join(parts)


def basis(certificate: Certificate) -> str:
    """What the bound is about and rests on, in one sentence."""
    _, subject = _subject(certificate)
    if certificate.group is not None:
        subject += f" on {certificate.group.samples}"
    samples = f"at least {certificate.counts.n_min} held-out samples per voter"
    if certificate.bound == TEST_SET:
        samples = f"a test set of {certificate.counts.sizes.max()} samples"
    metric, of_class = _metric(certificate)
    if certificate.measure is not None and of_class:
        samples += f", {certificate.measure.tests[0].n_samples} for {metric}{of_class}"
    if certificate.profile is not None:
        samples += f", {certificate.profile.n_samples} unlabeled samples"
    if certificate.one_row_per_group:
        samples += ", one random row per group"
    if certificate.latest is not None:
        samples += f", the latest, from {printable(certificate.latest)} on"
    bound = f"bound {certificate.bound} ({get_bound(certificate.bound).label})"
    if len(certificate.candidates) > 1:
        bound += f", the smallest of {len(certificate.candidates)} bounds"
    return f"{subject}; {samples}; {bound}"


def ways_to_tighten(certificate: Certificate) -> list[str]:
    """What would make the bound smaller and was not done."""
    if certificate.bound == TEST_SET:
        return ["more test samples"]
    ways = ["more labeled samples", "more unlabeled samples"]
    if certificate.counts.n_voters > FEW_VOTERS:
        ways.append("a committee of whole models")
    return [*ways, "a test set"]


def advice(certificate: Certificate) -> str:
    """What would help, in one sentence, where the bound is not below the baseline."""
    observed, baseline = certificate.observed, certificate.baseline
    if baseline is None or certificate.value < baseline:
        return ""
    if observed is not None and observed >= baseline:
        return (
            "The observed error is not below that of the majority-class baseline: the model is not"
            " better than always predicting the most frequent class."
        )
    words = "The bound is not below the majority-class baseline. "
    if certificate.bound != TEST_SET:  # else the size of a sufficient test set follows, if any
        words += f"What would help: {', or '.join(ways_to_tighten(certificate))}. "
    return (words + labels_for(certificate, baseline)).rstrip()


def labels_for(certificate: Certificate, max_error: float) -> str:
    """Return how many test samples would show an error rate of at most `max_error`.

    The sentence is empty if the bound shows it already, or if no vote was observed. Without a test
    set, the observed error rate is the expected one.

    Examples
    --------
    >>> from tandemvote import Votes, certify
    >>> certify(Votes.from_predictions([[0, 1] * 50], [0, 1] * 50)).labels_for(0.02)
    'If 0.0% of new test samples count as errors, as here, a test set of 149 samples shows at most \
2% with a probability of 80%.'
    """
    vote = certificate.evidence.vote
    if certificate.metric != "error" or certificate.deployed is not None or vote is None:
        return ""
    n_errors, n_samples = vote.n_errors, vote.n_voted
    if certificate.bound == TEST_SET:
        n_errors = vote.n_test_errors or 0
    if not n_samples or not 0 < max_error < min(certificate.value, 1):
        return ""
    unit = "groups" if certificate.one_row_per_group else "samples"
    expected, goal = f"{100 * n_errors / n_samples:.1f}%", f"{100 * max_error:.3g}%"
    try:
        needed = labels_needed(n_errors / n_samples, max_error, confidence=certificate.confidence)
    except ValueError:
        return (
            f"No number of test {unit} will show at most {goal}: {expected} of them count as errors"
            " here. Improve the model."
        )
    return (
        f"If {expected} of new test {unit} count as errors, as here, a test set of {needed:,}"
        f" {unit} shows at most {goal} with a probability of 80%."
    )


def text(certificate: Certificate) -> str:
    """The headline, the basis, what stays fixed, findings and advice, and limits by class."""
    lines = [basis(certificate)]
    if certificate.ties == REFEREE:
        fixed = "refit it at any time, keep the tested models"
        lines.append(f"the bound holds for every referee: {fixed}")
    lines += [*map(str, certificate.findings), *filter(None, [advice(certificate)])]
    by_class = certificate.by_class.items() if len(certificate.by_class) > 1 else ()
    rounded = rounded_up if certificate.direction == AT_MOST else rounded_down
    rows = [[str(label), in_percent(limit, rounded)] for label, limit in by_class]
    table = TextTable(["class", certificate.direction], "<>", rows)
    return as_text(headline(certificate), lines, table)


def html(certificate: Certificate) -> str:
    """The text as HTML for a notebook, with the assumptions folded."""
    first, *lines = map(escape, text(certificate).splitlines())
    listed = "".join(f"<li>{escape(printable(each))}</li>" for each in certificate.assumptions)
    return (
        f"<b>{first}</b><pre>{'<br>'.join(lines)}</pre>"
        f"<details><summary>Assumptions</summary><ul>{listed}</ul></details>"
    )


def _number(metric: str, value: float, rounded: Callable[..., str]) -> str:
    return rounded(value) if METRICS[metric].about == "costs" else in_percent(value, rounded)


def _is_vacuous(certificate: Certificate) -> bool:
    return certificate.value >= 1.0 and certificate.metric == "error"


def _metric(certificate: Certificate) -> tuple[str, str]:
    """The metric in words, and its class if it is about one."""
    metric, measure = METRICS[certificate.metric], certificate.measure
    if measure is not None and measure.positive is not None:
        return metric.words, f" for class {printable(repr(measure.positive)[:40])}"
    return "average " * (metric.about == "class") + metric.words, ""


def _subject(certificate: Certificate) -> tuple[str, str]:
    """The certified classifier by its name and by its parts."""
    n_voters = certificate.counts.n_voters
    if certificate.deployed is not None:
        name = printable(certificate.deployed)
        return name, f"{name} through {n_voters} voter{'s' * (n_voters > 1)}"
    if certificate.ties == REFEREE:
        tested = f"{n_voters} tested model{'s' * (n_voters > 1)}"
        trees = "" if certificate.n_trees is None else f" of {certificate.n_trees} trees"
        return "this committee", f"{tested}{trees} and a referee"
    if n_voters == 1:
        return "this classifier", "one classifier"
    return "this weighted majority vote", f"the vote of {n_voters} voters"


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
