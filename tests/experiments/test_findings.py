import pandas as pd
import pytest

from tandemvote.experiments.findings import all_findings
from tandemvote.experiments.frames import row_frame
from tandemvote.experiments.paper_numbers import paper_cells


def _frames_of_the_paper() -> tuple[pd.DataFrame, pd.DataFrame]:
    """The paper's means as if they were rows of a single repetition."""
    forests: dict[tuple, dict] = {}
    unlabelled: dict[tuple, dict] = {}
    for cell in paper_cells():
        if cell.dataset == "Protein":
            continue
        value = repr(1.0 if cell.value is None else cell.value)
        if cell.labelled_fraction is None:
            key = (cell.dataset, cell.bagging, cell.weighting)
            names = dict(zip(("dataset", "bagging", "weighting"), key, strict=True))
            forests.setdefault(key, {**names, "repetition": "0"})[cell.column] = value
        else:
            key = (cell.dataset, cell.labelled_fraction)
            names = {"dataset": key[0], "labelled_fraction": str(key[1]), "repetition": "0"}
            unlabelled.setdefault(key, names)[cell.column] = value
    return row_frame("forests", forests.values()), row_frame("unlabelled", unlabelled.values())


def test_the_papers_numbers_bear_out_the_papers_findings():
    findings = all_findings(*_frames_of_the_paper())
    assert len(findings) == 10
    assert [found.claim for found in findings if not found.holds] == []
    text = " ".join(found.measured for found in findings)
    assert "TND tightest on 5: Cod-RNA, MNIST, Pendigits, Sensorless, Splice" in text
    assert "4 of 7: Cod-RNA, Phishing, Splice, w1a" in text
    assert "uniform weights: 13 of 16 sets" in text


@pytest.mark.parametrize(
    ("weighting", "column", "value", "claim"),
    [
        ("uniform", "tandem", 0.001, "TND is the tightest bound on 5"),
        ("first_order", "test_risk", 0.0001, "FO-optimised weights hurt"),
        ("tandem", "test_risk", 0.1, "TND-optimised weights do not"),
        ("tandem", "tandem", 0.9, "Both FO and TND tighten"),
    ],
)
def test_a_finding_that_the_rows_contradict_is_reported_as_such(weighting, column, value, claim):
    forests, unlabelled = _frames_of_the_paper()
    chosen = (forests["dataset"] == "Letter") & (forests["weighting"] == weighting)
    forests.loc[chosen, column] = value
    (found,) = [f for f in all_findings(forests, unlabelled) if f.claim.startswith(claim)]
    assert not found.holds
