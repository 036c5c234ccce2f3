"""The printed statistics of the paper's appendix give its printed bounds."""

import csv
from pathlib import Path

import pytest

from tandemvote import bounds

TABLES = Path(__file__).parents[2] / "reproduction" / "paper"


def rows(kind):
    with (TABLES / f"uniform_{kind}_statistics.csv").open() as statistics:
        observed = {row["dataset"]: row for row in csv.DictReader(statistics)}
    with (TABLES / f"uniform_{kind}_bounds.csv").open() as printed:
        for row in csv.DictReader(printed):
            yield row, observed[row["dataset"]]


def estimates_of(row):
    return bounds.Estimates.from_numbers(
        gibbs_loss=float(row["gibbs_loss"]),
        n_min=float(row["min_validation_size"]),
        tandem_loss=float(row["tandem_loss"]),
        n_min_pairs=float(row["min_overlap_size"]),
        disagreement=float(row["disagreement"]),
    )


@pytest.mark.parametrize("kind", ["full", "reduced"])
def test_printed_statistics_reproduce_printed_bounds(kind):
    compared = 0
    for printed, row in rows(kind):
        estimates = estimates_of(row)
        ours = {
            "FO": bounds.first_order_bound(estimates),
            "TND": bounds.tandem_bound(estimates),
            "CTD": bounds.c_tandem_bound(estimates),
        }
        if printed["C1"]:
            ours["C1"] = bounds.c1_bound(estimates)
        for label, value in ours.items():
            if printed[label] == ">1":
                assert value == 1, (row["dataset"], label)
            elif printed[label]:
                assert value == pytest.approx(float(printed[label]), abs=5e-4), (
                    row["dataset"],
                    label,
                )
            compared += bool(printed[label])
    assert compared == 17 * 3 + 7


@pytest.mark.parametrize("kind", ["full", "reduced"])
def test_the_true_supremum_is_at_most_the_published_c2(kind):
    """The published code leaves out one edge of the region: valid, but looser."""
    for printed, row in rows(kind):
        if printed["C2"]:
            ours = bounds.c2_bound(estimates_of(row))
            assert ours <= float(printed["C2"]) + 2e-4
            assert ours >= float(printed["C2"]) - 0.011
