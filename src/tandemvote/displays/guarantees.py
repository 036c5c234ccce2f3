"""Error bounds: all of one vote, those of every group, those of a classifier that abstains."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tandemvote.bounds import get_bound
from tandemvote.certificate.certificate import Certificate
from tandemvote.certificate.groups import GroupCertificates
from tandemvote.certificate.rendering import rate
from tandemvote.certificate.selective import SelectiveCertificate, Threshold
from tandemvote.counts import FloatArray
from tandemvote.decimals import rounded_down, rounded_up
from tandemvote.displays.display import ACCENT, MUTED, SECOND, Axes, Display

WIDEST_NAME = 30
"""Characters of a group's name that are shown."""

TO_THE_RIGHT: dict[str, Any] = {"textcoords": "offset points", "va": "center"}


@dataclass(eq=False, kw_only=True)
class BoundsDisplay(Display):
    """The reported bound among all bounds on the error rate of the same vote.

    Attributes
    ----------
    bounds : mapping of str to float
        Values by name, in the order of the picture.
    chosen : str
        Name of the bound that is reported. The others are for comparison.
    observed : float or None
        Observed error rate, if it is known.
    """

    bounds: Mapping[str, float]
    chosen: str
    observed: float | None = None

    @classmethod
    def from_certificate(cls, certificate: Certificate) -> BoundsDisplay:
        """Show the bounds of a certificate and its observed error."""
        return cls(
            bounds=certificate.bounds, chosen=certificate.bound, observed=certificate.observed
        )

    def _size(self) -> tuple[float, float]:
        return 6.0, 1.1 + 0.35 * len(self.bounds)

    def _words(self) -> str:
        listed = ", ".join(f"{name} {_bound_text(value)}" for name, value in self.bounds.items())
        seen = "" if self.observed is None else f" Observed error: {rate(self.observed)}."
        return f"Bounds on the error rate: {listed}. Reported: {self.chosen}.{seen}"

    def _columns(self) -> dict[Any, Any]:
        return {
            "bound": list(self.bounds),
            "label": [get_bound(name).label for name in self.bounds],
            "value": list(self.bounds.values()),
            "chosen": [name == self.chosen for name in self.bounds],
        }

    def _draw(self, ax: Axes) -> None:
        for row, (name, value) in enumerate(self.bounds.items()):
            mark = name == self.chosen
            color = ACCENT if mark else MUTED
            ax.plot([0, value], [row, row], color=color, linewidth=3 if mark else 1.5)
            ax.plot(value, row, "o", color=color, markersize=8 if mark else 6)
            weight = "bold" if mark else "normal"
            ax.annotate(_bound_text(value), (value, row), (8, 0), **TO_THE_RIGHT, weight=weight)
        if self.observed is not None:
            ax.axvline(self.observed, color=SECOND, linestyle="--", label="observed", zorder=0)
        names = [f"{name} ({get_bound(name).label})" for name in self.bounds]
        _name_rows(ax, names, max(self.bounds.values()), right=(1.7, 1.25))
        ax.set_xlabel("bound on the error rate")


@dataclass(eq=False, kw_only=True)
class GroupsDisplay(Display):
    """Observed error and error bound of every group.

    Attributes
    ----------
    groups : tuple of Certificate
        Certificates of the groups, in the order of the picture.

    Examples
    --------
    >>> from tandemvote import Votes, certify
    >>> votes = Votes.from_predictions([[0, 1] * 200], [0, 1] * 200)
    >>> groups = certify(votes).by_group("class")
    >>> GroupsDisplay.from_certificates(groups).description
    'Error bounds by group: 0 1.9% (200 samples), 1 1.9% (200 samples).'
    """

    groups: tuple[Certificate, ...]

    @classmethod
    def from_certificates(cls, certificates: GroupCertificates) -> GroupsDisplay:
        """Show the certificates of `Certificate.by_group`."""
        return cls(groups=certificates.members)

    def _size(self) -> tuple[float, float]:
        return 6.0, 1.1 + 0.35 * len(self.groups)

    def _words(self) -> str:
        named = zip(self._names, self.groups, self._sizes, strict=True)
        listed = [f"{name} {_bound_text(each.value)} ({n} samples)" for name, each, n in named]
        return f"Error bounds by group: {', '.join(listed)}."

    @property
    def _names(self) -> list[str]:
        keys = [(each.group.by, each.group.label) for each in self.groups if each.group is not None]
        several = len({by for by, _ in keys}) > 1
        labels = ["missing" if label is None else str(label) for _, label in keys]
        pairs = zip(keys, labels, strict=True)
        return [f"{by}: {label}" if several else label for (by, _), label in pairs]

    @property
    def _sizes(self) -> list[int]:
        tallies = [each.counts.tally for each in self.groups]
        return [0 if tally is None else tally.n_samples for tally in tallies]

    def _columns(self) -> dict[Any, Any]:
        return {
            "group": self._names,
            "n_samples": self._sizes,
            "observed": [each.observed for each in self.groups],
            "value": [each.value for each in self.groups],
        }

    def _draw(self, ax: Axes) -> None:
        sizes = self._sizes
        for row, (each, n_samples) in enumerate(zip(self.groups, sizes, strict=True)):
            color = ACCENT if each.value < 1.0 else MUTED
            ax.plot([0, each.value], [row, row], color=color, linewidth=2)
            ax.plot(each.value, row, "|", color=color, markersize=11, markeredgewidth=2)
            if each.observed is not None:
                # As in other forest plots, larger groups have larger marks.
                width = 4.0 + 6.0 * np.sqrt(n_samples / max(*sizes, 1))
                words = None if ax.get_legend_handles_labels()[0] else "observed"
                ax.plot(each.observed, row, "s", color=SECOND, markersize=width, label=words)
            ax.annotate(_bound_text(each.value), (each.value, row), (8, 0), **TO_THE_RIGHT)
        named = zip(self._names, sizes, strict=True)
        names = [f"{name[:WIDEST_NAME]} (n = {n_samples})" for name, n_samples in named]
        _name_rows(ax, names, max(each.value for each in self.groups), right=(1.7, 1.35))
        # Long names leave few inches for the axis; to the left of it there is room.
        ax.set_xlabel("error bound of each group", loc="right")


@dataclass(eq=False, kw_only=True)
class SelectiveDisplay(Display):
    """Error rate among confident samples against their share, at every threshold.

    Attributes
    ----------
    thresholds : tuple of Threshold
        From the smallest margin, which covers most samples, to the largest.
    n_samples : int
        Number of test samples.
    chosen : float
        The threshold of the certificate; inf if none passed.
    max_error : float
        The largest error rate allowed among confident samples.
    """

    thresholds: tuple[Threshold, ...]
    n_samples: int
    chosen: float
    max_error: float

    @classmethod
    def from_certificate(cls, certificate: SelectiveCertificate) -> SelectiveDisplay:
        """Show all thresholds of a certificate."""
        return cls(
            thresholds=certificate.thresholds,
            n_samples=certificate.n_samples,
            chosen=certificate.chosen.margin,
            max_error=certificate.max_error,
        )

    @property
    def observed(self) -> FloatArray:
        """Error rate among the confident test samples; NaN where none is confident."""
        rates = [each.n_errors / (each.n_confident or np.nan) for each in self.thresholds]
        return np.array(rates)

    def _words(self) -> str:
        listed = "; ".join(
            f"margin {each.margin:g}: at least {rounded_down(100 * each.coverage, 1)}% confident"
            for each in self.thresholds
            if each.passed
        )
        chosen = "none" if math.isinf(self.chosen) else f"margin {self.chosen:g}"
        return (
            f"Error rate among confident samples against their share, {len(self.thresholds)}"
            f" thresholds. At most {_bound_text(self.max_error)} with {listed or 'no threshold'}."
            f" Chosen: {chosen}."
        )

    def _columns(self) -> dict[Any, Any]:
        names = ("margin", "n_confident", "n_errors", "coverage", "passed")
        columns = {name: [getattr(each, name) for each in self.thresholds] for name in names}
        return {**columns, "chosen": [each.margin == self.chosen for each in self.thresholds]}

    def _draw(self, ax: Axes) -> None:
        shares = [each.n_confident / self.n_samples for each in self.thresholds]
        words = f"observed on {self.n_samples} test samples"
        ax.plot(shares, self.observed, ".--", color=MUTED, label=words)
        words = f"largest error rate allowed, {rounded_up(100 * self.max_error, 1)}%"
        ax.axhline(self.max_error, color=SECOND, linestyle=":", zorder=0, label=words)
        passed = [each for each in self.thresholds if each.passed]
        coverages = [each.coverage for each in passed]
        words = "guaranteed: share at least, error at most"
        ax.plot(coverages, [self.max_error] * len(passed), "o", color=ACCENT, label=words)
        above: dict[str, Any] = {"textcoords": "offset points", "ha": "right"}
        for each in passed:
            if each.margin == self.chosen:
                ax.plot(each.coverage, self.max_error, "o", color=ACCENT, markersize=10)
                place = (each.coverage, self.max_error)
                ax.annotate(f"margin {each.margin:g}", place, (6, 9), **above, weight="bold")
        highest = max(self.max_error, *np.nan_to_num(self.observed))
        ax.set(xlim=(0, 1.03), ylim=(0, 1.6 * highest), xlabel="share of confident samples")
        ax.set_ylabel("error rate among them")
        ax.xaxis.set_major_formatter(_percent_tick)
        ax.yaxis.set_major_formatter(_percent_tick)
        ax.legend(frameon=False, loc="upper left")


def _bound_text(value: float) -> str:
    return "no guarantee" if value >= 1.0 else f"{rounded_up(100 * value, 1)}%"


def _percent_tick(value: float, _: float) -> str:
    return f"{100 * value:.3g}%"


def _name_rows(ax: Axes, names: list[str], largest: float, right: tuple[float, float]) -> None:
    """Name rows from the top, each with a bound of at most `largest` and text to its right.

    `right` is where the axis ends if some bound is 1, and in units of the largest one if not.
    """
    ax.set_yticks(range(len(names)), names)
    ax.set_xlim(0, right[0] if largest >= 1.0 else right[1] * largest)
    if largest >= 1.0:
        ax.set_xticks([0.0, 0.5, 1.0])
    ax.xaxis.set_major_formatter(_percent_tick)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(loc="lower right", bbox_to_anchor=(1, 1), frameon=False, borderpad=0)
    ax.spines["left"].set_visible(False)
