"""The grammar of ARFF: declared attributes, and rows of quoted or bare cells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# A cell starts in one way only, so that no text makes the search go back and forth.
_QUOTED = r"""'(?P<single>(?:[^'\\]|\\.)*)'|"(?P<double>(?:[^"\\]|\\.)*)\""""
_CELL = rf"\s*(?:{_QUOTED}|(?P<bare>[^,]*))\s*(?P<end>,|\Z)"
_DENSE = re.compile(_CELL)
_SPARSE = re.compile(rf"\s*(?P<place>\d{{1,9}})\s+{_CELL}")
_ATTRIBUTE = re.compile(rf"@attribute\s+(?:{_QUOTED}|(?P<bare>[^\s{{]+))(?P<type>.*)", re.I | re.S)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_DATE_SIGNS = {"yyyy": "%Y", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%M", "ss": "%S"}


@dataclass(frozen=True)
class Attribute:
    """A declared column.

    Parameters
    ----------
    name : str
    kind : {"numeric", "string", "nominal", "date"}
    detail : tuple of str
        The values of a nominal attribute; the format of a date, in the signs of ``strptime``.
    """

    name: str
    kind: str
    detail: tuple[str, ...] = ()

    @property
    def implied(self) -> str:
        """What a sparse row means where it says nothing: zero, or the first value declared."""
        if self.kind == "numeric":
            return "0"
        if self.kind == "nominal" and self.detail:
            return self.detail[0]
        raise ValueError(f"a sparse row must state the {self.kind} attribute {self.name!r}")


def parse_attribute(line: str) -> Attribute:
    """Read a declaration.

    Raises
    ------
    ValueError
        If it is none, or of a type that is not read.

    Examples
    --------
    >>> parse_attribute("@ATTRIBUTE 'the colour' {red, 'light blue'}")
    Attribute(name='the colour', kind='nominal', detail=('red', 'light blue'))
    """
    match = _ATTRIBUTE.match(line)
    name = match and _content(match)
    if match is None or not name:
        raise ValueError("an attribute needs a name and a type")
    declared = match["type"].strip()
    if declared.startswith("{"):
        values, brace, rest = declared[1:].rpartition("}")
        if not brace or rest.strip()[:1] not in ("", "%"):
            raise ValueError("the values of a nominal attribute must stand between braces")
        return Attribute(name, "nominal", tuple(v for v in split_dense(values) if v is not None))
    kind, _, rest = declared.partition("%")[0].strip().partition(" ")
    if kind.lower() in ("numeric", "real", "integer", "string"):
        return Attribute(name, "string" if kind.lower() == "string" else "numeric")
    if kind.lower() == "date":
        pattern = rest.strip().strip("\"'") or "yyyy-MM-dd'T'HH:mm:ss"
        return Attribute(name, "date", (_date_format(pattern),))
    raise ValueError(f"the type {kind!r} is none of numeric, string, date and {{nominal, values}}")


def split_dense(line: str) -> list[str | None]:
    r"""Cut a row into cells; None is a missing one.

    Raises
    ------
    ValueError
        If a quote is not closed.

    Examples
    --------
    >>> split_dense(r"1, 'y, \'z\'', ?, O'Hara")
    ['1', "y, 'z'", None, "O'Hara"]
    """
    if "'" not in line and '"' not in line:
        return [None if cell in ("", "?") else cell for cell in map(str.strip, line.split(","))]
    return [_content(match) for match in _scan(_DENSE, line)]


def split_sparse(line: str) -> dict[int, str | None]:
    """Cut a row such as ``{1 x, 7 'y z'}`` into cells by their places.

    Raises
    ------
    ValueError
        If it is not made of places and cells, or a place is there twice.

    Examples
    --------
    >>> split_sparse("{0 1.5, 2 'y z'}")
    {0: '1.5', 2: 'y z'}
    """
    inner = line[1:-1]
    cells: dict[int, str | None] = {}
    for match in _scan(_SPARSE, inner) if inner.strip() else ():
        place = int(match["place"])
        if place in cells:
            raise ValueError(f"attribute {place} is there twice")
        cells[place] = _content(match)
    return cells


def _scan(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    match = pattern.match(text)
    while match is not None:
        yield match
        if not match["end"]:
            return
        match = pattern.match(text, match.end())
    raise ValueError("a sparse row must consist of places and cells")


def _content(match: re.Match[str]) -> str | None:
    for quoted in (match["single"], match["double"]):
        if quoted is not None:
            return re.sub(r"\\(.)", lambda sign: _ESCAPES.get(sign[1], sign[1]), quoted)
    bare = match["bare"].strip()
    if bare.startswith(("'", '"')):
        raise ValueError("a quote is not closed, or text follows it")
    return None if bare in ("", "?") else bare


def _date_format(pattern: str) -> str:
    """Turn Java's signs for dates into those of ``strptime``."""
    parts = re.split(r"('[^']*'|[a-zA-Z]+)", pattern)
    signs = [part for part in parts[1::2] if not part.startswith("'")]
    unknown = [sign for sign in signs if sign not in _DATE_SIGNS or signs.count(sign) > 1]
    if unknown:
        known = ", ".join(_DATE_SIGNS)
        raise ValueError(f"the sign {unknown[0]!r} of a date format is none of {known}, once each")
    return "".join(_DATE_SIGNS.get(part, part.strip("'").replace("%", "%%")) for part in parts)
