"""Voters that answer only where enough of them agree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tandemvote.assumptions import standard_assumptions
from tandemvote.bounds.agreement import agreement_bound
from tandemvote.certificate.agreement import AgreementCertificate
from tandemvote.counting.counts import VoteCounts
from tandemvote.ensembles.evidence import evidence, is_certified
from tandemvote.ensembles.members import voters_in


def certify_agreement(
    model: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    quorum: int | None = None,
    delta: float = 0.05,
) -> AgreementCertificate:
    """Certify how often voters agree on a wrong label, so that they may abstain elsewhere.

    Where all must agree, this is as tight as a hold-out of the size of one voter's: all of them are
    wrong at most as often as the first one is, which was fixed in advance.

    Parameters
    ----------
    model, X, y
        As in `certify`. A certified classifier has kept its votes and needs no X and y. The voters
        count equally.
    quorum : int, optional
        How many voters must agree; by default all of them.
    delta : float in (0, 1)
        Probability with which the guarantee may fail.

    Returns
    -------
    AgreementCertificate
        Its `predict` gives labels where enough voters agree.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from tandemvote import CertifiedClassifierCV
    >>> X, y = load_digits(return_X_y=True)
    >>> model = CertifiedClassifierCV(RandomForestClassifier(30), random_state=0)
    >>> found = certify_agreement(model.fit(X[:1500], y[:1500]))
    >>> labels, accepted = found.predict(X[1500:])
    >>> found.value < model.certificate_.value, bool(accepted.mean() > 0.7)
    (True, True)
    """
    found = evidence(model, X, y)
    counts = VoteCounts.from_votes(found.votes)
    n_voters = counts.n_voters
    quorum = n_voters if quorum is None else quorum
    first = np.zeros(n_voters)
    first[0] = 1.0
    prior = first if quorum == n_voters else np.full(n_voters, 1.0 / n_voters)
    return AgreementCertificate(
        value=agreement_bound(
            errors=counts.errors, sizes=counts.sizes, quorum=quorum, prior=prior, delta=delta
        ),
        quorum=quorum,
        delta=delta,
        errors=counts.errors,
        sizes=counts.sizes,
        prior=prior,
        assumptions=(*standard_assumptions(), *found.assumptions),
        notes=tuple(found.notes),
        voters=voters_in(model) if is_certified(model) else found.votes.voters,
    )
