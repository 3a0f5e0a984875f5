"""Semaphore Hill, the site of the practice web that needs scripts, is crawled as its truth says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from demo.server import PracticeWeb
from demo.truth import SITES
from tests.extensions.rendering.conftest import WITH_SCRIPTS

if TYPE_CHECKING:
    from tests.journey.conftest import Folder

HOST = "semaphore.localhost"


def requested(web: PracticeWeb) -> set[str]:
    """Return the paths that the site's own log has."""
    return {each.path for each in web.requests if each.host.partition(":")[0] == HOST}


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.usefixtures("_chromium")
def test_with_scripts_it_is_crawled_as_its_truth_says(folder: Folder) -> None:
    truth = json.loads((SITES / "semaphore" / "truth.json").read_text("utf-8"))["with_scripts"]
    with PracticeWeb(0) as web:
        done = folder.crawl(f"http://{HOST}:{web.port}/", **WITH_SCRIPTS | {"RENDER_SECONDS": 20})
        log = requested(web)
        assert done.returncode == 0
        assert "ERROR" not in done.stderr
        told, of_wheel = (
            " ".join(folder.run("why", f"http://{HOST}:{web.port}/{page}.html").stdout.split())
            for page in ("clerk", "wheel")
        )
    assert set(truth["fetched"]) <= log
    assert {path for path, rule in folder.rules().items() if rule == "fetched"} == set(truth["indexed"])
    assert {path for path, rule in folder.rules().items() if rule == "script-shell"} == {"/wheel.html", "/bell.html"}
    assert not [path for path in log if path.startswith("/keys/")]
    assert "/keys/all.json (fetch): by the rule robots: robots.txt: disallowed by line 2 (Disallow: /keys/)." in told
    assert "it was not rendered: its scripts " in of_wheel, "a loop without an end; then comes the clerk"
    assert folder.search("torn topsail") == ["/telegraph.html"]


def test_without_scripts_only_its_home_page_says_something(folder: Folder) -> None:
    with PracticeWeb(0) as web:
        folder.crawl(f"http://{HOST}:{web.port}/", INDEX_FOLLOW=0)
        log = requested(web)
    shells = ("/telegraph.html", "/wheel.html", "/clerk.html", "/bell.html")
    assert folder.rules() == {"/": "fetched"} | dict.fromkeys(shells, "script-shell")
    assert log == {"/", "/robots.txt", *shells}
