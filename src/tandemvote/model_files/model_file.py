"""Files with a certified classifier and its certificate.

A skops file is a zip archive of JSON and plain arrays; loading one runs none of its contents.
scikit-learn follows the branches of a tree without checking them, so a forged tree could read
foreign memory. Every tree in a file is therefore found and checked before it is used.
"""

from __future__ import annotations

import gc
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from inspect import get_annotations
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any
from zipfile import ZIP_STORED, ZipFile

import joblib
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.model_selection import KFold
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from sklearn.tree import BaseDecisionTree

from tandemvote.atomic_files import written_whole
from tandemvote.certificate import Certificate
from tandemvote.models.committee import CertifiedClassifier
from tandemvote.models.digest import HasCertificate
from tandemvote.models.forest import CertifiedForestClassifier
from tandemvote.models.model_checks import last_step
from tandemvote.models.private_names import TREE_LEAF, Tree
from tandemvote.record.document import Document
from tandemvote.record.json_text import canonical, parse_document
from tandemvote.tables import TableColumns
from tandemvote.tables.encoding import few_categories, many_categories
from tandemvote.votes.extras import import_extra
from tandemvote.votes.parameter_error import ParameterError

SKOPS, JOBLIB = ".skops", ".joblib"

JOBLIB_WARNING = "a joblib file; opening one from a stranger can run their code"

CERTIFIED = (CertifiedClassifier, CertifiedForestClassifier)

KEPT = {name for kind in (HasCertificate, *CERTIFIED) for name in get_annotations(kind)}
KEPT.add("_metadata_request")  # which set_fit_request sets

OTHERS = (Tree, TableColumns, few_categories, many_categories, KFold)

TRUSTED = [f"{kind.__module__}.{kind.__qualname__}" for kind in (*CERTIFIED, *OTHERS)]
"""Types in a file besides those that skops trusts: numbers, containers, arrays and the estimators
of scikit-learn. skops does not trust trees because it does not check them; `check_trees` does."""

UNCHECKED = (
    *(GradientBoostingClassifier, GradientBoostingRegressor),
    *(SVC, NuSVC, SVR, NuSVR, OneClassSVM),
)
"""Estimators that a skops file cannot hold: gradient boosting does not check the features of its
trees, and libsvm reads as many coefficients as the numbers of support vectors say."""


class ModelFileError(ParameterError):
    """The file does not hold a certified classifier, or cannot hold this one."""


def save_model(model: Any, path: str | Path, *, trusted: Sequence[str] = ()) -> Path:
    """Write a fitted certified classifier and its certificate to a file, without the votes.

    Parameters
    ----------
    model : CertifiedClassifier or CertifiedForestClassifier
        A fitted classifier, or a pipeline that ends in one.
    path : path
        ``.skops``: loading the file runs no code from it (requires the extra ``skops``). It cannot
        hold user-defined functions, gradient boosting or support vector machines.
        ``.joblib``: holds any classifier; loading a file from a stranger can run their code.
    trusted : sequence of str, default=()
        Names of further types that a ``.skops`` file may hold. Whoever loads it must trust them.

    Returns
    -------
    path : pathlib.Path
        The file.

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
    if not hasattr(last_step(model), "_certificate"):
        raise ModelFileError(
            f"{type(last_step(model)).__name__} has no certificate. Pass a fitted"
            " CertifiedClassifier or CertifiedForestClassifier."
        )
    fix = f"A {JOBLIB} file holds any classifier whose functions are defined in modules."
    with _one_error(f"This classifier cannot be saved as {path.suffix}", fix):
        data = _written(model, path.suffix)
        _read(data, path.suffix, trusted)  # a file that could not be loaded is not written
    with written_whole(path) as unfinished:
        unfinished.write_bytes(data)
    return path


def load_model(path: str | Path, *, trusted: bool | Sequence[str] = False) -> Any:
    """Load a classifier that `save_model` wrote, and verify its certificate.

    Parameters
    ----------
    path : path
        A ``.skops`` or ``.joblib`` file.
    trusted : bool or sequence of str, default=False
        True opens a ``.joblib`` file, which can run code. Only for files from a known source.
        Names allow further types in a ``.skops`` file, as in `skops.io.load`.

    Returns
    -------
    model : CertifiedClassifier, CertifiedForestClassifier or Pipeline
        The classifier that was saved. Its certificate does not hold the votes.

    Raises
    ------
    ModelFileError
        If the file is damaged, holds a type that is not trusted or an unsound tree, or if its
        certificate is not valid or is about other models. The referee may have changed.

    Notes
    -----
    The certificate holds a digest of the tested models, not of the steps of a pipeline before them.
    Somebody who writes both the models and the certificate can still make up counts: check them
    with ``tandemvote verify --votes``.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from tandemvote import CertifiedClassifier
    >>> model = CertifiedClassifier(GaussianNB(), random_state=0).fit(*load_iris(return_X_y=True))
    >>> with TemporaryDirectory() as folder:
    ...     loaded = load_model(save_model(model, f"{folder}/iris.skops"))
    >>> loaded.certificate_.value == model.certificate_.value
    True
    """
    path = _model_path(path)
    if path.suffix == JOBLIB and trusted is not True:
        message = f"{path} is {JOBLIB_WARNING}. If you trust it, pass trusted=True."
        raise ModelFileError(message, trusted=True)
    with _one_error(f"{path} cannot be loaded", "Check the path, or save the classifier again."):
        return _read(path.read_bytes(), path.suffix, trusted)


def _model_path(path: str | Path) -> Path:
    path = Path(path)
    if path.suffix not in (SKOPS, JOBLIB):
        raise ModelFileError(
            f"{path} ends in {path.suffix!r}. Use {SKOPS}, which runs no code when it is loaded, or"
            f" {JOBLIB}, which holds any classifier."
        )
    return path


def _written(model: Any, suffix: str) -> bytes:
    """Return the contents of a file."""
    classifier = copy(last_step(model))
    certificate = canonical(classifier._certificate.to_dict())
    del classifier._certificate
    if isinstance(model, Pipeline):
        classifier = Pipeline([*model.steps[:-1], (model.steps[-1][0], classifier)])
    parts = {"model": classifier, "certificate": certificate}
    if suffix == SKOPS:
        return bytes(import_extra("skops.io", "skops").dumps(parts))
    stream = io.BytesIO()
    joblib.dump(parts, stream)
    return stream.getvalue()


def _read(data: bytes, suffix: str, trusted: bool | Sequence[str]) -> Any:
    """Return the model in a file, checked; damaged files raise errors of any type."""
    parts = joblib.load(io.BytesIO(data)) if suffix == JOBLIB else _read_skops(data, trusted)
    classifier = last_step(parts["model"])
    if type(classifier) not in CERTIFIED:
        raise ModelFileError(f"it holds a {type(classifier).__name__}, not a certified classifier")
    unknown = vars(classifier).keys() - classifier.get_params(deep=False).keys() - KEPT
    if unknown:
        raise ModelFileError(f"it holds the attribute {min(unknown)!r:.40}, which fit does not set")
    document = Document.from_json(parse_document(parts["certificate"].encode()))
    classifier._certificate = Certificate.load(document)
    if classifier._certificate.members != classifier._members_digest():
        raise ModelFileError("its tested models are not those that its certificate is about")
    return parts["model"]


def _read_skops(data: bytes, trusted: bool | Sequence[str]) -> Any:
    skops = import_extra("skops.io", "skops")
    files = ZipFile(io.BytesIO(data)).infolist()
    # Uncompressed parts take no more memory than the file itself.
    stored = all(file.compress_type == ZIP_STORED for file in files)
    if not stored or sum(file.file_size for file in files) > len(data):
        raise ModelFileError("its parts are compressed, so a small file could fill the memory")
    known = [*TRUSTED, *([] if isinstance(trusted, bool) else trusted)]
    unknown = sorted(set(skops.get_untrusted_types(data=data)) - set(known))
    if unknown:
        raise ModelFileError(f"it holds the type {unknown[0]}, which is not trusted")
    parts = skops.loads(data, trusted=known)
    check_trees(parts)
    return parts


def _parts(whole: Any) -> list[Any]:
    """Return every object inside an object, by the references that Python holds."""
    waiting, seen = [whole], {}
    while waiting:
        part = waiting.pop()
        if id(part) in seen or isinstance(part, type | ModuleType | FunctionType):
            continue
        seen[id(part)] = part  # also keeps it, so that no other object gets its id
        waiting += gc.get_referents(part)
        if isinstance(part, np.ndarray):  # the garbage collector does not look into arrays
            waiting += [part.base, *(part.ravel().tolist() if part.dtype.hasobject else ())]
    return list(seen.values())


def check_trees(whole: Any) -> None:
    """Raise ModelFileError if a path through some tree could leave the tree or its samples."""
    parts = _parts(whole)
    trees = {id(part) for part in parts if isinstance(part, Tree)}
    estimators = [part for part in parts if isinstance(part, BaseEstimator)]
    for part in estimators:
        if isinstance(part, UNCHECKED):
            raise ModelFileError(
                f"it holds a {type(part).__name__}, whose predict does not check the sizes of its"
                " arrays and could read foreign memory"
            )
        hidden = [name for name in vars(part) if callable(getattr(type(part), name, None))]
        if hidden:
            raise ModelFileError(f"it replaces the method {hidden[0]} of {type(part).__name__}")
    owners = [p for p in estimators if isinstance(p, BaseDecisionTree) and hasattr(p, "tree_")]
    if trees != {id(owner.tree_) for owner in owners} or not all(map(_is_sound, owners)):
        raise ModelFileError("it holds a tree with invalid branches or of unknown width")


def _is_sound(owner: BaseDecisionTree) -> bool:
    """Return True if every walk through a tree ends in a leaf, and samples of its width suffice."""
    tree = owner.tree_
    if not 0 < tree.node_count <= tree.capacity:
        return False
    inner = np.flatnonzero(tree.children_left != TREE_LEAF)
    children = np.array([tree.children_left[inner], tree.children_right[inner]])
    # Each node but the root is the child of one node before it.
    return bool(
        # scikit-learn compares new samples with this number, and only if it is there.
        getattr(owner, "n_features_in_", None) == tree.n_features
        and np.array_equal(np.sort(children, axis=None), np.arange(1, tree.node_count))
        and (children > inner).all()
        and ((tree.feature[inner] >= 0) & (tree.feature[inner] < tree.n_features)).all()
        and tree.max_depth == tree.compute_node_depths().max() - 1
    )


@contextmanager
def _one_error(problem: str, fix: str) -> Iterator[None]:
    """Turn errors of any type, since damaged files fail in many ways, into one."""
    try:
        yield
    except ImportError:
        raise
    except Exception as error:
        kind = "" if isinstance(error, ModelFileError) else f"{type(error).__name__}, "
        words = " ".join(str(error).split()).removesuffix(".")[:300]
        raise ModelFileError(f"{problem}: {kind}{words}. {fix}") from error
