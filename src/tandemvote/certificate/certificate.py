"""The guarantee for a classifier: its value, what it comes from and what it rests on."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.assumptions import standard_assumptions
from tandemvote.bounds import VOTE_BOUNDS, Averages, BoundValue, get_bound
from tandemvote.bounds.averages import HARMONIC, distribution
from tandemvote.bounds.registry import AUTO, FEW_VOTERS, automatic_bounds
from tandemvote.certificate.decimals import percent, rounded_up
from tandemvote.certificate.statement import GROUPED, Statement, Table, about
from tandemvote.counting.counts import FloatArray, VoteCounts
from tandemvote.hard_vote import VoteProfile, vote_of
from tandemvote.spelling import printable
from tandemvote.votes import Voters

BEST = "best"
TEST_SET = "test_set"
VOTE_PROFILE = "vote_profile"

UNTESTED = (
    "holds for every untested model (the referee): refit it at any time, but not the tested models"
)
"""Line of certificates of votes with untested voters."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Certificate(Statement):
    """A guarantee for one weighted vote, or for a classifier that is deployed in its place.

    Build it with `Certificate.from_counts`.

    Attributes
    ----------
    value, bound : float, str
        With probability at least 1 - delta the vote, or the deployed classifier, errs at most this
        often; 1 says nothing. And the name of the bound behind it.
    delta : float
        Failure probability of the whole certificate.
    weights, prior : ndarray of shape (n_voters,)
        The vote's weights (the posterior), and weights fixed before seeing the data.
    sharpening : str
        "harmonic", or "paper" for the bounds as published.
    candidates : tuple of str
        The bounds, fixed beforehand, among which `value` is the smallest; each was given
        delta / len(candidates).
    bounds : mapping of str to BoundValue
        Every bound that applies, each with the failure probability it was given. Those outside
        `candidates` are there for comparison only: picking one of them afterwards voids the
        guarantee.
    counts, profile : VoteCounts, VoteProfile or None
        The integers everything was computed from, and what the vote, or the deployed classifier,
        says of unlabelled points, where the bound `vote_profile` was computed.
    assumptions, notes : tuple of str
        What must be true, in words, because no code can see it, and what else to know.
    versions : mapping of str to str
        Releases of the libraries that computed it.
    voters, deployed_predict : callable or None
        The voters, and the deployed classifier from points to labels, if they are at hand; files do
        not keep them.
    observed, guessing : float or None
        Error of the vote on points its voters did not see, an estimate and no guarantee, unknown
        for a deployed classifier; and the error of always naming the most frequent label. With
        untested voters, it is the error of the tested voters' vote on the test samples.
    one_row_per_group : bool
        Whether the samples are one random row of each of many groups. The bound is then about a
        random row of a random new group.

    Examples
    --------
    >>> import numpy as np
    >>> from tandemvote.votes import Votes
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(2, size=4000)
    >>> flips = rng.random((25, 4000)) < 0.1
    >>> counts = VoteCounts.from_votes(Votes.from_predictions(labels ^ flips, labels))
    >>> Certificate.from_counts(counts, bound="tandem")
    guaranteed at most 8.2 % (95 %)
      bound: tandem (TND); the hard weighted vote of 25 voters, 2 classes
      each voter evaluated on at least 4000 points it never saw, each pair on at least 4000
    <BLANKLINE>
        bound                        error <=  labels used
        first_order         FO          0.233  held-out labels
      * tandem              TND         0.082  held-out labels
        disagreement        DIS         0.183  held-out labels
        c1                  C1          0.178  held-out labels
        c2                  C2          0.076  held-out labels
        c_tandem            CTD         0.115  held-out labels
        c_box               CBOX        0.083  held-out labels
        second_order        SO          0.314  held-out labels
        bernstein_cantelli  CCPBUB      0.068  held-out labels
        split_kl_cantelli   CCPBSkl     0.074  held-out labels
    """

    value: float
    bound: str
    weights: FloatArray
    prior: FloatArray
    sharpening: str
    candidates: tuple[str, ...]
    bounds: Mapping[str, BoundValue]
    counts: VoteCounts
    profile: VoteProfile | None
    versions: Mapping[str, str]
    voters: Voters | None = None
    observed: float | None = None
    guessing: float | None = None
    deployed_predict: Callable[[Any], Any] | None = None
    one_row_per_group: bool = False

    @classmethod
    def from_counts(
        cls,
        counts: VoteCounts,
        *,
        weights: ArrayLike | None = None,
        prior: ArrayLike | None = None,
        bound: str | Sequence[str] = AUTO,
        delta: float = 0.05,
        sharpening: str = HARMONIC,
        profile: VoteProfile | None = None,
        test_counts: VoteCounts | None = None,
        notes: Sequence[str] = (),
        assumptions: Sequence[str] = (),
        one_row_per_group: bool = False,
        **known: Any,
    ) -> Certificate:
        """Certify a vote, or the classifier that the profile is about, from counts of voters.

        Parameters
        ----------
        counts : VoteCounts
        weights, prior : array_like of shape (n_voters,), optional
            Uniform by default. The weights may have been chosen on the same points, the prior not.
        bound : str or sequence of str
            "auto", chosen by the kind of evidence; the name of one bound; or several, or "best" for
            all that apply and that no other one supersedes: the smallest then counts, and each pays
            for the choice with its share of delta.
        delta : float in (0, 1)
        sharpening : {"harmonic", "paper"}
            Sample sizes that use every held-out set in full, or the bounds as published. Choose it
            before seeing the data.
        profile : VoteProfile, optional
            What the vote with these weights says of unlabelled points that were used neither for
            training nor for choosing the weights; adds the bound `vote_profile`.
        test_counts : VoteCounts, optional
            Counts of the vote itself, as a single voter, on labelled points used for nothing else;
            adds the test-set bound.
        notes, assumptions : sequence of str
            Remarks to keep, and what must be true about these voters besides what every certificate
            assumes.
        one_row_per_group : bool
            Whether the samples are one random row of each of many groups.
        **known
            Attributes that no bound depends on: `voters`, `observed`, `guessing` and
            `deployed_predict`.
        """
        names = (bound,) if isinstance(bound, str) else tuple(bound)
        if not names:
            raise ValueError("bound is empty. Name at least one bound, or say 'best'.")
        rho = distribution(weights, counts.n_voters, "weights")
        pi = distribution(prior, counts.n_voters, "prior")
        averages = replace(Averages.of(counts, rho, pi, sharpening), profile=profile)
        deployed = None if profile is None else profile.deployed
        sources = {
            name: averages
            for name in VOTE_BOUNDS
            # What is known of the vote says nothing of another classifier, and what is known of
            # tested voters nothing of a vote with others.
            if deployed is None
            and (test_counts is None or counts.sizes.all())
            and (name in names or get_bound(name).offered_for(counts))
        }
        if profile is not None:
            sources[VOTE_PROFILE] = averages
        if test_counts is not None:
            sources[TEST_SET] = Averages.of(test_counts)
        has = {"unlabelled": profile is not None, "test_set": test_counts is not None}
        if names == (AUTO,):
            names = automatic_bounds(
                n_voters=counts.n_voters,
                overlaps=counts.n_min_pairs > 0,
                deployed=deployed is not None,
                **has,
            )
        if names == (BEST,):
            current = [name for name in sources if get_bound(name).superseded_by is None]
            # Where every bound misses something, as on a single point, all of them say nothing.
            names = tuple(
                name for name in current if not get_bound(name).missing(sources[name].counts)
            ) or tuple(current)
        for name in names:
            refuse_other_than_profile(name, deployed)
            refuse_without(name, **has)
            if name not in sources and not counts.sizes.all():
                raise ValueError(
                    f"bound={name!r} does not cover voters without held-out samples. Use"
                    " bound='test_set', or leave these voters out."
                )
            get_bound(name).check(sources.get(name, averages).counts)
        share = delta / len(names)
        compared = {
            name: get_bound(name).at(source, share if name in names else delta)
            for name, source in sources.items()
        }
        best = min((compared[name] for name in names), key=float)
        standard = standard_assumptions(
            profile=has["unlabelled"],
            test_set=has["test_set"],
            deployed=deployed is not None,
            untested=not counts.sizes.all(),
            one_voter=counts.n_voters == 1,
            one_row_per_group=one_row_per_group,
        )
        return cls(
            value=best.value,
            bound=best.name,
            delta=delta,
            weights=rho,
            prior=pi,
            sharpening=sharpening,
            candidates=names,
            bounds=compared,
            counts=counts,
            profile=profile,
            assumptions=(*standard, *assumptions),
            notes=tuple(notes),
            versions=dict(_versions()),
            one_row_per_group=one_row_per_group,
            **known,
        )

    @property
    def deployed(self) -> str | None:
        """Name of the classifier that the guarantee is about; None if it is the vote."""
        return None if self.profile is None else self.profile.deployed

    @property
    def n_untested(self) -> int:
        """Number of voters without held-out samples, whose predictions may be anything."""
        return int((self.counts.sizes == 0).sum())

    @property
    def _subject(self) -> str:
        """The classifier that the bound is about."""
        if self.deployed is not None:
            return printable(self.deployed)
        if self.n_untested:
            return "this committee"
        return "this weighted majority vote" if self.weights.size > 1 else "this classifier"

    @property
    def guarantee(self) -> str:
        """The bound in one sentence."""
        if self.value >= 1.0:
            return (
                f"No guarantee: the bound reported ({self.bound}) shows nothing below an error of"
                f" 100 % with probability {percent(self.delta)}."
            )
        new = "random rows of new groups" if self.one_row_per_group else "new points"
        return (
            f"With probability at least {percent(self.delta)} over the draw of the data,"
            f" {self._subject} errs on at most {rounded_up(100 * self.value, 1)} % of {new}."
        )

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict with the certified vote, or with the deployed classifier if it is certified.

        The voters are required, which files do not keep. The vote predicts the class with the
        largest total weight; ties go to the smallest class.
        """
        if self.deployed is None:
            referee = int(self.counts.sizes.argmin()) if self.n_untested else None
            return vote_of(self.voters, X, self.weights, referee=referee)
        if self.deployed_predict is None:
            raise ValueError(
                f"This certificate is about {self.deployed}, of which only predictions are known."
                " Certify with the fitted classifier itself, deployed=classifier, or call its own"
                " predict."
            )
        return np.asarray(self.deployed_predict(X))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a file that others can check with ``tandemvote verify``."""
        from tandemvote.certificate.file import save_certificate  # noqa: PLC0415

        return save_certificate(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Certificate:
        """Read such a file. Nothing in it is executed; what its counts do not give is refused."""
        from tandemvote.certificate.file import load_certificate  # noqa: PLC0415

        return load_certificate(path)

    @property
    def ways_to_tighten(self) -> list[str]:
        """What would make the guarantee smaller, as far as it was not done."""
        if self.bound == TEST_SET:
            return ["more test points"]
        if self.deployed is not None:
            return ["more labelled points", "more points without labels (X_unlabelled)"]
        ways = ["more labelled points"]
        if self.counts.n_voters > FEW_VOTERS:
            ways.append(
                "a committee of whole models instead of many weak voters (CertifiedClassifier)"
            )
            if self.profile is None:
                ways.append("points without labels (X_unlabelled)")
        if TEST_SET not in self.bounds:
            ways.append("a test set")
        return ways

    @property
    def advice(self) -> str:
        """What would help, in one sentence, where the guarantee is no better than guessing."""
        if self.guessing is None or self.value < self.guessing:
            return ""
        ways = ", or ".join(self.ways_to_tighten)
        return f"The guarantee is not below guessing. What would help: {ways}."

    def _headline(self) -> str:
        promised = f"guaranteed at most {rounded_up(100 * self.value, 1)} %"
        parts = [f"{promised if self.value < 1.0 else 'no guarantee'} ({percent(self.delta)})"]
        if self.observed is not None:
            parts.insert(0, f"observed {about(self.observed)}")
        if self.guessing is not None:
            parts.append(f"guessing {about(self.guessing)}")
        return ", ".join(parts)

    def _table(self) -> Table:
        said = {n: v for n, v in self.bounds.items() if v.value < 1.0 or n == self.bound}
        rows = [
            [name, value.label, rounded_up(value.value), get_bound(name).labels_used]
            for name, value in said.items()
        ]
        silent = ", ".join(value.label for name, value in self.bounds.items() if name not in said)
        footer = f"nothing below 1 by {silent}" if silent else ""
        chosen = list(said).index(self.bound)
        return Table(["bound", "", "error <=", "labels used"], "<<><", rows, chosen, footer)

    def _records(self) -> list[dict[str, Any]]:
        return [
            {
                "bound": name,
                "label": found.label,
                "value": found.value,
                "delta": found.delta,
                "candidate": name in self.candidates,
                "labels_used": get_bound(name).labels_used,
            }
            for name, found in self.bounds.items()
        ]

    def _basis(self) -> list[str]:
        n, k = self.counts, len(self.candidates)
        choice = f", the smallest of {k} at delta / {k} each" if k > 1 else ""
        pairs = ", no two on the same ones"
        if n.n_min_pairs:
            pairs = f", each pair on at least {n.n_min_pairs}"
        elif np.triu(n.overlaps, k=1).any():
            pairs = ", some pairs on none"
        tested = f"each voter evaluated on at least {n.n_min} points it never saw{pairs}"
        if self.n_untested:
            how = "together on" if TEST_SET in self.bounds else "on at least"
            tested = f"tested {how} {n.sizes[n.sizes > 0].min()} samples"
            if self.observed is not None:
                tested += "; observed is the error of the tested models' vote on them"
        if n.n_voters == 1:
            tested = f"evaluated on {n.n_min} points it never saw"
        if self.profile is not None:
            tested += f"; {self.profile.n_points} unlabelled points"
        subject = "the hard weighted vote of"
        if self.deployed is not None:
            subject = f"{self._subject}, not a vote, through"
        voters = f"{n.n_voters} voter{'s' * (n.n_voters > 1)}, {n.n_classes} classes"
        if self.n_untested:
            subject = f"the vote of {n.n_voters - self.n_untested} tested models and"
            voters = f"{self.n_untested} untested, {n.n_classes} classes"
        bound = f"bound: {self.bound} ({self.bounds[self.bound].label}){choice}"
        lines = [f"{bound}; {subject} {voters}", tested, *[UNTESTED] * (self.n_untested > 0)]
        lines += [GROUPED] * self.one_row_per_group
        return [*lines, *filter(None, [self.advice])]


def refuse_other_than_profile(bound: str, deployed: str | None) -> None:
    """Refuse a bound that is about the vote where another classifier is deployed."""
    if deployed is not None and bound != VOTE_PROFILE:
        raise ValueError(
            f"The bound {bound!r} is about the vote, and {deployed} is another classifier. Only"
            " 'vote_profile' says something about it: leave bound='auto'. For a certificate of the"
            " vote leave out deployed; for a test of the deployed classifier call certify([it],"
            " X_test, y_test)."
        )


def refuse_without(bound: str, *, unlabelled: bool, test_set: bool) -> None:
    """Refuse a bound that needs points which are not there."""
    needed = ""
    if bound == TEST_SET and not test_set:
        needed = "labelled points used for nothing else. Pass a test set"
    if bound == VOTE_PROFILE and not unlabelled:
        needed = "unlabelled points. Pass X_unlabelled"
    if needed:
        raise ValueError(f"The bound {bound!r} needs {needed}, or choose another bound.")


@cache
def _versions() -> dict[str, str]:
    names = ("tandemvote", "numpy", "scipy", "scikit-learn")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}
