"""Import optional dependencies, or name the extra that installs them."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def import_extra(module: str, extra: str) -> Any:
    """Return a module that one of the package's extras installs.

    Examples
    --------
    >>> import_extra("no_such_module", "data")
    Traceback (most recent call last):
        ...
    ImportError: This needs the package 'no_such_module', which is not installed. Install it:
    pip install "tandemvote[data]"
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(
            f"This needs the package {package!r}, which is not installed. Install it:"
            f' pip install "tandemvote[{extra}]"',
            name=package,
        ) from error
