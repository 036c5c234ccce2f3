"""A person opens the report: on a desk or a phone, by day or by night, without a network."""

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from html import unescape

import numpy as np
import pytest

from tandemvote import Votes, certify, write_report

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium")

MEASURE = """
<script>
addEventListener("load", () => {
  const visible = (element) => {
    const box = element.getBoundingClientRect();
    return {width: box.width, height: box.height, left: box.left, right: box.right};
  };
  const seen = {
    width: innerWidth,
    scroll_width: document.documentElement.scrollWidth,
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
    background: getComputedStyle(document.body).backgroundColor,
    ink: getComputedStyle(document.body).color,
    label_ink: [...document.querySelectorAll("svg text")].map((t) => getComputedStyle(t).fill),
    pictures: [...document.querySelectorAll("figure svg")].map(visible),
    text: document.body.innerText,
    opening: visible(document.querySelector("#three-numbers .main") ?? document.body),
    cut: [...document.querySelectorAll(".scroll")].map((s) => s.scrollWidth - s.clientWidth),
    requests: performance.getEntriesByType("resource").map((entry) => entry.name),
  };
  parent.postMessage(JSON.stringify(seen), "*");
});
</script>
"""

SCREEN = """<!DOCTYPE html>
<html><head><meta name="color-scheme" content="light dark"></head>
<body><script>
addEventListener("message", (event) => { document.documentElement.dataset.seen = event.data; });
</script>
<iframe src="page.html" width="{width}" height="900" style="border: 0"></iframe></body></html>
"""
"""No window gets narrower than 500 pixels, a frame in it does."""


@dataclass(frozen=True)
class Visit:
    """What the browser saw: measurements of the page, and messages on its console."""

    seen: dict
    console: list[str]


def visit(folder, page, *, width, dark=False):
    measured = page.replace("</body>", f"{MEASURE}</body>")
    (folder / "page.html").write_text(measured, encoding="utf-8")
    screen = folder / "screen.html"
    screen.write_text(SCREEN.replace("{width}", str(width)), encoding="utf-8")
    run = subprocess.run(
        [
            CHROMIUM,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--enable-logging=stderr",
            f"--blink-settings=preferredColorScheme={0 if dark else 1}",
            f"--user-data-dir={folder / 'profile'}",
            "--window-size=1400,1000",
            "--virtual-time-budget=10000",
            "--dump-dom",
            screen.as_uri(),
        ],
        check=True,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    actual = re.search(r'data-seen="([^"]*)"', run.stdout)
    assert actual, run.stderr
    return Visit(
        seen=json.loads(unescape(actual[1])),
        console=[line for line in run.stderr.splitlines() if "CONSOLE" in line],
    )


@pytest.fixture(scope="module")
def certificate_and_page(tmp_path_factory):
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=1000)
    wrong = rng.random((30, 1000)) < rng.uniform(0.05, 0.3, size=(30, 1))
    votes = Votes.from_predictions(labels ^ wrong, labels, rng.random(wrong.shape) < 0.6)
    certificate = certify(votes, weights="tandem")
    regions = {"region": np.where(np.arange(1000) % 3, "in the north-west", "in the south")}
    path = write_report(
        tmp_path_factory.mktemp("report") / "report.html",
        certificate.by_group(regions),
        description="Coins, with-a-very-long-name-that-does-not-want-to-break " * 3,
    )
    page = path.read_text(encoding="utf-8").replace("<details>", "<details open>")
    return certificate, page


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_report_reads_well_on_every_screen(certificate_and_page, tmp_path, width, dark):
    certificate, page = certificate_and_page
    actual = visit(tmp_path, page, width=width, dark=dark)
    seen = actual.seen
    assert (seen["width"], seen["dark"]) == (width, dark)
    assert actual.console == []
    assert [name for name in seen["requests"] if not name.startswith("data:")] == []

    assert certificate.guarantee in seen["text"]
    assert seen["opening"]["height"] > 20
    assert len(seen["pictures"]) == 4
    for picture in seen["pictures"]:
        assert picture["width"] > 300
        assert picture["height"] > 100
        assert picture["left"] >= 0
        assert picture["right"] <= width
    assert seen["scroll_width"] <= width
    assert max(seen["cut"]) <= 0

    assert contrast(seen["background"], seen["ink"]) > 7
    assert all(contrast(seen["background"], ink) > 7 for ink in seen["label_ink"])
    assert (luminance(seen["background"]) < 0.1) is dark


def test_a_phone_shows_ten_classes_without_cutting_a_table(tmp_path):
    labels = np.arange(1000) % 10
    certificate = certify(Votes.from_predictions([(labels + (labels == 3)) % 10], labels))
    path = write_report(tmp_path / "report.html", certificate.by_group("class"))
    seen = visit(tmp_path, path.read_text(encoding="utf-8"), width=390).seen
    assert len(seen["cut"]) == 3
    assert max(seen["cut"]) <= 0


def test_the_browser_tells_of_errors_requests_and_overflow(tmp_path):
    """What the tests above look for can be seen at all."""
    page = (
        "<body><img src='http://127.0.0.1:9/picture.png'><div style='width: 2000px'>wide</div>"
        "<script>console.error('broken')</script></body>"
    )
    actual = visit(tmp_path, page, width=390)
    assert any("broken" in line for line in actual.console)
    assert actual.seen["requests"] == ["http://127.0.0.1:9/picture.png"]
    assert actual.seen["scroll_width"] >= 2000


def luminance(color):
    """Relative luminance of an opaque ``rgb(...)`` color, as the WCAG defines it."""
    red_green_blue = re.fullmatch(r"rgb\((\d+), (\d+), (\d+)\)", color).groups()
    channels = [int(channel) / 255 for channel in red_green_blue]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def contrast(first, second):
    dark, light = sorted([luminance(first), luminance(second)])
    return (light + 0.05) / (dark + 0.05)
