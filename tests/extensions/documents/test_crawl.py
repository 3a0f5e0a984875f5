"""PDF and office files are pages like any other: found by their words, and their server's wishes hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pages.http_headers import DOCUMENT_TYPE_OF
from tests.extensions.documents.made import bomb, docx, pdf
from tests.journey.conftest import html

if TYPE_CHECKING:
    from tests.journey.conftest import Answer, Folder, Site

PDF = {"Content-Type": "application/pdf"}
WORD = {"Content-Type": DOCUMENT_TYPE_OF["docx"]}


def home(*links: str) -> Answer:
    return html("home", *links)


@pytest.mark.parametrize(("name", "words"), [("/loaf.pdf", 6), ("/loaf.docx", 8)])  # Word has those of its link too
def test_the_words_and_links_of_a_document_are_found(site: Site, folder: Folder, name: str, words: int) -> None:
    link = f"{site.url}/more.html"
    bodies = {
        "/loaf.pdf": (200, PDF, pdf("A quaint pumpernickel loaf", "rests overnight", title="On loaves", link=link)),
        "/loaf.docx": (200, WORD, docx("A quaint pumpernickel loaf", "rests overnight", title="On loaves", link=link)),
    }
    site.pages = {"/": home(name), name: bodies[name], "/more.html": html("more")}
    assert folder.crawl(f"{site.url}/").returncode == 0
    assert folder.rules() == dict.fromkeys(("/", name, "/more.html"), "fetched")
    assert folder.search("pumpernickel") == [name]
    told = " ".join(folder.run("why", f"{site.url}{name}").stdout.split())
    assert f"“On loaves”: {words} words" in told


def test_77_x_robots_tag_holds_for_a_document(site: Site, folder: Folder) -> None:
    site.pages = {
        "/": home("/secret.pdf", "/quiet.docx"),
        "/secret.pdf": (200, PDF | {"X-Robots-Tag": "noindex"}, pdf("A secret pumpernickel")),
        "/quiet.docx": (200, WORD | {"X-Robots-Tag": "nofollow"}, docx("Pumpernickel", link=f"{site.url}/unseen")),
    }
    folder.crawl(f"{site.url}/")
    assert folder.rules() == {"/": "fetched", "/secret.pdf": "noindex", "/quiet.docx": "fetched"}
    assert folder.search("pumpernickel") == ["/quiet.docx"]
    assert "/unseen" not in site.asked()


@pytest.mark.slow
def test_what_cant_be_read_is_refused_with_its_reason_and_the_crawl_goes_on(site: Site, folder: Folder) -> None:
    site.pages = {
        "/": home("/bomb.docx", "/cut.pdf", "/lie.pdf", "/page.pdf", "/after.pdf"),
        "/bomb.docx": (200, WORD, bomb(100_000_000)),
        "/cut.pdf": (200, PDF, pdf("x")[:40]),
        "/lie.pdf": (200, PDF, b"<html><p>words"),
        "/page.pdf": html("a page, whatever its name ends in"),
        "/after.pdf": (200, PDF, pdf("Read all the same")),
    }
    assert folder.crawl(f"{site.url}/", INDEX_FOLLOW=0).returncode == 0
    rules = folder.rules()
    assert {name for name, rule in rules.items() if rule == "document"} == {"/bomb.docx", "/cut.pdf", "/lie.pdf"}
    assert {name for name, rule in rules.items() if rule == "fetched"} == {"/", "/page.pdf", "/after.pdf"}
    told = " ".join(folder.run("why", f"{site.url}/bomb.docx").stdout.split())
    assert "Not in the index (document): it unpacks to more than" in told


def test_without_document_pages_only_the_header_lines_are_asked_for(site: Site, folder: Folder) -> None:
    site.pages = {"/": home("/loaf.pdf"), "/loaf.pdf": (200, PDF, pdf("words") + bytes(3_000_000))}
    folder.crawl(f"{site.url}/", INDEX_FOLLOW=0, DOCUMENT_PAGES=0)
    assert folder.rules() == {"/": "fetched", "/loaf.pdf": "type"}
    with folder.database() as database:
        assert (
            database.count("SELECT max(size) FROM fetch JOIN url ON url.id = fetch.url WHERE url.url LIKE '%.pdf'")
            < 100
        )


def test_a_reader_that_dies_costs_its_files_alone_and_is_told(site: Site, folder: Folder) -> None:
    site.pages = {"/": home("/one.pdf", "/two.docx", "/page"), "/page": html("page")}
    site.pages |= {"/one.pdf": (200, PDF, pdf("words")), "/two.docx": (200, WORD, docx("quite another text"))}
    assert folder.crawl(f"{site.url}/", INDEX_FOLLOW=0, DOCUMENT_MEMORY=8).returncode == 0
    assert folder.rules() == {"/": "fetched", "/page": "fetched", "/one.pdf": "document", "/two.docx": "document"}
    assert "its reader died of it" in folder.run("why", f"{site.url}/one.pdf").stdout
    folder.crawl(INDEX_FOLLOW=0)  # and with the memory that it needs
    assert folder.rules()["/one.pdf"] == "fetched"


@pytest.mark.parametrize("setting", ["DOCUMENT_SECONDS=0", "DOCUMENT_MEMORY=0", "DOCUMENT_PAGES=-1"])
def test_limits_that_let_nothing_be_read_are_refused(site: Site, folder: Folder, setting: str) -> None:
    name, _, value = setting.partition("=")
    done = folder.crawl(f"{site.url}/", **{name: value})
    assert done.returncode == 2
    assert name in done.stderr
    assert site.asked() == []
