"""A bound on a classifier's error rate or on another metric, and what it was computed from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tandemvote.auditing import Finding
from tandemvote.bounds import RequirementError, get_bound
from tandemvote.bounds.estimates import Estimates
from tandemvote.bounds.registry import applicable_bounds
from tandemvote.certificate import rendering
from tandemvote.certificate.for_metric import certify_metric
from tandemvote.inequalities.outward import FloatArray
from tandemvote.metrics.limits import metric_limits
from tandemvote.metrics.metric import METRICS
from tandemvote.record.document import Group, Measure
from tandemvote.votes.counts import VoteCounts
from tandemvote.votes.evidence import Evidence
from tandemvote.votes.extras import import_extra
from tandemvote.votes.profile import VoteProfile
from tandemvote.votes.votes import REFEREE, Votes
from tandemvote.votes.weighted_vote import weighted_vote

if TYPE_CHECKING:
    import pandas

    from tandemvote.certificate.groups import GroupCertificates


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Certificate:
    """A bound on the error rate or another metric of a classifier, with a stated confidence.

    `tandemvote.certify` and the certified classifiers return certificates.

    Attributes
    ----------
    value : float
        The bound: the smallest of the `candidates`. An error bound is 1 if nothing could be shown.
    metric, direction : str
        What is bounded, and from which side: "error", "at most".
    interval : tuple of float or None
        Lower and upper limit, if both sides of a metric were certified.
    by_class : dict of label to float
        Limits of a metric for every class, which hold together.
    confidence, delta : float
        The bound holds with probability at least `confidence`; `delta` is 1 minus that.
    observed : float or None
        The metric of the vote on samples that its voters were not trained on; an estimate. With
        a referee, it is that of the tested models' vote.
    baseline : float or None
        Error rate of always predicting the most frequent class of the same samples; None for other
        metrics.
    bound : str
        Name of the bound that gives `value`.
    candidates : mapping of str to float
        Bounds fixed in advance, each at an equal share of delta.
    bounds : mapping of str to float
        Every bound that applies; those that are not candidates are valid alone, at the whole delta.
        They are computed when they are looked at.
    weights, prior : ndarray of shape (n_voters,)
        Weights of the vote, and weights fixed before seeing the data.
    fitted : str or None
        Name of the bound that the weights minimize, None if they were fixed.
    published : bool
        Whether the bounds have their published form.
    evidence : Evidence
        What the bound was computed from: the `counts`, the result of the vote of these weights if
        it is known, and its `profile` on unlabeled samples if there are any.
    counts : VoteCounts
        Errors and disagreements of the voters.
    profile : VoteProfile or None
        How the voters split on unlabeled samples.
    ties : {"smallest", "referee"}
        What breaks ties of the voters.
    findings : tuple of Finding
        What the reader of the certificate should know about its data.
    assumptions : tuple of str
        What must be true and cannot be checked by code.
    group : Group or None
        The group of samples that the certificate is about, None if it is about all.
    measure : Measure or None
        Counts of another metric; see `for_metric`.
    groups : GroupCertificates or None
        Certificates of groups that are in the same file.
    one_row_per_group : bool
        Whether the samples are one random row of each of many groups.
    latest : str or None
        Time of the first test samples, if these are the latest samples (`order`).
    members : str or None
        Digest of the tested models.
    n_trees : int or None
        Number of trees of each tested model of a committee of forests.
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

    candidates: Mapping[str, float]
    delta: float
    evidence: Evidence
    weights: FloatArray
    prior: FloatArray
    published: bool
    findings: tuple[Finding, ...]
    assumptions: tuple[str, ...]
    versions: Mapping[str, str]
    metric: str = "error"
    latest: str | None = None
    group: Group | None = None
    measure: Measure | None = None
    groups: GroupCertificates | None = None
    members: str | None = None
    n_trees: int | None = None
    votes: Votes | None = None

    @property
    def confidence(self) -> float:
        """Probability with which the bound holds, at least."""
        return 1.0 - self.delta

    @property
    def bound(self) -> str:
        """Name of the smallest candidate."""
        return min(self.candidates, key=self.candidates.__getitem__)

    @property
    def value(self) -> float:
        """The smallest candidate."""
        return self.candidates[self.bound]

    @property
    def direction(self) -> str:
        """The side from which the metric is bounded."""
        return METRICS[self.metric].direction

    @property
    def interval(self) -> tuple[float, float] | None:
        """Lower and upper limit of a metric, if both sides were certified."""
        if self.measure is None or self.measure.other is None:
            return None
        lower, upper = sorted((self.value, self.measure.other))
        return lower, upper

    @property
    def by_class(self) -> dict[Any, float]:
        """Limits of a metric of classes, for each of them; all of them hold together."""
        metric, both = METRICS[self.metric], self.interval is not None
        if self.measure is None or metric.about not in ("class", "classes"):
            return {}
        positive = self.measure.positive
        labels = self.counts.classes.tolist() if positive is None else [positive]
        tests, share = self.measure.tests, self.delta / len(labels)
        limits = [metric_limits(metric, [each], share, both=both)[0] for each in tests]
        return dict(zip(labels, limits, strict=True))

    @property
    def observed(self) -> float | None:
        """The metric of the vote on samples that its voters were not trained on."""
        if self.measure is not None:
            return METRICS[self.metric].value(self.measure.observed, self.measure.costs)
        vote = self.evidence.vote
        return None if vote is None or self.deployed is not None else vote.observed_error

    @property
    def baseline(self) -> float | None:
        """Error rate of always predicting the most frequent class."""
        return self.counts.baseline_error if self.metric == "error" else None

    @property
    def counts(self) -> VoteCounts:
        """Errors and disagreements of the voters."""
        return self.evidence.counts

    @property
    def profile(self) -> VoteProfile | None:
        """How the voters split on unlabeled samples."""
        return self.evidence.profile

    @property
    def fitted(self) -> str | None:
        """Name of the bound that the weights minimize, None if they were fixed."""
        return self.evidence.fitted

    @property
    def deployed(self) -> str | None:
        """Name of the deployed classifier that is certified; None if it is the vote."""
        return self.evidence.deployed

    @property
    def ties(self) -> str:
        """What breaks ties of the voters."""
        return self.evidence.ties

    @property
    def one_row_per_group(self) -> bool:
        """Whether the samples are one random row of each of many groups."""
        return self.counts.one_row_per_group

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
        other = self.deployed is not None or self.ties == REFEREE
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
        from tandemvote.certificate.groups import certify_groups  # noqa: PLC0415  it imports this

        return certify_groups(self, by)

    def votes_for(self, request: str) -> Votes:
        """Return the votes, or raise ValueError unless this is the error bound on all samples.

        Parameters
        ----------
        request : str
            What requires the votes, for the error message.

        Returns
        -------
        Votes
            The votes.

        Examples
        --------
        >>> from tandemvote import certify
        >>> certify(Votes.from_predictions([[0, 1]], [0, 1])).votes_for("by_group").n_samples
        2
        """
        if self.votes is None or self.measure is not None or self.group is not None:
            samples = "all samples" if self.group is None else self.group.samples
            source = ", from counts or a file" if self.votes is None else ""
            raise ValueError(
                f"{request} requires the certificate of the error rate on all samples, with its"
                f" votes; this one is about {self.metric} on {samples}{source}. Use the one that"
                " certify returns for models or Votes."
            )
        return self.votes

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
        from tandemvote.certificate.file import save_certificate  # noqa: PLC0415  it imports this

        return save_certificate(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Certificate:
        """Read a file that `save` wrote, and verify it.

        Parameters
        ----------
        path : path
            The file.

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
        from tandemvote.certificate.file import load_certificate  # noqa: PLC0415  it imports this

        return load_certificate(path)

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
        from tandemvote.certificate.file import document_of  # noqa: PLC0415  it imports this

        return document_of(self).to_json()

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

    for_metric = certify_metric

    guarantee = cached_property(rendering.guarantee)
    limits = cached_property(rendering.limits)
    headline = cached_property(rendering.headline)
    basis = cached_property(rendering.basis)
    ways_to_tighten = cached_property(rendering.ways_to_tighten)
    advice = cached_property(rendering.advice)
    labels_for = rendering.labels_for
    __repr__ = rendering.text
    _repr_html_ = rendering.html
