"""Each verdict on a guideline is held against what the server was asked for, and changes with the crawl's conduct."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from crawldb.databases import Parts
from extensions.audit.etiquette.evidence import read_evidence
from extensions.audit.etiquette.guidelines import GUIDELINES, GuidelineFinding, GuidelineVerdict
from tests.gateway.conftest import gateway
from tests.gateway.test_served_crawl import farm
from tests.journey.conftest import Folder, Site, _forks, folder, html, site

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["_forks", "farm", "folder", "site"]  # fixtures
IDENTITY = {"CONTACT": "owner@example.org", "BOT_URL": "https://example.org/robot"}


def findings(data: Path) -> dict[str, GuidelineFinding]:
    with Parts.in_folder(data) as parts:
        crawl = read_evidence(parts)
    return {guideline.name: guideline.finding(crawl) for listed in GUIDELINES.values() for guideline in listed}


def verdicts(data: Path) -> dict[str, GuidelineVerdict]:
    return {name: finding.verdict for name, finding in findings(data).items()}


@pytest.fixture
def shop(site: Site) -> Site:
    """A site with a forbidden page, a query, an archive file and a dead link."""
    site.pages = {
        "/robots.txt": (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /private\n"),
        "/": html("The shop", "/private", "/list?page=2", "/all.zip", "/gone", "/broken"),
        "/list?page=2": html("A list"),
        "/broken": (500, {}, b""),
    }
    return site


@pytest.mark.slow
def test_a_crawl_that_says_who_it_is_and_waits_keeps_what_the_server_saw(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("The shop", "/lamps"), "/lamps": html("Lamps")}
    folder.crawl(f"{site.url}/", DOWNLOAD_DELAY=1.2, **IDENTITY)
    assert len(site.log) >= 3
    assert {headers.get("From") for _, headers in site.log} == {IDENTITY["CONTACT"]}
    assert all(IDENTITY["BOT_URL"] in headers["User-Agent"] for _, headers in site.log)
    assert site.starts[-1] - site.starts[0] > len(site.starts) - 1, "a second each, however late the server looks"
    found = findings(folder.path)
    for name in ("Name the robot", "Give a contact", "Publish a policy", "Restrain yourself", "Obey robots.txt"):
        assert found[name].verdict is GuidelineVerdict.KEPT, found[name]
    assert found["Give a contact"].evidence.startswith(f"{len(site.log)} requests of {len(site.log)} ")
    assert "1.2 s" in found["Restrain yourself"].evidence
    proof = folder.run("audit")  # which the page names where a crawl has too many requests for it
    assert f"{len(site.log)} requests" in proof.stdout, proof


@pytest.mark.slow
def test_a_crawl_in_haste_without_a_name_does_not_and_its_numbers_are_the_servers(shop: Site, folder: Folder) -> None:
    folder.crawl(f"{shop.url}/")
    assert not any("From" in headers for _, headers in shop.log)
    assert min(later - earlier for earlier, later in pairwise(shop.starts)) < 1
    asked = shop.asked()
    assert "/private" not in asked
    assert "/all.zip" not in asked
    found = findings(folder.path)
    for name in ("Give a contact", "Publish a policy", "Restrain yourself", "Filter dynamic URLs"):
        assert found[name].verdict is GuidelineVerdict.BROKEN, found[name]
    for name in ("Name the robot", "Obey robots.txt", "Filter on URL", "Handle all return codes", "Survive faults"):
        assert found[name].verdict is GuidelineVerdict.KEPT, found[name]
    for name in ("Name the machine", "Be alert", "Be prepared", "Filter with Accept", "Keep a blacklist"):
        assert found[name].verdict is GuidelineVerdict.SILENT, found[name]
    assert found["Give a contact"].evidence.startswith(f"0 requests of {len(asked)} ")
    assert f"404: {asked.count('/gone')}" in found["Handle all return codes"].evidence
    assert found["Survive faults"].evidence.startswith(f"{asked.count('/broken')} request")
    break_its_manners(folder, shop)


def break_its_manners(folder: Folder, shop: Site) -> None:
    """Note requests that a polite robot does not send, one after the other, and see the verdicts change."""
    note_request(folder.path, f"{shop.url}/private")
    broken = findings(folder.path)["Obey robots.txt"]
    assert broken.verdict is GuidelineVerdict.BROKEN
    assert f"{shop.url}/private (disallowed by line 2" in broken.evidence
    assert verdicts(folder.path)["Canonicalize URLs"] is GuidelineVerdict.KEPT
    note_request(folder.path, f"{shop.url}/")
    assert verdicts(folder.path)["Canonicalize URLs"] is GuidelineVerdict.BROKEN
    with CrawlDatabase(folder.path) as database, database.transaction() as connection:
        connection.execute("INSERT INTO block VALUES (?, 'url', 'a mail', 0, 'person')", (f"{shop.url}/never",))
    assert verdicts(folder.path)["Keep a blacklist"] is GuidelineVerdict.KEPT
    with CrawlDatabase(folder.path) as database, database.transaction() as connection:
        connection.execute("INSERT INTO block VALUES (?, 'url', 'a mail', 1, 'person')", (f"{shop.url}/gone",))
    assert verdicts(folder.path)["Keep a blacklist"] is GuidelineVerdict.BROKEN


def note_request(data: Path, url: str) -> None:
    """Let the fetch log have one more request."""
    with CrawlDatabase(data) as database, database.transaction() as connection:
        connection.execute(
            "INSERT INTO fetch (run, url, at, seconds, status, size, rule) SELECT max(fetch.run), "
            "(SELECT id FROM url WHERE url = ?), max(at) + 0.1, 0.01, 200, 9, 'fetched' FROM fetch",
            (url,),
        )


@pytest.mark.slow
def test_a_trial_a_stop_and_a_new_start_are_seen(site: Site, folder: Folder) -> None:
    paths = [f"/{number}" for number in range(9)]
    site.pages = {"/": html("Start", *paths), **{path: html(f"Page {path}") for path in paths}}
    folder.crawl(f"{site.url}/", pages=1)
    assert verdicts(folder.path)["Set checkpoints"] is GuidelineVerdict.SILENT
    folder.crawl()
    assert len(site.asked()) == len(set(site.asked())) == 11
    found = findings(folder.path)
    assert found["Set checkpoints"].verdict is found["Test thoroughly"].verdict is GuidelineVerdict.KEPT
    assert "The first run sent 2 requests, all later ones 9" in found["Test thoroughly"].evidence


def test_a_crawl_that_has_sent_nothing_keeps_nothing(tmp_path: Path) -> None:
    CrawlDatabase(tmp_path).close()
    assert set(verdicts(tmp_path).values()) == {GuidelineVerdict.SILENT}
    page = gateway(tmp_path).get("/inside/etiquette").text
    assert "The crawl has sent no request." in page
    assert 'class="yes"' not in page


def test_before_the_first_crawl_the_first_command_is_shown(tmp_path: Path) -> None:
    page = gateway(tmp_path).get("/inside/etiquette")
    assert (page.status_code, "crawl site" in page.text) == (503, True)


def test_a_crawl_in_parts_divides_its_work(farm: Path) -> None:
    assert findings(farm)["Divide and conquer"] == GuidelineFinding(
        GuidelineVerdict.KEPT, "2 parts share the hosts, so each host is crawled by one of them.", "/inside/crawl"
    )
    assert "This crawl has 2 parts" in gateway(farm).get("/inside/etiquette").text
    (farm / "part-1" / "crawl.sqlite3").write_bytes(b"no database")
    assert gateway(farm).get("/inside/etiquette").status_code == 200


def test_every_guideline_has_its_row_and_its_link_leads_somewhere(farm: Path) -> None:
    client = gateway(farm)
    page = client.get("/inside/etiquette").text
    assert sum(len(listed) for listed in GUIDELINES.values()) == page.count("<li><div><p><strong>") == 27
    views = {finding.view for finding in findings(farm).values()} - {""}
    assert {client.get(view).status_code for view in views} == {200}
