"""Guarantees: all bounds of one vote, those of every group, those of the points it accepts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.bounds import BoundValue, get_bound
from tandemvote.certificate.by_group import GroupCertificates, GroupGuarantee
from tandemvote.certificate.certificate import TEST_SET, Certificate
from tandemvote.certificate.decimals import rounded_down, rounded_up
from tandemvote.certificate.selective import SelectiveCertificate
from tandemvote.counting.counts import FloatArray
from tandemvote.displays.display import ACCENT, MUTED, SECOND, Axes, Display

WIDEST_NAME = 30
"""Characters of a group's name that are shown."""

BESIDE: dict[str, Any] = {"textcoords": "offset points", "va": "center"}


@dataclass(eq=False, kw_only=True)
class BoundsDisplay(Display):
    """The guarantee among all bounds computed for the same vote.

    Attributes
    ----------
    bounds : mapping of str to BoundValue
        In the order of the picture.
    chosen : str
        Name of the bound that is the guarantee. The others are there for comparison.
    test_risk : float or None
        Error rate of the vote on a test set, if there was one.
    """

    bounds: Mapping[str, BoundValue]
    chosen: str
    test_risk: float | None = None

    @classmethod
    def from_certificate(
        cls, certificate: Certificate, *, test_risk: float | None = None
    ) -> BoundsDisplay:
        """Take the bounds of a certificate, and the error rate on its test set if none is given."""
        if test_risk is None and TEST_SET in certificate.bounds:
            terms = certificate.bounds[TEST_SET].terms
            test_risk = terms["n_errors"] / terms["n_samples"]
        return cls(bounds=certificate.bounds, chosen=certificate.bound, test_risk=test_risk)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X_test: ArrayLike | None = None, y_test: ArrayLike | None = None
    ) -> BoundsDisplay:
        """Take the bounds of a certified estimator, and its error on test points if given."""
        risk = None if X_test is None else 1.0 - float(estimator.score(X_test, y_test))
        return cls.from_certificate(estimator.certificate_, test_risk=risk)

    def _size(self) -> tuple[float, float]:
        return 6.0, 1.1 + 0.35 * len(self.bounds)

    def _words(self) -> str:
        listed = ", ".join(
            f"{each.label} {rounded_up(float(each))}" for each in self.bounds.values()
        )
        risk = "" if self.test_risk is None else f" Test risk: {rounded_up(self.test_risk)}."
        return f"Bounds on the error of the vote: {listed}. Chosen: {self.chosen}.{risk}"

    def _columns(self) -> dict[Any, Any]:
        return {
            "bound": list(self.bounds),
            **_listed(self.bounds.values(), "label", "value", "delta"),
            "chosen": [name == self.chosen for name in self.bounds],
            "labels_used": [get_bound(name).labels_used for name in self.bounds],
        }

    def _draw(self, ax: Axes) -> None:
        for row, (name, bound) in enumerate(self.bounds.items()):
            mark = name == self.chosen
            colour = ACCENT if mark else MUTED
            ax.plot([0, bound.value], [row, row], color=colour, linewidth=3 if mark else 1.5)
            ax.plot(bound.value, row, "o", color=colour, markersize=8 if mark else 6)
            weight = "bold" if mark else "normal"
            ax.annotate(_limit(bound.value), (bound.value, row), (8, 0), **BESIDE, weight=weight)
        if self.test_risk is not None:
            words = "error on the test set"
            ax.axvline(self.test_risk, color=SECOND, linestyle="--", label=words, zorder=0)
        names = [f"{name} ({bound.label})" for name, bound in self.bounds.items()]
        _name_rows(ax, names, max(map(float, self.bounds.values())), right=(1.7, 1.2))
        ax.set_xlabel("error rate of the vote, at most")


@dataclass(eq=False, kw_only=True)
class GroupsDisplay(Display):
    """How often the vote can err on the points of each group.

    Attributes
    ----------
    groups : tuple of GroupGuarantee
        In the order of the picture.

    Examples
    --------
    >>> from tandemvote import Votes, certify_by_group
    >>> votes = Votes.from_predictions([[0, 1] * 200], [0, 1] * 200)
    >>> found = certify_by_group(votes, groups="class")
    >>> GroupsDisplay.from_certificates(found).description
    'Errors by group, at most: 0 0.019 (200 points), 1 0.019 (200 points).'
    """

    groups: tuple[GroupGuarantee, ...]

    @classmethod
    def from_certificates(cls, certificates: GroupCertificates) -> GroupsDisplay:
        """Take the guarantees of `certify_by_group`."""
        return cls(groups=certificates.guarantees)

    def _size(self) -> tuple[float, float]:
        return 6.0, 1.1 + 0.35 * len(self.groups)

    def _words(self) -> str:
        named = zip(self._names, self.groups, strict=True)
        listed = [f"{name} {_limit(each.value)} ({each.n_points} points)" for name, each in named]
        return f"Errors by group, at most: {', '.join(listed)}."

    @property
    def _names(self) -> list[str]:
        several = len({each.by for each in self.groups}) > 1
        return [(f"{each.by}: " if several else "") + each.name for each in self.groups]

    def _columns(self) -> dict[Any, Any]:
        shown = ("by", "n_points", "observed", "value", "remark")
        return {"group": [each.name for each in self.groups], **_listed(self.groups, *shown)}

    def _draw(self, ax: Axes) -> None:
        most = max(each.n_points for each in self.groups)
        for row, each in enumerate(self.groups):
            colour = ACCENT if each.value < 1.0 else MUTED
            ax.plot([0, each.value], [row, row], color=colour, linewidth=2)
            ax.plot(each.value, row, "|", color=colour, markersize=11, markeredgewidth=2)
            if each.observed is not None:
                # As in other forest plots, larger groups have larger marks.
                width = 4.0 + 6.0 * np.sqrt(each.n_points / max(most, 1))
                words = "observed" if not ax.get_legend_handles_labels()[0] else None
                ax.plot(each.observed, row, "s", color=SECOND, markersize=width, label=words)
            ax.annotate(_limit(each.value), (each.value, row), (8, 0), **BESIDE)
        named = zip(self._names, self.groups, strict=True)
        names = [f"{name[:WIDEST_NAME]} (n = {each.n_points})" for name, each in named]
        _name_rows(ax, names, max(each.value for each in self.groups), right=(1.5, 1.25))
        # Long names leave few inches for the axis; to the left of it there is room.
        ax.set_xlabel("error on each group, at most", loc="right")


@dataclass(eq=False, kw_only=True)
class SelectiveDisplay(Display):
    """Error and accepted share at every threshold, certified and as observed on the hold-out.

    Attributes
    ----------
    margins : ndarray of shape (n_thresholds,)
        From the smallest, which accepts most, to the largest.
    errors, coverages : ndarray of shape (n_thresholds,)
        Upper bounds of the error among accepted points, where 1 says nothing; lower bounds of the
        accepted share.
    n_errors, n_accepted : ndarray of int, shape (n_thresholds,)
        Observed on the `n_points` of the hold-out.
    chosen : float
        The threshold of the certificate; inf for none.
    max_error : float or None
        The largest error allowed, if the threshold was searched for.
    """

    margins: FloatArray
    errors: FloatArray
    coverages: FloatArray
    n_errors: NDArray[np.int64]
    n_accepted: NDArray[np.int64]
    n_points: int
    chosen: float
    max_error: float | None = None

    @classmethod
    def from_certificate(cls, certificate: SelectiveCertificate) -> SelectiveDisplay:
        """Take all thresholds of a certificate."""
        rows = certificate.thresholds
        return cls(
            margins=np.array([row.margin for row in rows]),
            errors=np.array([row.error for row in rows]),
            coverages=np.array([row.coverage for row in rows]),
            n_errors=np.array([row.n_errors for row in rows]),
            n_accepted=np.array([row.n_accepted for row in rows]),
            n_points=certificate.n_points,
            chosen=certificate.margin,
            max_error=certificate.max_error,
        )

    @property
    def observed(self) -> FloatArray:
        """Error among the accepted points of the hold-out; NaN where none is accepted."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.n_errors / self.n_accepted)

    def _words(self) -> str:
        rows = zip(self.margins, self.errors, self.coverages, strict=True)
        words = "margin {:g}: error at most {}, accepted at least {}"
        shown = (words.format(m, rounded_up(e), rounded_down(c)) for m, e, c in rows if e < 1.0)
        listed = "; ".join(shown)
        chosen = "none" if math.isinf(self.chosen) else f"margin {self.chosen:g}"
        return (
            f"Error among accepted points against their share, {self.margins.size} thresholds."
            f" {listed or 'Nothing is shown for any'}. Chosen: {chosen}."
        )

    def _columns(self) -> dict[Any, Any]:
        return {
            "margin": self.margins,
            "error": self.errors,
            "coverage": self.coverages,
            "observed_error": self.observed,
            "observed_coverage": self.n_accepted / self.n_points,
            "n_errors": self.n_errors,
            "n_accepted": self.n_accepted,
            "chosen": self.margins == self.chosen,
        }

    def _draw(self, ax: Axes) -> None:
        words = f"observed on {self.n_points} hold-out points"
        accepted = self.n_accepted / self.n_points
        ax.plot(accepted, self.observed, ".--", color=MUTED, label=words)
        shown, words = self.errors < 1.0, "certified: share at least, error at most"
        certified = self.coverages[shown], self.errors[shown]
        kind = "o-" if self.max_error is None else "o"
        ax.plot(*certified, kind, color=ACCENT, label=words)
        above: dict[str, Any] = {"textcoords": "offset points", "ha": "center"}
        for margin, share, error in zip(self.margins[shown], *certified, strict=True):
            if margin == self.chosen:
                ax.plot(share, error, "o", color=ACCENT, markersize=10)
            weight = "bold" if margin == self.chosen else "normal"
            ax.annotate(f"{margin:g}", (share, error), (0, 8), **above, weight=weight)
        if self.max_error is not None:
            ax.axhline(self.max_error, color=SECOND, linestyle=":", zorder=0)
        heights = [*self.errors[shown], *self.observed[~np.isnan(self.observed)], 0.01]
        ax.set(xlim=(0, 1.03), ylim=(0, 1.25 * max(heights)), ylabel="error among accepted points")
        ax.set_xlabel("share of points accepted (numbers: margin from which on)")
        ax.legend(frameon=False, loc="upper left")


def _listed(rows: Iterable[Any], *names: str) -> dict[str, list[Any]]:
    return {name: [getattr(each, name) for each in rows] for name in names}


def _limit(value: float) -> str:
    return "no guarantee" if value >= 1.0 else rounded_up(value)


def _name_rows(ax: Axes, names: list[str], largest: float, right: tuple[float, float]) -> None:
    """Name rows from the top, each with a limit of at most `largest` and words to the right of it.

    `right` is where the axis ends if some limit is 1, and in units of the largest one if not.
    """
    ax.set_yticks(range(len(names)), names)
    ax.set_xlim(0, right[0] if largest >= 1.0 else right[1] * largest)
    if largest >= 1.0:
        ax.set_xticks([0.0, 0.5, 1.0])
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(loc="lower right", bbox_to_anchor=(1, 1), frameon=False, borderpad=0)
    ax.spines["left"].set_visible(False)
