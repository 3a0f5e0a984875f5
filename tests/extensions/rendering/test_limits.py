"""What a page can do to a browser costs one page, within a bound, and is said."""

from __future__ import annotations

import json
import signal
import socket
import sys
from typing import TYPE_CHECKING

import pytest

from extensions.rendering.gate import MAX_BYTES
from tests.child import wait_until
from tests.extensions.rendering.conftest import ALONE, WITH_SCRIPTS, shell, shows
from tests.journey.conftest import html

if TYPE_CHECKING:
    from pathlib import Path

    from tests.journey.conftest import Folder, Site

HEAP = "const all = []; while (true) all.push(new Array(8000000).fill(all.length));"
REQUESTS = "for (let i = 0; i < 1200; i++) fetch('/many' + i).catch(() => 0);"
ELEMENTS = "for (let i = 0; i < 100100; i++) document.head.append(document.createElement('i'));"  # no layout
PEER = (  # UDP packets to a STUN server (RFC 8489), which may be any machine
    "const peer = new RTCPeerConnection({{iceServers: [{{urls: 'stun:127.0.0.1:{port}'}}]}});"
    "peer.createDataChannel('x'); peer.createOffer().then(offer => peer.setLocalDescription(offer));"
)
TIMER = "setInterval(() => document.title = 'x' + performance.now(), 10);" + shows(f"<p>{ALONE}</p>")


def rendering(folder: Folder, site: Site, path: str) -> dict[str, object]:
    """Return what `why --json` says of the rendering of a page."""
    found: dict[str, object] = json.loads(folder.run("why", f"{site.url}{path}", "--json").stdout)["rendering"]
    return found


@pytest.mark.usefixtures("_chromium")
@pytest.mark.browser
@pytest.mark.slow
def test_a_page_beyond_a_limit_is_kept_as_it_came_and_the_next_one_is_rendered(site: Site, folder: Folder) -> None:
    """A loop without an end is on the practice site (test_practice_site.py)."""
    beyond = {"/memory.html": HEAP, "/requests.html": REQUESTS, "/elements.html": ELEMENTS}
    wares = {path.replace(".html", "-wares.html"): shows(f"<p>{ALONE} {path}</p>") for path in beyond}
    order = [each for pair in zip(beyond, wares, strict=True) for each in pair]
    site.pages["/"] = html("home", *order)
    site.pages |= {path: shell(path, text) for path, text in (beyond | wares).items()}
    one_by_one = {"CONCURRENT_REQUESTS_PER_DOMAIN": 1, "RENDER_SECONDS": 20, "INDEX_FOLLOW": 0}
    done = folder.crawl(f"{site.url}/", **WITH_SCRIPTS | one_by_one)
    assert done.returncode == 0
    assert "ERROR" not in done.stderr
    assert folder.rules() == dict.fromkeys(beyond, "script-shell") | dict.fromkeys(("/", *wares), "fetched")
    assert [path for path in site.asked() if path in order] == order, "a page of wares comes after each that is beyond"
    trouble = {path: rendering(folder, site, path)["trouble"] for path in beyond}
    assert all(trouble.values())
    assert "its document has 100,10" in str(trouble["/elements.html"])
    for path, said in trouble.items():
        assert not rendering(folder, site, path)["rendered"]
        assert f"it was not rendered: {said}" in " ".join(folder.run("why", f"{site.url}{path}").stdout.split())
    assert len([path for path in site.asked() if path.startswith("/many")]) <= 100, "MAX_SENT of a page"


@pytest.mark.usefixtures("_chromium")
@pytest.mark.browser
@pytest.mark.slow
def test_the_files_of_a_page_are_together_within_a_limit_which_the_reason_names(site: Site, folder: Folder) -> None:
    files = [f"/large{number}.json" for number in range(5)]
    site.pages = {path: (200, {"Content-Type": "application/json"}, b" " * (MAX_BYTES // 3)) for path in files}
    site.pages["/"] = shell("Large", f"for (const each of {files}) fetch(each).catch(() => 0);" + shows(f"<p>{ALONE}"))
    one_by_one = {"CONCURRENT_REQUESTS_PER_DOMAIN": 1, "INDEX_FOLLOW": 0}
    assert folder.crawl(f"{site.url}/", **WITH_SCRIPTS | one_by_one).returncode == 0
    requests = rendering(folder, site, "/")["requests"]
    assert isinstance(requests, list)
    assert [each["rule"] for each in requests] == ["", "", "", "limit", "limit"]
    assert requests[-1]["reason"] == "the files of the page may have 20,971,520 bytes, and with this one have more"


@pytest.mark.usefixtures("_chromium")
@pytest.mark.browser
@pytest.mark.slow
def test_no_packet_leaves_the_browser_beside_its_requests(site: Site, folder: Folder) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as machine:
        machine.bind(("127.0.0.1", 0))
        machine.setblocking(False)
        peer = PEER.format(port=machine.getsockname()[1]) + shows(f"<p>{ALONE}")
        site.pages["/"] = shell("Peer", peer)
        assert folder.crawl(f"{site.url}/", **WITH_SCRIPTS | {"INDEX_FOLLOW": 0}).returncode == 0
        assert rendering(folder, site, "/")["rendered"]
        with pytest.raises(BlockingIOError):
            machine.recv(1)


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
    with folder.start(
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
    with folder.start("crawl", "site", *words, *settings) as crawl:
        wait_until(lambda: "/never.json" in site.asked(), crawl)
        crawl.send_signal(signal.SIGINT)
        _, said = crawl.communicate()
    assert "ERROR" not in said
    assert folder.rules() == {"/": None}, "it is queued again"
    free.set()
    site.pages["/"] = shell("Wares", shows(f"<p>{ALONE}</p>"))
    folder.crawl(**WITH_SCRIPTS | {"INDEX_FOLLOW": 0})
    assert folder.rules() == {"/": "fetched"}
