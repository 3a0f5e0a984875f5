"""Does the extension of docs/extending.md do what the page says? It is installed like a wheel, and each claim tested.

The wheel is unpacked into a folder on the path of its own processes, as by an installer. Other tests must not see the
extension.
"""

from __future__ import annotations

import json
import re
import textwrap
import tomllib
from typing import TYPE_CHECKING
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
    import subprocess
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


def test_a_crawl_says_what_is_wrong_with_an_extension_before_it_begins(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.install(block("python").replace('IndexedField("author"', 'IndexedField("body"'))
    told = place.crawl("-a", "seeds=http://127.0.0.1:9/")
    assert told.returncode == 2
    assert USED in told.stderr
    assert not (place.data / "crawl.sqlite3").exists()


def test_every_name_that_queries_and_the_index_use_is_reserved() -> None:
    assert {*IndexField, *EXACT_FIELDS, *ClauseKind, *OPERATORS} == RESERVED
