"""The frame of every report: templates that escape all they are given, and the file itself."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from tandemvote.certificate.decimals import rounded_up
from tandemvote.extras import import_extra
from tandemvote.printable import printable
from tandemvote.report.citations import CITATIONS


@lru_cache(maxsize=1)
def _environment() -> Any:
    jinja2 = import_extra("jinja2", "report")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("tandemvote.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["rounded_up"] = rounded_up
    environment.filters["printable"] = printable
    return environment


def render(template: str, **values: Any) -> str:
    """Fill a template of this package; every text in `values` is escaped."""
    page = _environment().get_template(template)
    return str(page.render(citations=CITATIONS, **values))


def write(path: str | os.PathLike[str], page: str) -> Path:
    """Write a page as UTF-8 and return where."""
    destination = Path(path)
    destination.write_text(page, encoding="utf-8")
    return destination
