"""A whole crawl of a site whose pages do not mark their template: the crawl learns it, and learns it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.pages.pages import Pages
from tests.journey.rounds.test_revisits import let_pass
from urls.canonical import canonicalize

if TYPE_CHECKING:
    from tests.journey.conftest import Answer, Folder, Site

COUNT = 9
OLD, NEW = "A lantern in every window since 1902", "Everything that glows, under one roof"
ISLANDS = ("Amrum", "Borkum", "Föhr", "Hooge", "Juist", "Langeness", "Norderney", "Pellworm", "Sylt")


def page(number: int, slogan: str) -> Answer:
    links = "".join(f'<p><a href="/{each}">{island}</a></p>' for each, island in enumerate(ISLANDS))
    words = f"The ferry to {ISLANDS[number]} leaves at high water, and takes bicycles and {ISLANDS[number - 1]} pilots."
    text = f"<title>{ISLANDS[number]}</title><p>{slogan}</p><p>{words}</p><h2>More</h2>{links}"
    return 200, {"Content-Type": "text/html; charset=utf-8"}, text.encode()


def serve(site: Site, slogan: str) -> None:
    site.pages = {f"/{number}": page(number, slogan) for number in range(COUNT)}


def template(folder: Folder, site: Site) -> set[str]:
    with folder.database() as database:
        stored = [Pages(database).get(canonicalize(f"{site.url}/{number}")) for number in range(COUNT)]
    return {one.template_text.split("\n")[0] for one in stored if one is not None}


def test_a_template_is_learnt_while_crawling_and_learnt_anew_when_the_site_changes(site: Site, folder: Folder) -> None:
    serve(site, OLD)
    assert folder.crawl(f"{site.url}/0").returncode == 0
    assert template(folder, site) == {OLD}
    asked = len(site.log)
    assert "lantern" not in folder.run("search", "ferry").stdout
    serve(site, NEW)
    let_pass(folder, 10_000_000)
    folder.crawl()
    assert len(site.log) > asked
    assert template(folder, site) == {NEW}
    found = folder.run("search", "ferry").stdout
    assert "glows" not in found
    assert "high water" in found
