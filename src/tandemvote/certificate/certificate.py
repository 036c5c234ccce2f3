"""A bound on a classifier's error rate or on another metric, and what it was computed from."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandemvote.atomic_files import written_whole
from tandemvote.bounds import RequirementError, get_bound
from tandemvote.bounds.estimates import Estimates
from tandemvote.bounds.registry import applicable_bounds
from tandemvote.certificate.evidence_fields import evidence_of, fields_of
from tandemvote.certificate.for_metric import Sides, certify_metric
from tandemvote.certificate.groups import GroupCertificates, certify_groups
from tandemvote.certificate.rendering import RecordInWords
from tandemvote.metrics.metric import MetricName
from tandemvote.record.document import Document, Record
from tandemvote.record.json_text import CertificateFileError, parse_document
from tandemvote.verify import verify_file
from tandemvote.votes.counts import VoteCounts
from tandemvote.votes.evidence import Evidence
from tandemvote.votes.extras import import_extra
from tandemvote.votes.profile import VoteProfile
from tandemvote.votes.votes import Votes
from tandemvote.votes.weighted_vote import weighted_vote

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Certificate(RecordInWords):
    """A bound on the error rate or another metric of a classifier, with a stated confidence.

    `tandemvote.certify` and the certified classifiers return certificates.

    Attributes
    ----------
    value : float
        The bound: the smallest of the `candidates`. An error bound is 1 if nothing could be shown.
    metric, direction : str
        What is bounded, and from which side: "error", "at most".
    interval, by_class : tuple of float or None, dict of label to float
        Lower and upper limit, if both sides were certified; limits of all classes at once.
    confidence, delta : float
        The bound holds with probability at least `confidence`; `delta` is 1 minus that.
    observed : float or None
        The metric of the vote on samples that its voters were not trained on; an estimate. With
        a referee, it is that of the tested models' vote.
    baseline : float or None
        Error rate of always predicting the most frequent class of the same samples.
    bound, candidates : str, mapping of str to float
        Name of the smallest candidate; bounds fixed in advance, each at an equal share of delta.
    bounds : mapping of str to float
        Every bound that applies; those that are not candidates are valid alone, at the whole delta.
    weights, prior : ndarray of shape (n_voters,)
        Weights of the vote, and weights fixed before seeing the data.
    fitted : str or None
        Name of the bound that the weights minimize, "given" if they may be fitted, else None.
    published : bool
        Whether the bounds have their published form.
    evidence, counts, profile : Evidence, VoteCounts, VoteProfile or None
        What the bound was computed from: counts of errors and disagreements, the result of the vote
        of these weights, and how the voters split on unlabeled samples.
    ties : {"smallest", "referee"}
        What breaks ties of the voters.
    findings, assumptions : tuple of Finding, tuple of str
        What was found in the data, and what must be true and cannot be checked by code.
    group, measure : Group or None, Measure or None
        The group of samples that the certificate is about, and the counts of another metric.
    groups : GroupCertificates or None
        Certificates of groups that are in the same file.
    one_row_per_group, latest : bool, str or None
        Whether the samples are one random row of each of many groups; time of the first one, if
        they are the latest samples (`order`).
    members, n_trees : str or None, int or None
        Digest of the tested models, and the number of trees of each in a committee of forests.
    versions : mapping of str to str
        Versions of the libraries that computed the certificate.
    votes : Votes or None
        The votes, as long as they are in memory.

    Examples
    --------
    >>> from tandemvote import certify
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(2, size=1000)
    >>> predictions = np.where(rng.random((25, 1000)) < 0.1, 1 - labels, labels)
    >>> certificate = certify(Votes.from_predictions(predictions, labels), bound="tandem")
    >>> certificate.bound, round(certificate.value, 3)
    ('tandem', 0.118)
    """

    counts: VoteCounts
    profile: VoteProfile | None
    evidence: Evidence
    versions: Mapping[str, str]
    groups: GroupCertificates | None = None
    votes: Votes | None = None

    @cached_property
    def bounds(self) -> dict[str, float]:
        """Every bound that applies to this evidence."""
        names = [] if self.measure is not None else applicable_bounds(self.evidence)
        others = [name for name in names if name not in self.candidates]
        return {**self.candidates, **{name: self.evaluate(name) for name in others}}

    def evaluate(self, bound: str, delta: float | None = None) -> float:
        """Evaluate a bound on this evidence.

        Parameters
        ----------
        bound : str
            Name of the bound.
        delta : float, default=None
            Failure probability; by default the whole of that of the certificate.

        Returns
        -------
        float
            The bound.

        Raises
        ------
        RequirementError
            If the bound does not apply to this evidence, or the certificate is about another
            metric than the error rate.

        Examples
        --------
        >>> from tandemvote import certify
        >>> certificate = certify(Votes.from_predictions([[0, 1] * 50], [0, 1] * 50))
        >>> round(certificate.evaluate("first_order", delta=0.01), 3)
        0.069
        """
        record = get_bound(bound)
        reason = record.applies(self.evidence)
        if self.measure is not None:
            reason = f"it bounds the error rate, and the certificate is about {self.metric}."
        if reason is not None:
            raise RequirementError(f"The bound {bound!r} does not apply: {reason}")
        if not self.counts.sizes.any():  # as in an empty group
            return 1.0
        return record.function(self._estimates, self.delta if delta is None else delta)

    @cached_property
    def _estimates(self) -> Estimates:
        return Estimates(self.evidence, self.weights, self.prior, published=self.published)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict with the certified classifier: the vote, or the deployed classifier.

        Parameters
        ----------
        X : array_like
            Samples as the models take them.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Predicted classes. Of several classes in first place the smallest is predicted.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from tandemvote import certify
        >>> X, y = load_iris(return_X_y=True)
        >>> certify(GaussianNB().fit(X[::2], y[::2]), X[1::2], y[1::2]).predict(X[:3]).tolist()
        [0, 0, 0]
        """
        votes = self.votes
        deployed = None if votes is None or self.deployed is None else votes.deployed
        if deployed is not None and deployed.predict is not None:
            return np.asarray(deployed.predict(X))
        other = self.deployed is not None or self.has_referee
        if votes is None or votes.voters is None or other:
            raise ValueError(
                "This certificate does not hold the models that vote on new samples. Call predict"
                " of the certified classifier, or certify the models themselves."
            )
        codes, classes = votes.voters(X)
        return classes[weighted_vote(codes, self.weights, len(classes))]

    def by_group(self, by: Any) -> GroupCertificates:
        """Certify the same classifier on each group of the samples.

        Parameters
        ----------
        by : {"class", "predicted"}, array_like of shape (n_samples,), or mapping of these
            "class" groups by the true class (1 minus the error rate is the recall), "predicted" by
            the predicted class (precision; requires that the vote itself is tested). An array has
            one value per sample, in the order of the samples that were given. A mapping of names to
            such values groups in several ways at once. Groups must be fixed before looking at these
            samples.

        Returns
        -------
        GroupCertificates
            One certificate per group, all valid at once: delta is divided by the number of
            groupings, then by the groups of each.

        Examples
        --------
        >>> from tandemvote import certify
        >>> votes = Votes.from_predictions([["a", "b", "a", "b"] * 50], ["a", "b", "b", "b"] * 50)
        >>> certify(votes).by_group("class")
        error rates by class, all valid at once (95% confidence)
          class  samples  observed  error <=
          a           50      0.0%      7.2%  recall >= 0.928
          b          150     33.3%     41.5%  recall >= 0.585
        """
        return certify_groups(self, by)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a file that others can check with ``tandemvote verify``.

        Parameters
        ----------
        path : path
            The file, usually with the ending ``.json``. A file of that name is replaced.

        Returns
        -------
        pathlib.Path
            The file.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from tandemvote import certify
        >>> certificate = certify(Votes.from_predictions([[0, 1] * 50], [0, 1] * 50))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = certificate.save(pathlib.Path(folder, "certificate.json"))
        ...     Certificate.load(path).value == certificate.value
        True
        """
        path, data = Path(path), (json.dumps(self.to_dict(), indent=1) + "\n").encode("ascii")
        # What a reader does not accept is not written.
        Document.from_json(parse_document(data))
        with written_whole(path) as unfinished:  # readers see the old file or the new one
            unfinished.write_bytes(data)
        return path

    @classmethod
    def load(cls, path: str | os.PathLike[str] | Document) -> Certificate:
        """Read a file that `save` wrote, and verify it.

        Parameters
        ----------
        path : path or Document
            The file, or what was read from it.

        Returns
        -------
        Certificate
            The certificate on all samples; those of groups are in its `groups`.

        Raises
        ------
        CertificateFileError
            If the file is damaged or does not verify.

        Examples
        --------
        See `save`.
        """
        verdict = verify_file(path)
        if verdict.problem is not None:
            name = "The document" if isinstance(path, Document) else path
            raise CertificateFileError(f"{name} is not a valid certificate: {verdict.problem}.")
        whole, *members = (
            cls._of_record(record, verdict.document) for record in verdict.document.certificates
        )
        groups = GroupCertificates(whole, tuple(members), verdict.document.groupings)
        return replace(whole, groups=groups) if members else whole

    @classmethod
    def _of_record(cls, record: Record, document: Document) -> Certificate:
        """Return the certificate of a verified record."""
        derived = fields_of(evidence_of(record), record.candidates)
        return cls(**vars(record) | derived | {"stated": {}, "versions": document.versions})

    @property
    def document(self) -> Document:
        """The contents of the file: this certificate and those of groups."""
        return Document(
            versions=self.versions,
            groupings=() if self.groups is None else self.groups.groupings,
            certificates=(self, *(self.groups or ())),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what the file of the certificate holds, as JSON values.

        Returns
        -------
        dict
            The contents of the file.

        Examples
        --------
        >>> from tandemvote import certify
        >>> contents = certify(Votes.from_predictions([[0, 1] * 50], [0, 1] * 50)).to_dict()
        >>> contents["certificates"][0]["printed"]
        '0.030'
        """
        return self.document.to_json()

    def to_frame(self) -> pandas.DataFrame:
        """Return every bound that applies as a pandas DataFrame.

        Returns
        -------
        pandas.DataFrame
            One row per bound: its label, its value, and whether it is a candidate.

        Examples
        --------
        >>> from tandemvote import certify
        >>> table = certify(Votes.from_predictions([[0, 1] * 50], [0, 1] * 50)).to_frame()
        >>> table["value"].round(3).head(2).to_dict()
        {'test_set': 0.03, 'first_order': 0.054}
        """
        pandas = import_extra("pandas", "report")
        columns = {
            "label": [get_bound(name).label for name in self.bounds],
            "value": list(self.bounds.values()),
            "candidate": [name in self.candidates for name in self.bounds],
        }
        return pandas.DataFrame(columns, index=list(self.bounds)).rename_axis("bound")

    def for_metric(
        self,
        metric: MetricName,
        *,
        positive: Any = None,
        cost: ArrayLike | None = None,
        sides: Sides = "one",
    ) -> Certificate:
        """Certify another metric of the same classifier on the same samples.

        Requires samples that test the classifier: a committee, or held-out samples. With a referee,
        the limit holds for every referee: a class counts as predicted if it can win. Each metric
        holds alone, at the whole failure probability.

        Parameters
        ----------
        metric, positive, cost, sides
            As in `certify`. `by_class` has the limits of each class.

        Returns
        -------
        Certificate
            With `direction` "at least", or "at most" for "cost" and "error".

        Examples
        --------
        >>> votes = Votes.from_predictions([[0, 1, 1, 1] * 50], [0, 1, 1, 0] * 50)
        >>> from tandemvote import certify
        >>> certify(votes).for_metric("precision").headline
        'observed precision 66.7%, guaranteed precision >= 59.7% (95% confidence)'
        """
        return certify_metric(self, metric, positive=positive, cost=cost, sides=sides)
