"""The README shows the numbers of the committed results."""

import re

import pytest

from reproduction.report.front_page import ROOT, SCHEMES, filled, scheme_table

README = ROOT / "README.md"
SCHEMES_PAGE = ROOT / "docs" / "how-to" / "choose-a-scheme.rst"


@pytest.mark.skipif(not README.exists(), reason="the README is not part of an installed package")
def test_the_readme_has_the_numbers_of_the_committed_tables():
    text = README.read_text("utf-8")
    assert text == filled(text), "run `make reproduce`"


@pytest.mark.skipif(not SCHEMES_PAGE.exists(), reason="no documentation in a package")
def test_the_page_about_schemes_has_the_numbers_of_the_readme():
    pair = r"(\d\.\d\d / \d\.\d\d)"
    rows = re.findall(rf"\| {pair} \| {pair} \| (\d(?: / \d)?) \|", README.read_text("utf-8"))
    page = SCHEMES_PAGE.read_text("utf-8")
    assert len(rows) == 4
    for bound, error, fits in rows:
        assert f"     - {fits}\n     - {bound}\n     - {error}\n" in page


@pytest.mark.skipif(not SCHEMES_PAGE.exists(), reason="no documentation in a package")
def test_the_page_about_schemes_has_the_small_committee():
    page = (ROOT / "reproduction" / "results" / "committee.md").read_text("utf-8")
    (line,) = (line for line in page.splitlines() if line.startswith("| forest | 10 x 10 |"))
    bound, error = (float(cell.split()[0]) for cell in line.split(" | ")[3:5])
    row = f"     - 1.1\n     - {bound:.2f} / -\n     - {error:.2f} / -\n"
    assert row in SCHEMES_PAGE.read_text("utf-8")


def test_the_table_takes_medians_of_forests_and_boosting():
    committee = "\n".join(
        f"| {learner} | {scheme} | 5 | {bound} (1.0 to 2.0) | 0.987 (0.5 to 1.5) | a | b | 9 |"
        for names in SCHEMES
        for learner, scheme, bound in zip(
            ("forest", "boosting"), names, ("1.234", "1.015"), strict=True
        )
    )
    beyond = (
        "FO or TND as published 2 to 9 times (median 5.5), VP 1 to 2 times (median 3.5), "
        "TEST 1 to 2 times (median 1.5)."
    )
    table = scheme_table(committee, beyond)
    assert "| **committee** (default) | none | 1.23 / 1.02 | 0.99 / 0.99 | 5 |" in table
    assert "5.5 times" in table and "3.5 times" in table and "1.5 times" in table
