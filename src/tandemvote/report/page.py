"""The page of a report: what it shows, and the template that escapes every text."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tandemvote.atomic_files import written_whole
from tandemvote.bounds import get_bound
from tandemvote.certificate.certificate import Certificate
from tandemvote.certificate.groups import GroupCertificates
from tandemvote.certificate.rendering import rate
from tandemvote.displays import BoundsDisplay, GroupsDisplay, ProfileDisplay, TandemDisplay
from tandemvote.models.model_checks import last_step
from tandemvote.report.class_tables import Confusion, class_metrics
from tandemvote.report.pictures import Picture, draw
from tandemvote.votes.decimals import percent, rounded_up
from tandemvote.votes.extras import import_extra
from tandemvote.votes.names import TEST_SET
from tandemvote.votes.printable import printable
from tandemvote.votes.votes import REFEREE

CAPTION = "Lines end at the error bound. Squares are observed errors, larger for more samples."


def write_report(
    path: str | os.PathLike[str],
    certified: Any,
    *,
    classifier: Any = None,
    title: str = "Certified error rate",
    description: str | None = None,
) -> Path:
    """Write a report as one HTML file that loads nothing else.

    Everything in the report is read from the certificate. The confusion matrix and the picture of
    the models' errors require that the certificate holds the votes, as it does after fitting.

    Parameters
    ----------
    path : path
        File to write. An existing file is replaced.
    certified : fitted certified classifier, Certificate or GroupCertificates
        A classifier may be the last step of a pipeline. `GroupCertificates`, the result of
        `Certificate.by_group`, add a table of error bounds by group.
    classifier : classifier, default=None
        Classifier to describe if `certified` is about its groups, or its certificate.
    title : str, default="Certified error rate"
        Heading of the report.
    description : str, default=None
        One sentence below the heading, such as where the data comes from.

    Returns
    -------
    path : pathlib.Path
        The file.

    See Also
    --------
    Certificate.save : Write a file that others can verify.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from tandemvote import Votes, certify
    >>> certificate = certify(Votes.from_predictions([[0, 1] * 200], [0, 1] * 200))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_report(pathlib.Path(folder, "report.html"), certificate)
    ...     certificate.guarantee in path.read_text()
    True
    """
    certificate = certified
    if isinstance(certified, GroupCertificates):
        certificate = replace(certified.certificate, groups=certified)
    elif not isinstance(certified, Certificate):
        classifier, certificate = certified, getattr(last_step(certified), "certificate_", None)
    if not isinstance(certificate, Certificate):
        raise TypeError(
            f"certified is of type {type(certified).__name__}, which has no error bound to report."
            " Pass a fitted certified classifier, a Certificate or GroupCertificates."
        )
    groups = certificate.groups
    if certificate.measure is not None:
        raise ValueError(
            f"The certificate is about {certificate.metric}; a report requires that of the error"
            " rate, and shows recall, precision and F1 as well. Pass certify(model, X, y)."
        )
    weights = certificate.weights
    order = np.argsort(-weights, kind="stable").tolist()
    page = _template().render(
        title=title,
        description=description,
        certificate=certificate,
        order=order,
        n_for_half=int(np.searchsorted(np.cumsum(weights[order]), 0.5 - 1e-9)) + 1,
        confusion=Confusion.from_certificate(certificate),
        class_metrics=class_metrics(certificate),
        groups=groups,
        groups_picture=None if groups is None else draw(GroupsDisplay(groups), "groups", CAPTION),
        more_labels=_more_labels(certificate),
        pictures=list(_pictures(certificate)),
        # without the addresses of functions, which differ from run to run
        classifier=None if classifier is None else re.sub(r" at 0x\w+>", ">", repr(classifier)),
        get_bound=get_bound,
    )
    destination = Path(path)
    with written_whole(destination) as unfinished:
        unfinished.write_text(page, encoding="utf-8")
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
        percent=percent, printable=printable, rate=rate, rounded_up=rounded_up, signs=_with_signs
    )
    return environment.get_template("certificate.html")


def _with_signs(text: str) -> str:
    return (
        printable(text).replace(" <=", "\N{NO-BREAK SPACE}≤").replace(">= ", "≥\N{NO-BREAK SPACE}")
    )


def _more_labels(certificate: Certificate) -> str:
    """Return how many test samples would show half of the distance to the observed error rate."""
    vote, counted = certificate.evidence.vote, certificate.observed
    if vote is None or counted is None:
        return ""
    if certificate.bound == TEST_SET:
        counted = (vote.n_test_errors or 0) / max(vote.n_voted, 1)
    # Rounded up to the digits that are shown, so that the number of samples fits the sentence.
    goal = float(rounded_up(50 * (counted + certificate.value), 1)) / 100
    return certificate.labels_for(goal) if counted < goal else ""


def _pictures(certificate: Certificate) -> Iterator[Picture]:
    votes, counts = certificate.votes, certificate.counts
    if len(certificate.bounds) > 1:
        caption = "All bounds that apply. The reported bound is highlighted."
        yield draw(BoundsDisplay(certificate), "bounds", caption)
    if certificate.ties == REFEREE:
        return
    if votes is not None and (votes.held_out.sum(axis=0) > 1).any():
        caption = (
            "Share of the weight that is wrong on a sample (Z), among the models that were not"
            " trained on it. The vote can be wrong only where Z is one half or more."
        )
        yield draw(ProfileDisplay(votes, certificate.weights), "profile", caption)
    if counts.n_voters > 1 and counts.n_min_pairs > 0:
        caption = (
            "How often two models are wrong on the same sample; on the diagonal, the error rates"
            " of single models. Models of a dark pair correct each other."
        )
        yield draw(TandemDisplay(counts), "tandem", caption)
