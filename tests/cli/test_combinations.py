"""Options that would be ignored, or contradict each other, end in one line before any work."""

import pytest

from tandemvote.cli.app import run


@pytest.fixture
def call(tmp_path, monkeypatch):
    """A call with a table that must not be trained on."""
    path = tmp_path / "table.csv"
    path.write_text("a,kind\n" + "".join(f"{i % 7},{'xy'[i % 2]}\n" for i in range(40)))
    monkeypatch.setattr("tandemvote.cli.training.train", None)
    monkeypatch.chdir(tmp_path)
    return lambda *options: run(["certify", "table.csv", "--target", "kind", *options])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--scheme folds", "Invalid value for '--scheme': 'folds' is not one of 'committee', 'h"),
        ("--scheme trees --learner boosting", "--learner boosting requires --scheme committee"),
        ("--learner boosting --model m.skops", "cannot hold boosted models."),
        ("--scheme trees --test-size 0.3", "--test-size requires --scheme committee or"),
        ("--test-size 1.5", "'1.5' is not a share."),
        ("--test-size 0", "'0' is not a test size. Give a share above 0 and below 1, or"),
        ("--test-size 100%", "'100%' is not a test size."),
        (
            "--test-size all",
            "'all' is not a share. Give a number from 0 to 1, or a percentage such as 5%.",
        ),
        ("--max-error 101%", "Invalid value for '--max-error': '101%' is not a share."),
        ("--unlabeled table.csv", "--unlabeled requires --scheme trees. The committee and"),
        ("--scheme holdout --unlabeled table.csv", "are tested on labels, so rows without"),
        ("--scheme trees --groups a", "--groups requires --scheme committee or holdout. The tre"),
        ("--groups b", "table.csv has no column 'b'."),
        ("--by predicted", "--by predicted requires that every model is tested: use --scheme ho"),
        ("--scheme trees --by predicted", "requires that every model is tested"),
        ("--scheme trees --unlabeled table.csv --by class", "--by cannot be combined with --unl"),
        ("--by label --votes v.csv", "--by label cannot be combined with --votes"),
    ],
)
def test_certify_rejects_them(call, capsys, options, message):
    assert call(*options.split()) == 2
    shown = capsys.readouterr()
    last = shown.err.splitlines()[-1]
    assert last.startswith("Error: ") and message in last and not shown.out


@pytest.mark.parametrize("option", ["--scheme trees", "--trees 100", "--seed 0", "--model m.skops"])
def test_certify_votes_has_no_options_for_training(tmp_path, monkeypatch, capsys, option):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "votes.csv").write_text("label,a,b\nx,x,x\ny,x,y\n")
    assert run(["certify-votes", "votes.csv", *option.split()]) == 2
    assert "No such option" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--bound vote_profile", "requires unlabeled samples. Pass some, or use"),
        ("--weights best", "Valid names are 'uniform', 'first_order', 'tandem', 'disagreement'."),
        ("--confidence 49%", "--confidence 0.49 is not valid; expected at least 0.5"),
        ("--bound TND", "Invalid --bound TND."),
        ("--ties first", "'first' is not one of 'smallest', 'referee'."),
    ],
)
def test_certify_votes_rejects_bounds_without_their_evidence(
    tmp_path, monkeypatch, capsys, options, message
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "votes.csv").write_text("label,a,b\nx,x,x\ny,x,y\n")
    assert run(["certify-votes", "votes.csv", *options.split()]) == 2
    assert message in capsys.readouterr().err


def test_predict_does_not_write_over_a_column_that_is_to_be_kept(tmp_path, capsys):
    model = tmp_path / "model.skops"
    model.touch()
    assert run(["predict", str(model), "new.csv", "--keep", "prediction"]) == 2
    assert "--keep prediction is the name of the new column" in capsys.readouterr().err
