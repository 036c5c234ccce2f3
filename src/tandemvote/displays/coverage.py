"""The error among accepted points against the share of points that a vote accepts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.certificate.decimals import rounded_down, rounded_up
from tandemvote.certificate.selective import SelectiveCertificate
from tandemvote.counting.counts import FloatArray
from tandemvote.displays.display import ACCENT, MUTED, SECOND, Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
        rates = np.full(self.n_errors.shape, np.nan)
        np.divide(self.n_errors, self.n_accepted, out=rates, where=self.n_accepted > 0)
        return rates

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
        share = self.n_accepted / self.n_points
        ax.plot(share, self.observed, ".--", color=MUTED, label=words)
        shown, words = self.errors < 1.0, "certified: share at least, error at most"
        certified = self.coverages[shown], self.errors[shown]
        kind = "o-" if self.max_error is None else "o"
        ax.plot(*certified, kind, color=ACCENT, label=words)
        above: dict[str, Any] = {"textcoords": "offset points", "ha": "center"}
        for margin, *place in zip(self.margins[shown], *certified, strict=True):
            if margin == self.chosen:
                ax.plot(*place, "o", color=ACCENT, markersize=10)
            weight = "bold" if margin == self.chosen else "normal"
            ax.annotate(f"{margin:g}", place, (0, 8), **above, weight=weight)
        if self.max_error is not None:
            ax.axhline(self.max_error, color=SECOND, linestyle=":", zorder=0)
        heights = [*self.errors[shown], *self.observed[~np.isnan(self.observed)], 0.01]
        ax.set(xlim=(0, 1.03), ylim=(0, 1.25 * max(heights)), ylabel="error among accepted points")
        ax.set_xlabel("share of points accepted (numbers: margin from which on)")
        ax.legend(frameon=False, loc="upper left")
