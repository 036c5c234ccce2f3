"""The error about parameters, which the command line shows as its options."""

from __future__ import annotations

from typing import Any


class ParameterError(ValueError):
    """A message that names parameters as ``name=value``, and these parameters.

    Examples
    --------
    >>> error = ParameterError("power=2 is not valid; expected a number from 0 to 1.", power=2)
    >>> error.parameters
    {'power': 2}
    """

    def __init__(self, message: str, **parameters: Any) -> None:
        super().__init__(message)
        self.parameters = parameters
