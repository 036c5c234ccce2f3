"""Bounds computed from numbers."""

import json

import pytest

from tandemvote import bounds
from tandemvote.cli.app import run


def test_every_bound_is_computed_for_which_the_numbers_suffice(capsys):
    given = ["--gibbs-loss", "0.21", "--tandem-loss", "0.12", "--n", "9460", "--n-pairs", "3360"]
    assert run(["bounds", *given, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)["bounds"]
    numbers = bounds.Estimates.from_numbers(
        gibbs_loss=0.21, tandem_loss=0.12, n_min=9460, n_min_pairs=3360
    )
    assert printed["first_order"] == bounds.first_order_bound(numbers)
    assert printed["tandem"] == bounds.tandem_bound(numbers)
    assert "c_tandem" in printed
    assert "disagreement" not in printed
    assert (
        run(["bounds", *given, "--disagreement", "0.18", "--errors", "3", "--samples", "99"]) == 0
    )
    shown = capsys.readouterr().out
    for label in ("FO", "TND", "DIS", "C1", "C2", "CTD", "TEST"):
        assert f"\n{label}" in f"\n{shown}"


def test_voters_are_given_by_their_counts(capsys):
    voters = [word for count in ("8/600", "9/600") for word in ("--voter", count)]
    assert run(["bounds", *voters, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)["bounds"]
    numbers = bounds.Estimates.from_numbers(errors=[8, 9], sizes=[600, 600])
    assert printed == {"coalition": bounds.coalition_bound(numbers)}
    assert run(["bounds", "--voter", "12"]) == 2
    assert "--voter 12 is not valid; expected errors/samples" in capsys.readouterr().err


@pytest.mark.filterwarnings("default::tandemvote.bounds.ContradictionWarning")
def test_contradicting_numbers_give_one_and_say_so(capsys):
    given = ["--gibbs-loss", "0", "--disagreement", "0.4", "--n", "9000", "--n-pairs", "3000"]
    assert run(["bounds", *given]) == 0
    shown = capsys.readouterr()
    assert "DIS     1.00000" in shown.out
    assert "estimates contradict each other" in shown.err


def test_the_confidence_is_one_minus_the_failure_probability(capsys):
    call = ["bounds", "--errors", "3", "--samples", "99", "--json", "--confidence", "0.99"]
    assert run(call) == 0
    printed = json.loads(capsys.readouterr().out)
    numbers = bounds.Estimates.from_numbers(n_errors=3, n_samples=99)
    assert printed == {"delta": 0.01, "bounds": {"test_set": bounds.test_set_bound(numbers, 0.01)}}


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--gibbs-loss", "-0.1", "--n", "10"], "--gibbs-loss"),
        (["--tandem-loss", "1.1", "--n-pairs", "10"], "--tandem-loss"),
        (["--gibbs-loss", "0.1", "--n", "10", "--kl-divergence", "-1"], "--kl-divergence"),
        (["--gibbs-loss", "0.1", "--n", "10", "--confidence", "2"], "--confidence"),
        (["--errors", "-1", "--samples", "10"], "--errors"),
        (["--errors", "1", "--samples", "0"], "--samples"),
    ],
)
def test_a_number_out_of_range_is_rejected_by_the_name_of_its_option(capsys, options, named):
    assert run(["bounds", *options]) == 2
    shown = capsys.readouterr()
    assert f"'{named}'" in shown.err and shown.err.count("\n") == 1
    assert shown.out == ""
