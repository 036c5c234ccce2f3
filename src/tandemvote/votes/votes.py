"""The predictions of each voter, and the samples that it was not trained on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.votes.codes import (
    LABEL_THEM,
    Codes,
    as_array,
    check_not_missing,
    check_same_words,
    comparable,
    distinct,
    encode,
)
from tandemvote.votes.index_order import check_same_order, index_of
from tandemvote.votes.parameter_error import ParameterError

PredictCodes = Callable[[Any], tuple[Codes, NDArray[Any]]]
"""Function from samples to codes that voters predict, (n_voters, n_samples), and the classes."""

SMALLEST, REFEREE = "smallest", "referee"
TIES = (SMALLEST, REFEREE)
"""Rules for ties: the smallest of the tied classes wins, or a referee that nobody tests names one
of them."""

KIND = ("ties", "one_row_per_group", "latest", "group")
"""Attributes of votes that are equal in all parts of a whole."""


@dataclass(frozen=True, eq=False)
class Deployed:
    """A classifier to be certified through the voters, and its predictions on unlabeled samples."""

    name: str
    predictions: Codes  # shape (n_unlabeled,)
    predict: Callable[[Any], Any] | None = None  # from samples to labels, if available


@dataclass(frozen=True, eq=False)
class Votes:
    """Predictions of every voter on labeled samples, and on unlabeled ones if there are any.

    Build it with `Votes.from_predictions`. Labels are stored as codes: positions in `classes`.

    Attributes
    ----------
    predictions : ndarray of int, shape (n_voters, n_samples)
        Code of the label each voter predicts; arbitrary where `held_out` is False.
    labels : ndarray of int, shape (n_samples,)
        Code of the true label.
    held_out : ndarray of bool, shape (n_voters, n_samples)
        True where the voter was not trained on the sample: the sets S_h of the paper.
    classes : ndarray, shape (n_classes,)
        The labels behind the codes, sorted: all that occur among `labels` and the predictions.
    unlabeled : ndarray of int, shape (n_voters, n_unlabeled)
        Predicted codes on samples without a label, which no voter was trained on.
    voters : callable or None
        The voters themselves, to predict further samples. None if only predictions are available.
    deployed : Deployed or None
        Another classifier that is to be certified in place of the vote; see `with_deployed`.
    ties : {"smallest", "referee"}
        With "referee", a referee that is not among the voters names one of the tied classes.
    one_row_per_group : bool
        Whether the labeled samples are one random row of each of many groups.
    latest : str or None
        Time of the first labeled samples, if these are the latest ones of all.
    group : str or None
        The group, in words, if the labeled samples were chosen by the group that they belong to.
    rows, n_given : ndarray of int and int, or None
        Positions of the labeled samples among those that were given, and the number of these; None
        if all of them were used.
    index : pandas.Index or None
        Index of the samples that were given, by which columns in another order are recognized.

    Examples
    --------
    >>> votes = Votes.from_predictions([["a", "b"], ["a", "a"]], ["a", "b"])
    >>> votes
    Votes(2 voters, 2 labeled samples, 2 classes)
    >>> votes.errors.tolist()
    [[False, False], [False, True]]
    """

    predictions: Codes
    labels: Codes
    held_out: NDArray[np.bool_]
    classes: NDArray[Any]
    unlabeled: Codes
    voters: PredictCodes | None = None
    deployed: Deployed | None = None
    ties: str = SMALLEST
    one_row_per_group: bool = False
    latest: str | None = None
    group: str | None = None
    rows: NDArray[np.intp] | None = None
    n_given: int | None = None
    index: Any = None

    def __getstate__(self) -> dict[str, Any]:
        """Return what pickles and skops files hold: not the index, which skops cannot keep."""
        return {**vars(self), "index": None}

    @classmethod
    def from_predictions(
        cls,
        predictions: ArrayLike,
        labels: ArrayLike,
        held_out: ArrayLike | None = None,
        *,
        unlabeled: ArrayLike | None = None,
        ties: str = SMALLEST,
    ) -> Votes:
        """Check and encode predictions made anywhere.

        Parameters
        ----------
        predictions : array_like, shape (n_voters, n_samples)
            Labels of any type, one row per voter. Entries that are not held out are ignored and may
            be missing. Where a voter abstains, pass a value that is not a label: it is an error.
        labels : array_like, shape (n_samples,)
            True labels, of the same kind as the predictions: text is compared letter by letter,
            numbers by value. Numbers that a conversion could merge are rejected.
        held_out : array_like of bool, shape (n_voters, n_samples), optional
            True where the voter was not trained on the sample. By default every voter has seen none
            of the samples. The sets must not have been chosen by looking at the data.
        unlabeled : array_like, shape (n_voters, n_unlabeled), optional
            Predictions on unlabeled samples, drawn from the same distribution, that no voter was
            trained on.
        ties : {"smallest", "referee"}
            What breaks ties: "smallest" takes the smallest of the tied classes. "referee" is a
            classifier that is not among the voters and may have been trained on anything; it names
            one of the tied classes. A sample then counts as an error unless the true class is alone
            in first place, so the bound holds for every referee.

        Returns
        -------
        Votes
            The votes.

        Examples
        --------
        >>> Votes.from_predictions([[1, None], [1, 0]], [1, 1], [[True, False], [True, True]])
        Votes(2 voters, 2 labeled samples, 2 classes)
        """
        if ties not in TIES:
            raise ValueError(f"Invalid ties={ties!r}. Use 'smallest' or 'referee'.")
        check_same_order(labels, {"held_out": held_out, "predictions": predictions})
        index = index_of(labels)
        predictions, labels = as_array(predictions), as_array(labels)
        if predictions.shape[1:] != labels.shape or labels.ndim != 1 or not predictions.size:
            raise ValueError(
                f"predictions has shape {predictions.shape} and labels {labels.shape}; expected"
                " (n_voters, n_samples) and (n_samples,), at least one of each. Transpose"
                " predictions if they have one column per voter."
            )
        mask = np.ones(predictions.shape, bool) if held_out is None else np.array(held_out)
        if mask.dtype != bool or mask.shape != predictions.shape:
            raise ValueError(
                f"held_out has shape {mask.shape} and dtype {mask.dtype}; expected booleans of"
                f" shape {predictions.shape}, True where the voter was not trained on the sample."
            )
        check_not_missing(labels, "labels", LABEL_THEM)
        way_out = (
            "Set held_out to False where a voter was trained on the sample. If it abstained, pass a"
            " value that is not a label."
        )
        check_not_missing(predictions, "held-out predictions", way_out, needed=mask)
        coded = [distinct(part) for part in comparable(labels, predictions[mask])]
        words = [part.tolist() for part, _ in coded]
        if coded[0][0].dtype.kind == "U":
            check_same_words(words[1], words[0], labels.size)
        classes = np.unique(np.concatenate([part for part, _ in coded]))
        truth, predicted = (encode(part, classes)[codes] for part, codes in coded)
        # Predictions on samples a voter was trained on mean nothing; the label stands in for them.
        filled = np.broadcast_to(truth, mask.shape).copy()
        filled[mask] = predicted
        votes = cls(filled, truth, mask, classes, filled[:, :0], ties=ties, index=index)
        if unlabeled is None or np.size(unlabeled) == 0:
            return votes
        return votes.with_unlabeled(unlabeled)

    @classmethod
    def from_splits(
        cls, estimators: Any, X: Any, y: ArrayLike, *, splits: Any, X_unlabeled: Any = None
    ) -> Votes:
        """Train every estimator on the training part of every split, and test it on the other part.

        Several estimators, such as one for each value of a hyperparameter, make several voters per
        split. Pairs of voters are tested on samples in both of their test parts, so use large test
        parts: with two thirds of the samples in each, pairs share at least one third.

        Parameters
        ----------
        estimators : classifier or sequence of classifiers
            Unfitted classifiers; they are cloned.
        X, y : array_like
            Samples and their labels, used for training and testing.
        splits : splitter or sequence of pairs of array_like of int
            ``KFold(shuffle=True)``, ``RepeatedKFold`` or ``ShuffleSplit`` of scikit-learn, which do
            not depend on the labels; or positions of training and test samples, which must not
            depend on the data.
        X_unlabeled : array_like, default=None
            Unlabeled samples from the same distribution.

        Returns
        -------
        Votes
            One voter for each split and estimator, in the order of the splits.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.model_selection import ShuffleSplit
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> splits = ShuffleSplit(10, test_size=2 / 3, random_state=0)
        >>> votes = Votes.from_splits(GaussianNB(), X, y, splits=splits)
        >>> votes.n_voters, int(votes.held_out.sum(axis=1).min())
        (10, 380)
        """
        # Scikit-learn begins in `tandemvote.models`, which imports this module.
        trained = import_module("tandemvote.models.split_votes")
        votes: Votes = trained.votes_from_splits(
            estimators, X, y, splits=splits, X_unlabeled=X_unlabeled
        )
        return votes

    @classmethod
    def without_labels(cls, predictions: ArrayLike) -> Votes:
        """Return votes on unlabeled samples only.

        Parameters
        ----------
        predictions : array_like, shape (n_voters, n_unlabeled)
            Labels of any type, one row per voter.

        Returns
        -------
        Votes
            Votes without labeled samples.

        Examples
        --------
        >>> Votes.without_labels([["a", "b", "b"]]).unlabeled.tolist()
        [[0, 1, 1]]
        """
        predicted = as_array(predictions)
        if predicted.ndim != 2 or not predicted.size:
            raise ValueError(
                f"predictions has shape {predicted.shape}; expected (n_voters, n_samples), at"
                " least one of each."
            )
        way_out = "Every voter must predict every unlabeled sample."
        check_not_missing(predicted, "predictions on unlabeled samples", way_out)
        (values,) = comparable(predicted)
        classes, codes = distinct(values)
        empty = codes[:, :0]
        return cls(empty, empty[0], np.zeros(empty.shape, bool), classes, unlabeled=codes)

    @classmethod
    def joined(cls, parts: Iterable[Votes]) -> Votes:
        """Return the votes of the same voters at the samples of all parts, one after the other.

        Parameters
        ----------
        parts : iterable of Votes
            Votes of the same voters on different samples of one kind, with one rule for ties.

        Returns
        -------
        Votes
            The votes on all samples.

        Examples
        --------
        >>> parts = [Votes.from_predictions([["b"]], ["c"]), Votes.from_predictions([["a"]], ["a"])]
        >>> whole = Votes.joined(parts)
        >>> whole.classes[whole.predictions].tolist(), whole.errors.tolist()
        ([['b', 'a']], [[True, False]])
        """
        parts = list(parts)
        for name in KIND:
            if len(values := {getattr(part, name) for part in parts}) > 1:
                shown = " and ".join(sorted(map(repr, values)))
                raise ValueError(f"Cannot join votes with {name} {shown}. Join votes of one kind.")
        classes = np.unique(np.concatenate(comparable(*(part.classes for part in parts))))
        held_out = np.concatenate([part.held_out for part in parts], axis=1)

        def joined(field: str) -> Codes:
            recoded = (encode(part.classes, classes)[getattr(part, field)] for part in parts)
            return np.concatenate(list(recoded), axis=-1)

        arrays = joined("predictions"), joined("labels"), held_out, classes, joined("unlabeled")
        return cls(*arrays, **{name: getattr(parts[0], name) for name in KIND})

    def with_unlabeled(self, predictions: ArrayLike) -> Votes:
        """Return these votes with further predictions on unlabeled samples.

        Parameters
        ----------
        predictions : array_like, shape (n_voters, n_unlabeled)
            Labels, one row per voter, of samples that no voter was trained on.

        Returns
        -------
        Votes
            The votes with these samples after any other unlabeled samples.

        Examples
        --------
        >>> Votes.from_predictions([["a"]], ["a"]).with_unlabeled([["a", "b"]])
        Votes(1 voters, 1 labeled samples, 2 unlabeled samples, 2 classes)
        """
        extra = Votes.without_labels(predictions)
        if extra.n_voters != self.n_voters:
            raise ValueError(
                f"{extra.n_voters} voters predict the unlabeled samples, and {self.n_voters} the"
                " labeled ones. Pass one row for each of the same voters."
            )
        for row in extra.unlabeled:
            predicted = extra.classes[np.unique(row)].tolist()
            check_same_words(predicted, self.classes.tolist(), extra.n_unlabeled)
        extra = replace(extra, **{name: getattr(self, name) for name in KIND})
        same = {name: getattr(self, name) for name in ("voters", "rows", "n_given", "index")}
        return replace(Votes.joined([self, extra]), **same)

    def with_deployed(
        self,
        predictions: ArrayLike,
        *,
        name: str = "the deployed classifier",
        predict: Callable[[Any], Any] | None = None,
    ) -> Votes:
        """Return these votes with the classifier that is certified in place of the vote.

        The classifier must not depend on the unlabeled samples. It may depend on anything else,
        all labels and the voters included.

        Parameters
        ----------
        predictions : array_like of shape (n_unlabeled,)
            Its predictions on the unlabeled samples, in their order.
        name : str, default="the deployed classifier"
            Its name in certificates.
        predict : callable, default=None
            From samples to labels, so that the certificate can predict.

        Returns
        -------
        Votes
            The votes, with the attribute `deployed`.

        Examples
        --------
        >>> votes = Votes.from_predictions([["a", "b"]], ["a", "b"], unlabeled=[["a", "b", "b"]])
        >>> votes.with_deployed(["a", "a", "b"]).deployed.predictions.tolist()
        [0, 0, 1]
        """
        own = Votes.without_labels([as_array(predictions)])
        if own.n_unlabeled != self.n_unlabeled:
            raise ValueError(
                f"The deployed classifier predicts {own.n_unlabeled} samples; expected one label"
                f" for each of the {self.n_unlabeled} unlabeled samples, in their order. Pass its"
                " predictions on X_unlabeled: samples that neither it nor a voter was trained on."
            )
        _, classes = comparable(self.classes, own.classes)
        codes = encode(classes, self.classes)[own.unlabeled[0]]
        return replace(self, deployed=Deployed(name, codes, predict))

    @property
    def n_voters(self) -> int:
        """Number of voters M."""
        return int(self.predictions.shape[0])

    @property
    def n_samples(self) -> int:
        """Number of labeled samples."""
        return int(self.labels.size)

    @property
    def n_unlabeled(self) -> int:
        """Number of unlabeled samples."""
        return int(self.unlabeled.shape[1])

    @property
    def drawn(self) -> bool:
        """True if the labeled samples were drawn among those that were given."""
        return self.one_row_per_group or (self.rows is not None and self.latest is None)

    @property
    def errors(self) -> NDArray[np.bool_]:
        """True where a voter errs on a held-out sample, shape (n_voters, n_samples)."""
        return np.asarray((self.predictions != self.labels) & self.held_out)

    def chunks(self, size: int) -> Iterator[Votes]:
        """Yield the votes on consecutive parts of the labeled samples; at least one part.

        Parameters
        ----------
        size : int
            Largest number of samples in a part.

        Yields
        ------
        Votes
            The votes on one part, without unlabeled samples.

        Examples
        --------
        >>> votes = Votes.from_predictions([[0, 1, 1]], [0, 1, 0])
        >>> [part.n_samples for part in votes.chunks(2)]
        [2, 1]
        """
        for start in range(0, max(self.n_samples, 1), size):
            yield select_samples(self, slice(start, start + size))

    def __repr__(self) -> str:
        unlabeled = f", {self.n_unlabeled} unlabeled samples" if self.n_unlabeled else ""
        return (
            f"Votes({self.n_voters} voters, {self.n_samples} labeled samples{unlabeled},"
            f" {self.classes.size} classes)"
        )


def select_samples(votes: Votes, samples: slice | NDArray[Any]) -> Votes:
    """Return the votes on some of the labeled samples, without unlabeled ones."""
    return replace(
        votes,
        predictions=votes.predictions[:, samples],
        labels=votes.labels[samples],
        held_out=votes.held_out[:, samples],
        unlabeled=votes.unlabeled[:, :0],
        rows=None,
        n_given=None,
        index=None,
    )


def check_all_samples(group: str | None) -> None:
    """Raise ValueError if votes or counts are those of a group."""
    if group is not None:
        raise ValueError(
            f"These are the votes or counts on {group}, and a certificate is about all samples. Use"
            " those of the certificate on all samples; by_group certifies its groups."
        )


def check_voters_tested(
    n_held_out: NDArray[np.integer[Any]], columns: Sequence[str] | None = None
) -> None:
    """Raise ValueError if a voter has no held-out samples, given their numbers."""
    if not n_held_out.all():
        voter = int(n_held_out.argmin())
        name, way_out = f"Voter {voter}", "Exclude it"
        if columns is not None:
            name, way_out = f"Column {columns[voter]!r}", f"Exclude it with drop={[columns[voter]]}"
        raise ParameterError(
            f"{name} has no held-out predictions, so nothing is known about its errors. {way_out}."
            " If it only breaks ties of the other voters, also pass ties='referee'.",
            drop=[] if columns is None else [columns[voter]],
            ties=REFEREE,
        )


def check_predicts_labels(votes: Votes) -> None:
    """Raise ValueError if predictions are fractions and labels are not: probabilities."""
    if votes.classes.dtype.kind != "f":
        return
    labels = votes.classes[np.unique(votes.labels)]
    fractions = votes.classes[votes.classes % 1 != 0]
    if fractions.size and not (labels % 1 != 0).any():
        raise ValueError(
            f"Predictions contain {fractions[0]:.4g}, which is not a label; probabilities are not"
            " supported. Pass predicted classes."
        )
