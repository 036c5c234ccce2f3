"""The guarantee of every true class on one line of errors, against test errors where known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.certificate.by_class import ClassCertificates
from tandemvote.certificate.decimals import rounded_up
from tandemvote.counting.counts import FloatArray
from tandemvote.displays.display import Display, open_frame
from tandemvote.displays.palette import ACCENT, MUTED, SECOND
from tandemvote.extras import import_extra

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


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
            Labels of test points, and what the vote says about them.
        """
        labels = tuple(each.label for each in certificates)
        errors = None
        if y_test is not None:
            truth, said = np.asarray(y_test), np.asarray(predicted)
            errors = np.array([_error(truth == label, said != truth) for label in labels])
        return cls(
            labels=labels,
            values=np.array([each.value for each in certificates]),
            n_points=np.array([each.n_points for each in certificates]),
            test_errors=errors,
        )

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches: a line a class."""
        return 6.0, 1.1 + 0.35 * len(self.labels)

    def frame(self) -> pandas.DataFrame:
        """One row a class: bound, number of points, and test error where known."""
        pandas = import_extra("pandas", "report")
        columns = {"value": self.values, "n_points": self.n_points}
        if self.test_errors is not None:
            columns["test_error"] = self.test_errors
        return pandas.DataFrame(columns, index=pandas.Index(self.labels, name="class"))

    @property
    def description(self) -> str:
        """The picture in words."""
        shown = zip(self.labels, self.values, self.n_points, strict=True)
        listed = ", ".join(f"{label} {_words(value)} ({n} points)" for label, value, n in shown)
        if self.test_errors is None:
            return f"Errors by true class, at most: {listed}."
        tested = zip(self.labels, self.test_errors, strict=True)
        known = ", ".join(f"{label} {error:.3f}" for label, error in tested if not np.isnan(error))
        return f"Errors by true class, at most: {listed}. On test points: {known}."

    def _draw(self, ax: Axes) -> None:
        for row, value in enumerate(self.values):
            colour = ACCENT if value < 1.0 else MUTED
            ax.plot([0, value], [row, row], color=colour, linewidth=2)
            ax.plot(value, row, "o", color=colour, markersize=7)
            ax.annotate(
                _words(value), (value, row), xytext=(8, 0), textcoords="offset points", va="center"
            )
        if self.test_errors is not None:
            rows = np.arange(len(self.labels))
            ax.plot(
                self.test_errors,
                rows,
                "D",
                color=SECOND,
                markersize=5,
                label="error on test points",
            )
            ax.legend(loc="lower right", bbox_to_anchor=(1, 1), frameon=False, borderpad=0)
        names = [f"{label} (n = {n})" for label, n in zip(self.labels, self.n_points, strict=True)]
        ax.set_yticks(range(len(names)), names)
        largest = float(self.values.max())
        # Room to the right for the number, or for the words that stand in for a value of 1.
        ax.set_xlim(0, 1.45 if largest >= 1.0 else 1.2 * largest)
        if largest >= 1.0:
            ax.set_xticks([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
        ax.set_ylim(len(names) - 0.4, -0.6)
        ax.set_xlabel("error on points of this true class, at most")
        ax.tick_params(axis="y", length=0)
        open_frame(ax)
        ax.spines["left"].set_visible(False)


def _error(own: NDArray[np.bool_], wrong: NDArray[np.bool_]) -> float:
    return float(wrong[own].mean()) if own.any() else float("nan")


def _words(value: float) -> str:
    return "no guarantee" if value >= 1.0 else rounded_up(value)
