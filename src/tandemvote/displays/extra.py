"""Import what only pictures, frames and reports need, or say how to get it."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def report_extra(module: str) -> ModuleType:
    """Return a module of the ``report`` extra.

    Examples
    --------
    >>> report_extra("pandas").__name__
    'pandas'
    >>> report_extra("no_such_module")
    Traceback (most recent call last):
        ...
    ImportError: Pictures, frames and reports need no_such_module, which is not installed. Get it
    with: pip install "tandemvote[report]"
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(
            f"Pictures, frames and reports need {package}, which is not installed. Get it with:"
            ' pip install "tandemvote[report]"',
            name=package,
        ) from error
