"""Recall, precision and F1 in the report."""

import numpy as np
import pytest

from tandemvote import Votes, certify, write_report
from tandemvote.report.class_tables import class_metrics
from tandemvote.votes import weighted_vote

rng = np.random.default_rng(0)
LABELS = rng.integers(3, size=300)
VOTES = Votes.from_predictions([np.where(rng.random(300) < 0.9, LABELS, 0)], LABELS)


def test_the_report_shows_metrics_that_share_delta(tmp_path):
    page = write_report(tmp_path / "r.html", certify(VOTES)).read_text(encoding="utf-8")
    shared = certify(VOTES, metric="f1", positive=2, confidence=1 - 0.05 / 9)
    assert "Recall, precision and F1" in page
    assert shared.limits.replace(">= ", "≥\N{NO-BREAK SPACE}") in page


def test_the_report_is_about_the_error_rate(tmp_path):
    with pytest.raises(ValueError, match="The certificate is about f1; a report requires"):
        write_report(tmp_path / "r.html", certify(VOTES, metric="f1", positive=2))
    page = write_report(tmp_path / "r.html", certify(VOTES, bound="first_order")).read_text("utf-8")
    assert "Recall, precision and F1" not in page


def test_metrics_of_all_classes_take_two_votes(monkeypatch):
    """One vote says which classes can win, the other is that of the tested models alone."""
    certificate, votes = certify(VOTES), []
    totals = weighted_vote.vote_totals
    monkeypatch.setattr(
        weighted_vote, "vote_totals", lambda *args: votes.append(1) or totals(*args)
    )
    assert len(class_metrics(certificate).rows) == 3
    assert len(votes) == 2
