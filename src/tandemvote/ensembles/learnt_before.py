"""Fitted estimators that a clone still reaches, through functions among its parameters."""

from __future__ import annotations

import dis
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice
from types import CodeType, FunctionType, ModuleType
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

MOST_ITEMS = 1000
"""How many items of a list or dict are looked at; longer ones hold data."""


def fitted_within(clone: Any) -> Iterator[BaseEstimator]:
    """Yield the fitted estimators that an unfitted one can reach.

    Functions reach those that they are methods of, have as arguments, close over or name as global
    variables: FunctionTransformer(encoder.transform) keeps what the encoder learnt.
    """
    waiting: list[Any] = [clone]
    seen: dict[int, Any] = {}
    while waiting:
        value = waiting.pop()
        if id(value) in seen or isinstance(value, type | ModuleType):
            continue
        seen[id(value)] = value
        if (
            isinstance(value, BaseEstimator)
            and get_tags(value).requires_fit
            and any(name.endswith("_") for name in vars(value))
        ):
            yield value
        waiting.extend(_reached_from(value))


def _reached_from(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        yield from islice(value.values(), MOST_ITEMS)
    elif isinstance(value, list | tuple | set):
        yield from islice(value, MOST_ITEMS)
    elif callable(value) or isinstance(value, BaseEstimator):
        yield from getattr(value, "__dict__", {}).values()
        yield getattr(value, "__self__", None)
        yield getattr(value, "__func__", None)
    if isinstance(value, partial):
        yield from (value.func, value.args, value.keywords)
    if isinstance(value, FunctionType):
        yield from (value.__defaults__, value.__kwdefaults__)
        for name in set(_global_names(value.__code__)):
            yield value.__globals__.get(name)
        for cell in value.__closure__ or ():
            try:
                yield cell.cell_contents
            except ValueError:  # not assigned yet
                continue


def _global_names(code: CodeType) -> Iterator[str]:
    for instruction in dis.get_instructions(code):
        if instruction.opname == "LOAD_GLOBAL":
            yield instruction.argval
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _global_names(inner)
