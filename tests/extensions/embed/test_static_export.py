"""`export --static` writes a folder with what everybody may see, whole or not at all, and twice the same."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from extensions.embed.static import export
from extensions.embed.static.export import relative
from tests.commands.conftest import HOST
from tests.gateway.conftest import crawl, index

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands.conftest import Breadcrumb


def exported(data: Breadcrumb, name: str = "static", *words: str) -> Path:
    folder = data.folder / name
    done = data.run("export", "--static", str(folder), *words)
    assert done.code == 0, done.err
    return folder


def content_of(folder: Path) -> str:
    """All that a visitor can read in a folder, unpacked."""
    packed = sorted(folder.glob("*.bin"))
    return "\n".join(gzip.decompress(path.read_bytes()).decode("utf-8", "replace") for path in packed)


def numbers_of_words(folder: Path) -> dict[str, int]:
    """How many numbers each word has."""
    lines = (gzip.decompress(path.read_bytes()).partition(b"\n")[0] for path in folder.glob("terms-*.bin"))
    return {word: size for line in lines for word, _, size in json.loads(line)}


def test_two_exports_are_equal_byte_by_byte(bakery: Breadcrumb) -> None:
    one, other = (exported(bakery, name) for name in ("one", "other"))
    files = {path.name: path.read_bytes() for path in one.iterdir()}
    assert files == {path.name: path.read_bytes() for path in other.iterdir()}
    assert {"index.html", "embed.js", "search.js", "index.bin", "pages.bin", "terms-0.bin"} <= files.keys()


def test_a_forgotten_page_leaves_no_word_in_the_folder(bakery: Breadcrumb) -> None:
    assert "crumb" in content_of(exported(bakery, "before"))
    assert bakery.run("forget", f"{HOST}/rye.html").code == 0
    assert "crumb" not in content_of(exported(bakery, "after")).replace("breadcrumb", "")


def test_the_report_counts_pages_and_says_what_a_visitor_loads(bakery: Breadcrumb) -> None:
    folder = bakery.folder / "static"
    done = bakery.run("export", "--static", str(folder), "--json")
    told = json.loads(done.out)
    sizes = {path.name: path.stat().st_size for path in folder.iterdir()}
    assert (told["pages"], told["files"], told["bytes"]) == (5, len(sizes), sum(sizes.values()))
    first = sum(
        size for name, size in sizes.items() if name.endswith((".js", ".html")) or name in {"index.bin", "pages.bin"}
    )
    assert told["first_bytes"] == first - sizes["index.html"]


def test_a_folder_that_exists_stays_as_it_is(bakery: Breadcrumb) -> None:
    folder = exported(bakery)
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    done = bakery.run("export", "--static", str(folder))
    assert done.code == 2
    assert "there is something already; give a folder that is empty or not there" in done.err
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before


def test_without_a_crawl_there_is_no_folder(empty: Breadcrumb) -> None:
    done = empty.run("export", "--static", str(empty.folder / "static"))
    assert done.code == 2
    assert "./breadcrumb crawl site" in done.err
    assert not (empty.folder / "static").exists()


def test_more_pages_than_a_visitor_can_load_are_refused(bakery: Breadcrumb, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "MAX_PAGES", 4)
    done = bakery.run("export", "--static", str(bakery.folder / "static"))
    assert done.code == 2
    assert "5 pages, and a folder holds at most 4" in done.err
    assert not (bakery.folder / "static").exists()


def test_from_many_pages_on_it_names_the_gateway(bakery: Breadcrumb, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "SENSIBLE_PAGES", 4)
    done = bakery.run("export", "--static", str(bakery.folder / "static"))
    assert "a box that asks a gateway is faster" in done.out


@pytest.mark.parametrize("given", ["search/", "ftp://a.example/", "http://"])
def test_a_place_that_is_no_url_is_refused(bakery: Breadcrumb, given: str) -> None:
    done = bakery.run("export", "--static", str(bakery.folder / "static"), "--served-at", given)
    assert done.code == 2
    assert f"--served-at {given}: give the URL of the folder, such as" in done.err


@pytest.mark.parametrize(
    ("url", "written"),
    [
        ("http://a.example/", "../"),
        ("http://a.example/guide/rye.html", "../guide/rye.html"),
        ("http://a.example/search/", "./"),
        ("http://a.example/search/more/?q=1", "more/?q=1"),
        ("http://b.example/guide/", "http://b.example/guide/"),
        ("https://a.example/guide/", "https://a.example/guide/"),
    ],
)
def test_a_link_is_relative_where_the_folder_is_on_the_same_site(url: str, written: str) -> None:
    assert relative(url, "http://a.example/search/") == written


def test_the_owners_of_pages_decide_what_of_their_text_is_there(empty: Breadcrumb) -> None:
    """The positions of all words would give a text back, so a page that may not be quoted or copied has none."""
    crawl(empty.data)
    index(empty.data)
    folder = exported(empty)
    content = content_of(folder)
    assert "Rye needs a sourdough, and patience." in content
    assert "Hushed words" not in content
    numbers = numbers_of_words(folder)
    without = len(("field", "postings", "page", "frequency"))
    assert numbers["patience"] == without + len(("position",))
    assert numbers["pretzels"] == numbers["marzipan"] == without
