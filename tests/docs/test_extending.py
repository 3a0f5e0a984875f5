"""Does the extension of docs/extending.md do what the page says? It is installed like a wheel, and each claim tested.

The wheel is unpacked into a folder on the path of its own processes, as by an installer. Other tests must not see the
extension.
"""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
import textwrap
import tomllib
from contextlib import closing
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import pytest

from extension_points import ENTRY_POINT, RESERVED
from indexer.query.syntax import OPERATORS, ClauseKind
from indexer.segments.schema import EXACT_FIELDS, IndexField
from tests.child import PATIENCE, elsewhere
from tests.docs.lab import ROOT
from tests.journey.conftest import html, served_site
from tests.one_process import run_in_one_process

if TYPE_CHECKING:
    from pathlib import Path

PAGE = (ROOT / "docs" / "extending.md").read_text("utf-8")
USED = "Breadcrumb uses this name already"
AUTHORS = {"/pratchett.html": "Terry Pratchett", "/le-guin.html": "Ursula K. Le Guin"}


def block(language: str) -> str:
    """The one block of the page in a language."""
    found = re.findall(rf"^   ```{language}\n(.*?)^   ```", PAGE, re.MULTILINE | re.DOTALL)
    assert len(found) == 1
    return textwrap.dedent(found[0])


def build_wheel(folder: Path, source: str) -> Path:
    """Build the wheel of the page's two files."""
    project = tomllib.loads(block("toml"))["project"]
    name = project["name"].replace("-", "_")
    entries = "\n".join(f"{key} = {module}" for key, module in project["entry-points"][ENTRY_POINT].items())
    wheel = folder / f"{name}-{project['version']}-py3-none-any.whl"
    about = f"{name}-{project['version']}.dist-info"
    with ZipFile(wheel, "w") as file:
        file.writestr("breadcrumb_author.py", source)
        file.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {project['version']}\n")
        file.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{about}/entry_points.txt", f"[{ENTRY_POINT}]\n{entries}\n")
        file.writestr(f"{about}/RECORD", "")
    return wheel


class Place:
    """A data folder, and commands with or without the extension."""

    def __init__(self, folder: Path) -> None:
        self.data, self.installed = folder / "data", folder / "site-packages"

    def install(self, source: str) -> None:
        with ZipFile(build_wheel(self.installed.parent, source)) as wheel:
            wheel.extractall(self.installed)

    def run(self, *lines: list[str], extended: bool = True) -> list[subprocess.CompletedProcess[str]]:
        """Run commands in one process."""
        environment = elsewhere() | {"PYTHONPATH": f"{ROOT}:{self.installed}" if extended else str(ROOT)}
        settings = ["-s", f"DATA_DIR={self.data}"]
        own = [line if line[0] == "views" else [*line, *settings] for line in lines]
        return run_in_one_process(own, ROOT, environment, PATIENCE)

    def crawl(self, *words: str) -> subprocess.CompletedProcess[str]:
        (done,) = self.run(["crawl", "site", *words])
        return done


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.install(block("python"))
    return made


def test_the_extension_of_the_page_is_short() -> None:
    assert len([line for line in block("python").splitlines() if line.strip()]) < 60


@pytest.mark.slow
def test_a_field_that_an_extension_adds_is_indexed_ranked_explained_and_shown(place: Place) -> None:
    with served_site() as site:
        site.pages = {"/": html("Books", *AUTHORS)}
        for path, name in AUTHORS.items():
            site.pages[path] = html(
                "A book", text=f"It is about {path}", head=f'<meta name="author" content=" {name} ">'
            )
        assert place.crawl("-a", f"seeds={site.url}/", "-s", "PROBE_AFTER=0").returncode == 0
    url = f"{site.url}/pratchett.html"
    view, result = "/inside/author", "/search?q=terry"
    by_field, explained, nobody, why, rows, views = place.run(
        ["search", "author:terry", "--json"],
        ["search", "terry", "--explain"],
        ["search", "author:books"],
        ["why", url],
        ["why", url, "--json"],
        ["views", str(place.data), view, result],
    )
    assert [done.returncode for done in (by_field, explained, nobody, why, rows, views)] == [0, 0, 1, 0, 0, 0]
    found = json.loads(by_field.stdout)
    (hit,) = found["hits"]
    assert hit["url"] == url
    assert hit["added_fields"] == {"Author": ["Terry Pratchett"]}
    assert "in the field author" in found["understood"]
    parts = {part["field"]: part["value"] for part in hit["explain"]["parts"]}
    assert parts["author"] > 0
    assert round(sum(part["value"] for part in hit["explain"]["parts"]), 4) == hit["score"]
    assert "Author: Terry Pratchett" in explained.stdout
    assert "terry in author" in explained.stdout
    assert "No results for author:books" in nobody.stdout
    assert "Written by Terry Pratchett." in why.stdout
    assert json.loads(rows.stdout)["added_rows"] == [{"label": "author", "text": "Written by Terry Pratchett."}]
    pages = json.loads(views.stdout)
    assert "author:NAME" in pages[view]
    assert re.search(r"Author:</span>\s*<span dir=.auto.>Terry Pratchett", pages[result])

    # Without the extension the index has a field that nothing knows. `index` makes another one.
    refused, made, again = place.run(["search", "book"], ["index"], ["search", "book", "--json"], extended=False)
    assert (refused.returncode, made.returncode, again.returncode) == (2, 0, 0)
    assert "the fields author of extensions" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert len(json.loads(again.stdout)["hits"]) > 1


@pytest.mark.slow
def test_a_field_that_cannot_be_read_is_a_warning_and_the_page_is_kept(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.install(block("python").replace("    return [meta.attributes", "    1 / 0\n    return [meta.attributes"))
    with served_site() as site:
        site.pages = {"/": html("Books")}
        assert place.crawl("-a", f"seeds={site.url}/", "-s", "PROBE_AFTER=0").returncode == 0
        found, why = place.run(["search", "books", "--json"], ["why", f"{site.url}/"])
    assert len(json.loads(found.stdout)["hits"]) == 1
    assert "could not read it: ZeroDivisionError" in " ".join(why.stdout.split())


SHORT_PAGES = """
from crawldb.pages.pages import Pages
from extension_points import AddedTables, extends
from pipelines.filters import PageFilter

STEPS = (
    "CREATE TABLE short_page (url INTEGER PRIMARY KEY, words INTEGER NOT NULL);\\n"
    "CREATE TRIGGER short_gone AFTER DELETE ON page BEGIN DELETE FROM short_page WHERE url = old.url; END;",
)


class LeastWords(PageFilter):
    def apply(self, page):
        short = not page.refusals and len(page.text.split()) < 10
        return self.reject(page, "it has fewer than ten words") if short else page


@extends
def page_filters():
    return [LeastWords]


@extends
def tables():
    return [AddedTables("short", STEPS)]


@extends
def crawl_ends(database, journal):
    with database.transaction() as connection:
        for url, name in connection.execute("SELECT id, url.url FROM page JOIN url ON url.id = page.url").fetchall():
            row = (url, len(Pages(database).get(name).text.split()))
            connection.execute("INSERT OR REPLACE INTO short_page (url, words) VALUES (?, ?)", row)
"""
MOOD = "ALTER TABLE short_page ADD COLUMN mood TEXT DEFAULT 'new';"
LATER = SHORT_PAGES.replace('END;",\n)', f'END;",\n    "{MOOD}",\n)')
READ = "from crawldb.database import CrawlDatabase, Path; CrawlDatabase(Path({data!r}), readonly=True).close()"


def counted_words(place: Place) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(place.data / "crawl.sqlite3")) as connection:
        return connection.execute("SELECT * FROM short_page ORDER BY words").fetchall()


def only_read(place: Place) -> str:
    """Open the crawl database for reading, as the gateway does; return the message of the error, if there is one."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", READ.format(data=str(place.data))],
        cwd=ROOT,
        env=elsewhere() | {"PYTHONPATH": f"{ROOT}:{place.installed}"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return done.stderr


@pytest.mark.slow
def test_an_extension_filters_pages_and_computes_over_all_of_them_into_a_table_of_its_own(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.install(SHORT_PAGES)
    with served_site() as site:
        site.pages = {"/": html("Loaves", "/short.html", text="bread " * 30), "/short.html": html("Few", text="Rye.")}
        assert place.crawl("-a", f"seeds={site.url}/", "-s", "PROBE_AFTER=0").returncode == 0
    short = f"{site.url}/short.html"
    why, report = place.run(["why", short], ["report", "--json"])
    assert "it has fewer than ten words" in why.stdout
    numbers = json.loads(report.stdout)
    assert (numbers["pages"]["stored"], numbers["pages"]["indexed"]) == (2, 1)
    (_, few), (_, many) = counted_words(place)
    assert few < 10 < many

    # A later version of the extension brings the table up to date, in a command that writes.
    place.install(LATER)
    needs = "has version 1 of the tables of the extension short and needs 2: ./breadcrumb report brings it there"
    assert needs in only_read(place)
    (done,) = place.run(["report"])
    assert done.returncode == 0
    assert not only_read(place)
    assert {row[2] for row in counted_words(place)} == {"new"}
    place.install(SHORT_PAGES)
    (newer,) = place.run(["report"])
    assert newer.returncode == 2
    assert "has version 2 of the tables of the extension short, which knows 1: install a newer one" in newer.stderr

    # Without the extension the folder opens, and what `forget` removes is out of the table, too.
    forgotten, report = place.run(["forget", short], ["report"], extended=False)
    assert (forgotten.returncode, report.returncode) == (0, 0)
    assert len(counted_words(place)) == 1


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("import nowhere_to_be_found", "an extension can't be loaded: ModuleNotFoundError: No module named"),
        ("{import}@extends\ndef index_field():\n    return []", "an extension can't be loaded: PluginValidationError"),
        ("{import}@extends\ndef index_fields():\n    return [IndexedField('Author', list)]", "give a name of small"),
        (
            "{import}@extends\ndef index_fields():\n    return [IndexedField('body', list)]",
            USED,
        ),
        (
            "{import}@extends\ndef index_fields():\n    return [IndexedField('site', list)]",
            USED,
        ),
        (
            "{import}@extends\ndef index_fields():\n    return [IndexedField('lang', list)]",
            USED,
        ),
    ],
    ids=["a fault of its own", "a point that does not exist", "capitals", "a field of ours", "a value", "an operator"],
)
def test_an_extension_that_cannot_be_used_is_named_in_a_sentence(tmp_path: Path, source: str, sentence: str) -> None:
    place = Place(tmp_path)
    place.install(source.replace("{import}", "from extension_points import IndexedField, extends\n"))
    (told,) = place.run(["search", "bread"])
    assert (told.returncode, "Traceback" in told.stderr) == (2, False)
    assert sentence in told.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (block("python").replace('IndexedField("author"', 'IndexedField("body"'), USED),
        (SHORT_PAGES.replace("END;", "END"), "end the last statement of each step with a semicolon"),
    ],
    ids=["a field of ours", "a script that is cut off"],
)
def test_a_crawl_says_what_is_wrong_with_an_extension_before_it_begins(
    tmp_path: Path, source: str, sentence: str
) -> None:
    place = Place(tmp_path)
    place.install(source)
    told = place.crawl("-a", "seeds=http://127.0.0.1:9/")
    assert told.returncode == 2
    assert sentence in told.stderr
    assert not (place.data / "crawl.sqlite3").exists()


def test_every_name_that_queries_and_the_index_use_is_reserved() -> None:
    assert {*IndexField, *EXACT_FIELDS, *ClauseKind, *OPERATORS} == RESERVED
