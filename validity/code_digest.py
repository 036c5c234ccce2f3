"""A digest of the code that a measurement depends on, to tell when the code is newer.

``python validity/code_digest.py counting weights`` prints that of two rooms.
"""

import ast
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "tandemvote"


def code_digest(*rooms: str, source: Path = SOURCE) -> str:
    """Digest what modules and packages of the library compute, not what they say and refuse.

    Comments, docstrings, messages, imports and refusals change no number that comes out.
    """
    digest = sha256()
    for room in rooms:
        files = sorted((source / room).rglob("*.py")) or [source / f"{room}.py"]
        for path in files:
            words = _words(ast.parse(path.read_text("utf-8")))
            digest.update(" ".join([path.relative_to(source).as_posix(), *words]).encode())
    return digest.hexdigest()[:12]


def _words(node: ast.AST) -> Iterator[str]:
    """Spell a syntax tree out; fields that only some versions of Python have are empty in ours."""
    if _is_prose(node) or _refuses(node) or isinstance(node, ast.Import | ast.ImportFrom):
        return
    yield f"({type(node).__name__}"
    for name, value in ast.iter_fields(node):
        parts = value if isinstance(value, list) else [value]
        if name == "body":  # text by itself is a docstring
            parts = [part for part in parts if not _is_text(part)]
        for part in parts:
            if isinstance(part, ast.AST):
                yield from _words(part)
            elif part is not None:
                yield repr(part)
    yield ")"


def _is_prose(node: ast.AST) -> bool:
    """Tell whether this is text of more than a word, with or without values in it."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    texts = [part.value for part in parts if isinstance(part, ast.Constant)]
    return any(isinstance(text, str) and " " in text.strip() for text in texts)


def _refuses(node: ast.AST) -> bool:
    """Tell whether this does nothing but raise an error, or calls or defines what is named so."""
    if isinstance(node, ast.If):
        return not node.orelse and all(isinstance(part, ast.Raise) for part in node.body)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        called = node.value.func
        name = getattr(called, "id", getattr(called, "attr", ""))
    else:
        name = getattr(node, "name", "") if isinstance(node, ast.FunctionDef) else ""
    return isinstance(node, ast.Raise) or name.lstrip("_").startswith("refuse")


def _is_text(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


if __name__ == "__main__":
    print(code_digest(*sys.argv[1:]))
