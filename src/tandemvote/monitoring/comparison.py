"""A paired comparison of classifiers on one test set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any, Protocol, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.auditing import Finding
from tandemvote.certificate.rendering import as_text, rate
from tandemvote.metrics.difference import difference_lower
from tandemvote.metrics.planning import labels_needed
from tandemvote.models.groups_and_times import group_codes
from tandemvote.models.held_out import Samples, held_out_votes
from tandemvote.models.splitting import one_row_per_group
from tandemvote.record.assumptions import DRAW, ONE_ROW_PER_GROUP
from tandemvote.votes.codes import as_array
from tandemvote.votes.confidence import failure_probability
from tandemvote.votes.decimals import percent, rounded_down, rounded_up
from tandemvote.votes.printable import printable
from tandemvote.votes.votes import Votes, check_predicts_labels, select_samples

ASSUMPTIONS = (
    "The test samples are independent draws from the distribution of new data.",
    "Neither model was trained, tuned or chosen with the test samples.",
)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The result of comparing classifier B with classifier A on one test set.

    Attributes
    ----------
    names : tuple of str
        Names of A and B.
    n_samples : int
        Number of test samples.
    n_errors : tuple of int
        Errors of A and of B.
    n_gains, n_losses : int
        Samples on which only A is wrong, and on which only B is wrong.
    delta : float
        Failure probability of `lower` and `upper` together.
    one_row_per_group : bool
        Whether the samples are one random row of each of many groups.
    findings : tuple of Finding
        What the audit of the samples found, overridden errors included.

    Examples
    --------
    >>> compare([0, 1, 1, 0] * 50, [0, 1, 1, 1] * 50, y=[0, 1, 1, 1] * 50).verdict
    'B is better than A by at least 14.4 percentage points.'
    """

    names: tuple[str, str]
    n_samples: int
    n_errors: tuple[int, int]
    n_gains: int
    n_losses: int
    delta: float
    one_row_per_group: bool = False
    findings: tuple[Finding, ...] = ()

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Conditions that code cannot check."""
        return (ONE_ROW_PER_GROUP, ASSUMPTIONS[1], DRAW) if self.one_row_per_group else ASSUMPTIONS

    @property
    def difference(self) -> float:
        """Observed error rate of A minus that of B; positive if B is better."""
        return (self.n_errors[0] - self.n_errors[1]) / self.n_samples

    @property
    def lower(self) -> float:
        """Lower limit of the error rate of A minus that of B, at half of delta."""
        return difference_lower(self.n_gains, self.n_losses, self.n_samples, self.delta / 2)

    @property
    def upper(self) -> float:
        """Upper limit of the same difference, at the other half of delta."""
        return -difference_lower(self.n_losses, self.n_gains, self.n_samples, self.delta / 2)

    @property
    def samples_needed(self) -> int | None:
        """Number of test samples that would show the observed difference, with power 0.8.

        None if no difference is observed. Two digits are significant.
        """
        n_discordant, fewer = self.n_gains + self.n_losses, min(self.n_gains, self.n_losses)
        if 2 * fewer == n_discordant:
            return None
        # A direction is shown if the share of the rarer kind is shown to be below 1/2.
        needed = labels_needed(fewer / n_discordant, 0.5, confidence=1.0 - 0.45 * self.delta)
        total = needed * self.n_samples / n_discordant
        unit = 10 ** max(0, int(np.log10(total)) - 1)
        return int(np.ceil(total / unit) * unit)

    @property
    def verdict(self) -> str:
        """The result in one sentence."""
        a, b = self.names
        if self.lower > 0:
            return f"{b} is better than {a} by at least {_points(self.lower)}."
        if self.upper < 0:
            return f"{a} is better than {b} by at least {_points(-self.upper)}."
        if self.samples_needed is None:
            return f"No difference between {a} and {b} is shown or observed."
        return (
            f"Not shown which of {a} and {b} is better; about {self.samples_needed:,}"
            f" {'groups' if self.one_row_per_group else 'test samples'} would show a difference as"
            " large as the observed one."
        )

    @property
    def lines(self) -> list[str]:
        """Numbers behind the verdict, one line each."""
        (a, b), (errors_a, errors_b) = self.names, self.n_errors
        n = self.n_samples
        unit = "groups, one random row each" if self.one_row_per_group else "test samples"
        lower = Decimal(rounded_down(100 * Decimal(self.lower), 2))
        upper = Decimal(rounded_up(100 * Decimal(self.upper), 2))
        return [
            f"error {rate(errors_a / n)} ({a}), {rate(errors_b / n)} ({b}) on {n} {unit}",
            f"only {a} is wrong on {self.n_gains}, only {b} on {self.n_losses}",
            f"{percent(self.delta)} limits of the difference: {lower:+} to {upper:+} percentage"
            f" points (observed {100 * self.difference:+.2f})",
            *map(str, self.findings),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the counts, the limits, the verdict and the assumptions as JSON values."""
        results = ("difference", "lower", "upper", "samples_needed", "verdict", "assumptions")
        return asdict(self) | {name: getattr(self, name) for name in results}

    def __repr__(self) -> str:
        return as_text(self.verdict, self.lines)


class Predictor(Protocol):  # noqa: D101
    def predict(self, X: Any, /) -> Any: ...  # noqa: D102


class Array(Protocol):  # noqa: D101
    def __array__(self, *args: Any, **kwargs: Any) -> Any: ...


class Options(TypedDict, total=False):  # noqa: D101
    groups: ArrayLike | None
    confidence: float
    allow: Sequence[str]


Candidate = Predictor | Array
Candidates = Sequence[Candidate | list[Any]]
Classes = Sequence[str | float]


@overload
def compare(
    model_a: Any, model_b: Candidate, X: Any = None, y: Any = None, **options: Unpack[Options]
) -> Comparison: ...
@overload
def compare(
    model_a: Any, model_b: Candidates, X: Any = None, y: Any = None, **options: Unpack[Options]
) -> list[Comparison]: ...
@overload
def compare(
    model_a: Any, model_b: Classes, X: None = None, *, y: Any, **options: Unpack[Options]
) -> Comparison: ...
def compare(
    model_a: Any,
    model_b: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    confidence: float = 0.95,
    allow: Sequence[str] = (),
) -> Comparison | list[Comparison]:
    """Show which of two classifiers has the smaller error rate, and by how much at least.

    Both predict the same test samples, and only those count on which exactly one is right. Both
    directions hold together, each at half of the failure probability.

    Parameters
    ----------
    model_a : classifier or array_like of shape (n_samples,)
        The classifier in use, or its predicted classes.
    model_b : classifier, array_like of shape (n_samples,), or list of these
        The candidate. Several candidates share the failure probability.
    X : array_like, default=None
        Samples that no model was trained on. Not for predicted classes.
    y : array_like of shape (n_samples,)
        True labels.
    groups : array_like of shape (n_samples,), default=None
        Group of each sample, such as the patient, where samples of one group belong together. One
        random row of each group is tested.
    confidence : float, default=0.95
        Probability with which all limits hold.
    allow : sequence of str, default=()
        Codes of errors of `audit` to override, such as "identifier". The comparison records them.

    Returns
    -------
    Comparison or list of Comparison
        One comparison with `model_a` per candidate; a list if `model_b` is a list.

    See Also
    --------
    certify : Bound the error rate of one model.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_digits(return_X_y=True)
    >>> a, b = (model.fit(X[:900], y[:900]) for model in (DummyClassifier(), GaussianNB()))
    >>> compare(a, b, X[900:], y[900:]).verdict
    'GaussianNB is better than DummyClassifier by at least 64.2 percentage points.'
    """
    several = isinstance(model_b, list | tuple) and any(
        hasattr(each, "predict") or np.ndim(each) == 1 for each in model_b
    )
    candidates, samples = model_b if several else [model_b], Samples(X, y, groups, allow=allow)
    results = compare_all([model_a, *candidates], samples, confidence=confidence)
    return results if several else results[0]


def compare_all(
    given: Sequence[Any],
    samples: Samples,
    *,
    confidence: float = 0.95,
    names: Sequence[str] | None = None,
) -> list[Comparison]:
    """Compare the first of several models, or of their predictions, with each of the others."""
    delta = failure_probability(confidence)
    votes, findings = _votes(given, samples)
    names = names or _names(given)
    a, *others = votes.errors
    return [
        Comparison(
            names=(names[0], name),
            n_samples=votes.n_samples,
            n_errors=(int(a.sum()), int(b.sum())),
            n_gains=int((a & ~b).sum()),
            n_losses=int((b & ~a).sum()),
            delta=delta / len(others),
            one_row_per_group=samples.groups is not None,
            findings=findings,
        )
        for name, b in zip(names[1:], others, strict=True)
    ]


def _votes(given: Sequence[Any], samples: Samples) -> tuple[Votes, tuple[Finding, ...]]:
    """Return the predictions of models, or predictions as they are, on the test samples."""
    X, y, groups, *_ = samples
    models = [hasattr(each, "predict") for each in given]
    if all(models) and X is not None:
        return held_out_votes(given, samples)
    if any(models) or X is not None or y is None or len(given) < 2:
        raise ValueError(
            "compare requires labels, and two models or more: fitted models with X and y, or"
            " predicted classes with y alone. Pass every model, or model.predict(X) for every one."
        )
    for each in given:
        if np.shape(each) != np.shape(y):
            raise ValueError(
                f"Predictions have shape {np.shape(each)} and y has {np.shape(y)}. Pass one"
                " predicted class per sample; probabilities are not supported."
            )
    votes = Votes.from_predictions([as_array(each) for each in given], y)
    check_predicts_labels(votes)
    if groups is not None:
        contents = [*votes.predictions, votes.labels, groups]
        votes = select_samples(votes, one_row_per_group(group_codes(groups, y), contents))
    return votes, ()


def _names(given: Sequence[Any]) -> list[str]:
    """Return the models' class names if they differ, else A, B or A, B1, B2, ..."""
    names = [printable(type(each).__name__) for each in given]
    if hasattr(given[0], "predict") and len(set(names)) == len(names):
        return names
    return ["A", "B"] if len(given) == 2 else ["A", *(f"B{i}" for i in range(1, len(given)))]


def _points(difference: float) -> str:
    """Return a positive difference in percentage points, rounded down."""
    decimals = 1 if difference >= 0.001 else 6
    return f"{rounded_down(100 * Decimal(difference), decimals)} percentage points"
