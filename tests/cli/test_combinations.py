"""Options that would be ignored, or contradict each other, end in one line before any work."""

import pytest

from tandemvote.cli.app import run


@pytest.fixture
def call(tmp_path, monkeypatch):
    """A call with a table that must not be trained on."""
    path = tmp_path / "table.csv"
    path.write_text("a,kind\n" + "".join(f"{i % 7},{'xy'[i % 2]}\n" for i in range(40)))
    monkeypatch.setattr("tandemvote.cli.designs.train", None)
    monkeypatch.chdir(tmp_path)
    return lambda command, *options: run([command, "table.csv", "--target", "kind", *options])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--bagging full", "--bagging goes with --design trees, not with --design pairs, "),
        ("--design holdout --folds 4", "--folds goes with --design folds, not with --design holdo"),
        ("--design trees --learner boosting", "--learner boosting goes with --design pairs, "),
        ("--learner boosting --trees 9", "not with --design pairs, --learner boosting"),
        ("--learner boosting --model m.skops", "cannot keep boosted models. Choose .joblib"),
        ("--folds 4", "--folds goes with --design folds, not with --design pairs"),
        ("--design folds --weights tandem", "two voters never saw"),
        ("--design folds --bound winning_pair", "--bound winning_pair looks at points"),
        (
            "--design folds --bound tandem",
            "--bound tandem looks at points that two voters never saw",
        ),
        ("--design holdout --bound first_order", "--bound goes with --design pairs or"),
        ("--design holdout --unlabelled table.csv", "tests its model by labels alone"),
        ("--design holdout --use-unlabelled", "tests its model by labels alone"),
        ("--design holdout --test-fraction 0", "needs labels set aside"),
        ("--test table.csv --test-fraction 0.1", "both give a test set"),
        ("--bound test_set", "give DATA and --test-fraction, such as 0.2, or --test"),
        ("--bound vote_profile", "give --unlabelled"),
        ("--drop-unlabelled --use-unlabelled", "contradict each other"),
        ("--use-unlabelled --unlabelled table.csv", "both give unlabelled points"),
        ("--drop a --keep a", "--drop and --keep name the same column"),
        ("--use-unlabelled", "every row has a label"),
        ("--deploy refit", "--deploy refit needs points without labels"),
        ("--design holdout --deploy refit", "--deploy refit needs points without labels"),
        ("--design trees --deploy refit", "--deploy refit goes with --design pairs, folds or"),
        ("--deploy refit --unlabelled table.csv --test-fraction 0.3", "only with --design holdout"),
        ("--deploy average --unlabelled table.csv", "--deploy average goes with --design trees"),
        ("--deploy refit --unlabelled table.csv --by class", "goes without --test and --by"),
        ("--by predicted", "--by predicted requires rows that no voter was trained on"),
        ("--design holdout --dask tcp://nowhere:1", "--dask goes with --design pairs or"),
        ("--design folds --folds 1", "Invalid value for '--folds'"),
        ("--format excel", "Invalid value for '--format'"),
        ("--test nowhere.csv", "there is no file nowhere.csv"),
    ],
)
def test_certify_refuses_them(call, capsys, options, message):
    assert call("certify", *options.split()) == 2
    shown = capsys.readouterr()
    last = shown.err.splitlines()[-1]
    assert last.startswith("Error: ") and message in last and not shown.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--learner boosting --trees 9", "--trees goes with --learner forest"),
        (
            "--learner boosting --bagging full",
            "not with --design folds, --design holdout, --design pairs",
        ),
        ("--test-fraction 0", "needs labels set aside"),
        ("--drop-unlabelled --use-unlabelled", "contradict each other"),
    ],
)
def test_compare_refuses_them(call, capsys, options, message):
    assert call("compare", *options.split()) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "option",
    [
        *(
            "--design folds",
            "--deploy vote",
            "--learner forest",
            "--trees 100",
            "--folds 3",
            "--bagging reduced",
        ),
        *("--seed 0", "--jobs 1", "--test t.csv", "--test-fraction 0.1", "--model m.skops"),
        *("--votes v.csv", "--category a", "--drop-missing", "--drop-duplicates"),
        *("--drop-unlabelled", "--use-unlabelled", "--format csv", "--separator ;", "--decimal ,"),
        *("--encoding latin-1", "--header", "--no-header", "--missing -"),
    ],
)
def test_no_option_for_training_is_ignored_with_predictions(tmp_path, monkeypatch, capsys, option):
    monkeypatch.chdir(tmp_path)
    for name in ("votes.csv", "t.csv"):
        (tmp_path / name).write_text("label,a,b\nx,x,x\ny,x,y\n")
    assert run(["certify", "--predictions", "votes.csv", *option.split()]) == 2
    assert ", not with --predictions." in capsys.readouterr().err


def test_a_cluster_is_not_asked_for_what_it_would_not_count(tmp_path, capsys):
    path = tmp_path / "votes.csv"
    path.write_text("label,a,b\nx,x,x\ny,x,y\n")
    assert run(["certify", "--predictions", str(path), "--dask", "tcp://nowhere:1"]) == 2
    assert "--dask counts predictions in Parquet files, not in text" in capsys.readouterr().err


def test_predict_does_not_write_over_a_column_that_is_to_be_kept(capsys):
    assert run(["predict", "model.skops", "new.csv", "--keep", "prediction"]) == 2
    assert "--keep prediction: labels predicted have this name" in capsys.readouterr().err
