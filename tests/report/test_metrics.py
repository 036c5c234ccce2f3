"""Recall, precision and F1 in the report."""

import numpy as np
import pytest

from tandemvote import Votes, certify, write_report

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
