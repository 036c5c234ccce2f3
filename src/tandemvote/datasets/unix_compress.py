"""The ``.Z`` format of the old ``compress`` command, in which two UCI files are published.

Python's standard library has no reader for it. The format is LZW: a stream of codes, each naming
a string of a table that both sides build as they go. Codes are 9 bits wide at first and grow by
one bit whenever the table outgrows them; a change of width happens only after a group of eight
codes, so the rest of the group is padding.
"""

from __future__ import annotations

import sys

MAGIC = b"\x1f\x9d"
FIRST_WIDTH = 9
CLEAR = 256  # in block mode this code empties the table


def decompress(data: bytes, *, limit: int | None = None) -> bytes:
    """Unpack the bytes of a ``.Z`` file.

    Parameters
    ----------
    data : bytes
        The whole file, with its three-byte header.
    limit : int, optional
        Stop after so many bytes.

    Returns
    -------
    bytes
        The content.

    Raises
    ------
    ValueError
        If the data are not in this format, or damaged.

    Examples
    --------
    >>> decompress(bytes([0x1F, 0x9D, 0x90]) + bytes([0x61, 0x02, 0x02]))
    b'aaa'
    """
    if len(data) < 3 or data[:2] != MAGIC:
        raise ValueError("not a .Z file: the first two bytes are not 1f 9d")
    widest, block_mode = data[2] & 0x1F, bool(data[2] & 0x80)
    if not FIRST_WIDTH < widest <= 16:  # for 9 the programs in use disagree
        raise ValueError(f"damaged .Z file: codes of up to {widest} bits, expected 10 to 16")

    single_bytes = [bytes([value]) for value in range(256)] + [b""] * block_mode
    table = list(single_bytes)
    width, run_start, position, end = FIRST_WIDTH, 24, 24, 8 * len(data)
    previous = b""
    pieces: list[bytes] = []
    left = sys.maxsize if limit is None else limit
    while position + width <= end and left > 0:
        window = int.from_bytes(data[position >> 3 : (position >> 3) + 4], "little")
        code = (window >> (position & 7)) & ((1 << width) - 1)
        position += width
        if block_mode and code == CLEAR:
            position = run_start = _end_of_group(position, run_start, width)
            table, width, previous = list(single_bytes), FIRST_WIDTH, b""
            continue
        if code < len(table):
            piece = table[code]
        elif code == len(table) and previous:
            piece = previous + previous[:1]  # the string this very code is about to define
        else:
            raise ValueError(f"damaged .Z file: code {code} names a string not yet seen")
        pieces.append(piece)
        left -= len(piece)
        if previous and len(table) < 1 << widest:
            table.append(previous + piece[:1])
        previous = piece
        if len(table) == 1 << width and width < widest:
            position = run_start = _end_of_group(position, run_start, width)
            width += 1
    return b"".join(pieces)[:limit]


def _end_of_group(position: int, run_start: int, width: int) -> int:
    group = 8 * width
    return run_start + -(-(position - run_start) // group) * group
