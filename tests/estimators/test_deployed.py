"""A model trained on all labels, and a forest's average, are certified through voters."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from tandemvote import (
    CertifiedClassifierCV,
    CertifiedForestClassifier,
    Votes,
    certify,
    certify_by_group,
)
from tandemvote.bounds import single_voter_bound
from tandemvote.model_file import load_model, save_model

X, Y = make_classification(1600, 8, n_informative=4, flip_y=0.1, random_state=3)
LABELLED, UNLABELLED, TEST = slice(0, 600), slice(600, 1100), slice(1100, None)
NAMES = np.where(Y == 1, "yes", "no")
TREE = DecisionTreeClassifier(max_depth=5)


def refitted(estimator=TREE, **parameters):
    model = CertifiedClassifierCV(estimator, ensemble=False, random_state=0, **parameters)
    return model.fit(X[LABELLED], NAMES[LABELLED], X_unlabelled=X[UNLABELLED])


def soft_forest(**parameters):
    forest = CertifiedForestClassifier(30, max_depth=4, voting="soft", random_state=0, **parameters)
    return forest.fit(X[LABELLED], NAMES[LABELLED], X_unlabelled=X[UNLABELLED])


def test_the_model_that_predicts_is_trained_on_all_labels():
    model = refitted()
    voters = CertifiedClassifierCV(TREE, random_state=0).fit(X[LABELLED], NAMES[LABELLED])
    same = clone(model.estimator_).fit(X[LABELLED], NAMES[LABELLED])
    assert np.array_equal(model.predict(X[TEST]), same.predict(X[TEST]))
    assert np.array_equal(model.predict_proba(X[TEST]), same.predict_proba(X[TEST]))
    assert np.array_equal(model.predict_voters(X[TEST]), voters.predict_voters(X[TEST]))
    assert not np.array_equal(model.predict(X[TEST]), voters.predict(X[TEST]))


def test_the_average_of_the_trees_is_that_of_the_plain_forest():
    plain = RandomForestClassifier(30, max_depth=4, random_state=0)
    plain.fit(X[LABELLED].astype(np.float32), NAMES[LABELLED])
    forest = soft_forest()
    assert np.array_equal(forest.predict(X[TEST]), plain.predict(X[TEST]))
    assert np.array_equal(forest.predict_proba(X[TEST]), plain.predict_proba(X[TEST]))


def test_a_single_hold_out_certifies_by_its_errors_and_by_where_the_two_models_differ():
    model = refitted(cv=ShuffleSplit(1, test_size=0.2))
    (tested,) = model.estimators_
    said, answers = tested.predict(X[UNLABELLED]), model.predict(X[UNLABELLED])
    expected = single_voter_bound(
        n_errors=int(model.counts_.errors[0]),
        n_samples=120,
        n_differ=int((said != answers).sum()),
        n_unlabelled=500,
    )
    assert model.certificate_.value == expected
    errors, n = model.counts_.errors[0], model.counts_.sizes[0]
    assert errors / n + (said != answers).mean() < expected < 1.0


@pytest.mark.parametrize("fitted", [refitted, soft_forest])
def test_the_certificate_is_that_of_certify_for_the_same_votes(fitted):
    model = fitted()
    votes = model.certification_.votes
    names = model.classes_
    same = Votes.from_predictions(
        names[votes.predictions],
        names[votes.labels],
        votes.held_out,
        unlabelled=names[model.predict_voters(X[UNLABELLED])],
    )
    expected = certify(same, deployed=model.predict(X[UNLABELLED]))
    assert model.certificate_.value == expected.value < model.certificate_.guessing
    assert (
        model.certificate_.deployed
        == type(model.estimator_ if hasattr(model, "estimator_") else model.forest_).__name__
    )
    assert (model.predict(X[TEST]) != NAMES[TEST]).mean() < model.certificate_.value


@pytest.mark.parametrize(
    ("model", "way_out"),
    [
        (CertifiedClassifierCV(TREE, ensemble=False), "ensemble=True"),
        (CertifiedForestClassifier(5, voting="soft"), 'voting="hard"'),
    ],
)
def test_without_unlabelled_points_nothing_can_be_certified(model, way_out):
    with pytest.raises(ValueError, match=rf"nothing can be certified .*X_unlabelled.*{way_out}"):
        model.fit(X, Y)


def test_bounds_about_the_vote_and_unknown_votings_are_refused():
    with pytest.raises(ValueError, match="'coalition' is about the vote"):
        refitted(bound="coalition")
    with pytest.raises(ValueError, match=r"voting='median'; choose 'hard' or 'soft'"):
        CertifiedForestClassifier(voting="median").fit(X, Y)


@pytest.mark.parametrize("fitted", [refitted, soft_forest])
def test_what_is_about_the_vote_alone_is_refused(fitted):
    model = fitted()
    with pytest.raises(ValueError, match=re.escape("certify([model], X_test, y_test)")):
        model.certify_with_test(X[TEST], NAMES[TEST])
    with pytest.raises(ValueError, match="labels test only its voters"):
        certify_by_group(model, groups="class")
    tested = certify([model], X[TEST], NAMES[TEST])
    assert tested.bound == "test_set"
    assert tested.observed == (model.predict(X[TEST]) != NAMES[TEST]).mean()


@pytest.mark.parametrize("fitted", [refitted, soft_forest])
@pytest.mark.parametrize("ending", ["pickle", "joblib", "skops"])
def test_copies_and_files_predict_alike_and_keep_the_promise(fitted, ending, tmp_path):
    model = fitted()
    if ending == "pickle":
        again = pickle.loads(pickle.dumps(model))
    else:
        again = load_model(save_model(model, tmp_path / f"model.{ending}"), trusted=True)
    assert np.array_equal(again.predict(X[TEST]), model.predict(X[TEST]))
    assert again.certificate_.value == model.certificate_.value
    assert again.certificate_.deployed == model.certificate_.deployed


def test_a_file_without_the_classifier_that_it_certifies_is_refused(tmp_path):
    model = refitted()
    model.estimator_ = "nothing that predicts"
    with pytest.raises(ValueError, match="a classifier that it does not hold"):
        save_model(model, tmp_path / "model.skops")


def test_what_predicts_is_what_was_certified_also_if_parameters_change_after_the_fit():
    for model, change in ((refitted(), {"ensemble": True}), (soft_forest(), {"voting": "hard"})):
        before = model.predict(X[TEST]), model.predict_proba(X[TEST])
        model.set_params(**change)
        assert np.array_equal(model.predict(X[TEST]), before[0])
        assert np.array_equal(model.predict_proba(X[TEST]), before[1])
    folds = CertifiedClassifierCV(TREE, random_state=0).fit(X[LABELLED], NAMES[LABELLED])
    before = folds.predict(X[TEST])
    assert np.array_equal(folds.set_params(ensemble=False).predict(X[TEST]), before)


def test_a_model_that_is_fitted_again_as_a_vote_votes():
    model = refitted().set_params(ensemble=True)
    again = clone(model).fit(X[LABELLED], NAMES[LABELLED])
    model.fit(X[LABELLED], NAMES[LABELLED])
    assert np.array_equal(model.predict_proba(X[TEST]), again.predict_proba(X[TEST]))


def test_frames_texts_and_parallel_work_give_what_arrays_give():
    frame = pd.DataFrame(X).round().astype(str)
    frame.columns = list("abcdefgh")
    pipeline = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    model = CertifiedClassifierCV(pipeline, ensemble=False, random_state=0, n_jobs=2)
    model.fit(frame[LABELLED], NAMES[LABELLED], X_unlabelled=frame[UNLABELLED])
    array = clone(model).set_params(n_jobs=None)
    rows = frame.to_numpy()
    array.fit(rows[LABELLED], NAMES[LABELLED], X_unlabelled=rows[UNLABELLED])
    assert model.certificate_.value == array.certificate_.value
    assert np.array_equal(model.predict(frame[TEST]), array.predict(rows[TEST]))
    assert model.feature_names_in_.tolist() == list("abcdefgh")


def test_progress_is_told_for_all_four_models(capfd):
    refitted(verbose=10)
    told = "".join(capfd.readouterr())
    assert re.search(r"Done\s+4 ", told)


def test_probabilities_are_offered_by_models_that_have_them():
    assert hasattr(refitted(), "predict_proba")
    assert not hasattr(refitted(RidgeClassifier()), "predict_proba")
    assert hasattr(CertifiedClassifierCV(RidgeClassifier()), "predict_proba")


def test_unlabelled_points_that_are_training_points_are_refused():
    model = CertifiedClassifierCV(TREE, ensemble=False)
    with pytest.raises(ValueError, match="rows of the training data"):
        model.fit(X[LABELLED], Y[LABELLED], X_unlabelled=X[:300])


class Memoriser(DecisionTreeClassifier):
    """Learns well from parts of the data, and only memorises the whole."""

    n_whole = 600

    def fit(self, X, y):
        super().fit(X, y)
        self.whole_ = len(X) >= self.n_whole
        return self

    def predict(self, X):
        said = super().predict(X)
        return np.where(said == "yes", "no", "yes") if self.whole_ else said


def test_a_model_that_misbehaves_on_all_labels_alone_is_not_certified_by_its_folds():
    model = refitted(Memoriser(max_depth=5))
    assert (model.predict(X[TEST]) != NAMES[TEST]).mean() > 0.7
    assert model.oob_score_ > 0.7
    assert model.certificate_.value > 0.7


class Unlabelled:
    """Passes points between the labelled ones as unlabelled, as scikit-learn's checks pass none."""

    def fit(self, X, y):
        moved = X if issparse(X) else np.asarray(X)
        try:
            moved = 1.01 * moved
        except TypeError:  # objects other than numbers, which are to be refused in X
            moved = moved[:1]
        return super().fit(X, y, X_unlabelled=moved)


class RefittedModel(Unlabelled, CertifiedClassifierCV):
    pass


class SoftForest(Unlabelled, CertifiedForestClassifier):
    pass


CHECKS = parametrize_with_checks(
    [
        RefittedModel(LogisticRegression(), ensemble=False, random_state=0),
        SoftForest(10, voting="soft", random_state=0),
    ],
    expected_failed_checks=lambda _: {
        "check_class_weight_classifiers": "class_weight={...} lets labels choose the bootstraps"
    },
)


@pytest.mark.filterwarnings("ignore::tandemvote.bounds.VacuousBoundWarning")
@pytest.mark.parametrize(CHECKS.args[0], list(CHECKS.args[1]), **CHECKS.kwargs)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
