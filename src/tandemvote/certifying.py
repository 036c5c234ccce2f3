"""Certificates for models that are already fitted, and for votes from anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.utils.validation import check_is_fitted

from tandemvote.bounds.sharpening import HARMONIC
from tandemvote.certificate import Certificate
from tandemvote.counts import FloatArray, VoteCounts
from tandemvote.ensembles.audit import audit_bootstraps
from tandemvote.ensembles.hard_vote import vote_labels
from tandemvote.ensembles.hold_out import hold_out_votes, predict_labels
from tandemvote.ensembles.out_of_bag import out_of_bag_votes
from tandemvote.ensembles.refusals import refuse_other_than_one_label
from tandemvote.ensembles.terms import Terms
from tandemvote.ensembles.unlabelled import refuse_training_rows
from tandemvote.profile import VoteProfile
from tandemvote.votes import Votes

BAGGED = (RandomForestClassifier, ExtraTreesClassifier, BaggingClassifier)


def certify(
    model: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    X_unlabelled: Any = None,
    X_test: Any = None,
    y_test: ArrayLike | None = None,
    weights: str | ArrayLike = "uniform",
    bound: str | Sequence[str] = "tandem",
    prior: ArrayLike | None = None,
    delta: float = 0.05,
    sharpening: str = HARMONIC,
) -> Certificate:
    """Certify the hard weighted vote of voters that exist already.

    Parameters
    ----------
    model : fitted ensemble, sequence of fitted classifiers, or Votes
        RandomForestClassifier, ExtraTreesClassifier(bootstrap=True) and BaggingClassifier are
        judged on the training points their bootstraps left out, without a refit. Classifiers in
        a sequence are judged on points that none of them was trained on.
    X, y : array_like, optional
        For an ensemble the data it was trained on, in the same order, which is audited; for a
        sequence of classifiers the hold-out; for votes nothing.
    X_unlabelled : array_like, optional
        Points of the same source that no voter was trained on, none of them among X; they sharpen
        the disagreement bound and add the bound `vote_profile`. Where weights or bound are
        "disagreement", each of the two gets half of them.
    X_test, y_test : array_like, optional
        Labelled points used for nothing else, which add the test-set bound.
    weights : {"uniform", "first_order", "tandem", "disagreement"} or array_like
        How much each voter counts: equally, as minimises the bound of that name, or as given.
    bound : str or sequence of str
        The bound to report: a name, several, or "best" for all that apply.
    prior : array_like of shape (n_voters,), optional
        Weights fixed before seeing the data; uniform by default.
    delta : float in (0, 1)
        Probability with which the guarantee may fail.
    sharpening : {"harmonic", "paper"}
        Sample sizes that use every held-out set in full, or the bounds as published.

    Returns
    -------
    Certificate
        Its `notes` say what was audited, which labels were used, and how far the model's own
        `predict` differs from the vote that is certified. To predict with that vote, use
        ``weighted_vote(voter_predictions(model, X), certificate.weights, n_classes)`` of
        `tandemvote.ensembles`.

    Raises
    ------
    ValueError
        Where no guarantee can be had; the message names the way out.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = RandomForestClassifier(max_samples=0.5, random_state=0).fit(X, y)
    >>> certify(forest, X, y).counts.n_voters
    100
    """
    terms = Terms(weights=weights, bound=bound, prior=prior, delta=delta, sharpening=sharpening)
    if (X_test is None) != (y_test is None):
        raise ValueError("X_test and y_test belong together. Pass both, or neither.")
    votes, notes = judge(model, X, y, X_unlabelled)
    if isinstance(model, Votes) and X_test is not None:
        raise ValueError(
            "Votes cannot predict X_test. Pass the models themselves, or count the vote's own"
            " errors and hand them to Certificate.from_counts(test_counts=...)."
        )
    terms.check(
        n_voters=votes.n_voters,
        classes=votes.classes,
        unlabelled=votes.n_unlabelled > 0,
        test_set=X_test is not None,
    )
    votes, unlabelled = terms.set_apart(votes)
    counts = VoteCounts.from_votes(votes)
    chosen = terms.choose_weights(counts)
    profile = VoteProfile.of(unlabelled, chosen) if unlabelled.size else None
    test_counts = None
    if X_test is not None and y_test is not None:
        predicted = vote_labels(predict_labels(model, X_test), chosen)
        test_counts = VoteCounts.from_votes(Votes.from_predictions([predicted], y_test))
        notes += [f"Test-set labels: {test_counts.n_min} set aside for the test-set bound."]
    if isinstance(model, BAGGED):
        notes += [own_predict(model, chosen, X_test, X_unlabelled, X)]
    return terms.certify(counts, chosen, profile=profile, test_counts=test_counts, notes=notes)


def judge(model: Any, X: Any, y: ArrayLike | None, X_unlabelled: Any) -> tuple[Votes, list[str]]:
    """Let the voters judge points they never saw, and say which labels that took."""
    if isinstance(model, Votes):
        if not (X is None and y is None and X_unlabelled is None):
            raise ValueError(
                "Votes already hold predictions and labels. Pass no X and y with them; predictions"
                " on unlabelled points go into Votes.from_predictions(unlabelled=...)."
            )
        return model, []
    if X is None or y is None:
        raise ValueError(
            "X or y is missing. Pass the training data of an ensemble, or a hold-out for a list of"
            " fitted classifiers."
        )
    if X_unlabelled is not None:
        refuse_training_rows(X, X_unlabelled)
    if isinstance(model, Sequence):
        votes = hold_out_votes(model, X, y, X_unlabelled=X_unlabelled)
        return votes, [f"Held-out labels: a hold-out of {votes.n_samples} that trained no voter."]
    if not isinstance(model, BAGGED):
        raise ValueError(_no_ensemble(model))
    check_is_fitted(model)
    votes = out_of_bag_votes(model, X, y, X_unlabelled=X_unlabelled)
    return votes, [
        f"Held-out labels: the {votes.n_samples} the model was trained on, each used for the voters"
        " whose bootstrap left it out; none was set aside.",
        audit_bootstraps(model, X, y),
    ]


def own_predict(model: Any, weights: FloatArray, X_test: Any, X_unlabelled: Any, X: Any) -> str:
    """Say how often the model's own prediction differs from the vote that is certified."""
    kinds = (("test", X_test), ("unlabelled", X_unlabelled), ("training", X))
    kind, points = next((kind, points) for kind, points in kinds if points is not None)
    differs = model.predict(points) != vote_labels(predict_labels(model, points), weights)
    hint = ", all of which some voters know; expect more on new points" * (kind == "training")
    return (
        f"The certificate is about the hard weighted vote. {type(model).__name__}.predict, another"
        f" classifier, gives another label on {100 * differs.mean():.2g} % of the"
        f" {differs.size} {kind} points{hint}."
    )


def _no_ensemble(model: Any) -> str:
    if hasattr(model, "certificate_"):
        return f"{type(model).__name__} has certified itself: see its certificate_."
    refuse_other_than_one_label(model)
    return (
        f"{type(model).__name__} does not tell which points its voters were not trained on. Pass a"
        " list of fitted classifiers with a hold-out, or let CertifiedBaggingClassifier or"
        " CertifiedVotingClassifier train it."
    )
