"""The README shows the numbers of the committed results."""

import re

import pytest

from reproduction.report.front_page import ROOT, filled, scheme_table

README = ROOT / "README.md"
SCHEMES_PAGE = ROOT / "docs" / "how-to" / "choose-a-scheme.rst"


@pytest.mark.skipif(not README.exists(), reason="the README is not part of an installed package")
def test_the_readme_has_the_numbers_of_the_committed_tables():
    text = README.read_text("utf-8")
    assert text == filled(text), "run `make reproduce`"


@pytest.mark.skipif(not SCHEMES_PAGE.exists(), reason="no documentation in a package")
def test_the_page_about_schemes_has_the_numbers_of_the_readme():
    pair = r"(\d\.\d\d / \d\.\d\d)"
    rows = re.findall(rf"\| {pair} \| {pair} \| (\d) \|", README.read_text("utf-8"))
    page = SCHEMES_PAGE.read_text("utf-8")
    assert len(rows) == 3
    for bound, error, fits in rows:
        assert f"     - {fits}\n     - {bound}\n     - {error}\n" in page


def test_the_table_takes_medians_of_forests_and_boosting():
    schemes = ("hold-out", "average of 3", "committee 4+1")
    committee = "\n".join(
        f"| {learner} | {scheme} | 5 | {bound} (1.0 to 2.0) | 0.987 (0.5 to 1.5) | 9 |"
        for learner, bound in (("forest", "1.234"), ("boosting", "1.015"))
        for scheme in schemes
    )
    beyond = (
        "FO or TND as published 2 to 9 times (median 5.5), VP 1 to 2 times (median 3.5), "
        "TEST 1 to 2 times (median 1.5)."
    )
    table = scheme_table(committee, beyond)
    assert "| **committee, 4 + 1** (default) | none | 1.23 / 1.02 | 0.99 / 0.99 | 5 |" in table
    assert "5.5 times" in table and "3.5 times" in table and "1.5 times" in table
