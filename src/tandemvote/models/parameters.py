"""Fitted models and test samples among the parameters of a model before it is trained."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from functools import partial
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone

from tandemvote.auditing.columns import FALSE_ALARM
from tandemvote.auditing.finding import Finding, about_data
from tandemvote.auditing.rows import chance_of_shared, row_digests

PLAIN = (str, bytes, int, float, complex, type, ModuleType, FunctionType, np.generic)
"""Values without parts; functions are not examined."""


def parameter_findings(estimator: Any, X: Any, fit_params: Mapping[str, Any]) -> list[Finding]:
    """Report fitted models, and rows of X, among the parameters of an estimator and of its fit.

    Cloning makes the estimators among the parameters unfitted, but nothing else. Fit parameters
    with one value per sample are cut to the training rows.
    """
    n_rows = np.shape(X)[:1]
    given = {name: value for name, value in fit_params.items() if _length(value) != n_rows}
    found, seen = {}, dict[int, Any]()
    params = {**clone(estimator).get_params(), **given}
    for name in sorted(params, key=lambda name: -name.count("__")):  # the innermost names first
        for part in _parts(params[name], seen):
            if _is_fitted(part):
                message = f"The parameter {name!r} holds a fitted {type(part).__name__}."
                found["fitted_parameter", name] = message
            elif _is_table_like(part, X):
                n_shared, _, chance = chance_of_shared(row_digests(part), row_digests(X))
                if chance < FALSE_ALARM:
                    message = f"The parameter {name!r} holds {n_shared} distinct rows of X."
                    found["rows_in_parameter", name] = message
    return [about_data(code, "error", message) for (code, _), message in found.items()]


def _length(value: Any) -> tuple[int, ...]:
    if hasattr(value, "shape"):
        return tuple(value.shape[:1])
    return (len(value),) if isinstance(value, list | tuple) else ()


def _parts(value: Any, seen: dict[int, Any]) -> Iterator[Any]:
    """Yield a value and its parts: entries, what a method is bound to, attributes of objects."""
    if id(value) in seen or value is None or isinstance(value, PLAIN):
        return
    seen[id(value)] = value
    yield value
    parts: Iterable[Any] = ()
    if isinstance(value, Mapping):
        parts = value.values()
    elif isinstance(value, list | tuple | Set):
        parts = value
    elif isinstance(value, partial):
        parts = value.func, value.args, value.keywords
    elif not hasattr(value, "shape"):
        parts = getattr(value, "__self__", None), *getattr(value, "__dict__", {}).values()
    for part in parts:
        yield from _parts(part, seen)


def _is_fitted(part: Any) -> bool:
    """Return True for a fitted estimator, or for an object that predicts and has no fit."""
    if not hasattr(part, "fit"):
        return hasattr(part, "predict")
    names = vars(part) if hasattr(part, "__dict__") else ()
    fitted = getattr(part, "is_fitted", bool)  # a method of CatBoost
    return any(name.endswith("_") and not name.startswith("__") for name in names) or fitted()


def _is_table_like(part: Any, X: Any) -> bool:
    """Return True for a table with the columns of X."""
    if not (hasattr(part, "shape") and (issparse(part) or hasattr(part, "__array__"))):
        return False
    return len(part.shape) > 1 and part.shape[0] > 0 and part.shape[1:] == np.shape(X)[1:]
