"""Crawls of sites that need scripts, with a real Chromium, which is started once for most tests."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from extensions.rendering.browser import NAMES
from tests.journey.conftest import *  # noqa: F403 - fixtures are found by name
from tests.journey.conftest import Folder, Site, _forks, html, served_site  # noqa: F401

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.journey.conftest import Answer

ALONE = "Hemp ropes, tarred twine and lanterns of brass are on the quay until the evening bell has rung."
FRAME = "<!doctype html><html><head><title>{}</title>{}</head><body>{}</body></html>"
WITH_SCRIPTS = {"RENDER": "auto", "RENDER_SANDBOX": "no", "RENDER_SECONDS": 120}


def shell(title: str, script: str) -> Answer:
    """Return a page that says nothing without its script, which is in the page."""
    body = (
        f'<noscript>Please enable JavaScript to run this app.</noscript><div id="app"></div><script>{script}</script>'
    )
    return 200, {"Content-Type": "text/html; charset=utf-8"}, FRAME.format(title, "", body).encode()


def script(text: str) -> Answer:
    """Return a file of a script."""
    return 200, {"Content-Type": "text/javascript; charset=utf-8"}, text.encode()


def json(text: str) -> Answer:
    """Return a file of data."""
    return 200, {"Content-Type": "application/json"}, text.encode()


def shows(markup: str) -> str:
    """Return a script that fills the page of `shell`."""
    return f"document.getElementById('app').innerHTML = {markup!r};"


@pytest.fixture(scope="session")
def _chromium() -> None:
    """Skip a test where nothing can render."""
    if find_spec("playwright") is None or not any(map(shutil.which, NAMES)):
        pytest.skip("no Chromium on the PATH: install the package chromium to run this test")


@dataclass
class Quay:
    """A crawled site with scripts, another site that they call, and the data folder."""

    site: Site
    other: Site
    folder: Folder

    def why(self, path: str) -> str:
        """Return what `why` prints of a page, in one line."""
        return " ".join(self.folder.run("why", f"{self.site.url}{path}").stdout.split())


@pytest.fixture(scope="module")
def quay(_chromium: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Quay]:
    """A crawl with RENDER=auto: a browser is started once."""
    with served_site() as site, served_site() as other:
        bare = FRAME.format("Bare", "", "<script>document.write('a barometer')</script>").encode()
        other.pages = {
            "/": html("another site", "/bare.html"),
            "/words.json": json('"of another site"'),
            "/bare.html": (200, {"Content-Type": "text/html"}, bare),
        }
        site.pages |= quay_pages(other.url)
        folder = Folder(tmp_path_factory.mktemp("quay") / "data")
        done = folder.crawl(f"{site.url}/", f"{other.url}/", **WITH_SCRIPTS)
        assert done.returncode == 0, done.stderr
        assert "ERROR" not in done.stderr, done.stderr
        yield Quay(site, other, folder)


def quay_pages(other: str) -> dict[str, Answer]:
    """Return the pages of the site, by path."""
    tricks = f"""
      for (let i = 0; i < 100; i++) window.open("/window" + i);
      try {{ new WebSocket("ws" + location.origin.slice(4) + "/socket"); }} catch (error) {{}}
      if (navigator.serviceWorker) navigator.serviceWorker.register("/worker.js").catch(() => 0);
      new Worker(URL.createObjectURL(new Blob(["fetch('{other}/of-a-worker')"])));
      fetch("/closed/words.json").catch(() => 0);
      fetch("/to-closed").catch(() => 0);
      fetch("/store", {{method: "POST", body: "x"}}).catch(() => 0);
      fetch("{other}/words.json").catch(() => 0);
      fetch("http://127.0.0.1:25/").catch(() => 0);
      navigator.sendBeacon("/beacon", "x");
      new Image().src = "/picture.png";
      document.cookie = "kept=1";
      try {{ localStorage.setItem("kept", "1"); }} catch (error) {{}}
      {shows(f"<h1>Wares</h1><p>{ALONE}</p>")}
    """
    wares = """
      setTimeout(() => fetch("/moved.json").then(answer => answer.json()).then(words => {
        document.getElementById("app").innerHTML = "<h1>Wares</h1><p>" + words + "</p>" +
          '<a href="/made.html">what a script links to</a> <a href="/closed/page.html">closed</a>';
      }), 3000);
    """
    asks = shows("<p>cookie and storage: </p>") + (
        "document.querySelector('p').append(document.cookie + localStorage.getItem('kept'));"
    )
    linked = ("/wares.html", "/same.html", "/tricks.html", "/leads.html", "/asks.html", "/still.html", "/words.html")
    latin = FRAME.format("Still", "", '<div id="app"></div><script>/**/</script>')
    return {
        "/robots.txt": (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /closed/\n"),
        "/": html("home", *linked),
        "/wares.html": (
            200,
            {"Content-Type": "text/html; charset=iso-8859-1", "ETag": '"shell"'},
            FRAME.format("Wares", '<script src="/wares.js" defer></script>', '<div id="app"></div>').encode("latin-1"),
        ),
        "/wares.js": script(wares),
        "/moved.json": (302, {"Location": "/words.json"}, b""),
        "/words.json": json(f'"{ALONE} Größe"'),
        "/to-closed": (302, {"Location": "/closed/words.json"}, b""),
        "/made.html": html("a sextant, which only a script links to"),
        "/same.html": html("Wares", "/made.html", text=f"{ALONE} Größe"),
        "/tricks.html": shell("Tricks", tricks),
        "/leads.html": shell("Leads", "location.href = '/anchors.html'"),
        "/anchors.html": html("anchors and chains, to which a script leads"),
        "/asks.html": shell("Asks", asks),
        "/still.html": (200, {"Content-Type": "text/html"}, latin.encode()),
        "/words.html": html("words enough to read without a script", head='<script src="/wares.js" defer></script>'),
    }
