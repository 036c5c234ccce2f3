"""All bounds of one vote, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from tandemvote.bounds import BoundValue, get_bound
from tandemvote.certificate.certificate import TEST_SET, Certificate
from tandemvote.certificate.decimals import rounded_up
from tandemvote.displays.display import ACCENT, MUTED, SECOND, Display, Table, open_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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

    Examples
    --------
    >>> import numpy as np
    >>> from tandemvote import Certificate, VoteCounts, Votes
    >>> labels = np.arange(600) % 2
    >>> flips = np.random.default_rng(0).random((9, 600)) < 0.1
    >>> counts = VoteCounts.from_votes(Votes.from_predictions(labels ^ flips, labels))
    >>> display = BoundsDisplay.from_certificate(Certificate.from_counts(counts))
    >>> display.chosen, display.frame().loc["tandem", "label"]
    ('coalition', 'TND')
    """

    bounds: Mapping[str, BoundValue]
    chosen: str
    test_risk: float | None = None

    @classmethod
    def from_certificate(
        cls, certificate: Certificate, *, test_risk: float | None = None
    ) -> BoundsDisplay:
        """Take the bounds of a certificate.

        Parameters
        ----------
        certificate : Certificate
        test_risk : float, optional
            Error rate of the vote on a test set; by default the one behind the certificate's own
            test-set bound, if it has one.
        """
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
            f"{value.label} {rounded_up(value.value)}" for value in self.bounds.values()
        )
        risk = "" if self.test_risk is None else f" Test risk: {rounded_up(self.test_risk)}."
        return f"Bounds on the error of the vote: {listed}. Chosen: {self.chosen}.{risk}"

    def _table(self) -> Table:
        values = self.bounds.values()
        columns = {
            "label": [value.label for value in values],
            "value": [value.value for value in values],
            "delta": [value.delta for value in values],
            "chosen": [name == self.chosen for name in self.bounds],
            "labels_used": [get_bound(name).labels_used for name in self.bounds],
        }
        return Table(columns, list(self.bounds), "bound")

    def _draw(self, ax: Axes) -> None:
        for row, (name, bound) in enumerate(self.bounds.items()):
            mark = name == self.chosen
            colour = ACCENT if mark else MUTED
            ax.plot([0, bound.value], [row, row], color=colour, linewidth=3 if mark else 1.5)
            ax.plot(bound.value, row, "o", color=colour, markersize=8 if mark else 6)
            ax.annotate(
                "no guarantee" if bound.value >= 1.0 else rounded_up(bound.value),
                (bound.value, row),
                xytext=(8, 0),
                textcoords="offset points",
                va="center",
                weight="bold" if mark else "normal",
            )
        names = [f"{name} ({value.label})" for name, value in self.bounds.items()]
        ax.set_yticks(range(len(names)), names)
        # Room to the right for the number, or for the words in place of a value of 1.
        largest = max(value.value for value in self.bounds.values())
        ax.set_xlim(0, 1.7 if largest >= 1.0 else 1.2 * largest)
        if largest >= 1.0:
            ax.set_xticks([0.0, 0.5, 1.0])
        ax.set_ylim(len(names) - 0.4, -0.6)
        ax.tick_params(axis="y", length=0)
        open_frame(ax)
        ax.spines["left"].set_visible(False)
        ax.set_xlabel("error rate of the vote, at most")
        if self.test_risk is not None:
            words = "error on the test set"
            ax.axvline(self.test_risk, color=SECOND, linestyle="--", label=words, zorder=0)
            ax.legend(loc="lower right", bbox_to_anchor=(1, 1), frameon=False, borderpad=0)
