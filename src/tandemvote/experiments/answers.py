"""Which bound should I use, and how far is it from the truth? Two sentences a data set."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import pandas as pd

from tandemvote.experiments.beyond_table import beyond_summary

HELD_OUT_BOUNDS = MappingProxyType(
    {
        "sharp_first_order": "first_order",
        "sharp_tandem": "tandem",
        "c_box": "c_box",
        "second_order": "second_order",
    }
)
"""Columns of the bounds from held-out votes alone, in their sharpened form, and their names."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a data set's rows say, in means over its repetitions.

    Attributes
    ----------
    test_risk : float
        The nearest to the truth that there is.
    held_out_name, held_out : str, float
        The tightest bound from held-out votes alone.
    published : float
        The tighter of FO and TND as published.
    vote_profile, dirichlet, test_set : float
        Bounds by that name.
    weighted_vote_profile : float
        Vote profile of the vote whose weights minimise the tandem bound.
    n_test : int
        Test points, whose labels `test_set` spends, and `dirichlet` half of them.
    """

    test_risk: float
    held_out_name: str
    held_out: float
    published: float
    vote_profile: float
    dirichlet: float
    test_set: float
    weighted_vote_profile: float
    n_test: int

    @classmethod
    def of(cls, means: pd.Series) -> Answer:
        """Read an answer off the means of a data set."""
        column = min(HELD_OUT_BOUNDS, key=lambda name: float(means[name]))
        return cls(
            test_risk=float(means["test_risk"]),
            held_out_name=HELD_OUT_BOUNDS[column],
            held_out=float(means[column]),
            published=float(min(means["first_order"], means["tandem"])),
            vote_profile=float(means["vote_profile"]),
            dirichlet=float(means["dirichlet"]),
            test_set=float(means["test_set"]),
            weighted_vote_profile=float(means["weighted_vote_profile"]),
            n_test=round(means["n_test"]),
        )

    @property
    def gain(self) -> float:
        """Vote profile over the tighter of FO and TND as published."""
        return self.vote_profile / self.published

    def sentences(self) -> str:
        """Return the two sentences.

        Examples
        --------
        >>> print(Answer(
        ...     test_risk=0.0353, held_out_name="tandem", held_out=0.4123, published=0.4160,
        ...     vote_profile=0.1449, weighted_vote_profile=0.1412, dirichlet=0.0635,
        ...     test_set=0.0406, n_test=4000,
        ... ).sentences())  # doctest: +NORMALIZE_WHITESPACE
        Take `vote_profile` if there are unlabelled points (0.145, 4.1 times the test risk of
        0.035), else `tandem` (0.412, 12 times). If 4,000 labels can be spared, they make a test set
        (0.041, 1.15 times), or half of them fit weights that `dirichlet` certifies (0.064).
        """
        truth = (
            f"the test risk of {number(self.test_risk)}"
            if self.test_risk > 0
            else "while no test point was misjudged"
        )
        profile = f"{number(self.vote_profile)}, {self._times(self.vote_profile)}{truth}"
        held_out = self._in_brackets(self.held_out)
        if self.vote_profile < self.held_out:
            first = (
                f"Take `vote_profile` if there are unlabelled points ({profile}), else "
                f"`{self.held_out_name}` {held_out}."
            )
        else:
            first = (
                f"Take `{self.held_out_name}` {held_out}: unlabelled points do not help here, as "
                f"`vote_profile` says {profile}."
            )
        return (
            f"{first} If {self.n_test:,} labels can be spared, they make a test set "
            f"{self._in_brackets(self.test_set)}, or half of them fit weights that `dirichlet` "
            f"certifies ({number(self.dirichlet)})."
        )

    def _times(self, value: float) -> str:
        """Say how many times the test risk a value is, if that can be said."""
        if not self.test_risk > 0:
            return ""
        ratio = value / self.test_risk
        decimals = 0 if ratio >= 9.95 else 1 if ratio >= 1.95 else 2
        return f"{ratio:.{decimals}f} times "

    def _in_brackets(self, value: float) -> str:
        times = self._times(value).strip()
        return f"({number(value)}, {times})" if times else f"({number(value)})"


def all_answers(rows: pd.DataFrame) -> dict[str, Answer]:
    """Answer for every data set that has rows.

    Parameters
    ----------
    rows : DataFrame
        The table ``beyond``, one row a repetition.
    """
    means = beyond_summary(rows).xs("mean", axis=1, level=1)
    return {str(name): Answer.of(line) for name, line in means.iterrows()}


def number(value: float) -> str:
    """Write a rate: three decimals, or two digits where these would not show it.

    Examples
    --------
    >>> number(0.1449), number(0.0353), number(0.00296), number(0.0), number(1.0)
    ('0.145', '0.035', '0.0030', '0', '1')
    """
    if value in (0.0, 1.0):
        return f"{value:.0f}"
    if value >= 0.01:
        return f"{value:.3f}"
    decimals = next(places for places in range(3, 17) if value >= 10.0**-places) + 1
    return f"{value:.{decimals}f}"
