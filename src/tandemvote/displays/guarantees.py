"""Guarantees side by side: all bounds of one vote, or the bound of every true class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.bounds import BoundValue, get_bound
from tandemvote.certificate.by_class import ClassCertificates
from tandemvote.certificate.certificate import TEST_SET, Certificate
from tandemvote.certificate.decimals import rounded_up
from tandemvote.counting.counts import FloatArray
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
        _draw_lines(
            ax,
            [f"{name} ({value.label})" for name, value in self.bounds.items()],
            [value.value for value in self.bounds.values()],
            marked=[name == self.chosen for name in self.bounds],
        )
        ax.set_xlabel("error rate of the vote, at most")
        if self.test_risk is not None:
            words = "error on the test set"
            ax.axvline(self.test_risk, color=SECOND, linestyle="--", label=words, zorder=0)
            ax.legend(loc="lower right", bbox_to_anchor=(1, 1), frameon=False, borderpad=0)


@dataclass(eq=False, kw_only=True)
class PerClassDisplay(Display):
    """How often the vote can err on the points of each true class.

    Attributes
    ----------
    labels : tuple
        The classes, in the order of the picture.
    values : ndarray of shape (n_classes,)
        Upper bounds of the error on points of each class, which hold together; 1 says nothing.
    n_points : ndarray of int, shape (n_classes,)
        Labelled points of each class behind them.
    test_errors : ndarray of shape (n_classes,) or None
        Error rate on test points of each class, NaN where there are none.

    Examples
    --------
    >>> display = PerClassDisplay(
    ...     labels=("a", "b"), values=np.array([0.1, 1.0]), n_points=np.array([900, 7])
    ... )
    >>> display.description
    'Errors by true class, at most: a 0.101 (900 points), b no guarantee (7 points).'
    """

    labels: tuple[Any, ...]
    values: FloatArray
    n_points: NDArray[np.int64]
    test_errors: FloatArray | None = None

    @classmethod
    def from_certificates(
        cls,
        certificates: ClassCertificates,
        y_test: ArrayLike | None = None,
        predicted: ArrayLike | None = None,
    ) -> PerClassDisplay:
        """Take the guarantees of `certify_per_class`.

        Parameters
        ----------
        certificates : ClassCertificates
        y_test, predicted : array_like of shape (n_samples,), optional
            Labels of test points, and the predictions of the vote.
        """
        labels = tuple(each.label for each in certificates)
        errors = None
        if y_test is not None:
            truth, said = np.asarray(y_test), np.asarray(predicted)
            wrong = [said[truth == label] != label for label in labels]
            errors = np.array([own.mean() if own.size else np.nan for own in wrong])
        return cls(
            labels=labels,
            values=np.array([each.value for each in certificates]),
            n_points=np.array([each.n_points for each in certificates]),
            test_errors=errors,
        )

    def _size(self) -> tuple[float, float]:
        return 6.0, 1.1 + 0.35 * len(self.labels)

    def _words(self) -> str:
        shown = zip(self.labels, self.values, self.n_points, strict=True)
        listed = ", ".join(f"{label} {_at_most(value)} ({n} points)" for label, value, n in shown)
        if self.test_errors is None:
            return f"Errors by true class, at most: {listed}."
        tested = zip(self.labels, self.test_errors, strict=True)
        known = ", ".join(f"{label} {error:.3f}" for label, error in tested if not np.isnan(error))
        return f"Errors by true class, at most: {listed}. On test points: {known}."

    def _table(self) -> Table:
        columns = {"value": self.values, "n_points": self.n_points}
        if self.test_errors is not None:
            columns["test_error"] = self.test_errors
        return Table(columns, self.labels, "class")

    def _draw(self, ax: Axes) -> None:
        names = [f"{label} (n = {n})" for label, n in zip(self.labels, self.n_points, strict=True)]
        _draw_lines(ax, names, self.values.tolist(), marked=self.values < 1.0)
        ax.set_xlabel("error on points of this true class, at most")
        if self.test_errors is not None:
            rows, words = np.arange(len(names)), "error on test points"
            ax.plot(self.test_errors, rows, "D", color=SECOND, markersize=5, label=words)
            ax.legend(loc="lower right", bbox_to_anchor=(1, 1), frameon=False, borderpad=0)


def _draw_lines(
    ax: Axes, names: Sequence[str], values: Sequence[float], marked: Iterable[bool]
) -> None:
    """Draw one line per name, from 0 to its value, which is written at the end."""
    for row, (value, mark) in enumerate(zip(values, marked, strict=True)):
        colour = ACCENT if mark else MUTED
        ax.plot([0, value], [row, row], color=colour, linewidth=3 if mark else 1.5)
        ax.plot(value, row, "o", color=colour, markersize=8 if mark else 6)
        ax.annotate(
            _at_most(value),
            (value, row),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            weight="bold" if mark else "normal",
        )
    ax.set_yticks(range(len(names)), names)
    # Room to the right for the number, or for the words in place of a value of 1.
    largest = max(values)
    ax.set_xlim(0, 1.7 if largest >= 1.0 else 1.2 * largest)
    if largest >= 1.0:
        ax.set_xticks([0.0, 0.5, 1.0])
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    open_frame(ax)
    ax.spines["left"].set_visible(False)


def _at_most(value: float) -> str:
    return "no guarantee" if value >= 1.0 else rounded_up(value)
