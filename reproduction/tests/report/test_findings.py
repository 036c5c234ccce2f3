from functools import cache

import pandas as pd
import pytest

from reproduction.report.findings import all_findings
from reproduction.report.frames import row_frame
from reproduction.report.paper_numbers import paper_cells


def _frames_of_the_paper() -> tuple[pd.DataFrame, pd.DataFrame]:
    """The paper's means as if they were rows of a single repetition."""
    forests: dict[tuple, dict] = {}
    unlabeled: dict[tuple, dict] = {}
    for cell in paper_cells():
        if cell.dataset == "Protein":
            continue
        value = repr(1.0 if cell.value is None else cell.value)
        if cell.labeled_fraction is None:
            key = (cell.dataset, cell.bagging, cell.weighting)
            names = dict(zip(("dataset", "bagging", "weighting"), key, strict=True))
            forests.setdefault(key, {**names, "repetition": "0"})[cell.column] = value
        else:
            key = (cell.dataset, cell.labeled_fraction)
            names = {"dataset": key[0], "labeled_fraction": str(key[1]), "repetition": "0"}
            unlabeled.setdefault(key, names)[cell.column] = value
    return row_frame("forests", forests.values()), row_frame("unlabeled", unlabeled.values())


NO_WEIGHTS = row_frame("weights", [])


@cache
def _findings_of_the_paper():
    return all_findings(*_frames_of_the_paper(), NO_WEIGHTS, {})


def _of_the_paper(claim):
    (actual,) = [f for f in _findings_of_the_paper() if claim in f.claim]
    return actual


def test_the_papers_numbers_bear_out_the_papers_findings():
    findings = _findings_of_the_paper()
    assert len(findings) == 13
    assert [actual.claim for actual in findings if not actual.holds] == []
    text = " ".join(actual.measured for actual in findings)
    assert "TND tightest on 5: Cod-RNA, MNIST, Pendigits, Sensorless, Splice" in text
    assert "4 of 7: Cod-RNA, Phishing, Splice, w1a" in text
    assert "uniform weights: 13 of 16 sets" in text


@pytest.mark.parametrize(
    ("weighting", "column", "value", "claim"),
    [
        ("uniform", "tandem", 0.001, "TND is the tightest bound on 5"),
        ("first_order", "test_risk", 0.0001, "FO-optimized weights hurt"),
        ("tandem", "test_risk", 0.1, "TND-optimized weights do not"),
        ("tandem", "tandem", 0.9, "Both FO and TND tighten"),
    ],
)
def test_a_finding_that_the_rows_contradict_is_reported_as_such(weighting, column, value, claim):
    forests, unlabeled = _frames_of_the_paper()
    chosen = (forests["dataset"] == "Letter") & (forests["weighting"] == weighting)
    forests.loc[chosen, column] = value
    (actual,) = [
        f for f in all_findings(forests, unlabeled, NO_WEIGHTS, {}) if f.claim.startswith(claim)
    ]
    assert not actual.holds


def _found(forests, unlabeled, claim, names=None):
    (actual,) = [
        f for f in all_findings(forests, unlabeled, NO_WEIGHTS, names or {}) if claim in f.claim
    ]
    return actual


def _repeated(forests: pd.DataFrame, shifts: list[float], name: str) -> pd.DataFrame:
    """Repeat every row; one set's test risk with optimized weights moves by so many points."""
    frames = []
    for repetition, shift in enumerate(shifts):
        frame = forests.assign(repetition=repetition)
        chosen = (frame["dataset"] == name) & (frame["weighting"] == "tandem")
        frame.loc[chosen, "test_risk"] = frame.loc[chosen, "test_risk"] + shift
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def test_harm_with_reduced_bagging_alone_is_harm():
    forests, unlabeled = _frames_of_the_paper()
    chosen = (forests["dataset"] == "Letter") & (forests["bagging"] == "reduced")
    forests.loc[chosen & (forests["weighting"] == "tandem"), "test_risk"] *= 1.5
    forests.loc[chosen & (forests["weighting"] == "first_order"), "test_risk"] = 0.001
    assert not _found(forests, unlabeled, "TND-optimized weights do not").holds
    assert not _found(forests, unlabeled, "FO-optimized weights hurt").holds


def test_every_rule_names_its_threshold():
    assert "at most 1.1 times" in _of_the_paper("TND-optimized weights do not").rule
    assert "at most 1.15" in _of_the_paper("minor effect").rule
    assert "below -0.5" in _of_the_paper("disagreement is large").rule
    assert "more than half" in _of_the_paper("Reduced bagging tightens").rule


def test_no_set_is_dropped_in_silence():
    assert "to 1.60 (Shuttle)" in _of_the_paper("minor effect").measured
    for claim in ("minor effect", "FO-optimized weights hurt", "TND-optimized weights do not"):
        assert "but for Mushroom on which no vote errs" in _of_the_paper(claim).rule


def test_the_second_half_of_the_claim_on_tightness_has_its_number():
    finding = _of_the_paper("(uniform weights, full bagging)")
    assert "FO on 11 of the 11 others" in finding.measured


def test_where_tandem_overtakes_is_reported_and_counted_as_in_the_paper():
    forests, unlabeled = _frames_of_the_paper()
    actual = _of_the_paper("DIS leads TND")
    same = "2: Cod-RNA, Phishing (from r = 0.15, 0.5)"
    assert f"TND ahead at r = 0.5 on {same}; in the paper's numbers on {same}" in actual.measured
    unlabeled.loc[unlabeled["dataset"] == "Phishing", "disagreement_bound"] = 0.0
    assert not _found(forests, unlabeled, "DIS leads TND").holds


def test_a_rise_is_clear_if_its_paired_differences_say_so():
    forests, unlabeled = _frames_of_the_paper()
    steady, noisy = [0.002, 0.003] * 6, [0.03, -0.025] * 6  # the same mean
    for shifts, expected in ((steady, "Adult"), (noisy, "none"), (steady[:9], "none")):
        rows = _repeated(forests, shifts, "Adult")
        predictions = _found(rows, unlabeled, "TND-optimized weights do not").measured
        # Twelve copies of one row: other sets rise without any spread.
        clear = {part.split(" on ")[-1] for part in predictions.split("; ") if "a rise of" in part}
        assert all(("Adult" in part) == (expected == "Adult") for part in clear)


def test_findings_write_names_with_their_mark():
    forests, unlabeled = _frames_of_the_paper()
    chosen = (forests["dataset"] == "USPS") & (forests["weighting"] == "first_order")
    forests.loc[chosen, "test_risk"] = 0.9
    names = {"USPS": "USPS (reconstructed)"}
    predictions = _found(forests, unlabeled, "FO-optimized weights hurt", names).measured
    assert "(USPS (reconstructed))" in predictions


def test_concentrated_weights_of_the_tandem_bound_contradict_figure_2b():
    forests, unlabeled = _frames_of_the_paper()
    weights = pd.DataFrame({"dataset": "Letter", "bagging": "full", "tree": range(100)})
    weights["first_order"] = [1.0] + 99 * [0.0]
    for tandem, holds in ((100 * [0.01], True), ([1.0] + 99 * [0.0], False)):
        findings = all_findings(forests, unlabeled, weights.assign(tandem=tandem), {})
        (actual,) = [f for f in findings if "Figure 2b" in f.claim]
        assert actual.holds == holds
