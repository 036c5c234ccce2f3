"""Whatever rows there are, they can be rendered; what has nothing to show is not shown."""

import re
from itertools import product

import numpy as np
import pandas as pd
import pytest

from reproduction.experiments.committee import ALL_LABELS, HOLD_OUT, SCHEMES
from reproduction.experiments.rows import TABLES
from reproduction.report import rendering
from reproduction.report.figures.ratios import optimized_risk_ratios
from reproduction.report.frames import row_frame

MULTICLASS = ("Letter", "USPS")


def forest_rows(
    dataset: str, *, bagging: str = "full", repetitions: int = 2, errs: bool = True
) -> list[dict[str, str]]:
    """Rows of every weighting; on a set that is never erred on the test risk is 0."""
    binary = dataset not in MULTICLASS
    weightings = ["uniform", "first_order", "tandem", *(["disagreement"] if binary else [])]
    return [
        _row(
            "forests",
            {
                "dataset": dataset,
                "bagging": bagging,
                "repetition": str(repetition),
                "weighting": weighting,
            },
            seed=repetition + 10 * len(weighting) + 1000 * len(bagging),
            binary=binary,
            errs=errs,
        )
        for repetition in range(repetitions)
        for weighting in weightings
    ]


def unlabeled_rows(
    dataset: str, *, fractions: tuple[float, ...] = (0.05, 0.5), repetitions: int = 2
) -> list[dict[str, str]]:
    """Rows of the unlabeled experiment."""
    return [
        _row(
            "unlabeled",
            {
                "dataset": dataset,
                "labeled_fraction": str(fraction),
                "repetition": str(repetition),
            },
            seed=repetition,
            binary=True,
            errs=True,
        )
        for fraction in fractions
        for repetition in range(repetitions)
    ]


def weight_rows(dataset: str) -> list[dict[str, str]]:
    """Three trees of one forest."""
    names = {"dataset": dataset, "bagging": "full", "repetition": "0"}
    values = {"gibbs_loss": "0.1", "first_order": "0.3", "tandem": "0.3"}
    return [{**names, **values, "tree": str(tree)} for tree in range(3)]


def beyond_rows(dataset: str, *, errs: bool = True) -> list[dict[str, str]]:
    """One row of the family beyond the paper."""
    key = {"dataset": dataset, "repetition": "0"}
    return [_row("beyond", key, seed=0, binary=True, errs=errs)]


def committee_rows(
    dataset: str, *, learner: str = "forest", repetitions: int = 2, errs: bool = True
) -> list[dict[str, str]]:
    """Rows of the committee; on a set that is never erred on no model errs."""
    rows = []
    for repetition, scheme in product(
        range(repetitions), [*SCHEMES[learner], HOLD_OUT, ALL_LABELS]
    ):
        key = {"dataset": dataset, "learner": learner, "repetition": str(repetition)}
        row = _row("committee", key | {"scheme": scheme}, seed=repetition, binary=True, errs=errs)
        row |= dict.fromkeys(("errors", "test_errors"), "7" if errs else "0")
        rows.append(
            row | (dict.fromkeys(("errors", "n_tested"), "") if scheme == ALL_LABELS else {})
        )
    return rows


def _row(table: str, key: dict[str, str], *, seed: int, binary: bool, errs: bool) -> dict[str, str]:
    generator = np.random.default_rng(seed)
    row = {column: repr(float(generator.uniform(0.1, 0.9))) for column in TABLES[table].columns}
    row |= {column: "100" for column in row if column.startswith("n_")}
    row |= {"seed": str(seed), "split_seed": "0", "versions": "made up", "seconds": "0.0"}
    row["reconstructed"] = str(key["dataset"] == "USPS")
    if not binary:
        row |= dict.fromkeys(("c1", "c2", "disagreement_bound"), "")
    if not errs:
        row["test_risk"] = "0.0"
    return row | key


HOSTILE = r"a|b*c_d$x$^{e}~<u>&\[f](g)`h`%#"

FULL, REDUCED = {"bagging": "full"}, {"bagging": "reduced"}
SUBSETS = {
    "one set, family A, one repetition": {"forests": forest_rows("USPS", repetitions=1)},
    "one repetition of all": {
        "forests": forest_rows("Splice", repetitions=1) + forest_rows("Splice", **REDUCED),
        "unlabeled": unlabeled_rows("Adult", repetitions=1),
    },
    "full bagging only": {"forests": forest_rows("Letter") + forest_rows("Splice")},
    "reduced bagging only": {"forests": forest_rows("Splice", **REDUCED)},
    "no set with both": {"forests": forest_rows("Letter") + forest_rows("Splice", **REDUCED)},
    "a set with both, one without": {
        "forests": forest_rows("Letter") + forest_rows("Splice") + forest_rows("Splice", **REDUCED)
    },
    "only a set that is never erred on": {
        "forests": forest_rows("Mushroom", errs=False)
        + forest_rows("Mushroom", errs=False, **REDUCED)
    },
    "one's own set, never erred on": {"forests": forest_rows("mine", errs=False)},
    "one's own set": {
        "forests": forest_rows("mine") + forest_rows("mine", **REDUCED),
        "unlabeled": unlabeled_rows("mine"),
        "weights": weight_rows("mine"),
    },
    "errors with one bagging only": {
        "forests": forest_rows("mine", errs=False) + forest_rows("mine", **REDUCED)
    },
    "unlabeled only": {"unlabeled": unlabeled_rows("Adult")},
    "unlabeled only, one fraction": {"unlabeled": unlabeled_rows("w1a", fractions=(0.35,))},
    "one weighting lost": {
        "forests": [row for row in forest_rows("Letter") if row["weighting"] != "tandem"]
    },
    "uniform weights lost": {
        "forests": [row for row in forest_rows("Letter") if row["weighting"] == "tandem"]
    },
    "a hostile name": {
        "forests": forest_rows(HOSTILE) + forest_rows("mine", repetitions=3),
        "unlabeled": unlabeled_rows(HOSTILE),
        "weights": weight_rows(HOSTILE),
    },
    "beyond only, no errors": {"beyond": beyond_rows("Mushroom", errs=False)},
    "beyond only, a hostile name": {"beyond": beyond_rows(HOSTILE)},
    "committee only, no errors": {"committee": committee_rows("Mushroom", errs=False)},
    "committee only, one repetition": {"committee": committee_rows("mine", repetitions=1)},
    "committee only, a hostile name": {
        "committee": committee_rows(HOSTILE)
        + committee_rows("Letter", learner="boosting", repetitions=3)
    },
}


TRYING_TO_DRAW = (
    *("a hostile name", "beyond only, a hostile name", "committee only, a hostile name"),
    *("committee only, no errors", "errors with one bagging only"),
)
QUICK = (
    *("errors with one bagging only", "one's own set", "beyond only, a hostile name"),
    *("unlabeled only, one fraction", "committee only, no errors"),
)
"""Every page and every kind of absent rows; the other subsets are slow."""

PAGES = ("README.md", "beyond.md", "committee.md")


@pytest.fixture
def render(tmp_path, monkeypatch):
    """Render rows that are given, not stored; figures are not written, and laid out on request."""

    def render(
        tables: dict[str, list[dict[str, str]]], *, laid_out: bool = False, figures: bool = True
    ):
        def save(figure, stem):
            if laid_out:
                figure.draw_without_rendering()
            stem.parent.mkdir(exist_ok=True)
            stem.touch()
            return [stem]

        monkeypatch.setattr(rendering, "save", save)
        if not figures:
            monkeypatch.setattr(rendering, "all_figures", lambda *_: [])
        monkeypatch.setattr(
            rendering, "read_frame", lambda store, table: row_frame(table, tables.get(table, []))
        )
        paths = rendering.render_reproduction(tmp_path)
        return {path.relative_to(tmp_path).as_posix(): path.read_text("utf-8") for path in paths}

    return render


@pytest.mark.parametrize(
    "name",
    [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in SUBSETS],
)
def test_any_subset_of_rows_can_be_rendered(render, name):
    written = render(SUBSETS[name], laid_out=name in TRYING_TO_DRAW)
    pages = [text for path, text in written.items() if path in PAGES]
    assert len(pages) == 1
    pictures = re.findall(r"\]\((figures/\S+)\.svg\)", pages[0])
    assert {path for path in written if path.startswith("figures/")} == set(pictures)
    assert "nan" not in pages[0]
    assert not re.search(r"\b1 (repetitions|data sets|sets|cells)\b", pages[0])
    for path, text in written.items():
        if path.startswith("tables/uniform") and path.endswith(".md"):
            assert re.search(r"0\.\d{5}", text)  # no table without a number


def test_the_page_of_the_committee_states_how_many_repetitions_there_are(render):
    page = render(SUBSETS["committee only, a hostile name"])["committee.md"]
    assert "- Rows: 2 data sets, 2 to 3 repetitions per data set and learner, 5 splits" in page
    lines = [line for line in page.splitlines() if line.startswith("| Letter |")]
    assert [line.split(" | ")[-1] for line in lines] == ["3 |"]
    assert "| forest | 12 x 33 | 5 | 1.000 (1.00 to 1.00) | 1.000 (1.00 to 1.00) |" in page


def test_a_set_without_errors_has_no_ratio_of_errors(render):
    page = render(SUBSETS["committee only, no errors"])["committee.md"]
    assert "| forest | 12 x 33 | 5 | 1.000 (1.00 to 1.00) | - |" in page


def test_a_run_without_forests_has_no_tables_of_forests(render):
    written = render(SUBSETS["unlabeled only"])
    assert [path for path in written if path.startswith("tables/")] == [
        "tables/datasets.md",
        "tables/datasets.tex",
    ]
    assert set(written) - {"tables/datasets.md", "tables/datasets.tex"} == {
        "figures/indicator-relaxations",
        "figures/unlabeled-curves",
        "comparison.csv",
        "README.md",
    }
    # Deviations show although none of these cells is among the counted ones.
    assert "### Cells beyond 3 standard errors" in written["README.md"]


def test_one_repetition_of_one_set_is_written_in_the_singular(render):
    written = render(SUBSETS["one set, family A, one repetition"], figures=False)
    assert "Forests: 1 data set, 1 repetition each." in written["README.md"]
    assert "1 repetition." in written["tables/uniform-full-bounds.md"]


def test_sets_that_stand_in_for_the_papers_or_are_absent_are_marked_everywhere(render):
    rows = forest_rows("USPS") + forest_rows("USPS", **REDUCED) + forest_rows("Splice")
    written = render({"forests": rows, "weights": weight_rows("USPS")}, figures=False)
    for path in ("tables/datasets.md", "tables/datasets.tex"):
        assert "Protein (not available here)" in written[path]
        assert "USPS (reconstructed)" in written[path]
        assert "Splice (" not in written[path]
    bare = re.findall(r"USPS(?! \(reconstructed\))", written["README.md"])
    assert len(bare) == 1  # where it says what is reconstructed


def test_titles_of_figures_carry_the_mark_too(monkeypatch):
    frames = [
        row_frame("forests", forest_rows("USPS")),
        row_frame("unlabeled", unlabeled_rows("USPS")),
        row_frame("weights", weight_rows("USPS")),
    ]
    for name, figure in rendering.all_figures(*frames):
        texts = [axes.get_title() for axes in figure.axes]
        texts += [label.get_text() for axes in figure.axes for label in axes.get_xticklabels()]
        about = [text for text in texts if "USPS" in text]
        assert about or name in ("indicator-relaxations", "disagreement-against-tandem")
        assert set(about) <= {"USPS (reconstructed)"}


def test_a_hostile_name_stays_a_name(render):
    written = render(SUBSETS["a hostile name"], figures=False)
    for path in ("tables/uniform-full-bounds.md", "README.md"):
        assert HOSTILE not in written[path]
        (line, *_) = [line for line in written[path].splitlines() if line.startswith(r"| a\|b")]
        others = [line for line in written[path].splitlines() if line.startswith("| mine |")]
        cells = re.split(r"(?<!\\)\|", line)
        assert len(cells) == len(others[0].split("|"))
        assert re.sub(r"\\(.)", r"\1", cells[1].strip()) == HOSTILE
    latex = written["tables/uniform-full-bounds.tex"]
    assert (
        r"a|b*c\_d\$x\$\textasciicircum{}\{e\}\textasciitilde{}\textless{}u\textgreater{}\&"
        r"\textbackslash{}[f](g)`h`\%\# & " in latex
    )


def test_repetitions_without_errors_count_in_the_ratios():
    rows = forest_rows("mine", repetitions=5)
    risks = {
        "uniform": (0.0, 0.1, 0.1, 0.1, 0.0),
        "first_order": (0.0, 0.1, 0.2, 0.3, 0.1),  # ratios 1, 1, 2, 3, infinite
        "tandem": (0.1, 0.1, 0.1, 0.1, 0.1),  # two infinite ones of five: no upper quartile
    }
    for row in rows:
        if row["weighting"] in risks:
            row["test_risk"] = str(risks[row["weighting"]][int(row["repetition"])])
    figure = optimized_risk_ratios(row_frame("forests", rows))
    medians = [container.lines[0].get_ydata() for container in figure.axes[0].containers]
    assert medians[0].tolist() == [2.0]
    assert pd.isna(medians[1]).all()
