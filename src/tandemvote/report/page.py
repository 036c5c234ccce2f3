"""The page of a report: what stands on it, and the templates that escape all they are given."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import confusion_matrix

from tandemvote.bounds import get_bound
from tandemvote.certificate.by_group import GroupCertificates
from tandemvote.certificate.certificate import Certificate
from tandemvote.certificate.decimals import percent, rounded_up
from tandemvote.certificate.statement import Statement, about
from tandemvote.certification import Certification
from tandemvote.displays import (
    BoundsDisplay,
    GroupsDisplay,
    ProfileDisplay,
    TandemDisplay,
    WeightsDisplay,
)
from tandemvote.ensembles.composed import last_step
from tandemvote.extras import import_extra
from tandemvote.hard_vote import held_out_vote
from tandemvote.report.pictures import Picture, draw
from tandemvote.spelling import printable
from tandemvote.tables import Dataset
from tandemvote.votes import Votes
from tandemvote.weights import WeightSolution

PROFILE_CAPTION = (
    "Share of the vote that is wrong on a sample (Z), among the voters that were not trained on it."
    " The vote can be wrong only where Z is one half or more."
)


def render_report(
    certified: Any,
    *,
    estimator: Any = None,
    votes: Votes | None = None,
    solution: WeightSolution | None = None,
    classes: Statement | None = None,
    data: Dataset | None = None,
    title: str | None = None,
    data_description: str | None = None,
    command: str | None = None,
    words: Callable[[str], str] = str,
) -> str:
    """Return the report of a certificate as one HTML page that needs no other file.

    Parameters
    ----------
    certified : fitted certified classifier, Certification or Certificate
        The first two bring the votes, how the weights were found, and the estimator; a pipeline
        may end in it.
    estimator, votes, solution : optional
        The same for a certificate alone. The votes add which label is taken for which and the
        profile of erring weights; the solution how the weights were found.
    classes : GroupCertificates or other statement with a table, optional
        Guarantees of the same vote for every true class or group.
    data : Dataset, optional
        The table the vote was trained on; adds how it was read.
    title, data_description, command : str, optional
        Heading, the points in words, and what to type to get the same report again.
    words : callable, optional
        Puts other names in the place of parameters in advice, such as options of the command line.

    Examples
    --------
    >>> import numpy as np
    >>> from tandemvote import Certificate, VoteCounts, Votes
    >>> labels = np.arange(600) % 2
    >>> flips = np.random.default_rng(0).random((9, 600)) < 0.1
    >>> votes = Votes.from_predictions(labels ^ flips, labels)
    >>> certificate = Certificate.from_counts(VoteCounts.from_votes(votes))
    >>> page = render_report(certificate, votes=votes, data_description="Coins.")
    >>> certificate.guarantee in page, page.count("<svg")
    (True, 3)
    """
    vote = last_step(certified)
    if hasattr(vote, "certification_"):
        estimator = certified if estimator is None else estimator
        certified = vote.certification_
    if isinstance(certified, Certification):
        votes, solution = votes or certified.votes, solution or certified.solution
        certified = certified.certificate
    certificate: Certificate = certified
    weights = WeightsDisplay.from_certificate(certificate)
    equal_weights = bool(np.ptp(certificate.weights) < 1e-12)
    confusion = None
    if votes is not None and certificate.deployed is None:
        confusion = Confusion.from_votes(votes, certificate.weights)
    classes_read = _class_counts(data, votes)
    silent = [
        name
        for name, bound in certificate.bounds.items()
        if bound.value >= 1.0 and name != certificate.bound
    ]
    return str(
        _template().render(
            version=version("tandemvote"),
            title=title or "How often will this classifier be wrong?",
            certificate=certificate,
            counts=certificate.counts,
            get_bound=get_bound,
            silent=silent,
            advice=words(certificate.advice),
            ways=[words(f"{way}.") for way in certificate.ways_to_tighten],
            pictures=list(_pictures(certificate, None if equal_weights else weights, votes)),
            weights=weights,
            equal_weights=equal_weights,
            confusion=confusion,
            solution=solution,
            groups=_groups(classes),
            classes=classes,
            data=data,
            classes_read=classes_read,
            n_rows=sum(count for _, count in classes_read),
            estimator=None if estimator is None else repr(estimator),
            data_description=data_description,
            command=command,
        )
    )


def write_report(path: str | os.PathLike[str], certified: Any, **options: Any) -> Path:
    """Write the report that `render_report` gives to a file, new or not, and return where."""
    destination = Path(path)
    destination.write_text(render_report(certified, **options), encoding="utf-8")
    return destination


@cache
def _template() -> Any:
    jinja2 = import_extra("jinja2", "report")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("tandemvote.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        about=about,
        per_thousand=lambda share: f"{1000 * share:.0f}" if share >= 0.0005 or not share else "< 1",
        per_thousand_at_most=lambda share: math.ceil(1000 * share),
        percent=percent,
        printable=printable,
        rounded_up=rounded_up,
    )
    return environment.get_template("certificate.html")


@dataclass(frozen=True, eq=False)
class Confusion:
    """Counts of held-out samples: true labels in rows, predicted ones in columns.

    With untested voters, the tested ones vote alone.
    """

    classes: list[str]
    counts: NDArray[np.int64]

    @classmethod
    def from_votes(cls, votes: Votes, weights: ArrayLike) -> Confusion:
        """Let the voters that were not trained on a sample vote on it."""
        said = held_out_vote(votes, weights)
        known, codes = said >= 0, range(votes.classes.size)
        counts = confusion_matrix(votes.labels[known], said[known], labels=codes)
        return cls([str(label) for label in votes.classes], counts)

    @property
    def shares(self) -> NDArray[np.float64]:
        """Share of the points of each true label."""
        return np.asarray(self.counts / np.maximum(self.counts.sum(axis=1, keepdims=True), 1))

    @property
    def mistakes(self) -> list[tuple[str, str, int, float]]:
        """True label, predicted label, points, share of the true label; most frequent first."""
        wrong = self.counts * ~np.eye(len(self.classes), dtype=bool)
        found = [
            (self.classes[i], self.classes[j], int(wrong[i, j]), float(self.shares[i, j]))
            for i, j in np.argwhere(wrong)
        ]
        return sorted(found, key=lambda mistake: -mistake[2])


def _class_counts(data: Dataset | None, votes: Votes | None) -> list[tuple[Any, int]]:
    """Labels and how often each occurs, most frequent first."""
    counts: dict[Any, int] = {}
    if data is not None:
        counts = data.class_counts
    elif votes is not None:
        each = np.bincount(votes.labels, minlength=votes.classes.size).tolist()
        counts = dict(zip(votes.classes.tolist(), each, strict=True))
    return sorted(counts.items(), key=lambda item: -item[1])


def _groups(classes: Statement | None) -> Picture | None:
    if not isinstance(classes, GroupCertificates):
        return None
    caption = "Lines end at what is guaranteed; squares are observed, larger for more points."
    display = GroupsDisplay.from_certificates(classes)
    return draw(display, "groups", caption, 1.1 + 0.3 * len(classes))


def _pictures(
    certificate: Certificate,
    weights: WeightsDisplay | None,
    votes: Votes | None,
) -> Iterator[Picture]:
    if len(certificate.bounds) > 1:
        caption = "Every bound computed for this vote. The guarantee is the marked one."
        height = max(2.9, 1.1 + 0.26 * len(certificate.bounds))
        yield draw(BoundsDisplay.from_certificate(certificate), "bounds", caption, height)
    if weights is not None:
        yield draw(weights, "weights", "Weights of the voters from largest to smallest.")
    if certificate.n_untested:
        return
    if votes is not None and (votes.held_out.sum(axis=0) > 1).any():
        profile = ProfileDisplay.from_votes(votes, certificate.weights)
        yield draw(profile, "profile", PROFILE_CAPTION)
    if certificate.counts.n_voters > 1 and certificate.counts.n_min_pairs > 0:
        caption = (
            "How often two voters err on the same point; on the diagonal, how often each errs by"
            " itself. Voters of a dark pair correct each other."
        )
        yield draw(TandemDisplay.from_counts(certificate.counts), "tandem", caption, 4.0)
