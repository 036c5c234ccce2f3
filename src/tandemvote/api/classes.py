"""From any vote to a guarantee for every true class."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.assumptions import standard_assumptions
from tandemvote.bounds import BoundValue, VacuousBoundWarning, get_bound
from tandemvote.bounds.automatic import AUTO
from tandemvote.bounds.requirements import missing
from tandemvote.bounds.sharpening import HARMONIC
from tandemvote.certificate.by_class import (
    ClassCertificates,
    ClassGuarantee,
)
from tandemvote.certificate.certificate import BEST, TEST_SET, VOTE_PROFILE
from tandemvote.certification import (
    UNIFORM,
    CertificateRequest,
    Certification,
    as_one_voter,
    certify_votes,
)
from tandemvote.counting.counts import INTEGER_FIELDS, FloatArray, VoteCounts
from tandemvote.ensembles.evidence import (
    evidence,
    is_certified,
    own_predict_note,
    votes_on_test_set,
)
from tandemvote.votes import Votes


class ClassCounts(NamedTuple):
    """Counts of the votes on the points of one true class; all 0 if there are none."""

    label: Any
    n_points: int
    counts: VoteCounts


def certify_per_class(
    model: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    X_test: Any = None,
    y_test: ArrayLike | None = None,
    weights: str | ArrayLike | None = None,
    bound: str | Sequence[str] = "auto",
    prior: ArrayLike | None = None,
    delta: float = 0.05,
    sharpening: str = HARMONIC,
) -> ClassCertificates:
    """Certify the error of the hard weighted vote on the points of each true class.

    Parameters
    ----------
    model : fitted certified classifier, fitted ensemble, sequence of fitted classifiers, or Votes
        As in `certify`. A certified classifier has kept the votes of its `fit` and needs no X and
        y. Of any classifier at all ``Votes.from_predictions([model.predict(X_test)], y_test)``
        gives the bound "test_set".
    X, y : array_like, optional
        As in `certify`.
    X_test, y_test : array_like, optional
        Labelled points used for nothing else, for the bound "test_set".
    weights : {"uniform", "first_order", "tandem", "disagreement"} or array_like, optional
        One weight per voter, the same for all classes. By default those of a certified classifier,
        else uniform. A name minimises that bound over all points, which costs no confidence.
    bound, prior, sharpening
        As in `certify`. Every bound holds for the points of one class as it does for all.
    delta : float in (0, 1)
        Probability with which any of the guarantees may fail; each class is given its share.

    Returns
    -------
    ClassCertificates

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.choice(["frequent", "rare"], p=[0.9, 0.1], size=5000)
    >>> other = np.where(labels == "rare", "frequent", "rare")
    >>> wrong = rng.random((25, 5000)) < np.where(labels == "rare", 0.3, 0.05)
    >>> certify_per_class(Votes.from_predictions(np.where(wrong, other, labels), labels))
    errors by true class, all at once with probability 95 %
      the hard weighted vote of 25 voters; each of 2 classes at delta / 2
    <BLANKLINE>
        class     points  error <=  bound
        frequent    4513   0.00082  TEST
        rare         487     0.046  TEST
      note: Test-set labels: 5000 set aside for the test-set bound.
    """
    names = (bound,) if isinstance(bound, str) else tuple(bound)
    if not names:
        raise ValueError("bound is empty. Name at least one bound, or say 'best'.")
    if VOTE_PROFILE in names:
        raise ValueError(
            "The bound 'vote_profile' looks at unlabelled points, whose class is unknown. Choose"
            " another bound, or pass a test set and say bound='test_set'."
        )
    if X_test is not None and not {AUTO, BEST, TEST_SET} & set(names):
        raise ValueError(
            f"A test set is given and bound={', '.join(names)} does not look at it. Say"
            " bound='test_set', or name several: each then pays for the choice."
        )
    request = CertificateRequest(
        weights=UNIFORM if weights is None else weights,
        bound=bound,
        prior=prior,
        delta=delta,
        sharpening=sharpening,
    )
    found = evidence(model, X, y)
    own_weights = is_certified(model) and weights is None and prior is None
    if is_certified(model) and not own_weights and TEST_SET in names and X_test is None:
        raise ValueError(
            "Other weights may have been chosen on the points of fit, so these are no test set for"
            " them. Pass X_test and y_test, or choose another bound."
        )
    test_votes = votes_on_test_set([model] if own_weights else model, X, X_test, y_test)
    if isinstance(model, Votes) and model.n_voters == 1 and TEST_SET in names:
        test_votes = model  # the vote's own predictions on a test set
    labelled = replace(found.votes, unlabelled=found.votes.unlabelled[:, :0])
    with warnings.catch_warnings():
        # The table says it in words, rather than once per class.
        warnings.simplefilter("ignore", VacuousBoundWarning)
        if own_weights:
            kept = model.certification_
            request = replace(request, weights=kept.request.weights, prior=kept.request.prior)
            whole = replace(
                kept,
                request=request,
                votes=labelled,
                profile=None,
                test_votes=kept.test_votes if test_votes is None else test_votes,
                notes=found.notes,
            )
        else:
            whole = certify_votes(
                labelled,
                request,
                test_votes=test_votes,
                notes=found.notes,
                assumptions=found.assumptions,
            )
        own = own_predict_note(
            model, whole.certificate.predict, test=X_test, unlabelled=None, training=X
        )
    classes = certify_classes(whole)
    return replace(classes, notes=(*classes.notes, *own))


def certify_classes(whole: Certification) -> ClassCertificates:
    """Certify each true class with the votes, weights and bounds of a certification.

    Only the points of each class are counted; nothing else is computed again.
    """
    if whole.votes is None:
        raise ValueError(
            "The votes were not kept, so the points of each class cannot be counted. Certify votes"
            " that fit in memory."
        )
    with warnings.catch_warnings():
        # The table says it in words, rather than once per class.
        warnings.simplefilter("ignore", VacuousBoundWarning)
        return ClassCertificates(
            guarantees=_certify_classes(whole.votes, whole),
            delta=whole.request.delta,
            weights=whole.weights,
            assumptions=(
                *standard_assumptions(by_class=True, test_set=whole.test_votes is not None),
                *whole.assumptions,
            ),
            notes=tuple(whole.certificate.notes),
        )


def _certify_classes(votes: Votes, whole: Certification) -> tuple[ClassGuarantee, ...]:
    """Certify every class on its own points, at its share of delta."""
    weights = whole.weights
    tested = whole.test_votes
    if tested is not None:
        tested = as_one_voter(tested, weights)
    classes = votes.classes if tested is None else np.union1d(votes.classes, tested.classes)
    shared = replace(
        whole.request,
        bound=whole.certificate.candidates,
        delta=whole.request.delta / len(classes),
    )
    counted = class_counts(votes, classes)
    untested = [found._replace(n_points=0) for found in counted]
    test_counted = untested if tested is None else class_counts(tested, classes)
    return tuple(
        _certify_class(of_class, test_of_class, shared, weights)
        for of_class, test_of_class in zip(counted, test_counted, strict=True)
    )


def _certify_class(
    held_out: ClassCounts, tested: ClassCounts, request: CertificateRequest, weights: FloatArray
) -> ClassGuarantee:
    """Take the smallest of the bounds asked for, each at its share of the delta of the class."""
    share = request.delta / len(request.bound)
    found: dict[str, BoundValue] = {}
    for name in request.bound:
        if name != TEST_SET:
            found[name] = get_bound(name)(
                held_out.counts, weights, request.prior, share, request.sharpening
            )
        elif tested.n_points and tested.counts.n_min:
            found[name] = get_bound(name)(tested.counts, delta=share)
    best = min(found, key=lambda name: found[name].value, default=TEST_SET)
    source = tested if best == TEST_SET else held_out
    value = found[best].value if found else 1.0
    return ClassGuarantee(
        label=held_out.label,
        value=value,
        bound=best,
        delta=request.delta,
        bounds=found,
        n_points=source.n_points,
        remark=_remark(best, source) if value >= 1.0 else "",
    )


def _remark(bound: str, counted: ClassCounts) -> str:
    """Say why nothing was shown."""
    if counted.n_points == 0:
        return f"no {'test ' if bound == TEST_SET else ''}point of this class"
    if counted.counts.n_min == 0:
        return "a voter was trained on all points of this class"
    if missing(get_bound(bound).needs, counted.counts):
        return "two voters share no held-out point of this class"
    return "too few points, or too many errors"


def class_counts(votes: Votes, classes: NDArray[Any]) -> list[ClassCounts]:
    """Count the votes on the points of each true class by itself.

    Unlabelled points are left out: they come from all classes, and a disagreement on points of
    another class says nothing about this one.

    Parameters
    ----------
    votes : Votes
    classes : ndarray, shape (n_classes,)
        The labels to count for, those of the votes among them. The theorems for two classes need
        to know how many there are, also on points of a single one.

    Examples
    --------
    >>> votes = Votes.from_predictions([["a", "b", "b"], ["b", "b", "b"]], ["a", "a", "b"])
    >>> for found in class_counts(votes, votes.classes):
    ...     print(found.label, found.n_points, found.counts.errors.tolist())
    a 2 [1, 2]
    b 1 [0, 0]
    """
    wrong, true_classes = votes.errors, votes.classes[votes.labels]
    found = []
    for label in classes:
        points = true_classes == label
        counts = _count(wrong[:, points], votes.held_out[:, points])
        name = label.item() if isinstance(label, np.generic) else label
        found.append(ClassCounts(name, int(points.sum()), replace(counts, classes=classes)))
    return found


def _count(wrong: NDArray[np.bool_], held_out: NDArray[np.bool_]) -> VoteCounts:
    """Count with "right" and "wrong" for labels, as fast for many classes as for two.

    Given the true class this is all that errors and common errors depend on. Different labels count
    with two classes alone, where they are the same as one right and one wrong.
    """
    if wrong.shape[1]:
        return VoteCounts.from_votes(
            Votes(
                predictions=wrong.astype(np.uint8),
                labels=np.zeros(wrong.shape[1], np.uint8),
                held_out=held_out,
                classes=np.arange(2),
                unlabelled=np.zeros((len(wrong), 0), np.uint8),
            )
        )
    one_point = VoteCounts.from_votes(Votes.from_predictions(np.zeros((len(wrong), 1)), [0]))
    return replace(
        one_point, **{name: np.zeros_like(getattr(one_point, name)) for name in INTEGER_FIELDS}
    )
