"""Error bounds: all of one vote, those of every group, those of a classifier that abstains."""

from __future__ import annotations

import math
from typing import Any

from tandemvote.bounds import get_bound
from tandemvote.certificate.certificate import Certificate
from tandemvote.certificate.groups import GroupCertificates
from tandemvote.certificate.rendering import rate
from tandemvote.certificate.selective import SelectiveCertificate
from tandemvote.displays.display import ACCENT, MUTED, SECOND, Axes, Display, draw_names
from tandemvote.votes.decimals import rounded_down, rounded_up


class BoundsDisplay(Display):
    """The reported bound among all bounds on the error rate of the same vote.

    Parameters
    ----------
    certificate : Certificate
        Its bounds and its observed error are shown.

    Examples
    --------
    >>> from tandemvote import Votes, certify
    >>> certificate = certify(Votes.from_predictions([[0, 1] * 200], [0, 1] * 200))
    >>> BoundsDisplay(certificate).description[-41:]
    'Reported: test_set. Observed error: 0.0%.'
    """

    def __init__(self, certificate: Certificate) -> None:
        self.bounds, self.reported = certificate.bounds, certificate.bound
        self.observed = certificate.observed
        self.height = 1.1 + 0.3 * len(self.bounds)
        listed = ", ".join(f"{name} {_bound_text(value)}" for name, value in self.bounds.items())
        seen = "" if self.observed is None else f" Observed error: {rate(self.observed)}."
        self.description = f"Bounds on the error rate: {listed}. Reported: {self.reported}.{seen}"

    def _draw(self, ax: Axes) -> None:
        colors = [ACCENT if name == self.reported else MUTED for name in self.bounds]
        names = [f"{name} ({get_bound(name).label})" for name in self.bounds]
        if self.observed is not None:
            ax.axvline(self.observed, color=SECOND, linestyle="--", zorder=0, label="observed")
        _draw_rows(ax, names, [*self.bounds.values()], colors)
        ax.set_xlabel("bound on the error rate")


class GroupsDisplay(Display):
    """Observed error and error bound of every group.

    Parameters
    ----------
    certificates : GroupCertificates
        What `Certificate.by_group` returned.

    Examples
    --------
    >>> from tandemvote import Votes, certify
    >>> votes = Votes.from_predictions([[0, 1] * 200], [0, 1] * 200)
    >>> groups = certify(votes).by_group("class")
    >>> GroupsDisplay(groups).description
    'Error bounds by group: 0 1.9% (200 samples), 1 1.9% (200 samples).'
    """

    def __init__(self, certificates: GroupCertificates) -> None:
        self.height = 1.1 + 0.3 * len(certificates)
        # Name, number of samples and certificate of each group; names may take two cells.
        rows = zip(certificates.table().rows, certificates, strict=True)
        self._rows = [(": ".join(cells[:-4]), int(cells[-4]), each) for cells, each in rows]
        listed = [f"{name} {_bound_text(each.value)} ({n} samples)" for name, n, each in self._rows]
        self.description = f"Error bounds by group: {', '.join(listed)}."

    def _draw(self, ax: Axes) -> None:
        names = [f"{name[:30]} (n = {n})" for name, n, _ in self._rows]
        label, largest = "observed", max(1, *(n for _, n, _ in self._rows))
        for row, (_, n, each) in enumerate(self._rows):
            if each.observed is not None:
                # As in other forest plots, larger groups have larger marks.
                style: dict[str, Any] = {"markersize": 4.0 + 6.0 * math.sqrt(n / largest)}
                ax.plot(each.observed, row, "s", color=SECOND, zorder=3, label=label, **style)
                label = ""
        values = [each.value for _, _, each in self._rows]
        _draw_rows(ax, names, values, [ACCENT if value < 1.0 else MUTED for value in values])
        # Long names leave few inches for the axis; to the left of it there is room.
        ax.set_xlabel("error bound of each group", loc="right")


class SelectiveDisplay(Display):
    """Error rate among confident samples against their share, at every threshold.

    Parameters
    ----------
    certificate : SelectiveCertificate
        What `certify_selective` returned.

    Examples
    --------
    >>> from tandemvote import Votes, certify_selective
    >>> votes = Votes.from_predictions([[0, 1] * 200], [0, 1] * 200)
    >>> SelectiveDisplay(certify_selective(votes, max_error=0.05)).description[-17:]
    'Chosen: margin 0.'
    """

    def __init__(self, certificate: SelectiveCertificate) -> None:
        self.certificate = certificate
        thresholds, chosen = certificate.thresholds, certificate.chosen.margin
        listed = "; ".join(
            f"margin {each.margin:g}: at least {rounded_down(100 * each.coverage, 1)}% confident"
            for each in thresholds
            if each.passed
        )
        self.description = (
            f"Error rate among confident samples against their share, {len(thresholds)} thresholds."
            f" At most {_bound_text(certificate.max_error)} with {listed or 'no threshold'}."
            f" Chosen: {'none' if math.isinf(chosen) else f'margin {chosen:g}'}."
        )

    def _draw(self, ax: Axes) -> None:
        n_samples, max_error = self.certificate.n_samples, self.certificate.max_error
        tried = [each for each in self.certificate.thresholds if each.n_confident]
        shares = [each.n_confident / n_samples for each in tried]
        observed = [each.n_errors / each.n_confident for each in tried]
        ax.plot(shares, observed, ".--", color=MUTED, label=f"observed on {n_samples} test samples")
        words = f"largest error rate allowed, {rounded_up(100 * max_error, 1)}%"
        ax.axhline(max_error, color=SECOND, linestyle=":", zorder=0, label=words)
        coverages = [each.coverage for each in tried if each.passed]
        words = "guaranteed: share at least, error at most"
        ax.plot(coverages, [max_error] * len(coverages), "o", color=ACCENT, label=words)
        chosen = self.certificate.chosen
        if not math.isinf(chosen.margin):
            above: dict[str, Any] = {"textcoords": "offset points", "ha": "right", "weight": "bold"}
            ax.annotate(f"margin {chosen.margin:g}", (chosen.coverage, max_error), (6, 9), **above)
        ax.set(xlim=(0, 1.03), ylim=(0, 1.6 * max([max_error, *observed])))
        ax.set(xlabel="share of confident samples", ylabel="error rate among them")
        ax.xaxis.set_major_formatter(_percent_tick)
        ax.yaxis.set_major_formatter(_percent_tick)
        ax.legend(frameon=False, loc="upper left")


def _bound_text(value: float) -> str:
    return "no guarantee" if value >= 1.0 else f"{rounded_up(100 * value, 1)}%"


def _percent_tick(value: float, _: float) -> str:
    return f"{100 * value:.3g}%"


def _draw_rows(ax: Axes, names: list[str], values: list[float], colors: list[str]) -> None:
    """Draw a line to each bound, from the top, with its name to the left and text to the right."""
    for row, (value, color) in enumerate(zip(values, colors, strict=True)):
        ax.plot([0, value], [row, row], color=color, linewidth=2)
        ax.plot(value, row, "|", color=color, markersize=11, markeredgewidth=2)
        text = _bound_text(value)
        ax.annotate(text, (value, row), (8, 0), textcoords="offset points", va="center")
    draw_names(ax, names)
    ax.set_xlim(0, 1.7 if max(values) >= 1.0 else 1.35 * max(values))
    if max(values) >= 1.0:
        ax.set_xticks([0.0, 0.5, 1.0])
    ax.xaxis.set_major_formatter(_percent_tick)
    ax.tick_params(axis="y", length=0)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(loc="lower right", bbox_to_anchor=(1, 1), frameon=False, borderpad=0)
    ax.spines["left"].set_visible(False)
