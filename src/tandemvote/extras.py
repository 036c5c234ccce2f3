"""Import what only votes on disk and clusters need, or say how to get it."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def shards_extra(module: str, *, extra: str) -> ModuleType:
    """Return a module of one of the package's extras.

    Examples
    --------
    >>> shards_extra("json", extra="data").__name__
    'json'
    >>> shards_extra("no_such_module", extra="dask")
    Traceback (most recent call last):
        ...
    ImportError: Votes larger than memory need no_such_module here, which is not installed. Get it
    with: pip install "tandemvote[dask]"
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(
            f"Votes larger than memory need {package} here, which is not installed. Get it with:"
            f' pip install "tandemvote[{extra}]"',
            name=package,
        ) from error
