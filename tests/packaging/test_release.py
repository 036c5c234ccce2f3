"""What `make release-check` adds to `make dist`: old tools, links, and the gate of a release."""

import os
import re
import subprocess
import zipfile
from functools import cache
from html.parser import HTMLParser
from importlib.metadata import version
from urllib.parse import unquote, urldefrag, urlsplit

import pytest

from tests.packaging.test_distribution import ROOT, built, environment

pytestmark = pytest.mark.dist

SITE = ROOT / "docs" / "_build" / "html"
ADDRESS = "https://tandemvote.github.io/tandemvote/"
FILES = re.compile(
    r"https://(?:raw\.githubusercontent\.com/tandemvote/tandemvote"
    r"|github\.com/tandemvote/tandemvote/blob)/[^/]+/([^#]+)"
)


class Links(HTMLParser):
    """Collect what a page links to, and the names that others can link to."""

    def __init__(self, text):
        super().__init__()
        self.targets, self.names = set(), {""}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.names |= {attributes.get("id"), attributes.get("name")}
        self.targets |= {attributes.get("href"), attributes.get("src")} - {None, ""}


@cache
def page(path):
    return Links(path.read_text(encoding="utf-8"))


def is_dead(address, source):
    """Return True if a file of the repository or a page of the built site does not exist."""
    if file := FILES.fullmatch(address):
        return not (ROOT / unquote(file[1])).exists()
    if address.startswith(ADDRESS):
        address = re.sub("^(stable|dev)/", "", address.removeprefix(ADDRESS)) or "index.html"
        source = SITE / "index.html"
    elif urlsplit(address).scheme:
        return False
    path, anchor = urldefrag(re.sub(r"\?[^#]*", "", address))
    target = source if not path else (source.parent / unquote(path)).resolve()
    target = target / "index.html" if target.is_dir() else target
    if not target.exists():
        return True
    return target.suffix == ".html" and unquote(anchor) not in page(target).names


def metadata():
    with zipfile.ZipFile(built("*.whl")) as wheel:
        return wheel.read(f"tandemvote-{version('tandemvote')}.dist-info/METADATA").decode()


def test_links_of_the_published_readme_are_whole_addresses_of_what_exists():
    readme = metadata().partition("\n\n")[2]
    targets = re.findall(r'(?<=\]\()[^)]+|(?<=src=")[^"]+', readme)
    assert len(targets) > 15
    assert [target for target in targets if not target.startswith("https://")] == []
    assert [target for target in targets if is_dead(target, SITE / "index.html")] == []
    pictures = [target for target in targets if target.endswith((".png", ".svg"))]
    tag = f"/v{version('tandemvote')}/"
    assert [each for each in pictures if "raw.githubusercontent" in each and tag not in each] == []


def test_links_of_the_documentation_lead_somewhere():
    assert (SITE / "index.html").exists(), "run `make docs`, which builds it"
    dead = {}
    for path in SITE.rglob("*.html"):
        if "_static" not in path.parts:
            links = page(path).targets
            dead[path.relative_to(SITE)] = {each for each in links if is_dead(each, path)}
    assert {path: links for path, links in dead.items() if links} == {}


def test_options_on_the_pages_keep_their_two_hyphens():
    pages = [
        path.read_text("utf-8") for path in SITE.rglob("*.html") if "_static" not in path.parts
    ]
    commands = [line for text in pages for line in re.findall(r"tandemvote .*", text)]
    assert sum("--target" in line for line in commands) > 10
    assert [line for line in commands if re.search(r"\s[–—]\w", line)] == []


def test_the_check_of_links_finds_dead_ones():
    dead = ["nowhere.html", "#nowhere", f"{ADDRESS}stable/nowhere.html", "index.html#nowhere"]
    dead.append("https://github.com/tandemvote/tandemvote/blob/main/nowhere.md")
    assert all(is_dead(target, SITE / "index.html") for target in dead)


def test_an_old_twine_accepts_the_metadata(tmp_path):
    python = environment(tmp_path / "env", "twine==6.1.0", "packaging==25.0")
    files = [built("*.whl"), built("*.tar.gz")]
    answer = subprocess.run(
        [python, "-m", "twine", "check", "--strict", *files],
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stdout


@pytest.mark.parametrize(
    ("heading", "tag", "accepted"),
    [
        ("## 1.2.0 (2026-12-01)", "v1.2.0", True),
        ("## 1.2.0 (unreleased)", "v1.2.0", False),
        ("## 1.2.0 (2026-12-01)", "v1.2.1", False),
        ("## 1x2.0 (2026-12-01)", "v1.2.0", False),
    ],
)
def test_the_gate_of_a_release_requires_one_version_and_a_date(heading, tag, accepted, tmp_path):
    workflow = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
    gate = re.search(r"run: \|\n((?: {10}.*\n)+)", workflow)[1]
    (tmp_path / "pyproject.toml").write_text('version = "1.2.0"\n')
    (tmp_path / "CITATION.cff").write_text("version: 1.2.0\n")
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n{heading}\n")
    answer = subprocess.run(
        ["bash", "-e", "-c", gate], cwd=tmp_path, env={**os.environ, "TAG": tag}, check=False
    )
    assert (answer.returncode == 0) == accepted


def test_every_release_gets_a_folder_and_the_newest_is_stable(tmp_path):
    import json
    import runpy

    add_version = runpy.run_path(str(ROOT / "docs" / "add_version.py"))["add_version"]
    site, pages = tmp_path / "site", tmp_path / "pages"
    site.mkdir(), pages.mkdir()
    for name in ("dev", "0.9.0", "0.10.0", "0.9.1"):
        (site / "index.html").write_text(name)
        add_version(site, pages, name)
        first = "dev" if name == "dev" else "stable"
        assert f"url={first}/" in (pages / "index.html").read_text()
    assert (pages / "stable" / "index.html").read_text() == "0.10.0"
    entries = json.loads((pages / "switcher.json").read_text())
    assert [entry["version"] for entry in entries] == ["dev", "0.10.0", "0.9.1", "0.9.0"]
    assert [entry["version"] for entry in entries if entry.get("preferred")] == ["0.10.0"]
    with pytest.raises(ValueError, match="is not valid"):
        add_version(site, pages, "v0.9.2")
