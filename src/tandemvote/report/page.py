"""The page of a report: what stands on it, and the templates that escape all they are given."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from tandemvote.bounds import Bound, BoundValue, get_bound
from tandemvote.certificate.by_class import ClassCertificates
from tandemvote.certificate.certificate import TEST_SET, Certificate
from tandemvote.certificate.decimals import percent, rounded_up
from tandemvote.displays import (
    BoundsDisplay,
    HistoryDisplay,
    ProfileDisplay,
    TandemDisplay,
    WeightsDisplay,
)
from tandemvote.extras import import_extra
from tandemvote.printable import printable
from tandemvote.report.citations import CITATIONS
from tandemvote.report.pictures import Picture, draw
from tandemvote.votes import Votes
from tandemvote.weights import WeightSolution

TOP_VOTERS = 10
"""Voters shown at first; the others are folded."""

SIZES = {
    "n_min": "at least {:,} per voter",
    "n_min_pairs": "at least {:,} per pair",
    "n_min_disagreement": "at least {:,} per pair, with or without labels",
    "n_samples": "{:,} test points",
    "sizes": "at least {:,} per voter",
}
"""Terms of bounds that are numbers of points, and how to say them."""


@dataclass(frozen=True)
class BoundRow:
    """One row of the table of bounds."""

    bound: Bound
    value: BoundValue
    chosen: bool
    candidate: bool

    @property
    def points(self) -> str:
        """How many points stand behind the value."""
        terms = self.value.terms
        return ", ".join(SIZES[term].format(np.min(terms[term])) for term in SIZES if term in terms)


def render_report(
    certificate: Certificate,
    *,
    estimator: Any = None,
    votes: Votes | None = None,
    solution: WeightSolution | None = None,
    classes: ClassCertificates | None = None,
    test_risk: float | None = None,
    title: str | None = None,
    data_description: str | None = None,
    command: str | None = None,
) -> str:
    """Return the report of a certificate as one HTML page that needs no other file.

    Parameters
    ----------
    certificate : Certificate
    estimator : estimator, optional
        The certified vote, named with its parameters.
    votes : Votes, optional
        The votes behind the certificate; adds the profile of erring weights.
    solution : WeightSolution, optional
        How the weights were found; adds the solver's path.
    classes : ClassCertificates, optional
        Guarantees of the same vote for every true class; adds a table.
    test_risk : float, optional
        Error rate of the vote on test points; by default the one behind the certificate's
        test-set bound, if it has one.
    title : str, optional
        Heading of the page.
    data_description : str, optional
        The points the vote was trained and certified on, in words.
    command : str, optional
        What to type to get the same report again.

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
    (True, 4)
    """
    page = _environment().get_template("certificate.html")
    return str(
        page.render(
            citations=CITATIONS,
            title=title or "Certificate of a majority vote",
            certificate=certificate,
            counts=certificate.counts,
            bound=get_bound(certificate.bound),
            rows=_bound_rows(certificate),
            has_test_set=TEST_SET in certificate.bounds,
            pictures=_pictures(certificate, votes, solution, test_risk),
            weights=WeightsDisplay.from_certificate(certificate),
            top_voters=TOP_VOTERS,
            solution=solution,
            classes=classes,
            estimator=None if estimator is None else repr(estimator),
            data_description=data_description,
            command=command,
        )
    )


def write_report(path: str | os.PathLike[str], certificate: Certificate, **options: Any) -> Path:
    """Write the report of a certificate to a file and return where.

    Parameters
    ----------
    path : str or path
        An existing file is overwritten.
    certificate : Certificate
    **options
        As in `render_report`.
    """
    destination = Path(path)
    destination.write_text(render_report(certificate, **options), encoding="utf-8")
    return destination


@lru_cache(maxsize=1)
def _environment() -> Any:
    jinja2 = import_extra("jinja2", "report")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("tandemvote.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(rounded_up=rounded_up, printable=printable, percent=percent)
    return environment


def _bound_rows(certificate: Certificate) -> list[BoundRow]:
    return [
        BoundRow(
            get_bound(name),
            value,
            chosen=name == certificate.bound,
            candidate=name in certificate.candidates,
        )
        for name, value in certificate.bounds.items()
    ]


def _pictures(
    certificate: Certificate,
    votes: Votes | None,
    solution: WeightSolution | None,
    test_risk: float | None,
) -> list[Picture]:
    pictures = [
        draw(
            BoundsDisplay.from_certificate(certificate, test_risk=test_risk),
            name="bounds",
            caption="Every bound computed for this vote. The guarantee is the marked one.",
            height=max(2.9, 1.1 + 0.26 * len(certificate.bounds)),
        ),
        draw(
            WeightsDisplay.from_certificate(certificate),
            name="weights",
            caption="Weights of the voters from largest to smallest.",
        ),
    ]
    if votes is not None:
        profile = ProfileDisplay.from_votes(votes, certificate.weights)
        if profile.erring_weights.size:
            pictures.append(
                draw(profile, name="profile", caption=_profile_words(profile), height=4)
            )
    if certificate.counts.n_voters > 1:
        pictures.append(
            draw(
                TandemDisplay.from_certificate(certificate),
                name="tandem",
                caption="How often two voters err on the same point; on the diagonal, how often"
                " each errs by itself. Voters of a dark pair correct each other.",
                height=4.0,
            )
        )
    if solution is not None and solution.history:
        pictures.append(
            draw(
                HistoryDisplay.from_solution(solution),
                name="history",
                caption=f"How the weights were found: {solution.status}.",
            )
        )
    return pictures


def _profile_words(profile: ProfileDisplay) -> str:
    words = (
        "Below, how much of the vote errs at a point (Z). The vote can err only where Z is one half"
        " or more. Above, what each kind of bound counts for such a point: never less than the"
        " vote's own error."
    )
    if profile.normalised:
        words += (
            " At each point Z is taken over the voters that never saw it, with their weights"
            " rescaled, so these means are close to the losses in the bounds, not equal to them."
        )
    if profile.n_skipped:
        words += f" {profile.n_skipped:,} points that every voter had seen are left out."
    return words
