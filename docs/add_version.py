"""Add a built site to the folder of all versions: ``python add_version.py SITE PAGES VERSION``.

Every version has a folder of its own, and `stable` is a copy of the newest release. The switcher
in the header of every page reads ``switcher.json``.
"""

import json
import shutil
import sys
from pathlib import Path

ADDRESS = "https://tandemvote.github.io/tandemvote"
FORWARD = (
    '<!doctype html><meta http-equiv="refresh" content="0; url={}/"><title>tandemvote</title>\n'
)


def release(name: str) -> tuple[int, ...]:
    """Return the numbers of a version, empty for `dev` and `stable`."""
    return tuple(map(int, name.split("."))) if name.replace(".", "").isdigit() else ()


def add_version(site: Path, pages: Path, version: str) -> None:
    """Copy the site, and write the list of versions and the page at the root."""
    if version != "dev" and not release(version):
        raise ValueError(f"version {version!r} is not valid. Use a release such as 0.3.0, or dev.")
    _replace(site, pages / version)
    folders = [path.name for path in pages.iterdir() if path.is_dir()]
    releases = sorted(filter(release, folders), key=release, reverse=True)
    entries = [{"name": "dev", "version": "dev", "url": f"{ADDRESS}/dev/"}] * ("dev" in folders)
    for name in releases:
        stable = name == releases[0]
        url = f"{ADDRESS}/{'stable' if stable else name}/"
        title = f"{name} (stable)" if stable else name
        entries.append({"name": title, "version": name, "url": url, "preferred": stable})
    if version in releases[:1]:
        _replace(site, pages / "stable")
    (pages / "switcher.json").write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
    first = "stable" if releases else "dev"
    (pages / "index.html").write_text(FORWARD.format(first), encoding="utf-8")
    (pages / ".nojekyll").touch()  # folders may begin with an underscore


def _replace(site: Path, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(site, folder)


if __name__ == "__main__":
    add_version(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
