"""Import optional dependencies, or name the extra that installs them."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class MissingExtraError(ImportError):
    """A package is missing that an extra of this one installs."""


def import_extra(module: str, extra: str) -> Any:
    """Return a module that one of the package's extras installs.

    Examples
    --------
    >>> import_extra("no_such_module", "data")
    Traceback (most recent call last):
        ...
    tandemvote.votes.extras.MissingExtraError:
    This needs the package 'no_such_module', which is not installed. Install it:
    pip install "tandemvote[data]"
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingExtraError(
            f"This needs the package {package!r}, which is not installed. Install it:"
            f' pip install "tandemvote[{extra}]"',
            name=package,
        ) from error
