"""The table of schemes in the repository's README, filled from the rendered results.

``python -m reproduction.report.front_page`` writes it.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

from reproduction.report.layout import markdown_table

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "reproduction" / "results"
START, END = "<!-- schemes: written by `make reproduce` -->\n", "<!-- end of schemes -->"
HEADINGS = ("scheme", "labels set aside", "bound / hold-out", "error / all labels", "fits")
SCHEMES = {
    ("hold-out", "hold-out"): ("hold-out, one model", "20%"),
    ("average of 3 x 100", "average of 3 models"): (
        "hold-out, average of 3 models",
        "the test set",
    ),
    ("average of 5 x 100", "average of 5 models"): (
        "hold-out, average of 5 models",
        "the test set",
    ),
    ("12 x 33", "6 models"): ("**committee** (default)", "none"),
}
"""Schemes of forests and of boosting, and the words of their line."""


def scheme_table(committee: str, beyond: str) -> str:
    """Return the table in Markdown, from the text of committee.md and of beyond.md."""
    rows, n_sets = [], {}
    for schemes, (words, labels) in SCHEMES.items():
        cells, costs = {}, []
        for learner, scheme in zip(("forest", "boosting"), schemes, strict=True):
            line = next(
                line
                for line in committee.splitlines()
                if line.startswith(f"| {learner} | {scheme} |")
            )
            _, _, fits, bound, error, _, _, n_sets[learner] = line.strip("| ").split(" | ")
            cells[learner] = (bound.split()[0], error.split()[0])
            costs.append(fits)
        pairs = zip(cells["forest"], cells["boosting"], strict=True)
        bounds, errors = (" / ".join(str(_rounded(each)) for each in pair) for pair in pairs)
        rows.append((words, labels, bounds, errors, " / ".join(dict.fromkeys(costs))))
    factors = re.search(
        r"FO or TND as published [^(]*\(median ([\d.]+)\), "
        r"VP [^(]*\(median ([\d.]+)\), TEST [^(]*\(median ([\d.]+)\)",
        beyond,
    )
    assert factors is not None
    return (
        f"Medians over {n_sets['forest']} / {n_sets['boosting']}"
        f" [data sets](reproduction/results/committee.md) (random forests / boosting).\n\n"
        f"{markdown_table(HEADINGS, rows)}\n\n"
        f"The paper's forest sets no label aside and requires one fit. In the median its bound is "
        f"{factors[1]} times the test error, and {factors[2]} times\nwith unlabeled samples; the "
        f"bound of a test set is {factors[3]} times ([table](reproduction/results/beyond.md)).\n"
    )


def _rounded(number: str) -> Decimal:
    return Decimal(number).quantize(Decimal("0.01"), ROUND_HALF_UP)


def filled(readme: str) -> str:
    """Return the README with the table in its place."""
    texts = [(RESULTS / name).read_text("utf-8") for name in ("committee.md", "beyond.md")]
    before, _, rest = readme.partition(START)
    return f"{before}{START}{scheme_table(*texts)}{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    path = ROOT / "README.md"
    path.write_text(filled(path.read_text("utf-8")), encoding="utf-8")
