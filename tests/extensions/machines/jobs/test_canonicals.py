"""A page gives way to its canonical URL in another partition, as in an undivided crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crawldb.databases import Parts
from crawldb.parts.division import folder_of
from crawldb.parts.partition import WHOLE
from extensions.machines.jobs.copies import fold_canonicals
from extensions.machines.jobs.pagerank import joined_links, links_in
from extensions.machines.tasks.places import PartsInFolder
from frontier.job import CrawlJob
from frontier.session import Session
from indexer import open_index
from indexer.links import web_graph
from tests.extensions.machines.jobs.divided import HOSTS, PARTS, SEEDS, crawl, index
from tests.samples import a_page, lease_all
from urls.records import Link, Refusal
from urls.rules import Rule

if TYPE_CHECKING:
    from pathlib import Path

OWNERS = {host: PARTS[0].owner(host) for host in HOSTS}
ONE, OTHER = next((one, other) for one in HOSTS for other in HOSTS if OWNERS[one] != OWNERS[other])
NOINDEX = (Refusal(Rule.NOINDEX, "its owner does not want it"),)


def to_each_other(path: str, back: str = "") -> dict[str, dict[str, Any]]:
    """What two pages under one path name: the first one the other, and that one what is given."""
    return {f"http://{ONE}/{path}": {"canonical": f"http://{OTHER}/{path}"}} | (
        {f"http://{OTHER}/{path}": {"canonical": back}} if back else {}
    )


FIELDS = (
    to_each_other("shown")
    | to_each_other("hidden")
    | {f"http://{OTHER}/hidden": {"refusals": NOINDEX}}
    | to_each_other("circle", f"http://{ONE}/circle")
    | to_each_other("chain", f"http://{ONE}/end")
    | to_each_other("near", f"http://{OTHER}/end")
    | {f"http://{ONE}/nowhere": {"canonical": f"http://{OTHER}/missing"}}
)
PATHS = ("shown", "hidden", "circle", "chain", "near", "end", "nowhere")


def judged(data_dir: Path) -> dict[str, tuple[str, int | None]]:
    """By page, why it is refused, and how many name it by the hits that a search has."""
    hits = {hit.url for hit in open_index(data_dir).search("says", limit=100).hits}
    with Parts.in_folder(data_dir) as parts:
        rows = [
            row
            for database in parts.readable()
            for row in database.connection.execute("SELECT url.url, refusals FROM page JOIN url ON url.id = page.url")
        ]
    return {url: (refusals, url in hits) for url, refusals in rows}


def test_what_names_a_page_of_another_part_stands_aside_as_in_one_crawl(tmp_path: Path) -> None:
    web: dict[str, tuple[Link, ...]] = dict.fromkeys(SEEDS, ())
    for host in (ONE, OTHER):
        pages = [f"http://{host}/{path}" for path in PATHS]
        web |= dict.fromkeys(pages, ()) | {f"http://{host}/0": tuple(Link(page, "on") for page in pages)}
    web[f"http://{OTHER}/missing"] = ()
    fields = FIELDS | {f"http://{OTHER}/missing": {"refusals": NOINDEX}}
    whole, divided = tmp_path / "whole", tmp_path / "divided"
    crawl(whole, (WHOLE,), web, fields=fields)
    crawl(divided, PARTS, web, fields=fields)
    expected, place = judged(whole), PartsInFolder(divided)
    shown = f"http://{ONE}/shown"
    assert "canonical" in expected[shown][0]
    assert not expected[shown][1]
    assert judged(divided)[shown] == ("[]", True), "before, a part knows the address alone"
    aside = fold_canonicals(place)
    assert aside == sum('["canonical"' in refusals for refusals, _ in expected.values()) - 1, (
        "near's is in its own part"
    )
    assert judged(divided) == expected
    assert fold_canonicals(place) == aside
    graph = web_graph(joined_links([place.ask(part, links_in) for part in PARTS]))
    nodes = dict(zip(graph.urls, graph.node.tolist(), strict=True))
    assert nodes[shown] == nodes[f"http://{OTHER}/shown"] >= 0, "links to either count for one page"
    read_again(divided, shown, canonical=f"http://{OTHER}/shown")
    assert judged(divided) == expected, "it is known by now"
    read_again(divided, f"http://{OTHER}/shown", refusals=NOINDEX)
    assert fold_canonicals(place) == aside - 1
    assert judged(divided)[shown] == ("[]", True), "it comes back"


def read_again(data_dir: Path, url: str, **fields: Any) -> None:
    part = next(part for part in PARTS if part.owns(url.split("/")[2]))
    session = Session(folder_of(data_dir, part), CrawlJob(SEEDS, partition=part))
    for leased in lease_all(session):
        if leased == url:
            session.store.page(a_page(url, f"This is what {url} says now.", **fields))
    session.close("stopped")
    index(folder_of(data_dir, part))
