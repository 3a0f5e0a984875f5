"""A crawl that is watched in the browser while it runs: what the page says is what the report says at that moment."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

from gateway import create_app
from reports.wording import size
from tests.child import wait_until
from tests.journey.conftest import Folder, Site, html

if TYPE_CHECKING:
    from reports.numbers import Report


def watched(folder: Folder, question: str = "") -> tuple[str, str | None]:
    """The page as a gateway that has just begun shows it, and whether a browser is told to load it again."""
    answer = create_app(folder.path).test_client().get(f"/inside/crawl{question}")
    assert answer.status_code == 200
    return answer.text, answer.headers.get("Refresh")


def agrees(page: str, numbers: Report) -> None:
    told = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page)
    urls = numbers["urls"]
    states = [urls[name] for name in ("discovered", "queued", "leased", "done", "failed", "suppressed")]
    assert [value for _, value in told] == [
        *(f"{number:,}" for number in (*states, numbers["requests"])),
        size(numbers["bytes"]),
    ]
    codes = re.search(r"<figcaption>Responses, by status code</figcaption>.*?</figure>", page, re.DOTALL)
    assert codes is not None
    rows = dict(re.findall(r'<th scope="row">(\w+)</th><td>(\d+)</td>', codes[0]))
    assert rows == {code: str(number) for code, number in numbers["status"].items()}


def test_a_crawl_is_seen_while_it_runs_and_after_it_has_ended(folder: Folder, site: Site) -> None:
    pages = [f"/{place}" for place in range(8)]
    site.pages["/robots.txt"] = (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /private\n")
    site.pages["/"] = html("home", "/private", *pages)
    site.pages |= {path: html(f"page {path}") for path in pages}
    free = site.hold(*pages[3:])
    seeds = f"seeds={site.url}/"
    with folder.start("crawl", "site", "-s", "PROBE_AFTER=0", "-s", "DOWNLOAD_DELAY=0", "-a", seeds) as process:
        wait_until(lambda: pages[3] in site.asked(), process)
        wait_until(lambda: folder.report()["urls"]["done"] == 4, process)  # of what is held, nothing ends
        (page, again), numbers = watched(folder), folder.report()
        assert (again, watched(folder, "?every=10")[1]) == (None, "10")
        assert f"is running as process {process.pid}" in page
        assert "data-running" in page
        assert f"{numbers['urls']['queued']} URLs queued" in page
        agrees(page, numbers)
        free.set()
        process.communicate()
    ended, again = watched(folder, "?every=10")
    assert again is None, "nothing changes any more"
    assert "No crawl is running." in ended
    assert "data-running" not in ended
    agrees(ended, folder.report())
    assert f'<a href="/why?url={quote(site.url)}/private">' in ended
    assert "disallowed by line 2" in ended
