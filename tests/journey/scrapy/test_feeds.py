"""Does a crawl write its pages where Scrapy's -o and -O say, one row a page, in each of Scrapy's formats?"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from extension_points import built_in
from pipelines.item_pipelines import PageRow
from tests.journey.conftest import Answer, Folder, Site, html

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

COLUMNS = [field.name for field in fields(PageRow)]
WITH_WHOOSH = ["textbook"] if "whoosh" in built_in() else []  # `crawl textbook` is that extension's
NOINDEX = '<meta name="robots" content="noindex">'


@pytest.fixture
def shop(site: Site) -> Site:
    """Two pages, a copy, a page that says noindex, one that is gone, and one that robots.txt forbids."""
    site.pages = {
        "/robots.txt": (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /private\n"),
        "/": html("Pears", "/plums", "/copy", "/hidden", "/gone", "/private", text="Pears keep for weeks in a cellar."),
        "/plums": html("Plums", text="Plums ripen in September, says the grower."),
        "/copy": html("Plums", text="Plums ripen in September, says the grower."),
        "/hidden": html("Secret", text="Nobody shall find these words.", head=NOINDEX),
    }
    return site


def crawl(folder: Folder, site: Site, *words: str, spider: str = "site") -> subprocess.CompletedProcess[str]:
    return folder.run("crawl", spider, "-a", f"seeds={site.url}/", "-s", "INDEX_FOLLOW=no", *words)


def rows(path: Path) -> dict[str, dict[str, Any]]:
    read = [json.loads(line) for line in path.read_text().splitlines()]
    by_path = {"/" + row["url"].split("/", 3)[3]: row for row in read}
    assert len(by_path) == len(read)
    return by_path


def test_each_stored_page_is_a_row_with_the_reason_why_it_is_not_indexed(folder: Folder, shop: Site) -> None:
    out = folder.path.parent / "pages.jsonl"
    done = crawl(folder, shop, "-o", str(out))
    assert (done.returncode, done.stderr) == (0, "")
    written = rows(out)
    assert sorted(written) == ["/", "/copy", "/hidden", "/plums"]
    home = written["/"]
    assert list(home) == COLUMNS
    assert (home["title"], home["language"], home["status"], home["indexed"]) == ("Pears", "en", 200, True)
    assert "Pears keep for weeks in a cellar." in home["text"]
    assert home["fetched_at"] > 1e9
    copies = sorted((written["/copy"], written["/plums"]), key=lambda row: row["indexed"])
    assert (copies[0]["rule"], copies[0]["duplicate_of"]) == ("duplicate", copies[1]["url"])
    hidden = written["/hidden"]
    assert (hidden["indexed"], hidden["rule"], hidden["text"]) == (False, "noindex", "")
    assert "noindex" in hidden["reason"]


def test_a_second_run_appends_or_overwrites_and_has_unchanged_pages_too(folder: Folder, shop: Site) -> None:
    out = folder.path.parent / "pages.jsonl"
    _, sent, body = html("Plums", text="Plums ripen in September, says the grower.")
    plums: Answer = (200, sent | {"ETag": '"1"'}, body)
    shop.pages["/plums"] = lambda headers: (304, {}, b"") if "If-None-Match" in headers else plums
    del shop.pages["/copy"]
    crawl(folder, shop, "-O", str(out))
    first = rows(out)
    crawl(folder, shop, "-O", str(out))
    assert [path for path, _ in shop.log].count("/plums") == 2
    assert sorted(rows(out)) == sorted(first) == ["/", "/hidden", "/plums"]
    crawl(folder, shop, "-o", str(out))
    assert len(out.read_text().splitlines()) == 6


def test_it_is_written_as_csv_and_xml_with_the_columns_that_are_chosen(folder: Folder, shop: Site) -> None:
    table, tree = folder.path.parent / "pages.csv", folder.path.parent / "pages.xml"
    done = crawl(folder, shop, "-o", str(table), "-o", str(tree), "-s", "FEED_EXPORT_FIELDS=url,indexed,rule")
    assert done.returncode == 0
    read = list(csv.DictReader(io.StringIO(table.read_text())))
    assert list(read[0]) == ["url", "indexed", "rule"]
    assert {(row["indexed"], row["rule"]) for row in read} == {
        ("True", ""),
        ("False", "duplicate"),
        ("False", "noindex"),
    }
    assert len(ET.parse(tree).findall("item")) == len(read) == 4


def test_standard_output_has_the_pages_alone(folder: Folder, shop: Site) -> None:
    done = crawl(folder, shop, "-o", "-:jsonl")
    assert done.returncode == 0
    assert len([json.loads(line) for line in done.stdout.splitlines()]) == 4
    assert "4 stored" in done.stderr


def test_the_setting_names_feeds_too(folder: Folder, shop: Site) -> None:
    out = folder.path.parent / "pages.jsonl"
    crawl(folder, shop, "-s", "FEEDS=" + json.dumps({str(out): {"format": "jsonlines"}}))
    assert len(rows(out)) == 4


@pytest.mark.skipif(not WITH_WHOOSH, reason="the extension that crawls by the textbook engine")
def test_the_textbook_engine_writes_what_it_indexes(folder: Folder, shop: Site) -> None:
    out = folder.path.parent / "pages.jsonl"
    done = folder.run("crawl", "textbook", "-a", f"seeds={shop.url}/", "-o", str(out))
    assert (done.returncode, done.stderr) == (0, "")
    written = rows(out)
    assert len(written) == 2
    assert list(written["/"]) == ["url", "title", "text"]


@pytest.mark.parametrize("spider", ["site", *WITH_WHOOSH])
@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(["-o", "pages"], "-o pages: unknown format. Formats are json, ", id="no format"),
        pytest.param(["-O", "pages.pdf"], "-O pages.pdf: unknown format. Formats are json, ", id="unknown"),
        pytest.param(["-o", "a.csv", "-O", "b.csv"], "-o appends to a file and -O overwrites it", id="both"),
        pytest.param(["-o", "{there}/file/pages.csv"], "is not a folder; name a file in a folder", id="below a file"),
        pytest.param(["-o", "{there}/folder.csv"], "Is a directory; name a file", id="a folder"),
        pytest.param(["-o", "s3://bucket/pages.csv"], "copy the file to s3 afterwards", id="elsewhere"),
        pytest.param(["-s", "FEEDS=pages.csv"], "FEEDS=pages.csv: give a JSON object", id="no object"),
        pytest.param(["-s", 'FEEDS={"a.csv": {"format": "pdf"}}'], "FEEDS=a.csv: unknown format 'pdf'", id="setting"),
        pytest.param(["-t", "csv"], "-o pages.jsonl", id="an option of earlier Scrapys"),
    ],
)
def test_what_can_not_be_written_is_told_before_the_crawl(
    folder: Folder, shop: Site, spider: str, words: list[str], said: str
) -> None:
    there = folder.path.parent
    (there / "file").write_text("")
    (there / "folder.csv").mkdir()
    done = crawl(folder, shop, *(word.replace("{there}", str(there)) for word in words), spider=spider)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert said in done.stderr
    assert shop.asked() == []
