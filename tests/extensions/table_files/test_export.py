"""`export --table` writes what the crawl database and the index hold, and nothing that somebody took out."""

from __future__ import annotations

import gc
import json
import resource
from typing import TYPE_CHECKING

import pytest
from whoosh.fields import ID, TEXT, Schema
from whoosh.index import create_in

from crawldb.database import CrawlDatabase
from crawldb.pages.pages import Pages
from crawldb.tables.journal import Journal
from crawldb.visited import find
from extension_points import built_in
from extensions.table_files.tables import COLUMNS, DECISIONS, LINKS, PAGES, POSTINGS
from indexer import open_index
from indexer.segments.schema import INDEX_FIELDS
from robots import PageControls
from tests.commands.conftest import HOST
from tests.docs.conftest import ROOT
from tests.extensions.table_files.test_writing import read_csv
from urls.rules import Rule

if TYPE_CHECKING:
    from pathlib import Path

    from extensions.table_files.tables import Column, Row
    from tests.commands.conftest import Breadcrumb

FORMULA = "=HYPERLINK(\"http://evil.example/\";'rye\r\n,')"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return an empty folder."""
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def exported(crawl: Breadcrumb, table: str, *words: str) -> list[Row]:
    """Export a table as CSV, and read it."""
    path = crawl.folder / f"{table}.csv"
    path.unlink(missing_ok=True)
    done = crawl.run("export", "--table", table, "--to", str(path), *words)
    assert done.code == 0, done.err
    return read_csv(path.read_bytes(), COLUMNS[table])


def named(rows: list[Row], columns: tuple[Column, ...]) -> list[dict[str, object]]:
    return [dict(zip([column.name for column in columns], row, strict=True)) for row in rows]


def urls_in(rows: list[Row]) -> str:
    return json.dumps(rows)


def test_pages_are_those_of_the_database(bakery: Breadcrumb) -> None:
    rows = {str(row["url"]).removeprefix(HOST): row for row in named(exported(bakery, "pages"), PAGES)}
    with CrawlDatabase(bakery.data, readonly=True) as database:
        stored = "SELECT url.url, status, fetched_at, size FROM page JOIN url ON url.id = page.url"
        facts = sorted(database.connection.execute(stored))
    assert sorted((row["url"], row["status"], row["fetched_at"], row["size"]) for row in rows.values()) == facts
    assert (rows["/rye.html"]["title"], rows["/rye.html"]["indexed"], rows["/rye.html"]["rule"]) == (
        "Rye bread", True, ""
    )  # fmt: skip
    copy = rows["/copy.html"]
    assert (copy["indexed"], copy["rule"], copy["duplicate_of"]) == (False, "duplicate", f"{HOST}/sourdough.html")
    assert (rows["/secret.html"]["rule"], rows["/secret.html"]["title"]) == ("noindex", "")
    assert rows["/brot.html"]["language"] == "de"


def test_links_are_those_of_the_database_whatever_their_words(bakery: Breadcrumb) -> None:
    with CrawlDatabase(bakery.data) as database, database.transaction() as connection:
        connection.execute("UPDATE anchor SET text = ? WHERE text = 'Rye bread'", (FORMULA,))
    with CrawlDatabase(bakery.data, readonly=True) as database:
        links = database.connection.execute(
            "SELECT source.url, target.url, text FROM link JOIN url AS source ON source.id = source "
            "JOIN url AS target ON target.id = target JOIN anchor ON anchor.id = anchor"
        ).fetchall()
    rows = exported(bakery, "links")
    assert sorted(rows) == sorted(links)
    assert FORMULA in {row[2] for row in rows}


def test_decisions_are_the_journal(bakery: Breadcrumb) -> None:
    rows = named(exported(bakery, "decisions"), DECISIONS)
    with CrawlDatabase(bakery.data, readonly=True) as database:
        journal = database.connection.execute(
            "SELECT at, coalesce(url.url, ''), journal.rule, reason, count, samples FROM journal "
            "LEFT JOIN url ON url.id = journal.url ORDER BY journal.id"
        ).fetchall()
    assert journal
    assert [tuple(row.values()) for row in rows] == [(*row[:-1], tuple(json.loads(row[-1]))) for row in journal]


def test_postings_are_those_of_the_index_in_the_order_of_its_dictionary(bakery: Breadcrumb) -> None:
    rows = exported(bakery, "postings")
    found = []
    for view in open_index(bakery.data).snapshot.views:
        for field in INDEX_FIELDS:
            for word, _ in view.file.words({field}):
                postings = view.file.postings(field, word)
                assert postings is not None
                for document in filter(view.live.__getitem__, postings.documents.tolist()):
                    places = tuple(postings.positions_in(document).tolist())
                    found.append((word, view.file.stored(document).url, str(field), len(places), places))
    assert sorted(rows) == sorted(found)
    assert [row[0] for row in rows] == sorted((str(row[0]) for row in rows), key=str.encode)
    rye = [row for row in named(rows, POSTINGS) if row["term"] == "rye" and row["field"] == "body"]
    assert [(row["url"], row["frequency"], row["positions"]) for row in rye] == [(f"{HOST}/rye.html", 1, (0,))]


@pytest.mark.parametrize("command", ["forget", "block"])
def test_what_was_taken_out_is_in_no_table(bakery: Breadcrumb, command: str) -> None:
    gone = f"{HOST}/sourdough.html"
    for table in COLUMNS:
        assert gone in urls_in(exported(bakery, table))
    assert bakery.run(command, gone).code == 0
    for table in COLUMNS:
        after = exported(bakery, table)
        assert after
        assert gone not in urls_in(after)


def test_a_reason_that_names_what_was_taken_out_is_kept_without_it(bakery: Breadcrumb) -> None:
    with CrawlDatabase(bakery.data) as database, database.transaction() as connection:
        rye = find(connection, f"{HOST}/rye.html")
        connection.execute("UPDATE journal SET reason = ?, url = ? WHERE id = 1", (f"see {HOST}/pan.html.", rye))
    bakery.run("forget", f"{HOST}/pan.html")
    assert "see (a URL that was taken out)" in urls_in(exported(bakery, "decisions"))


def test_a_page_whose_owner_forbids_copies_has_no_positions(bakery: Breadcrumb) -> None:
    with CrawlDatabase(bakery.data) as database, database.transaction() as connection:
        connection.execute(
            "UPDATE body SET headers = ? WHERE url = ?",
            ('[["content-type", "text/html"], ["x-robots-tag", "noarchive"]]', find(connection, f"{HOST}/rye.html")),
        )
    assert bakery.run("reparse").code == 0
    with CrawlDatabase(bakery.data, readonly=True) as database:
        page = Pages(database).get(f"{HOST}/rye.html")
        assert page is not None
        assert page.controls == PageControls(archive=False)
    assert bakery.run("index").code == 0
    rows = named(exported(bakery, "postings"), POSTINGS)
    bare = {row["url"] for row in rows if not row["positions"]}
    assert bare == {f"{HOST}/rye.html"}
    assert all(row["frequency"] for row in rows)


def test_a_taken_name_a_closed_folder_and_a_wrong_name_are_told(bakery: Breadcrumb, folder: Path) -> None:
    (folder / "mine.csv").write_text("mine")
    taken = bakery.run("export", "--table", "pages", "--to", str(folder / "mine.csv"))
    assert (taken.code, (folder / "mine.csv").read_text()) == (2, "mine")
    assert "there is something with this name already; give a new name, or remove it" in taken.err
    below = bakery.run("export", "--table", "pages", "--to", str(folder / "mine.csv" / "x.csv"))
    assert below.code == 2
    assert "no file can be made there (Not a directory)" in below.err
    odd = bakery.run("export", "--table", "pages", "--to", str(folder / "pages.xlsx"))
    assert odd.code == 2
    assert "give --to pages.csv or --to pages.parquet" in odd.err
    without = bakery.run("export", "--table", "pages")
    assert "--table needs a file: give --to pages.csv or --to pages.parquet" in without.err
    both = bakery.run("export", "--warc", str(folder / "out"), "--to", "x.csv")
    assert "--to goes with --table, not with --warc" in both.err
    assert list(folder.iterdir()) == [folder / "mine.csv"]


def test_an_error_leaves_no_file(bakery: Breadcrumb, folder: Path) -> None:
    with CrawlDatabase(bakery.data) as database, database.transaction() as connection:
        connection.execute("UPDATE page SET content = x'00' WHERE url = ?", (find(connection, f"{HOST}/pan.html"),))
    done = bakery.run("export", "--table", "pages", "--to", str(folder / "pages.csv"))
    assert done.code == 2
    assert "is damaged" in done.err
    assert not any(folder.iterdir())


def test_a_disk_that_fills_ends_the_read_before_the_database_is_closed(bakery: Breadcrumb, folder: Path) -> None:
    with CrawlDatabase(bakery.data) as database, database.transaction():
        for _ in range(2_000):  # more than a buffer holds
            Journal(database).write(None, Rule.WARNING, "bread " * 20)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))
    try:
        done = bakery.run("export", "--table", "decisions", "--to", str(folder / "decisions.csv"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (done.code, any(folder.iterdir())) == (2, False)
    gc.collect()  # a read that was left open fails now, with a warning that is an error


@pytest.mark.skipif("whoosh" not in built_in(), reason="the extension that reads such a folder")
def test_an_index_of_whoosh_has_no_postings_to_export(bakery: Breadcrumb, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "whoosh").mkdir()
    with create_in(str(tmp_path / "whoosh"), Schema(url=ID(stored=True), text=TEXT)).writer() as writer:
        writer.add_document(url=f"{HOST}/", text="rye")
    to = ["--to", str(folder / "x.csv"), "-s", f"INDEX=whoosh:{tmp_path}/whoosh", "-s", "TRUST_PICKLES=yes"]
    done = bakery.run("export", "--table", "postings", *to)
    assert done.code == 2
    assert "choose another table. The index is the Whoosh folder" in done.err
    assert not any(folder.iterdir())


def test_json_says_what_was_written(bakery: Breadcrumb, folder: Path) -> None:
    path = folder / "links.csv"
    told = json.loads(bakery.run("export", "--table", "links", "--to", str(path), "--json").out)
    assert told["rows"] == len(read_csv(path.read_bytes(), LINKS))
    assert (told["table"], told["bytes"], told["formulas"]) == ("links", path.stat().st_size, 0)


def test_every_column_is_documented() -> None:
    text = (ROOT / "docs" / "commands.md").read_text("utf-8")
    section = text.partition("\n## export\n")[2].partition("\n## ")[0]
    for table, columns in COLUMNS.items():
        line = next(line for line in section.splitlines() if line.startswith(f"- `{table}`"))
        words = [word for place, word in enumerate(line.split("`")) if place % 2]
        assert [word for word in words[1:] if word in {column.name for column in columns}] == [
            column.name for column in columns
        ]
