"""Priors and published forms at every door."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from tandemvote import CertifiedForestClassifier, Votes, certify, certify_oob
from tandemvote.cli.app import run
from tandemvote.weights import minimize_bound

X, Y = load_breast_cancer(return_X_y=True)


def test_certify_takes_a_prior_and_published_bounds():
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=500)
    votes = Votes.from_predictions(labels ^ (rng.random((3, 500)) < 0.2), labels)
    prior = [0.5, 0.3, 0.2]
    certificate = certify(votes, weights="tandem", bound="tandem", prior=prior, published=True)
    solution = minimize_bound(certificate.counts, "tandem", prior, published=True)
    assert certificate.value == pytest.approx(solution.value)
    assert certificate.prior.tolist() == prior and certificate.published
    with pytest.raises(ValueError, match=r"has weight 0\.333 but prior 0"):
        certify(votes, bound="tandem", prior=[0.5, 0.5, 0.0])


def test_prior_and_published_form_of_the_forest_are_those_of_certify_oob():
    prior = np.arange(1, 31) / 465
    options = {"weights": "first_order", "bound": "first_order", "prior": prior}
    forest = CertifiedForestClassifier(30, random_state=0, published=True, **options).fit(X, Y)
    expected = certify_oob(forest.forest_, X, Y, published=True, **options)
    assert forest.certificate_.value == expected.value
    assert forest.certificate_.published
    np.testing.assert_array_equal(forest.certificate_.prior, prior)
    with pytest.raises(ValueError, match=r"prior has shape \(2,\)"):
        CertifiedForestClassifier(30, prior=[0.5, 0.5]).fit(X, Y)


def test_the_command_line_certifies_the_forest_of_the_paper(tmp_path, capsys):
    pytest.importorskip("pandas")
    table, saved = tmp_path / "cancer.csv", tmp_path / "certificate.json"
    load_breast_cancer(as_frame=True).frame.to_csv(table, index=False)
    paper = ["--weights", "first_order", "--bound", "first_order", "--published"]
    arguments = ["certify", str(table), "--target", "target"]
    trees = ["--scheme", "trees", "--trees", "20", "--max-samples", "1", "--quiet"]
    assert run([*arguments, *trees, *paper, "--certificate", str(saved)]) == 0
    (written,) = json.loads(saved.read_text(encoding="utf-8"))["certificates"]
    assert written["published"] and list(written["candidates"]) == ["first_order"]
    assert run([*arguments, *paper]) == 2
    assert "--weights requires --scheme trees" in capsys.readouterr().err


def test_the_command_line_takes_a_prior_of_votes(tmp_path, capsys):
    pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    labels = rng.integers(2, size=300)
    columns = np.vstack([labels, labels ^ (rng.random((3, 300)) < 0.2)]).T
    table, saved = tmp_path / "votes.csv", tmp_path / "vote.json"
    np.savetxt(table, columns, "%d", ",", header="label,a,b,c", comments="")
    arguments = ["certify-votes", str(table), "--weights", "tandem", "--bound", "tandem"]
    prior = ["--prior", "0.5,0.3,0.2", "--published"]
    assert run([*arguments, *prior, "--certificate", str(saved)]) == 0
    (written,) = json.loads(saved.read_text(encoding="utf-8"))["certificates"]
    assert [float.fromhex(each) for each in written["prior"]] == [0.5, 0.3, 0.2] and written[
        "published"
    ]
    assert run([*arguments, "--prior", "half"]) == 2
    assert "one number per voter, separated by commas" in capsys.readouterr().err.replace("\n", " ")
