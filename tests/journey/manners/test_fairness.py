"""Hosts that accept connections and never respond delay no other host, though they could fill all slots."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from commands.__main__ import main
from spiders import capacity
from tests.child import PATIENCE, wait_until
from tests.forks import MAIN, fork
from tests.journey.conftest import Answer, Folder, Site, html

LIVING, PLACES = 2, 4
PAGES = 6


@contextmanager
def crawling(site: Site, folder: Folder, dead: int, places: int = PLACES, entry: str = MAIN) -> Iterator[None]:
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
    settings = {"CONCURRENT_REQUESTS": places, "DOWNLOAD_TIMEOUT": 2 * PATIENCE, "INDEX_FOLLOW": 0, "PROBE_AFTER": 0}
    words = [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]
    try:
        start = ("crawl", "site", "-s", f"DATA_DIR={folder.path}", "-a", f"seeds={seeds}", *words)
        with fork(folder.forks, *start, entry=entry):
            yield
    finally:
        over.set()


@pytest.mark.parametrize("dead", [PLACES, 2 * PLACES])
def test_the_living_are_crawled_while_the_dead_are_waited_for(site: Site, folder: Folder, dead: int) -> None:
    with crawling(site, folder, dead):
        wait_until(lambda: living(site) == LIVING * (PAGES + 1))


def test_the_living_are_asked_at_once_though_the_dead_and_their_robots_txt_are_as_many_as_the_places(
    site: Site, folder: Folder
) -> None:
    with crawling(site, folder, dead=24, places=32, entry=f"{__name__}:{crawl_that_takes_nobody_for_late.__name__}"):
        wait_until(lambda: living(site))


def crawl_that_takes_nobody_for_late(words: list[str]) -> int:
    """Let a host be late only when a test has failed already: who is asked until then has not waited for it."""
    capacity.WAITING_SECONDS = 2 * PATIENCE
    return main(words)


def living(site: Site) -> int:
    """How many pages of the living were asked for."""
    asked = {(headers["Host"], path) for path, headers in tuple(site.log) if path != "/robots.txt"}
    return sum(host.startswith("live") for host, _ in asked)
