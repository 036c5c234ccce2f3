"""From a certified classifier to its file and back.

A skops file is a zip archive of JSON and plain arrays, of which nothing is executed.
"""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, ZipFile

import joblib
import numpy as np
from sklearn.exceptions import InconsistentVersionWarning, NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from tandemvote.bounds import BoundValue
from tandemvote.certificate.certificate import Certificate
from tandemvote.certificate.file import certificate_of, record_of
from tandemvote.certification import CertificateRequest, Certification
from tandemvote.counting.counts import VoteCounts
from tandemvote.ensembles.private_names import Tree
from tandemvote.estimators import CertifiedClassifier, CertifiedForestClassifier
from tandemvote.extras import import_extra
from tandemvote.hard_vote import VoteProfile
from tandemvote.model_file.contents import (
    Certified,
    Model,
    ModelFileError,
    classifier_of,
    encoder_of,
    refuse_other_models,
    refuse_unsound_trees,
)
from tandemvote.tables import TableEncoder

SKOPS, JOBLIB = ".skops", ".joblib"

JOBLIB_WARNING = "a joblib file; opening one from a stranger can run their code"

TRUSTED = [
    f"{kind.__module__}.{kind.__qualname__}"
    for kind in (
        BoundValue,
        Certificate,
        CertifiedClassifier,
        CertifiedForestClassifier,
        TableEncoder,
        Tree,
        VoteCounts,
        VoteProfile,
    )
]
"""What a file may hold besides what skops trusts by itself: numbers, containers, arrays and the
public estimators of scikit-learn. Compiled trees are not among what skops trusts,
because it does not check where their branches lead; `refuse_unsound_trees` does, before they are
used."""


def _model_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of a model file; refuse endings that name no format."""
    path = Path(path)
    if path.suffix not in (SKOPS, JOBLIB):
        raise ModelFileError(
            f"{path} ends in {path.suffix!r}, which names no kind of model file. Choose {SKOPS},"
            f" which opens without running anything, or {JOBLIB}, which holds any classifier."
        )
    return path


def save_model(estimator: Any, path: str | os.PathLike[str]) -> Path:
    """Keep a fitted classifier with its certificate.

    Parameters
    ----------
    estimator : certified classifier
        Fitted; or a pipeline of a `TableEncoder` and one.
    path : path
        ``.skops``: a file that opens without running anything (needs the extra ``skops``). It
        cannot hold functions of your own or gradient boosting, which raise a `ModelFileError`.
        ``.joblib``: a file for yourself; opening one from a stranger can run their code.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from tandemvote import CertifiedForestClassifier
    >>> forest = CertifiedForestClassifier(3, random_state=0).fit([[0], [1]] * 9, ["a", "b"] * 9)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save_model(forest, pathlib.Path(folder, "forest.joblib"))
    ...     load_model(path, trusted=True).predict([[1]]).tolist()
    ['b']
    """
    path = _model_path(path)
    try:
        refuse_other_models(estimator)
        check_is_fitted(classifier_of(estimator), "certificate_")
    except (ModelFileError, NotFittedError) as error:
        raise ModelFileError(
            f"A model file keeps a fitted certified classifier, not {type(estimator).__name__}."
            " Fit a CertifiedClassifier or a CertifiedForestClassifier."
        ) from error
    kept, way_out = io.BytesIO(), "Give functions of your own a name in a module."
    if path.suffix == SKOPS:
        way_out = f"Keep it in a {JOBLIB} file, for yourself and for those who trust you."
    with _one_error(f"A {path.suffix} file cannot keep this classifier", way_out):
        if path.suffix == JOBLIB:
            joblib.dump(estimator, kept)
        else:
            kept.write(write_skops(estimator))
            read_skops(kept.getvalue())  # what could not be opened again is not written
    path.write_bytes(kept.getvalue())
    return path


def load_model(path: str | os.PathLike[str], *, trusted: bool = False) -> Model:
    """Read what `save_model` wrote.

    A skops file is opened without running anything in it: types other than this library's,
    scikit-learn's and plain data are refused, as are trees with branches to nowhere and
    certificates that their own counts do not give. A joblib file can run code: say ``trusted=True``
    to open one because you know who made it. Files made with another scikit-learn give a warning.
    """
    path = _model_path(path)
    if not path.is_file():
        raise ModelFileError(f"There is no file {path}. Check the path.")
    if path.suffix == JOBLIB and not trusted:
        raise ModelFileError(
            f"{path} is {JOBLIB_WARNING}. If you know who made it, say trusted=True; if not, ask"
            f" for a {SKOPS} file."
        )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with _one_error(f"{path} was not opened", "Ask for it to be saved again."):
            model = joblib.load(path) if path.suffix == JOBLIB else read_skops(path.read_bytes())
    _warn_of_another_version(caught, path)
    return model


@contextmanager
def _one_error(what: str, way_out: str) -> Iterator[None]:
    """Turn errors of any kind, for models and damaged files fail in many ways, into one."""
    try:
        yield
    except ImportError:
        raise
    except Exception as error:
        words = " ".join(str(error).split())
        if not isinstance(error, ModelFileError):
            words = f"{type(error).__name__}, {words}"
        if len(words) > 300:
            words = f"{words[:300]} ..."
        raise ModelFileError(f"{what}: {words}. {way_out}") from error


def write_skops(model: Model) -> bytes:
    """Return the skops file of a classifier, without the votes and labels that tested it."""
    classifier, encoder = copy(classifier_of(model)), encoder_of(model)
    del classifier.certification_
    kept: Any = classifier
    if encoder is not None:
        kept = Pipeline([("columns", encoder), ("vote", classifier)])
    return bytes(import_extra("skops.io", "skops").dumps(kept))


def read_skops(data: bytes) -> Model:
    """Return the classifier in a skops file, checked; damaged files raise errors of any kind."""
    skops = import_extra("skops.io", "skops")
    with ZipFile(io.BytesIO(data)) as archive:
        parts = archive.infolist()
    # Parts that are stored as they are take no more memory than the file itself.
    if any(part.compress_type != ZIP_STORED for part in parts) or (
        sum(part.file_size for part in parts) > len(data)
    ):
        raise ModelFileError("its parts are compressed, so a small file could fill the memory")
    unknown = sorted(set(skops.get_untrusted_types(data=data)) - set(TRUSTED))
    if unknown:
        raise ModelFileError(f"it holds the type {unknown[0]}, which is not trusted")
    model = skops.loads(data, trusted=TRUSTED)
    refuse_other_models(model)
    refuse_unsound_trees(model)
    _refuse_false_promise(classifier_of(model))
    return model


def _refuse_false_promise(model: Certified) -> None:
    """Compute the certificate again from its counts; reject another, or one of another vote."""
    certificate = certificate_of(record_of(model.certificate_))
    weights = certificate.weights
    if isinstance(model, CertifiedForestClassifier):
        same = np.array_equal(weights, model.weights_) and len(weights) == len(model.estimators_)
    else:
        tested = [True] if model._averages() else [True] * len(model.estimators_)
        expected = tested if model.referee_ is None else [*tested, False]
        same = not np.ptp(weights) and (certificate.counts.sizes > 0).tolist() == expected
    if not same or certificate.deployed is not None:
        raise ModelFileError("its certificate is about another vote")
    names = ("observed", "guessing")
    shown: dict[str, Any] = {name: getattr(model.certificate_, name, None) for name in names}
    if not all(share is None or 0.0 <= float(share) <= 1.0 for share in shown.values()):
        raise ModelFileError("its certificate shows an error that is not a share of samples")
    certificate = replace(certificate, **shown)
    request = CertificateRequest(
        weights=weights,
        bound=certificate.candidates,
        prior=certificate.prior,
        delta=certificate.delta,
        sharpening=certificate.sharpening,
    )
    found = Certification(
        request=request,
        counts=certificate.counts,
        weights=weights,
        profile=certificate.profile,
        notes=certificate.notes,
    )
    vars(found)["certificate"] = certificate  # without the votes it cannot be computed again
    model.certification_, model.certificate_ = found, certificate
    if isinstance(model, CertifiedForestClassifier):
        model.bounds_, model.counts_ = certificate.bounds, certificate.counts


def _warn_of_another_version(caught: list[warnings.WarningMessage], path: Path) -> None:
    """Give one warning for all models of another scikit-learn, and repeat all other warnings."""
    versions = set()
    for warning in caught:
        if isinstance(warning.message, InconsistentVersionWarning):
            versions.add(str(warning.message.original_sklearn_version)[:20])
        else:
            warnings.warn(warning.message, stacklevel=3)
    if versions:
        warnings.warn(
            f"{path} was made with scikit-learn {' and '.join(sorted(versions))}. With the one"
            " installed here the models may predict otherwise than they did when they were"
            " certified. Install that release, or fit the classifier again.",
            stacklevel=3,
        )
