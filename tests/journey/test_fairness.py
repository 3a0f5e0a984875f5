"""Hosts that take connections and never answer hold nobody up, though they would fill all the places that there are."""

import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from spiders.lease_capacity import WAITING_SECONDS
from tests.journey.conftest import Answer, Folder, Site, html

LIVING, PLACES = 2, 4
PAGES = 6
PATIENCE = 60.0  # seconds: whoever was held up by the dead would be for longer


@contextmanager
def crawling(site: Site, folder: Folder, dead: int, places: int = PLACES) -> Iterator[None]:
    """Crawl hosts of which the first `dead` say nothing."""
    over = threading.Event()

    def page(headers: dict[str, str]) -> Answer:
        if headers["Host"].startswith("dead"):
            over.wait()
        return html("page", *(f"/p{number}" for number in range(PAGES)), text=f"a page of {headers['Host']}")

    for path in ("/", "/robots.txt", *(f"/p{number}" for number in range(PAGES))):
        site.pages[path] = page
    hosts = [f"dead{number}" for number in range(dead)] + [f"live{number}" for number in range(LIVING)]
    seeds = ",".join(f"http://{host}.localhost:{site.port}/" for host in hosts)
    settings = {"CONCURRENT_REQUESTS": places, "DOWNLOAD_TIMEOUT": 2 * PATIENCE, "INDEX_FOLLOW": 0}
    words = [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]
    crawl = subprocess.Popen(
        folder.command("crawl", "site", "-a", f"seeds={seeds}", *words),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield
    finally:
        crawl.kill()
        crawl.wait()
        over.set()


@pytest.mark.parametrize("dead", [PLACES, 2 * PLACES])
def test_the_living_are_crawled_while_the_dead_are_waited_for(site: Site, folder: Folder, dead: int) -> None:
    with crawling(site, folder, dead):
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and living(site) < LIVING * (PAGES + 1):
            time.sleep(0.05)
        assert living(site) == LIVING * (PAGES + 1)


def test_the_living_are_asked_at_once_though_the_dead_and_their_robots_txt_are_as_many_as_the_places(
    site: Site, folder: Folder
) -> None:
    with crawling(site, folder, dead=24, places=32):
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and not living(site):
            time.sleep(0.05)
        assert site.starts[-1] - site.starts[0] < WAITING_SECONDS


def living(site: Site) -> int:
    """How many pages of the living were asked for."""
    asked = {(headers["Host"], path) for path, headers in tuple(site.log) if path != "/robots.txt"}
    return sum(host.startswith("live") for host, _ in asked)
