"""Options that would be ignored, or contradict each other, end in one line before any work."""

import pytest

from tandemvote.cli.app import run


@pytest.fixture
def call(tmp_path, monkeypatch):
    """A call with a table that must not be trained on."""
    path = tmp_path / "table.csv"
    path.write_text("a,kind\n" + "".join(f"{i % 7},{'xy'[i % 2]}\n" for i in range(40)))
    monkeypatch.setattr("tandemvote.cli.schemes.train", None)
    monkeypatch.chdir(tmp_path)
    return lambda *options: run(["certify", "table.csv", "--target", "kind", *options])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--scheme folds", "Invalid value for '--scheme': 'folds' is not one of 'committee', 'h"),
        ("--bagging full", "--bagging goes with --scheme trees, not with --learner forest, --sch"),
        ("--scheme trees --learner boosting", "--learner boosting goes with --scheme committee"),
        ("--learner boosting --trees 9", "not with --learner boosting, --scheme committee"),
        ("--learner boosting --model m.skops", "cannot keep boosted models. Choose .joblib"),
        ("--weights tandem", "--weights goes with --scheme trees or --predictions"),
        ("--scheme holdout --bound first_order", "--bound goes with --scheme trees or --pred"),
        ("--scheme trees --test-size 0.3", "--test-size goes with --scheme committee or"),
        ("--test-size 0", "'0' is not a test size. Give 'auto', a share such as 0.2, or a"),
        ("--test-size 1.5", "'1.5' is not a test size."),
        ("--test-size all", "'all' is not a test size."),
        ("--unlabelled table.csv", "--unlabelled goes with --scheme trees. The committee and"),
        ("--scheme holdout --unlabelled table.csv", "are tested on labels, and rows without"),
        ("--use-unlabelled", "--use-unlabelled goes with --scheme trees."),
        ("--use-unlabelled", "Use --drop-unlabelled to exclude them."),
        ("--scheme trees --groups a", "--groups goes with --scheme committee or holdout. The tre"),
        ("--groups kind", "--groups names the label column."),
        ("--groups a --keep a", "--groups and --keep name the same column."),
        ("--groups b", "table has no column 'b'."),
        ("--scheme trees --bound test_set", "use --scheme committee or holdout"),
        ("--scheme trees --bound vote_profile", "give --unlabelled"),
        ("--scheme trees --drop-unlabelled --use-unlabelled", "contradict each other"),
        ("--scheme trees --use-unlabelled --unlabelled table.csv", "both give unlabelled rows"),
        ("--drop a --keep a", "--drop and --keep name the same column"),
        ("--scheme trees --use-unlabelled", "every row has a label"),
        ("--by predicted", "--by predicted requires that every model is tested: use --scheme ho"),
        ("--scheme trees --by predicted", "requires that every model is tested"),
        ("--scheme holdout --dask tcp://nowhere:1", "--dask goes with --scheme committee or"),
        ("--format excel", "Invalid value for '--format'"),
        ("--scheme trees --unlabelled nowhere.csv", "there is no file nowhere.csv"),
    ],
)
def test_certify_refuses_them(call, capsys, options, message):
    assert call(*options.split()) == 2
    shown = capsys.readouterr()
    last = shown.err.splitlines()[-1]
    assert last.startswith("Error: ") and message in last and not shown.out


@pytest.mark.parametrize(
    "option",
    [
        *("--scheme trees", "--learner forest", "--trees 100", "--bagging reduced"),
        *("--seed 0", "--jobs 1", "--test-size 0.1", "--groups a", "--model m.skops"),
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
