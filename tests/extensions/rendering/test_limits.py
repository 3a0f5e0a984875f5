"""What a page can do to a browser costs one page, within a bound, and is said."""

from __future__ import annotations

import json
import signal
import sys
from typing import TYPE_CHECKING

import pytest

from tests.child import wait_until
from tests.extensions.rendering.conftest import ALONE, WITH_SCRIPTS, shell, shows
from tests.journey.conftest import html

if TYPE_CHECKING:
    from pathlib import Path

    from tests.journey.conftest import Folder, Site

ENDLESS = "while (true) {}"
HEAP = "const all = []; while (true) all.push(new Array(1000000).fill('x'.repeat(10) + all.length));"
REQUESTS = "for (let i = 0; i < 10000; i++) fetch('/many' + i).catch(() => 0);"
ELEMENTS = "for (let i = 0; i < 150000; i++) document.body.append(document.createElement('i'));"
TIMER = "setInterval(() => document.title = 'x' + performance.now(), 10);" + shows(f"<p>{ALONE}</p>")


def rendering(folder: Folder, site: Site, path: str) -> dict[str, object]:
    """Return what `why --json` says of the rendering of a page."""
    found: dict[str, object] = json.loads(folder.run("why", f"{site.url}{path}", "--json").stdout)["rendering"]
    return found


@pytest.mark.usefixtures("_chromium")
@pytest.mark.parametrize(
    ("script", "said"),
    [
        pytest.param(ENDLESS, "its scripts", id="a loop without an end"),
        pytest.param(HEAP, "", id="all memory"),
        pytest.param(REQUESTS, "", id="10,000 requests"),
        pytest.param(ELEMENTS, "its document has 150,00", id="150,000 elements"),
    ],
)
@pytest.mark.browser
@pytest.mark.slow
def test_a_page_beyond_a_limit_is_kept_as_it_came_and_the_next_one_is_rendered(
    site: Site, folder: Folder, script: str, said: str
) -> None:
    site.pages = {
        "/": html("home", "/beyond.html", "/wares.html"),
        "/beyond.html": shell("Beyond", script),
        "/wares.html": shell("Wares", shows(f"<p>{ALONE}</p>")),
    }
    done = folder.crawl(f"{site.url}/", **WITH_SCRIPTS | {"RENDER_SECONDS": 20, "INDEX_FOLLOW": 0})
    assert done.returncode == 0
    assert "ERROR" not in done.stderr
    assert folder.rules() == {"/": "fetched", "/beyond.html": "script-shell", "/wares.html": "fetched"}
    found = rendering(folder, site, "/beyond.html")
    assert not found["rendered"]
    assert said in str(found["trouble"])
    assert found["trouble"]
    assert f"it was not rendered: {found['trouble']}" in " ".join(
        folder.run("why", f"{site.url}/beyond.html").stdout.split()
    )
    assert len([path for path in site.asked() if path.startswith("/many")]) <= 100, "MAX_SENT of a page"


@pytest.mark.usefixtures("_chromium")
@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.long  # the clock of Chromium sometimes runs on before it knows that a request is under way
def test_a_page_that_never_settles_is_read_as_it_is(site: Site, folder: Folder) -> None:
    waits = shows(f"<p>{ALONE}</p>") + "fetch('/never.json').catch(() => 0);"
    site.pages = {
        "/": html("home", "/waits.html", "/timer.html"),
        "/waits.html": shell("Waits", waits),
        "/timer.html": shell("Timer", TIMER),
        "/never.json": html("never"),
    }
    site.hold("/never.json")
    done = folder.crawl(f"{site.url}/", **WITH_SCRIPTS | {"RENDER_SECONDS": 3, "INDEX_FOLLOW": 0})
    assert done.returncode == 0
    assert folder.rules() == dict.fromkeys(("/", "/waits.html", "/timer.html"), "fetched")
    assert rendering(folder, site, "/waits.html")["trouble"] == (
        "it had not settled after RENDER_SECONDS=3, and was read as it was"
    )


def test_a_browser_that_does_not_start_costs_no_page(
    site: Site, folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("playwright")
    program = tmp_path / "bin" / "chromium"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nraise SystemExit('no display')\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    pages = [f"/shell{number}.html" for number in range(5)]
    site.pages |= {"/": html("home", *pages)} | {path: shell("Shell", f"let a = '{path}'") for path in pages}
    with folder.start_anew(
        "crawl", "site", "-a", f"seeds={site.url}/", "-s", "PROBE_AFTER=0", "-s", "INDEX_FOLLOW=0",
        *[word for name, value in WITH_SCRIPTS.items() for word in ("-s", f"{name}={value}")],
    ) as crawl:  # fmt: skip
        _, said = crawl.communicate()
    assert crawl.returncode == 0, said
    assert folder.rules() == {"/": "fetched"} | dict.fromkeys(pages, "script-shell")
    told = [rendering(folder, site, path) for path in pages]
    tried = [each for each in told if each]
    assert len(tried) == 3, "MAX_STARTS: then the run tries no more"
    assert all("the browser did not start: " in str(each["trouble"]) for each in tried)


@pytest.mark.usefixtures("_chromium")
@pytest.mark.browser
@pytest.mark.slow
def test_a_crawl_that_is_stopped_while_it_renders_loses_no_page(site: Site, folder: Folder) -> None:
    site.pages = {"/": shell("Waits", "fetch('/never.json').catch(() => 0);"), "/never.json": html("never")}
    free = site.hold("/never.json")
    settings = [word for name, value in WITH_SCRIPTS.items() for word in ("-s", f"{name}={value}")]
    words = ["-a", f"seeds={site.url}/", "-s", "PROBE_AFTER=0", "-s", "INDEX_FOLLOW=0", "-s", "STOP_SECONDS=0.1"]
    with folder.start_anew("crawl", "site", *words, *settings) as crawl:
        wait_until(lambda: "/never.json" in site.asked(), crawl)
        crawl.send_signal(signal.SIGINT)
        _, said = crawl.communicate()
    assert "ERROR" not in said
    assert folder.rules() == {"/": None}, "it is queued again"
    free.set()
    site.pages["/"] = shell("Wares", shows(f"<p>{ALONE}</p>"))
    folder.crawl(**WITH_SCRIPTS | {"INDEX_FOLLOW": 0})
    assert folder.rules() == {"/": "fetched"}
