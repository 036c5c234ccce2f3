"""Tell the caller's mistakes from the library's, and say the former in one line."""

from __future__ import annotations

from tandemvote.printable import printable

INTERNAL_FAILURE = 70
"""Exit code where the library is to blame; 1 is a verdict of ``verify``, 2 the caller's mistake."""


def as_one_line(error: Exception) -> str | None:
    """Return the line to print, or None if the error is a bug and deserves its traceback.

    Examples
    --------
    >>> from tandemvote.tables import DatasetError
    >>> as_one_line(DatasetError("There is no file wine.csv. Check the path."))
    'Error: There is no file wine.csv. Check the path.'
    >>> as_one_line(ZeroDivisionError()) is None
    True
    """
    if hasattr(error, "format_message"):  # Typer's own errors, whichever Click it was built on
        message = error.format_message()
        # Called without arguments, a group has shown its help and has no complaint to add.
        return f"Error: {printable(' '.join(message.split()))}" if message else ""
    lacks_extra = isinstance(error, ImportError) and "tandemvote[" in str(error)
    # The library refuses bad values by ValueError, with the way out in the message. Folders that
    # cannot be written to and schedulers that do not answer are OSErrors.
    if lacks_extra or isinstance(error, ValueError | OSError):
        return f"Error: {printable(' '.join(str(error).split()))}"
    return None
