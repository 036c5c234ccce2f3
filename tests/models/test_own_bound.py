"""A bound of one's own, from the record to the verifier."""

import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

from tandemvote import Certificate, CertifiedForestClassifier, certify_oob, write_report
from tandemvote.bounds import Bound, Estimates, get_bound
from tandemvote.bounds.requirements import PAIR_OVERLAPS
from tandemvote.inequalities.outward import outward
from tandemvote.verify import CertificateFileError, verify_file

X, Y = load_breast_cancer(return_X_y=True)


def midway_bound(estimates, delta=0.05):
    gibbs, tandem = estimates.gibbs_interval(delta / 2), estimates.tandem_interval(delta / 2)
    return outward(gibbs.upper + 2 * tandem.upper)


def record(function, label="MID"):
    return Bound(
        label=label, summary="midway", theorem="", function=function, needs=(PAIR_OVERLAPS,)
    )


MIDWAY = record(midway_bound)


@pytest.fixture(scope="module")
def forest():
    return RandomForestClassifier(20, random_state=0).fit(X, Y)


def test_a_bound_of_ones_own_is_reported_with_its_label(forest, tmp_path):
    certificate = certify_oob(forest, X, Y, bound=MIDWAY)
    expected = midway_bound(Estimates(certificate.counts))
    assert certificate.value == expected and certificate.bound == "midway"
    assert "bound midway (MID)" in str(certificate)
    assert "midway" in certificate.to_frame().index or "midway" in str(certificate.to_frame())
    write_report(tmp_path / "report.html", certificate)
    assert "MID" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "midway" not in certify_oob(forest, X, Y, bound="best").candidates


def test_it_shares_delta_with_others(forest):
    certificate = certify_oob(forest, X, Y, bound=[MIDWAY, "tandem"])
    assert certificate.candidates["midway"] == midway_bound(
        Estimates(certificate.counts), certificate.delta / 2
    )


def test_the_forest_takes_it():
    forest = CertifiedForestClassifier(20, weights="uniform", bound=MIDWAY, random_state=0)
    assert forest.fit(X, Y).certificate_.bound == "midway"


def test_the_verifier_says_that_it_has_no_rule_for_it(forest, tmp_path):
    path = tmp_path / "certificate.json"
    certify_oob(forest, X, Y, bound=MIDWAY).save(path)
    with pytest.raises(CertificateFileError, match="no rule for the bound 'midway'"):
        verify_file(path)
    with pytest.raises(ValueError, match="midway"):
        Certificate.load(path)


def test_a_bound_without_a_name_is_rejected():
    with pytest.raises(ValueError, match=r"has no name.*Define it with def"):
        record(lambda estimates, delta: 1.0)


def test_a_name_keeps_its_bound():
    def tandem_bound(estimates, delta=0.05):
        return 0.0

    with pytest.raises(ValueError, match="Another bound has the name 'tandem'"):
        get_bound(record(tandem_bound))
    get_bound(MIDWAY)
    with pytest.raises(ValueError, match="Another bound has the name 'midway'"):
        get_bound(record(midway_bound, "OTHER"))
    assert get_bound(get_bound("tandem")) is get_bound("tandem")
