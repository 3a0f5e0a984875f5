"""The guard on IP addresses: nothing is sent to a private machine without a seed, by any link or redirect."""

from __future__ import annotations

import json
import socket
import threading
from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from crawldb.tables.hosts import Hosts
from tests.journey.conftest import Answer, Folder, Site, html

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

INNER = "127.0.0.2"  # a machine of the operator's network: no seed is there
TEXT = {"Content-Type": "text/plain"}


@pytest.fixture
def visits(site: Site) -> Iterator[list[object]]:
    """Who connected to the inner machine, at the port that the seed has on its own."""
    found: list[object] = []
    listener = socket.create_server((INNER, site.port))

    def listen() -> None:
        while True:
            try:
                connection, peer = listener.accept()
            except OSError:
                return
            found.append(peer)
            connection.close()

    thread = threading.Thread(target=listen)
    thread.start()
    yield found
    listener.shutdown(socket.SHUT_RDWR)
    thread.join()
    listener.close()


def resolving(names: dict[str, list[list[str]]], monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Return the settings of a crawl whose names are looked up in a table, and each time anew."""
    monkeypatch.setenv("NAMES", json.dumps(names))
    resolver = "tests.journey.names.TabledResolver"
    return {"INDEX_FOLLOW": 0, "WAIT_SECONDS": 1, "TWISTED_DNS_RESOLVER": resolver, "DNSCACHE_ENABLED": 0}


def moved(target: str) -> Answer:
    return 302, {"Location": target}, b""


def canonical(target: str) -> Answer:
    return html("home", head=f'<link rel=canonical href="{target}">')


def refresh(target: str) -> Answer:
    return html("home", head=f'<meta http-equiv=refresh content="0; url={target}">')


@pytest.mark.parametrize(
    "leads",
    [
        pytest.param(lambda target: html("home", target), id="a link"),
        pytest.param(moved, id="a redirect"),
        pytest.param(refresh, id="a refresh"),
        pytest.param(canonical, id="a canonical address"),
    ],
)
def test_what_a_page_leads_to_is_not_asked_for_on_a_private_machine(
    site: Site, folder: Folder, visits: list[object], leads: Callable[[str], Answer]
) -> None:
    site.pages = {"/": leads(f"http://{INNER}:{site.port}/secret")}
    folder.crawl(f"{site.url}/", INDEX_FOLLOW=0)
    assert visits == []
    assert folder.report()["urls"]["discovered"] == 1


def test_a_sitemap_and_a_robots_txt_lead_to_no_private_machine_either(
    site: Site, folder: Folder, visits: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = f"http://inner.invalid:{site.port}"
    listed = (
        f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>{inner}/listed</loc></url></urlset>"
    )
    site.pages = {
        "/robots.txt": (200, TEXT, f"Sitemap: /map.xml\nSitemap: {inner}/map.xml\n".encode()),
        "/map.xml": (200, {"Content-Type": "application/xml"}, listed.encode()),
        "/": html("home"),
    }
    folder.crawl(f"{site.url}/", **resolving({"inner.invalid": [[INNER]]}, monkeypatch))
    site.pages["/robots.txt"] = (302, {"Location": f"{inner}/robots.txt"}, b"")
    folder.expire_robots()
    folder.crawl(**resolving({"inner.invalid": [[INNER]]}, monkeypatch))
    assert visits == []
    with folder.database() as database:
        refused = str(database.value("SELECT reason FROM journal WHERE rule = 'robots.refused'"))
    assert f"inner.invalid is {INNER}, a private address, and no seed is at {INNER} port {site.port}" in refused


def test_no_credentials_are_sent_kept_or_shown(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("home", f"http://user:hunter2@127.0.0.1:{site.port}/a"), "/a": html("a")}
    folder.crawl(f"{site.url}/", INDEX_FOLLOW=0)
    assert site.asked().count("/a") == 1
    assert not any("Authorization" in headers for _, headers in site.log)
    with folder.database() as database:
        rows = database.connection.execute("SELECT rule, count, reason, samples FROM journal").fetchall()
    assert ("credentials", 1) in [(rule, count) for rule, count, *_ in rows]
    assert "hunter2" not in str(rows)


def test_a_name_that_leads_to_the_internet_as_well_leads_to_no_private_machine_beside_it_or_later(
    site: Site, folder: Folder, visits: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    public = "93.184.216.34"  # never connected to, since CONTACT and BOT_URL are not set
    site.pages = {
        "/robots.txt": (302, {"Location": f"http://rebound.invalid:{site.port}/robots.txt"}, b""),
        "/": html("home"),
    }
    folder.crawl(f"{site.url}/", **resolving({"rebound.invalid": [[public, INNER]]}, monkeypatch))
    folder.expire_robots()
    folder.crawl(**resolving({"rebound.invalid": [[INNER]]}, monkeypatch))
    assert visits == []
    assert site.asked() == ["/robots.txt", "/robots.txt"]


def test_a_seed_that_led_to_the_internet_before_is_named_and_fails_a_crawl_without_pages(
    site: Site, folder: Folder
) -> None:
    site.pages = {"/": html("home")}
    seed = f"http://a.localhost:{site.port}/"
    assert folder.crawl(seed, INDEX_FOLLOW=0).returncode == 0
    with CrawlDatabase(folder.path) as database:
        (hosts := Hosts(database)).note_public("a.localhost")
        with database.transaction():
            hosts.write()
        database.seal()
    site.log.clear()
    done = folder.crawl(INDEX_FOLLOW=0)
    assert (done.returncode, site.asked()) == (1, [])
    assert "Not requested: a.localhost is 127.0.0.1, a private address, and its name has led to the i" in done.stdout
